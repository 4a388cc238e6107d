"""Run batches and shards, and keep their results in a keyed cache."""
