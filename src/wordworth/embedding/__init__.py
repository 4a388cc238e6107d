"""The one idea: every representation is an `Embedding`, words × dimensions with its provenance."""

from wordworth.embedding.core import Embedding, Lookup, Provenance
from wordworth.embedding.spelling import spellings

__all__ = ["Embedding", "Lookup", "Provenance", "spellings"]
