"""Cosines: vectors of length one, an error that names the row that cannot be one, and nearest neighbours."""

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError

Vectors = NDArray[np.floating]
"""Of any precision, as they are given."""
Matrix = NDArray[np.float64]
"""Of the precision that statistics are computed in."""
BLOCK_ROWS = 16_384


def norms(vectors: Vectors, what: str = "the vectors") -> Matrix:
    """Euclidean lengths (..., rows) of vectors (..., rows, dim); a zero or non-finite one is an error."""
    lengths = np.sqrt(np.einsum("...i,...i->...", vectors, vectors, dtype=np.float64))
    refuse_degenerate(lengths, what)
    return np.asarray(lengths, dtype=np.float64)


def refuse_degenerate(lengths: Matrix, what: str, offset: int = 0) -> None:
    """Raises for the first length that is zero or not finite; `offset` is the row at which these lengths begin."""
    usable = np.isfinite(lengths) & (lengths > 0)
    if not usable.all():
        *layer, row = (int(place) for place in np.argwhere(~usable)[0])
        where = f"row {row + offset} of {what}" + (f", layer {','.join(map(str, layer))}," if layer else "")
        kind = "is zero" if lengths[(*layer, row)] == 0 else "has a value that is not finite"
        raise WordworthError(f"{where} {kind} and so has no cosine; drop that word")


def unit_rows(vectors: Vectors, what: str = "the vectors") -> Matrix:
    """v / |v| for every row of (..., rows, dim), in float64."""
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact / norms(exact, what)[..., None], dtype=np.float64)


def cosines(left: Vectors, right: Vectors) -> Matrix:
    """cos(left_i, right_i) row by row: (..., rows, dim) twice → (..., rows)."""
    if left.shape[-2:] != right.shape[-2:]:
        raise WordworthError(f"rows of shape {left.shape} cannot be paired with rows of shape {right.shape}")
    one, other = unit_rows(left, "the left vectors"), unit_rows(right, "the right vectors")
    return np.asarray(np.einsum("...i,...i->...", one, other), dtype=np.float64)


def cosines_with(vectors: Vectors, directions: Matrix, what: str = "the vectors") -> Matrix:
    """⟨v / |v|, d⟩ of every row with every direction: (..., rows, dim) and (..., k, dim) → (..., rows, k).

    These are cosines where the directions have length one, and mean cosines where they are means of such.
    """
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact @ directions.swapaxes(-1, -2) / norms(exact, what)[..., None], dtype=np.float64)


def nearest_neighbours(
    vectors: NDArray[np.floating], rows: NDArray[np.integer], k: int, *, block: int = BLOCK_ROWS
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the k other rows nearest to each of `rows`, nearest first, and their cosines: two arrays (len(rows), k).

    The result is exact; the vocabulary is gone through in blocks.
    """
    if not 0 < k < len(vectors):
        raise WordworthError(f"{k} neighbours cannot be found among {len(vectors)} vectors; take fewer, or at least 1")
    units = unit_rows(vectors[rows])
    best = np.full((len(rows), k), -np.inf)
    place = np.zeros((len(rows), k), dtype=np.intp)
    for start in range(0, len(vectors), block):
        near = units @ unit_rows(vectors[start : start + block]).T
        inside = np.flatnonzero((rows >= start) & (rows < start + block))
        near[inside, rows[inside] - start] = -np.inf  # no word is its own neighbour
        columns = near.shape[1]
        some = np.argpartition(-near, min(k, columns) - 1, axis=1)[:, :k]
        merged = np.concatenate([best, np.take_along_axis(near, some, axis=1)], axis=1)
        places = np.concatenate([place, some + start], axis=1)
        kept = np.argsort(-merged, axis=1, kind="stable")[:, :k]
        best, place = np.take_along_axis(merged, kept, axis=1), np.take_along_axis(places, kept, axis=1)
    return place, best
