"""Two correlations that share a variable: do two models agree with the same ratings equally well?

r₁ and r₂ are the models' correlations with the ratings, r₁₂ that of the models with each other, all over the same n
items. Each test gives its statistic and a two-sided p; arguments broadcast. Pearson's r has the variance that the tests
take it to have; Spearman's has 1 + r²/2 times that (Bonett & Wright 2000), which `ranked` allows for: without it equal
models of ρ = .8 are said to differ 7 % of the time.
"""

from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr
from scipy.stats import t as student

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Exact

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
