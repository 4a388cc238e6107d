"""Scripts that generate or check what the pages show; run them from the root, such as `python -m tools.results`."""
