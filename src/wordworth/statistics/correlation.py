"""Pearson's and Spearman's ρ for many columns at once: with bootstrap intervals, and under shuffled ratings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr
from scipy.stats import rankdata

from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import BLOCK, RESAMPLES, Exact, Values, percentile_interval, resample_counts
from wordworth.statistics.threads import in_threads

Replicates = Callable[[NDArray[np.int32]], Exact]


@dataclass(frozen=True)
class Correlation:
    """ρ and its 95 % interval, one a layer (of no dimension for plain x), over n items."""

    value: Exact
    low: Exact
    high: Exact
    n: int


def pearson(
    x: Values, y: Values, *, items: Sequence[str] | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Correlation:
    """Pearson's ρ of x (..., items) with y (items); leading axes (layers) share the resamples.

    With the names of the `items`, resamples are drawn by name: the interval does not depend on the order of the items.
    """
    columns, ratings = checked_items(*in_order(x, y, items))
    return _interval(columns, ratings, pearson_replicates(columns, ratings), x.shape[:-1], resamples, seed)


def spearman(
    x: Values, y: Values, *, items: Sequence[str] | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Correlation:
    """Spearman's ρ, average ranks for ties, of x (..., items) with y (items); each resample is ranked anew.

    `items` are as in `pearson`.
    """
    columns, ratings = checked_items(*in_order(x, y, items))
    replicates = spearman_replicates(columns, ratings)
    ranks = rankdata(columns, axis=1), rankdata(ratings)
    return _interval(*ranks, replicates, x.shape[:-1], resamples, seed)


def rank_correlation(x: Values, y: Values) -> Exact:
    """Spearman's ρ alone, without an interval, where there are very many: x (..., items) and y (items) → (...)."""
    return correlations(*checked_items(x, y), ranked=True).reshape(x.shape[:-1])


def correlations(x: Exact, y: Exact, *, ranked: bool) -> Exact:
    """Pearson's ρ of each row of x (rows, items) with y (items), or Spearman's; NaN where a row is constant."""
    rows, column = (rankdata(x, axis=1), rankdata(y)) if ranked else (x, y)
    rows, column = (one - one.mean(axis=-1, keepdims=True) for one in (rows, column))
    scale = np.linalg.norm(rows, axis=1) * np.linalg.norm(column)
    return np.asarray(np.clip(rows @ column / np.where(scale > 0, scale, np.nan), -1, 1), dtype=np.float64)


def correlation_p(rho: Exact, n: NDArray[np.integer]) -> Exact:
    """Two-sided p of ρ over n items: t = ρ √((n − 2) / (1 − ρ²)) with n − 2 degrees of freedom."""
    freedom = np.asarray(n) - 2
    with np.errstate(divide="ignore"):  # ρ of ±1 has p 0
        t = np.abs(rho) * np.sqrt(freedom / (1 - np.square(rho)))
    return np.asarray(2 * stdtr(freedom, -t), dtype=np.float64)


def in_order(x: Values, y: Values, items: Sequence[str] | None) -> tuple[Values, Values]:
    """x and y with their items in alphabetical order; items of one name (a pair rated twice) go by their rating."""
    if items is None or x.shape[-1:] != y.shape:
        return x, y  # the shapes are checked, and refused, with the values
    order = np.lexsort((y, np.array(items)))
    return x[..., order], y[order]


def checked_items(x: Values, y: Values) -> tuple[Exact, Exact]:
    """x as (layers, items) and y as (items), in float64."""
    if y.ndim != 1 or x.ndim < 1 or x.shape[-1] != len(y):
        raise WordworthError(f"values of shape {x.shape} cannot be correlated with {y.shape}: give one rating an item")
    if len(y) < 3:
        raise WordworthError(f"a correlation needs at least 3 items, and there are {len(y)}")
    ratings = np.array(y, dtype=np.float64)
    columns = np.array(x, dtype=np.float64).reshape(-1, len(y))
    for name, values in (("x", columns), ("y", ratings[None])):
        if not np.isfinite(values).all():
            item = int(np.argwhere(~np.isfinite(values))[0, 1])
            raise WordworthError(f"item {item} of {name} is not finite; drop it before correlating")
        # Powers of two change no digit, and keep squares of what is huge or tiny within range.
        values[:] = np.ldexp(values, -np.frexp(np.abs(values).max(axis=1, keepdims=True))[1])
        if not (np.ptp(values, axis=1) > 1e-12 * np.abs(values).max(axis=1)).all():
            raise WordworthError(f"all {len(y)} values of {name} are the same, so they correlate with nothing")
    return columns, ratings


def _interval(
    x: Exact, y: Exact, replicates: Replicates, shape: tuple[int, ...], resamples: int, seed: int
) -> Correlation:
    x_scores, y_scores = standardised(x), standardised(y)
    value = np.clip(x_scores @ y_scores / len(y), -1, 1)
    counted = resample_counts(len(y), resamples, seed, BLOCK)
    low, high = percentile_interval(np.concatenate([replicates(counts) for counts in counted], axis=-1))
    return Correlation(value.reshape(shape), low.reshape(shape), high.reshape(shape), len(y))


def standardised(values: Exact) -> Exact:
    """Values about their mean in units of their standard deviation (ddof 0)."""
    centred = values - values.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True)), dtype=np.float64)


def _ratio(covariance: Exact, x_variance: Exact, y_variance: Exact, n: int) -> Exact:
    """covariance / √(variances); NaN where a resample is constant (its variance is rounding of numbers of size n²)."""
    defined = (x_variance > 1e-12 * n * n) & (y_variance > 1e-12 * n * n)
    product = np.where(defined, x_variance * y_variance, np.nan)
    return np.asarray(np.clip(covariance / np.sqrt(product), -1, 1), dtype=np.float64)


def pearson_replicates(x: Exact, y: Exact) -> Replicates:
    """ρ of every resample from weighted moments: one product (moments × items) @ (items × resamples)."""
    x_scores, y_scores = standardised(x), standardised(y)[None]  # so that the differences below lose no digits
    moments = np.concatenate([x_scores, x_scores**2, x_scores * y_scores, y_scores, y_scores**2])
    layers, n = x.shape

    def replicates(counts: NDArray[np.int32]) -> Exact:
        sums = moments @ counts.astype(np.float64)
        sx, sxx, sxy = (sums[i * layers : (i + 1) * layers] for i in range(3))
        sy, syy = sums[-2], sums[-1]
        return _ratio(n * sxy - sx * sy, n * sxx - sx**2, n * syy - sy**2, n)

    return replicates


def spearman_replicates(x: Exact, y: Exact) -> Replicates:
    """ρ of every resample, ranked exactly within it.

    With E(v) how many drawn items are ≤ v and S(v) how many are < v, the average rank of v is (S + E + 1) / 2 and its
    distance from the mean rank (S + E − n) / 2: running totals of the counts in sorted order, and no sorting.
    """
    n = len(y)
    y_places, x_places = _sorted_places(y), [_sorted_places(column) for column in x]

    def replicates(counts: NDArray[np.int32]) -> Exact:
        y_ranks = _centred_ranks(counts, y_places)
        y_weighted = counts * y_ranks
        y_variance = np.einsum("ir,ir->r", y_weighted, y_ranks)

        def layer(places: Places) -> Exact:
            x_ranks = _centred_ranks(counts, places)
            covariance = np.einsum("ir,ir->r", y_weighted, x_ranks)
            x_variance = np.einsum("ir,ir->r", counts * x_ranks, x_ranks)
            return _ratio(covariance, x_variance, y_variance, n)

        return np.stack(in_threads(layer, x_places))

    return replicates


Places = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]


def _sorted_places(values: Exact) -> Places:
    """The sorting order, and for each item where its tie group begins and ends in it."""
    order = np.argsort(values)
    ascending = values[order]
    return order, np.searchsorted(ascending, values, side="left"), np.searchsorted(ascending, values, side="right")


def _centred_ranks(counts: NDArray[np.int32], places: Places) -> Exact:
    """Twice the distance of each item's average rank from the mean rank, in every resample: (items, resamples)."""
    order, begins, ends = places
    n, resamples = counts.shape
    totals = np.zeros((n + 1, resamples), dtype=np.int32)
    np.cumsum(counts[order], axis=0, out=totals[1:])
    return (totals[begins] + totals[ends] - np.int32(n)).astype(np.float64)


def shuffled_pearson(x: Values, y: Values, *, shuffles: int = RESAMPLES, seed: int = 0) -> tuple[Correlation, Exact]:
    """Correlate x (..., items) with y (items) in random order, `shuffles` times; leading axes share the orders.

    Return the mean ρ and the range of 95 % of the shuffles, and p: the share of shuffles whose |ρ| is at least the
    observed one, the observed order counted in.
    """
    columns, ratings = checked_items(x, y)
    scores, people, n, shape = standardised(columns), standardised(ratings), len(y), x.shape[:-1]
    rng, step = np.random.default_rng(seed), max(1, BLOCK // n)
    drawn = []
    for start in range(0, shuffles, step):
        orders = rng.permuted(np.tile(people, (min(step, shuffles - start), 1)), axis=1)
        drawn.append(scores @ orders.T / n)
    every = np.concatenate(drawn, axis=1)
    # What ties with the observed order counts; sums in another order differ in their last digits.
    reached = (np.abs(every) >= np.abs(scores @ people / n)[:, None] - 1e-12).sum(axis=1)
    low, high = percentile_interval(every)
    p = (reached + 1) / (shuffles + 1)
    value, low, high, p = (np.asarray(one).reshape(shape) for one in (every.mean(axis=1), low, high, p))
    return Correlation(value, low, high, n), p
