"""Two models' correlations with the same ratings, over the same items: their difference, its test, its interval."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from scipy.stats import t as student

from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import RESAMPLES, Exact, Values, percentile_interval, resample_counts
from wordworth.statistics.correlation import checked_items, pearson_replicates, spearman_replicates, standardised


def williams(r1: ArrayLike, r2: ArrayLike, r12: ArrayLike, n: int, *, ranked: bool = False) -> tuple[Exact, Exact]:
    """Return Williams' t (1959), the T₂ that Steiger (1980, eq. 7) recommends, and its two-sided p.

    t = (r₁ − r₂) √[(n − 1)(1 + r₁₂) / (2 (n − 1)/(n − 3) |R| + r̄² (1 − r₁₂)³)], r̄ = (r₁ + r₂) / 2,
    |R| = 1 − r₁² − r₂² − r₁₂² + 2 r₁ r₂ r₁₂, with n − 3 degrees of freedom. r₁ and r₂ are the models' correlations
    with the ratings, r₁₂ that of the models with each other; arguments broadcast.

    Spearman's ρ has 1 + r²/2 times the variance of Pearson's (Bonett & Wright 2000), which `ranked` allows for: without
    it equal models of ρ = .8 are said to differ 7 % of the time.
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
    """ρ of both models (..., 2) and all that is said of ρ₁ − ρ₂ (...)."""

    values: Exact
    p: Exact
    low: Exact
    high: Exact


def correlation_difference(
    x: Values, y: Values, *, ranked: bool = False, resamples: int = RESAMPLES, seed: int = 0
) -> CorrelationDifference:
    """Compare the rows of x (..., 2, items) by their correlation with y (items): Pearson's, or Spearman's if `ranked`.

    p is that of Williams' test. The interval is the paired bootstrap's: each resample of items gives both correlations
    and their difference.
    """
    columns, ratings = checked_items(x, y)
    shape, n = x.shape[:-2], len(y)
    scored = (rankdata(columns, axis=1), rankdata(ratings)) if ranked else (columns, ratings)
    models, people = standardised(scored[0]), standardised(scored[1])
    values = np.clip(models @ people / n, -1, 1).reshape(*shape, 2)
    pairs = models.reshape(-1, 2, n)
    between = np.clip(np.einsum("ki,ki->k", pairs[:, 0], pairs[:, 1]) / n, -1, 1).reshape(shape)
    _, p = williams(values[..., 0], values[..., 1], between, n, ranked=ranked)
    replicates = (spearman_replicates if ranked else pearson_replicates)(columns, ratings)
    drawn = np.concatenate([replicates(counts) for counts in resample_counts(n, resamples, seed)], axis=-1)
    low, high = (end.reshape(shape) for end in percentile_interval(drawn[0::2] - drawn[1::2]))
    return CorrelationDifference(values, p, low, high)
