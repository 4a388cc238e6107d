"""The five papers: their numbers with ours next to them, the tables that print them, and the verdicts."""
