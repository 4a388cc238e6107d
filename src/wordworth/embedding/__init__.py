"""The one idea: every representation is an `Embedding`, words × dimensions with its provenance."""

from wordworth.embedding.core import Embedding, Lookup, Provenance
from wordworth.embedding.formats import FORMATS
from wordworth.embedding.paired import histwords_decades
from wordworth.embedding.reading import load
from wordworth.embedding.spelling import spellings
from wordworth.embedding.writing import save

__all__ = ["FORMATS", "Embedding", "Lookup", "Provenance", "histwords_decades", "load", "save", "spellings"]
