"""The quirks of each kind of data set, one reader a file."""
