"""The one idea: every representation is an `Embedding` (words × dimensions) or `Layers` (the same words in layers)."""

from typing import TYPE_CHECKING

from wordworth.lazy import lazily

if TYPE_CHECKING:
    from wordworth.embedding.core import Embedding, Lookup, Provenance, spellings
    from wordworth.embedding.formats import FORMATS
    from wordworth.embedding.layers import NOT_FOUND, SAME_VECTOR, Layers, Slot
    from wordworth.embedding.pickles import histwords_decades
    from wordworth.embedding.reading import load
    from wordworth.embedding.writing import save

lazily(__name__)
