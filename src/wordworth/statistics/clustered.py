"""Ratios over words that come in clusters (the lines or documents of a text), with intervals that resample clusters.

Words of one text are alike, so it is the texts that are drawn anew. A ratio only needs each cluster's two sums, so
all resamples are one product of the sums with the counts of how often each cluster was drawn.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Values
from wordworth.statistics.bootstrap import RESAMPLES, percentile_interval, resample_counts


@dataclass(frozen=True)
class Estimate:
    """A value, its 95 % interval (NaN where one cluster leaves nothing to resample), and the items it is over."""

    value: float
    low: float
    high: float
    n: int


def numbered(labels: NDArray[np.integer], items: int) -> tuple[NDArray[np.intp], int]:
    """Labels (items) as 0 … k − 1, and k."""
    if labels.shape != (items,):
        raise WordworthError(f"{items} items do not go with labels of shape {labels.shape}: give one label an item")
    if not items:
        raise WordworthError("there is no predicted word to measure; give a text whose lines have at least 3 words")
    distinct, number = np.unique(labels, return_inverse=True)
    return number.astype(np.intp), len(distinct)


def ratio(
    numerators: Values | NDArray[np.bool_],
    denominators: Values | NDArray[np.integer],
    clusters: NDArray[np.integer],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Σ numerators / Σ denominators over all items (all three of shape (items)), with a percentile interval."""
    number, k = numbered(clusters, len(numerators))
    above = np.bincount(number, weights=numerators.astype(np.float64), minlength=k)
    below = np.bincount(number, weights=denominators.astype(np.float64), minlength=k)
    if not below.sum() > 0:
        raise WordworthError("a ratio to nothing is not defined: the denominators sum to 0")
    value = float(above.sum() / below.sum())
    if k == 1:
        return Estimate(value, np.nan, np.nan, len(numerators))
    both = np.stack([above, below])
    drawn = [both @ counts for counts in resample_counts(k, resamples, seed)]
    top, bottom = np.concatenate(drawn, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = percentile_interval(np.where(bottom > 0, top / bottom, np.nan))
    return Estimate(value, float(low), float(high), len(numerators))
