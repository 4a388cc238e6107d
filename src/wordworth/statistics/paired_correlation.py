"""Two models' correlations with the same ratings, over the same items: their difference, its tests, its interval.

r₁ and r₂ are the models' correlations with the ratings, r₁₂ that of the models with each other, all over the same n
items. Each test gives its statistic and a two-sided p; arguments broadcast. Pearson's r has the variance that the tests
take it to have; Spearman's has 1 + r²/2 times that (Bonett & Wright 2000), which `ranked` allows for: without it equal
models of ρ = .8 are said to differ 7 % of the time.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr
from scipy.stats import rankdata
from scipy.stats import t as student

from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import RESAMPLES, Exact, Values, percentile_interval, resample_counts
from wordworth.statistics.correlation import checked_items, pearson_replicates, spearman_replicates, standardised

Tested = tuple[Exact, Exact]
CorrelationTest = Literal["williams", "steiger", "meng"]


def williams(r1: ArrayLike, r2: ArrayLike, r12: ArrayLike, n: int, *, ranked: bool = False) -> Tested:
    """Williams' t (1959), the T₂ that Steiger (1980, eq. 7) recommends, with n − 3 degrees of freedom:

    t = (r₁ − r₂) √[(n − 1)(1 + r₁₂) / (2 (n − 1)/(n − 3) |R| + r̄² (1 − r₁₂)³)], r̄ = (r₁ + r₂) / 2,
    |R| = 1 − r₁² − r₂² − r₁₂² + 2 r₁ r₂ r₁₂.
    """
    one, two, both = _checked(r1, r2, r12, n)
    determinant = 1 - one**2 - two**2 - both**2 + 2 * one * two * both
    spread = 2 * (n - 1) / (n - 3) * determinant + ((one + two) / 2) ** 2 * (1 - both) ** 3
    t = _ratio(one - two, np.sqrt(np.maximum(spread, 0) / ((n - 1) * (1 + both))) * _wider(one, two, ranked))
    return t, np.asarray(2 * student.sf(np.abs(t), n - 3), dtype=np.float64)


def steiger(r1: ArrayLike, r2: ArrayLike, r12: ArrayLike, n: int, *, ranked: bool = False) -> Tested:
    """Steiger's Z̄₁* (1980, eq. 14): Fisher's z of both, their covariance s taken at the mean r̄:

    Z = (z₁ − z₂) √[(n − 3) / (2 − 2s)], s = [r₁₂ (1 − 2 r̄²) − r̄² (1 − 2 r̄² − r₁₂²) / 2] / (1 − r̄²)².
    """
    one, two, both = _checked(r1, r2, r12, n)
    square = ((one + two) / 2) ** 2
    covariance = (both * (1 - 2 * square) - square * (1 - 2 * square - both**2) / 2) / (1 - square) ** 2
    spread = np.maximum(2 - 2 * covariance, 0) / (n - 3)
    return _normal(one, two, np.sqrt(spread), ranked)


def meng(r1: ArrayLike, r2: ArrayLike, r12: ArrayLike, n: int, *, ranked: bool = False) -> Tested:
    """Meng, Rosenthal & Rubin's Z (1992):

    Z = (z₁ − z₂) √[(n − 3) / (2 (1 − r₁₂) h)], h = (1 − f r²) / (1 − r²), r² = (r₁² + r₂²) / 2,
    f = (1 − r₁₂) / (2 (1 − r²)), at most 1.
    """
    one, two, both = _checked(r1, r2, r12, n)
    square = (one**2 + two**2) / 2
    f = np.minimum((1 - both) / (2 * (1 - square)), 1)
    h = (1 - f * square) / (1 - square)
    return _normal(one, two, np.sqrt(2 * (1 - both) * h / (n - 3)), ranked)


class _Test(Protocol):
    def __call__(self, r1: ArrayLike, r2: ArrayLike, r12: ArrayLike, n: int, *, ranked: bool = False) -> Tested: ...


TESTS: dict[CorrelationTest, _Test] = {"williams": williams, "steiger": steiger, "meng": meng}


def _wider(one: Exact, two: Exact, ranked: bool) -> Exact | float:
    return np.sqrt(1 + ((one + two) / 2) ** 2 / 2) if ranked else 1.0


def _normal(one: Exact, two: Exact, error: Exact, ranked: bool) -> Tested:
    z = _ratio(np.arctanh(one) - np.arctanh(two), error * _wider(one, two, ranked))
    return z, np.asarray(2 * ndtr(-np.abs(z)), dtype=np.float64)


def _ratio(difference: Exact, error: Exact) -> Exact:
    """difference / error; 0 where both vanish: models that order all items alike do not differ."""
    same = (np.abs(difference) <= 1e-12) & (error <= 1e-6)
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(same, 0.0, difference / np.where(same, 1.0, error)), dtype=np.float64)


def _checked(r1: ArrayLike, r2: ArrayLike, r12: ArrayLike, n: int) -> tuple[Exact, ...]:
    if n < 4:
        raise WordworthError(f"two correlations can be compared over 4 items or more, and there are {n}")
    correlations = tuple(np.asarray(r, dtype=np.float64) for r in (r1, r2, r12))
    if any((np.abs(r) > 1).any() for r in correlations):
        raise WordworthError("a correlation lies between −1 and 1; give the three of two models and the ratings")
    return correlations


@dataclass(frozen=True)
class CorrelationDifference:
    """ρ of both models (..., 2) and all that is said of ρ₁ − ρ₂ (...)."""

    values: Exact
    between: Exact
    """The models' correlation with each other."""
    statistic: Exact
    p: Exact
    low: Exact
    high: Exact
    bootstrap_p: Exact
    n: int


def correlation_test(
    x: Values, y: Values, *, ranked: bool = False, test: CorrelationTest = "williams"
) -> tuple[Exact, Exact, Exact, Exact]:
    """ρ of both models (..., 2), their correlation with each other, the statistic of `test` and its p (...).

    x (..., 2, items) and y (items) are as in `correlation_difference`, which adds the bootstrap.
    """
    if x.ndim < 2 or x.shape[-2] != 2:
        raise WordworthError(f"values of shape {x.shape} are not of two models: give (…, 2, items)")
    columns, ratings = checked_items(x, y)
    shape, n = x.shape[:-2], len(y)
    scored = (rankdata(columns, axis=1), rankdata(ratings)) if ranked else (columns, ratings)
    models, people = standardised(scored[0]), standardised(scored[1])
    values = np.clip(models @ people / n, -1, 1).reshape(*shape, 2)
    pairs = models.reshape(-1, 2, n)
    between = np.clip(np.einsum("ki,ki->k", pairs[:, 0], pairs[:, 1]) / n, -1, 1).reshape(shape)
    statistic, p = TESTS[test](values[..., 0], values[..., 1], between, n, ranked=ranked)
    return values, np.asarray(between), statistic, p


def correlation_difference(
    x: Values,
    y: Values,
    *,
    ranked: bool = False,
    test: CorrelationTest = "williams",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> CorrelationDifference:
    """Compares the rows of x (..., 2, items) by their correlation with y (items): Pearson's, or Spearman's if `ranked`.

    p is that of `test`. The interval and `bootstrap_p` are
    the paired bootstrap's: each resample of items gives both correlations and their difference, and p is twice the
    smaller share of differences on one side of 0, the observed sample counted in.
    """
    columns, ratings = checked_items(x, y)
    shape, n = x.shape[:-2], len(y)
    values, between, statistic, p = correlation_test(x, y, ranked=ranked, test=test)
    replicates = (spearman_replicates if ranked else pearson_replicates)(columns, ratings)
    drawn = np.concatenate([replicates(counts) for counts in resample_counts(n, resamples, seed)], axis=-1)
    differences = drawn[0::2] - drawn[1::2]
    low, high = percentile_interval(differences)
    return CorrelationDifference(
        values,
        between,
        statistic,
        p,
        low.reshape(shape),
        high.reshape(shape),
        _two_sided(differences).reshape(shape),
        n,
    )


def _two_sided(differences: Exact) -> Exact:
    known = np.isfinite(differences).sum(axis=-1)
    below, above = (differences <= 0).sum(axis=-1), (differences >= 0).sum(axis=-1)
    return np.asarray(np.minimum(2 * (np.minimum(below, above) + 1) / (known + 1), 1.0), dtype=np.float64)
