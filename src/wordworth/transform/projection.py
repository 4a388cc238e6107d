"""A subspace taken out of vectors: x − Σ ⟨x, v⟩ v over an orthonormal basis v (Dev et al. 2020)."""

import hashlib
from collections.abc import Callable, Iterator

import numpy as np

from wordworth.embedding import Embedding
from wordworth.embedding.core import Matrix, Vectors
from wordworth.errors import WordworthError

ROWS = 1 << 15
"""Rows that are turned into float64 at a time: a large embedding stays in its own precision."""


def orthonormal(directions: Vectors) -> Matrix:
    """Return an orthonormal basis (rows) of the span of `directions` (k, dim), which must be independent."""
    rows = np.atleast_2d(np.asarray(directions, dtype=np.float64))
    scale = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise WordworthError("a direction to remove is zero or not a number")
    _, spread, basis = np.linalg.svd(rows / scale, full_matrices=False)
    if spread[-1] < 1e-10 * spread[0]:
        raise WordworthError("the directions to remove are not independent; drop the repeated one")
    return np.asarray(basis, dtype=np.float64)


def project_out(vectors: Vectors, basis: Matrix) -> Matrix:
    """Return vectors (words, dim) without their part in the span of the orthonormal rows of `basis`."""
    x = np.asarray(vectors, dtype=np.float64)
    return x - (x @ basis.T) @ basis


def remove(embedding: Embedding, basis: Matrix, name: str) -> Embedding:
    """Remove the part of every vector in the span of the orthonormal rows of `basis`, in the embedding's precision.

    `name` says in the provenance what the basis is, such as “he − she”.
    """
    if basis.ndim != 2 or basis.shape[1] != embedding.dim:
        raise WordworthError(
            f"{name} has directions of shape {basis.shape} and {embedding.name} {embedding.dim} dimensions; "
            "learn the subspace from the same embedding"
        )
    matrix = by_blocks(embedding, lambda rows, _: project_out(rows, basis))
    return embedding.with_matrix(matrix, f"projected out: {signed(name, basis)}")


def signed(name: str, basis: Matrix) -> str:
    """Return a subspace's name with its dimensions and a checksum, so that two of one name differ."""
    return stamped(name, len(basis), basis.T @ basis)  # which is the same for any basis of the span


def stamped(name: str, dimensions: int, projector: Matrix) -> str:
    """Return a name with the dimensions and a checksum of a projector, which may be oblique."""
    rounded = np.round(projector, 6) + 0.0  # no negative zeros
    return f"{name} ({dimensions}; {hashlib.sha256(rounded.astype('<f4').tobytes()).hexdigest()[:8]})"


def by_blocks(embedding: Embedding, change: Callable[[Matrix, slice], Matrix]) -> Vectors:
    """Apply `change(rows, which)` to every block of rows in float64; the result has the embedding's precision."""
    precision = np.result_type(embedding.matrix.dtype, np.float32)  # half precision would keep some of the direction
    matrix = np.empty(embedding.matrix.shape, dtype=precision)
    for which in blocks(len(embedding)):
        matrix[which] = change(np.asarray(embedding.matrix[which], dtype=np.float64), which)
    return matrix


def with_lengths_of(embedding: Embedding, other: Embedding) -> Embedding:
    """Give every vector the length that its word has in `other`, row by row.

    For networks that were trained on `other`: hard debiasing gives vectors of length one, unlike those.
    """
    if embedding.words != other.words:
        raise WordworthError(f"{embedding.name} and {other.name} do not hold the same words; give two versions of one")

    def stretched(rows: Matrix, which: slice) -> Matrix:
        wanted = np.linalg.norm(np.asarray(other.matrix[which], dtype=np.float64), axis=1, keepdims=True)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(np.divide(rows * wanted, lengths, out=np.zeros_like(rows), where=lengths > 0))

    return embedding.with_matrix(by_blocks(embedding, stretched), f"lengths of {other.name}")


def vanished(before: Embedding, after: Embedding, share: float = 1e-5) -> list[str]:
    """Return words that keep no more than `share` of their length: they were in what was removed."""
    gone: list[str] = []
    for which in blocks(len(before)):
        lengths = [np.linalg.norm(np.asarray(one.matrix[which], dtype=np.float64), axis=1) for one in (before, after)]
        gone += [before.words[which.start + int(at)] for at in np.flatnonzero(lengths[1] <= share * lengths[0])]
    return gone


def blocks(count: int) -> Iterator[slice]:
    """Yield slices of at most `ROWS` rows."""
    return (slice(start, min(start + ROWS, count)) for start in range(0, count, ROWS))
