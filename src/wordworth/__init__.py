"""Wordworth: what a word is worth to a model."""

from wordworth.embedding import Embedding
from wordworth.errors import WordworthError

__version__ = "0.1.0"
__all__ = ["Embedding", "WordworthError", "__version__"]
