"""Ratios over words that come in clusters (the lines or documents of a text), with intervals that resample clusters.

Words of one text are alike, so it is the texts that are drawn anew. A ratio only needs each cluster's two sums, so
all resamples are one product of the sums with the counts of how often each cluster was drawn.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Exact, Values
from wordworth.statistics.bootstrap import RESAMPLES, percentile_interval, resample_counts

NOTHING = "there is no predicted word to measure; give a text whose lines have at least 3 words"


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
        raise WordworthError(NOTHING)
    distinct, number = np.unique(labels, return_inverse=True)
    return number.astype(np.intp), len(distinct)


@dataclass(frozen=True, eq=False)
class Sums:
    """All that a ratio needs of its items: the two sums of each cluster that has any, and how many items there are."""

    above: Exact
    below: Exact
    items: int


class Summing:
    """Columns of items added up by cluster (0 … clusters − 1), as the items come. They are added one by one in their
    order, so that the sums do not depend on how the items are cut."""

    def __init__(self, clusters: int, names: Iterable[str]) -> None:
        self._items = np.zeros(clusters, dtype=np.int64)
        self._sums = {name: np.zeros(clusters) for name in names}

    @property
    def items(self) -> int:
        return int(self._items.sum())

    @property
    def names(self) -> list[str]:
        return list(self._sums)

    def add(self, clusters: NDArray[np.integer], **columns: Values | NDArray[np.integer] | NDArray[np.bool_]) -> None:
        self._items += np.bincount(clusters, minlength=len(self._items))
        for name, column in columns.items():
            np.add.at(self._sums[name], clusters, column.astype(np.float64))

    def sums(self, above: str, below: str | None = None) -> Sums:
        """One column over another, or over the items."""
        some = self._items > 0
        under = self._items if below is None else self._sums[below]
        return Sums(self._sums[above][some], under[some].astype(np.float64), self.items)


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
    above = np.bincount(number, weights=numerators.astype(np.float64), minlength=k).astype(np.float64)
    below = np.bincount(number, weights=denominators.astype(np.float64), minlength=k).astype(np.float64)
    return ratio_of(Sums(above, below, len(numerators)), resamples=resamples, seed=seed)


def ratio_of(sums: Sums, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """The same from the sums by cluster."""
    if not sums.items:
        raise WordworthError(NOTHING)
    if not sums.below.sum() > 0:
        raise WordworthError("a ratio to nothing is not defined: the denominators sum to 0")
    value, k = float(sums.above.sum() / sums.below.sum()), len(sums.above)
    if k == 1:
        return Estimate(value, np.nan, np.nan, sums.items)
    both = np.stack([sums.above, sums.below])
    drawn = [both @ counts for counts in resample_counts(k, resamples, seed)]
    top, bottom = np.concatenate(drawn, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = percentile_interval(np.where(bottom > 0, top / bottom, np.nan))
    return Estimate(value, float(low), float(high), sums.items)
