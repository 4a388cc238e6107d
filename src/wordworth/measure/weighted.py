"""Word lists whose words count more than once, as in a bootstrap resample of them; and how far estimators agree.

Weights are (words, resamples): how often each word was drawn. An estimator with weights gives one value a resample, in
an axis of its own at the end; without them every word counts once, and there is no such axis.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from wordworth.embedding.core import Matrix, Vectors
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare

Weights = Vectors | NDArray[np.integer]


def weighted_mean(words: Vectors, weights: Weights | None = None) -> Matrix:
    """The mean of a list's vectors: (..., words, dim) and (words, resamples) → (..., resamples, dim)."""
    count = words.shape[-2]
    if not count:
        raise WordworthError("a class without words has no mean; give at least one word of each")
    drawn = np.ones((count, 1)) if weights is None else weights
    return np.asarray(shares(drawn, count).T @ np.asarray(words, dtype=np.float64), dtype=np.float64)


def mean_over_targets(values: Matrix, weights: Weights) -> Matrix:
    """The measure from its targets' values (..., targets, resamples), the targets weighted too → (..., resamples)."""
    drawn = shares(weights, values.shape[-2])
    return np.asarray(np.einsum("...tr,tr->...r", values, drawn), dtype=np.float64)


def shares(weights: Weights, count: int) -> Matrix:
    """Weights of `count` words that sum to one in every resample."""
    total = weights.sum(axis=0)
    if weights.ndim != 2 or len(weights) != count or not (total > 0).all():
        raise WordworthError(f"{count} words need weights (words, resamples) of positive sum, not {weights.shape}")
    return np.asarray(weights / total, dtype=np.float64)


def plain(values: Matrix, *weights: object) -> Matrix:
    """Values without the axis of resamples where there were no weights."""
    return values if any(counts is not None for counts in weights) else values[..., 0]


declare(
    "agreement",
    "Spearman's ρ over layers between the two estimators that `variant` names; without a variant, the mean over pairs "
    "of different estimators.",
    "bommasani2020",
    "higher",
    is_main=True,
    has_open_variants=True,
)


def rank_agreement(one: Vectors, other: Vectors) -> Matrix:
    """Spearman's ρ down the columns of two arrays (layers, resamples) → (resamples).

    NaN where all layers of a resample are alike: it has no order.
    """
    first, second = (rank - rank.mean(axis=0) for rank in (rankdata(values, axis=0) for values in (one, other)))
    spread = np.sqrt(np.square(first).sum(axis=0) * np.square(second).sum(axis=0))
    with np.errstate(invalid="ignore"):
        return np.asarray((first * second).sum(axis=0) / spread, dtype=np.float64)
