"""Soft match: how near a wrong guess lies to the target in a word embedding (Dudy & Bedrick 2020, 2.4.2)."""

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.core import Matrix, Vectors, norms
from wordworth.measure.declaration import declare

BLOCK_WORDS = 8_192  # rows of the vocabulary compared at a time
BATCH_WORDS = 256  # pairs compared at a time (16 MB of cosines)
COSINE_TIE = 1e-12
"""Cosines of float64 unit vectors that differ by less are rounding, and count as equal."""

declare(
    "soft-match",
    "Share of words whose guess is among the {k} nearest words in the embedding that `variant` names, the word itself "
    "first; without k, similar to them by the rule that `variant` names.",
    "dudy2020",
    "higher",
    is_main=True,
    has_open_variants=True,
)
declare(
    "soft-match-types",
    "Share of types that a soft match hits at least once.",
    "dudy2020",
    "higher",
    has_open_variants=True,
)


def neighbour_ranks(
    vectors: Vectors,
    targets: NDArray[np.integer],
    guesses: NDArray[np.integer],
    *,
    max_rank: int,
    block: int = BLOCK_WORDS,
) -> NDArray[np.intp]:
    """Return the place of each guess among the nearest neighbours of its target, by cosine; both are rows.

    The target is its own first neighbour, so a guess that is the target has rank 1 and the word nearest to it rank 2;
    of equals none is before the other. A rank above `max_rank` is reported as `max_rank` + 1, which is
    much quicker: a pair is dropped as soon as so many words are nearer, and the first, frequent rows drop nearly all.
    """
    if not len(targets):
        return np.empty(0, dtype=np.intp)
    pairs, place = np.unique(np.stack([targets, guesses], axis=1), axis=0, return_inverse=True)
    scales = 1 / norms(vectors, "the vectors")

    def units(rows: NDArray[np.intp] | slice) -> Matrix:
        return np.asarray(vectors[rows] * scales[rows, None], dtype=np.float64)

    ranks = np.where(pairs[:, 0] == pairs[:, 1], 1, 2).astype(np.intp)
    near = np.einsum("ij,ij->i", units(pairs[:, 0]), units(pairs[:, 1])) + COSINE_TIE
    live = np.flatnonzero(ranks == 2)
    for start in range(0, len(vectors), block):
        rows = units(slice(start, start + block))
        for at in range(0, len(live), BATCH_WORDS):
            batch = live[at : at + BATCH_WORDS]
            words, inverse = np.unique(pairs[batch, 0], return_inverse=True)
            cosine = units(words) @ rows.T
            inside = np.flatnonzero((words >= start) & (words < start + len(rows)))
            cosine[inside, words[inside] - start] = -np.inf  # the target is counted already
            ranks[batch] += (cosine[inverse] > near[batch, None]).sum(axis=1)
        live = live[ranks[live] <= max_rank]
    return np.asarray(np.minimum(ranks, max_rank + 1)[place.reshape(-1)])
