"""Nearest neighbours by cosine: exact, by blocks of the vocabulary."""

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import unit_rows
from wordworth.errors import WordworthError

BLOCK = 16_384


def nearest_neighbours(
    vectors: NDArray[np.floating], rows: NDArray[np.integer], k: int, *, block: int = BLOCK
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The k other rows nearest to each of `rows`, nearest first, and their cosines: two arrays (len(rows), k)."""
    if not 0 < k < len(vectors):
        raise WordworthError(f"{k} neighbours cannot be had among {len(vectors)} vectors; ask for fewer, or at least 1")
    asked = unit_rows(vectors[rows])
    best = np.full((len(rows), k), -np.inf)
    place = np.zeros((len(rows), k), dtype=np.intp)
    for start in range(0, len(vectors), block):
        near = asked @ unit_rows(vectors[start : start + block]).T
        inside = np.flatnonzero((rows >= start) & (rows < start + block))
        near[inside, rows[inside] - start] = -np.inf  # no word is its own neighbour
        columns = near.shape[1]
        some = np.argpartition(-near, min(k, columns) - 1, axis=1)[:, :k]
        merged = np.concatenate([best, np.take_along_axis(near, some, axis=1)], axis=1)
        places = np.concatenate([place, some + start], axis=1)
        kept = np.argsort(-merged, axis=1, kind="stable")[:, :k]
        best, place = np.take_along_axis(merged, kept, axis=1), np.take_along_axis(places, kept, axis=1)
    return place, best
