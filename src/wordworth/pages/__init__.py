"""A report of one run or many: HTML that needs nothing else, Markdown, or LaTeX tables."""
