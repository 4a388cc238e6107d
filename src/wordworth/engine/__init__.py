"""Where work runs and what is kept of it: the keyed cache, its housekeeping, and the loop over batches."""
