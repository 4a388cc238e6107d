"""`as_embedding`: word vectors in memory, in any usual form, become an `Embedding`. Nothing large is copied."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wordworth.embedding.blocks import slice_blocks
from wordworth.embedding.core import Embedding
from wordworth.errors import WordworthError


def as_embedding(vectors: Any, name: str = "") -> Embedding | None:
    """Return word vectors as an embedding, after a check of every row; None for an object of another kind.

    It takes an `Embedding`, gensim's `KeyedVectors` or a model with `.wv`, a dict of word → vector, or
    (words, matrix). `name` is what tables call it.
    """
    if isinstance(vectors, Embedding):
        embedding = vectors
    else:
        parts = _split(vectors)
        if parts is None:
            return None
        embedding = Embedding(*parts)
        is_plain = isinstance(vectors, Mapping | Sequence)
        name = name or embedding.name.replace("Vectors", "Vectors" if is_plain else type(vectors).__name__, 1)
    if name:
        embedding = replace(embedding, provenance=replace(embedding.provenance, name=name))
    if not embedding.provenance.sha256:  # a file's rows were checked when it was read
        _check_rows(embedding)
    return embedding


def is_words_and_matrix(pair: Any) -> bool:
    """Return whether it is (words, matrix), and not two models."""
    if not isinstance(pair, tuple | list) or len(pair) != 2 or any(isinstance(one, str | Mapping) for one in pair):
        return False
    words, matrix = pair
    return (isinstance(words, Sequence) or hasattr(words, "__array__")) and np.ndim(matrix) == 2


def _split(vectors: Any) -> tuple[Sequence[str], Any] | None:
    """Return the words and the matrix of vectors in memory."""
    keyed = getattr(vectors, "wv", vectors)
    if hasattr(keyed, "index_to_key") and hasattr(keyed, "vectors"):
        return keyed.index_to_key, keyed.vectors
    if isinstance(vectors, Mapping) and vectors and all(np.ndim(one) == 1 for one in vectors.values()):
        lengths = {len(one) for one in vectors.values()}
        if len(lengths) > 1:
            raise WordworthError(f"the vectors have {min(lengths)} to {max(lengths)} numbers; give as many in each")
        return list(vectors), np.stack([np.asarray(one) for one in vectors.values()])
    if is_words_and_matrix(vectors):
        words, matrix = vectors
        if hasattr(matrix, "detach"):  # a tensor of torch, which may be on a device
            matrix = matrix.detach().cpu()
        return words if isinstance(words, Sequence) else np.asarray(words).tolist(), matrix
    return None


def _check_rows(embedding: Embedding) -> None:
    """Stop at a word that is no text or repeats, and at a vector with NaN or infinity or of zeros only."""
    if embedding.matrix.dtype.kind not in "fiu":
        raise WordworthError(f"{embedding.name}: the vectors are {embedding.matrix.dtype}, not numbers")
    for block in slice_blocks(embedding.words, embedding.matrix):
        no_words = [word for word in block.words if not isinstance(word, str) or not word]
        if no_words:
            raise WordworthError(f"{embedding.name}: {no_words[0]!r} is not a word; give words as text")
        bad = ~np.isfinite(block.vectors).all(axis=1) | ~block.vectors.any(axis=1)
        if bad.any():
            word = block.words[int(bad.argmax())]
            raise WordworthError(
                f"{embedding.name}: the vector of {word!r} has NaN or infinity in it, or only zeros; drop such rows"
            )
    _ = embedding.index  # an error where a word repeats
