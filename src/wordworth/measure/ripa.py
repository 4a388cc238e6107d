"""Relational inner product association (Ethayarajh, Duvenaud & Hirst 2019)."""

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import Measure, declare

declare(
    Measure(
        "ripa",
        "Mean |⟨w, (x − y) / ‖x − y‖⟩|, averaged over pairs (x, y) before the absolute value.",
        "ethayarajh2019b",
        "lower",
    )
)


def ripa(
    targets: NDArray[np.floating], first: NDArray[np.floating], second: NDArray[np.floating]
) -> NDArray[np.float64]:
    """⟨w, (x − y) / ‖x − y‖⟩, the mean over the pairs (x, y): (..., words, dim), (..., n, dim) twice → (..., words).

    Positive towards `first`. Words keep their length, so the value grows with it. The measure is the mean of |·|.
    """
    if first.shape != second.shape or not first.shape[-2]:
        raise WordworthError(f"pairs of shape {first.shape} and {second.shape} do not match; give whole pairs")
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    relation = unit_rows(differences, "the pairs' differences").mean(axis=-2)
    return np.asarray(np.einsum("...wi,...i->...w", np.asarray(targets, np.float64), relation), dtype=np.float64)
