"""Benchmarks: each a ratio in one run against the plain way, with the same numbers out."""
