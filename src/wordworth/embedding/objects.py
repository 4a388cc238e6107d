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

    `vectors` is an `Embedding`, gensim's `KeyedVectors` or a model with `.wv`, a dict of word → vector, or
    (words, matrix). `name` is the name in tables.
    """
    if isinstance(vectors, Embedding):
        embedding = vectors
    else:
        words_and_matrix = _split(vectors)
        if words_and_matrix is None:
            return None
        embedding = Embedding(*words_and_matrix)
        is_plain = isinstance(vectors, Mapping | Sequence)
        name = name or embedding.name.replace("Vectors", "Vectors" if is_plain else type(vectors).__name__, 1)
    if name:
        embedding = replace(embedding, provenance=replace(embedding.provenance, name=name))
    if not embedding.provenance.sha256:  # a file's rows were checked when it was read
        _check_rows(embedding)
    return embedding


def is_words_and_matrix(pair: Any) -> bool:
    """Return whether an object is (words, matrix), and not two models."""
    if not isinstance(pair, tuple | list) or len(pair) != 2 or any(isinstance(part, str | Mapping) for part in pair):
        return False
    words, matrix = pair
    return (isinstance(words, Sequence) or hasattr(words, "__array__")) and np.ndim(matrix) == 2


def _split(vectors: Any) -> tuple[Sequence[str], Any] | None:
    """Return the words and the matrix of vectors in memory."""
    keyed_vectors = getattr(vectors, "wv", vectors)
    if hasattr(keyed_vectors, "index_to_key") and hasattr(keyed_vectors, "vectors"):
        return keyed_vectors.index_to_key, keyed_vectors.vectors
    if isinstance(vectors, Mapping) and vectors and all(np.ndim(vector) == 1 for vector in vectors.values()):
        lengths = {len(vector) for vector in vectors.values()}
        if len(lengths) > 1:
            raise WordworthError(
                f"the vectors have {min(lengths)} to {max(lengths)} numbers; give vectors of one length"
            )
        return list(vectors), np.stack([np.asarray(vector) for vector in vectors.values()])
    if is_words_and_matrix(vectors):
        words, matrix = vectors
        if hasattr(matrix, "detach"):  # a tensor of torch, which may be on a device
            matrix = matrix.detach().cpu()
        return words if isinstance(words, Sequence) else np.asarray(words).tolist(), matrix
    return None


def _check_rows(embedding: Embedding) -> None:
    """Raise for a word that is not text or repeats, and for a vector with NaN, infinity or only zeros."""
    if embedding.matrix.dtype.kind not in "fiu":
        raise WordworthError(
            f"{embedding.name}: the vectors are {embedding.matrix.dtype}, not numbers; give a float matrix"
        )
    for block in slice_blocks(embedding.words, embedding.matrix):
        unusable_words = [word for word in block.words if not isinstance(word, str) or not word]
        if unusable_words:
            raise WordworthError(f"{embedding.name}: {unusable_words[0]!r} is not a word; give words as text")
        is_unusable = ~np.isfinite(block.vectors).all(axis=1) | ~block.vectors.any(axis=1)
        if is_unusable.any():
            word = block.words[int(is_unusable.argmax())]
            raise WordworthError(
                f"{embedding.name}: the vector of {word!r} has NaN or infinity in it, or only zeros; drop such rows"
            )
    _ = embedding.index  # an error where a word repeats
