"""Pearson's and Spearman's ρ for many columns at once: with bootstrap intervals, and under shuffled ratings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr
from scipy.stats import rankdata
from scipy.stats import t as student

from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import (
    BLOCK_NUMBERS,
    RESAMPLES,
    Exact,
    Floats,
    in_threads,
    percentile_interval,
    resample_counts,
)

Replicates = Callable[[NDArray[np.int32]], Exact]


@dataclass(frozen=True)
class Correlation:
    """ρ and its 95 % interval, one a layer (of no dimension for plain x), over n items."""

    value: Exact
    low: Exact
    high: Exact
    n: int


def pearson(
    x: Floats, y: Floats, *, items: Sequence[str] | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Correlation:
    """Return Pearson's ρ of x (..., items) with y (items); leading axes (layers) share the resamples.

    With the names of the `items`, resamples are drawn by name: the interval does not depend on the order of the items.
    """
    columns, ratings = check_items(*sort_items(x, y, items))
    return _interval(columns, ratings, pearson_replicates(columns, ratings), x.shape[:-1], resamples, seed)


def spearman(
    x: Floats, y: Floats, *, items: Sequence[str] | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Correlation:
    """Return Spearman's ρ, average ranks for ties, of x (..., items) with y (items); each resample is ranked again.

    `items` are as in `pearson`.
    """
    columns, ratings = check_items(*sort_items(x, y, items))
    replicates = spearman_replicates(columns, ratings)
    ranks = rankdata(columns, axis=1), rankdata(ratings)
    return _interval(*ranks, replicates, x.shape[:-1], resamples, seed)


def rank_correlation(x: Floats, y: Floats) -> Exact:
    """Return only Spearman's ρ, without an interval, for very many: x (..., items) and y (items) → (...)."""
    return correlations(*check_items(x, y), ranked=True).reshape(x.shape[:-1])


def correlations(x: Exact, y: Exact, *, ranked: bool) -> Exact:
    """Return Pearson's ρ of each row of x (rows, items) with y (items), or Spearman's; NaN where a row is constant."""
    rows, column = (rankdata(x, axis=1), rankdata(y)) if ranked else (x, y)
    rows, column = (one - one.mean(axis=-1, keepdims=True) for one in (rows, column))
    scale = np.linalg.norm(rows, axis=1) * np.linalg.norm(column)
    return np.asarray(np.clip(rows @ column / np.where(scale > 0, scale, np.nan), -1, 1), dtype=np.float64)


def correlation_p(rho: Exact, n: NDArray[np.integer]) -> Exact:
    """Return the two-sided p of ρ over n items: t = ρ √((n − 2) / (1 − ρ²)) with n − 2 degrees of freedom."""
    freedom = np.asarray(n) - 2
    with np.errstate(divide="ignore"):  # ρ of ±1 has p 0
        t = np.abs(rho) * np.sqrt(freedom / (1 - np.square(rho)))
    return np.asarray(2 * stdtr(freedom, -t), dtype=np.float64)


def sort_items(x: Floats, y: Floats, items: Sequence[str] | None) -> tuple[Floats, Floats]:
    """Return x and y with their items in alphabetical order; those of one name (a pair rated twice) by rating."""
    if items is None or x.shape[-1:] != y.shape:
        return x, y  # the shapes are checked, and refused, with the values
    order = np.lexsort((y, np.array(items)))
    return x[..., order], y[order]


def check_items(x: Floats, y: Floats) -> tuple[Exact, Exact]:
    """Return x as (layers, items) and y as (items), in float64."""
    if y.ndim != 1 or x.ndim < 1 or x.shape[-1] != len(y):
        raise WordworthError(f"values of shape {x.shape} cannot be correlated with {y.shape}: give one rating per item")
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


def _interval(x: Exact, y: Exact, draw: Replicates, shape: tuple[int, ...], resamples: int, seed: int) -> Correlation:
    x_scores, y_scores = standardise(x), standardise(y)
    value = np.clip(x_scores @ y_scores / len(y), -1, 1)
    blocks = resample_counts(len(y), resamples, seed, BLOCK_NUMBERS)
    low, high = percentile_interval(np.concatenate([draw(counts) for counts in blocks], axis=-1))
    return Correlation(value.reshape(shape), low.reshape(shape), high.reshape(shape), len(y))


def standardise(values: Exact) -> Exact:
    """Return values about their mean in units of their standard deviation (ddof 0)."""
    centred = values - values.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True)), dtype=np.float64)


def _ratio(covariance: Exact, x_variance: Exact, y_variance: Exact, n: int) -> Exact:
    """Return covariance / √(variances); NaN for a constant resample (variance is rounding of numbers of size n²)."""
    is_defined = (x_variance > 1e-12 * n * n) & (y_variance > 1e-12 * n * n)
    product = np.where(is_defined, x_variance * y_variance, np.nan)
    return np.asarray(np.clip(covariance / np.sqrt(product), -1, 1), dtype=np.float64)


def pearson_replicates(x: Exact, y: Exact) -> Replicates:
    """Return ρ of every resample from weighted moments: one product (moments × items) @ (items × resamples)."""
    x_scores, y_scores = standardise(x), standardise(y)[None]  # so that the differences below lose no digits
    moments = np.concatenate([x_scores, x_scores**2, x_scores * y_scores, y_scores, y_scores**2])
    layers, n = x.shape

    def replicates(counts: NDArray[np.int32]) -> Exact:
        sums = moments @ counts.astype(np.float64)
        sx, sxx, sxy = (sums[i * layers : (i + 1) * layers] for i in range(3))
        sy, syy = sums[-2], sums[-1]
        return _ratio(n * sxy - sx * sy, n * sxx - sx**2, n * syy - sy**2, n)

    return replicates


def spearman_replicates(x: Exact, y: Exact) -> Replicates:
    """Return ρ of every resample, ranked exactly within it.

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
    """Return the sorting order, and for each item where its tie group begins and ends in it."""
    order = np.argsort(values)
    ascending = values[order]
    return order, np.searchsorted(ascending, values, side="left"), np.searchsorted(ascending, values, side="right")


def _centred_ranks(counts: NDArray[np.int32], places: Places) -> Exact:
    """Return twice the distance of each item's average rank from the mean rank: (items, resamples)."""
    order, begins, ends = places
    n, resamples = counts.shape
    totals = np.zeros((n + 1, resamples), dtype=np.int32)
    np.cumsum(counts[order], axis=0, out=totals[1:])
    return (totals[begins] + totals[ends] - np.int32(n)).astype(np.float64)


def shuffled_pearson(x: Floats, y: Floats, *, shuffles: int = RESAMPLES, seed: int = 0) -> tuple[Correlation, Exact]:
    """Correlate x (..., items) with y (items) in random order, `shuffles` times; leading axes share the orders.

    Return the mean ρ and the range of 95 % of the shuffles, and p: the share of shuffles whose |ρ| is at least the
    observed one, the observed order counted in.
    """
    columns, ratings = check_items(x, y)
    scores, people, n, shape = standardise(columns), standardise(ratings), len(y), x.shape[:-1]
    rng, step = np.random.default_rng(seed), max(1, BLOCK_NUMBERS // n)
    blocks = []
    for start in range(0, shuffles, step):
        orders = rng.permuted(np.tile(people, (min(step, shuffles - start), 1)), axis=1)
        blocks.append(scores @ orders.T / n)
    shuffled_values = np.concatenate(blocks, axis=1)
    # What ties with the observed order counts; sums in another order differ in their last digits.
    as_large = (np.abs(shuffled_values) >= np.abs(scores @ people / n)[:, None] - 1e-12).sum(axis=1)
    low, high = percentile_interval(shuffled_values)
    p = (as_large + 1) / (shuffles + 1)
    value, low, high, p = (np.asarray(one).reshape(shape) for one in (shuffled_values.mean(axis=1), low, high, p))
    return Correlation(value, low, high, n), p


def williams(r1: ArrayLike, r2: ArrayLike, r12: ArrayLike, n: int, *, ranked: bool = False) -> tuple[Exact, Exact]:
    """Return Williams' t (1959), the T₂ that Steiger (1980, eq. 7) recommends, and its two-sided p.

    t = (r₁ − r₂) √[(n − 1)(1 + r₁₂) / (2 (n − 1)/(n − 3) |R| + r̄² (1 − r₁₂)³)], r̄ = (r₁ + r₂) / 2,
    |R| = 1 − r₁² − r₂² − r₁₂² + 2 r₁ r₂ r₁₂, with n − 3 degrees of freedom. r₁ and r₂ are the models' correlations
    with the ratings, r₁₂ that of the models with each other; arguments broadcast.

    Spearman's ρ has 1 + r²/2 times the variance of Pearson's (Bonett & Wright 2000), which `ranked` allows for: without
    it equal models of ρ = .8 appear to differ 7 % of the time.
    """
    if n < 4:
        raise WordworthError(f"two correlations can be compared over 4 items or more, and there are {n}")
    one, two, both = (np.asarray(r, dtype=np.float64) for r in (r1, r2, r12))
    determinant = 1 - one**2 - two**2 - both**2 + 2 * one * two * both
    spread = 2 * (n - 1) / (n - 3) * determinant + ((one + two) / 2) ** 2 * (1 - both) ** 3
    wider = np.sqrt(1 + ((one + two) / 2) ** 2 / 2) if ranked else 1.0
    difference, error = one - two, np.sqrt(np.maximum(spread, 0) / ((n - 1) * (1 + both))) * wider
    # Models that order all items alike do not differ, where difference and error both vanish.
    same = (np.abs(difference) <= 1e-12) & (error <= 1e-6)
    with np.errstate(divide="ignore"):
        t = np.asarray(np.where(same, 0.0, difference / np.where(same, 1.0, error)), dtype=np.float64)
    return t, np.asarray(2 * student.sf(np.abs(t), n - 3), dtype=np.float64)


@dataclass(frozen=True)
class CorrelationDifference:
    """ρ of both models (..., 2); p and interval of ρ₁ − ρ₂ (...)."""

    values: Exact
    p: Exact
    low: Exact
    high: Exact


def correlation_difference(
    x: Floats, y: Floats, *, ranked: bool = False, resamples: int = RESAMPLES, seed: int = 0
) -> CorrelationDifference:
    """Compare the rows of x (..., 2, items) by their correlation with y (items): Pearson's, or Spearman's if `ranked`.

    p is that of Williams' test. The interval is the paired bootstrap's: each resample of items gives both correlations
    and their difference.
    """
    columns, ratings = check_items(x, y)
    shape, n = x.shape[:-2], len(y)
    scores = (rankdata(columns, axis=1), rankdata(ratings)) if ranked else (columns, ratings)
    models, people = standardise(scores[0]), standardise(scores[1])
    values = np.clip(models @ people / n, -1, 1).reshape(*shape, 2)
    pairs = models.reshape(-1, 2, n)
    between = np.clip(np.einsum("ki,ki->k", pairs[:, 0], pairs[:, 1]) / n, -1, 1).reshape(shape)
    _, p = williams(values[..., 0], values[..., 1], between, n, ranked=ranked)
    replicates = (spearman_replicates if ranked else pearson_replicates)(columns, ratings)
    resampled = np.concatenate([replicates(counts) for counts in resample_counts(n, resamples, seed)], axis=-1)
    low, high = (end.reshape(shape) for end in percentile_interval(resampled[0::2] - resampled[1::2]))
    return CorrelationDifference(values, p, low, high)
