"""Relational inner product association (Ethayarajh, Duvenaud & Hirst 2019)."""

import numpy as np

from wordworth.embedding.cosine import Matrix, Vectors, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.measure.weighted import Weights, plain, weighted_mean

declare(
    "ripa",
    "Mean |⟨w, (x − y) / ‖x − y‖⟩|, averaged over pairs (x, y) before the absolute value.",
    "ethayarajh2019b",
    "lower",
)


def ripa(targets: Vectors, first: Vectors, second: Vectors, *, weights: Weights | None = None) -> Matrix:
    """⟨w, (x − y) / ‖x − y‖⟩, the mean over the pairs (x, y): (..., words, dim), (..., n, dim) twice → (..., words).

    Positive towards `first`. Words keep their length, so the value grows with it. The measure is the mean of |·|. With
    `weights` of the pairs → (..., words, resamples).
    """
    if first.shape != second.shape or not first.shape[-2]:
        raise WordworthError(f"pairs of shape {first.shape} and {second.shape} do not match; give whole pairs")
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    relation = weighted_mean(unit_rows(differences, "the pairs' differences"), weights)
    return plain(np.asarray(targets, dtype=np.float64) @ relation.swapaxes(-1, -2), weights)
