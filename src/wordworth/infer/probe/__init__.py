"""Sentence pairs out of templates, all of them neutral."""
