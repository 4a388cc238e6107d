"""McNemar's test: two models on the same questions, each right or wrong."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from scipy.stats import binom, chi2

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Exact

McNemar = Literal["mid-p", "exact", "chi2"]
_Z = float(ndtri(0.975))


def mcnemar(only_first: ArrayLike, only_second: ArrayLike, method: McNemar = "mid-p") -> Exact:
    """Two-sided p of b questions that only the first got right against c that only the second did; b and c broadcast.

    exact: 2 P(B ≤ min(b, c)), B binomial(b + c, ½), which errs on the safe side. mid-p: half of P(B = min) taken off it
    twice, which keeps the nominal rate and is what Fagerland, Lydersen & Laake (2013) recommend at any size. chi2:
    McNemar (1947), (b − c)² / (b + c). Questions that both or neither got right say nothing of a difference.
    """
    b, c = (np.asarray(count, dtype=np.int64) for count in (only_first, only_second))
    if (b < 0).any() or (c < 0).any():
        raise WordworthError("counts of questions cannot be negative")
    fewer, total = np.minimum(b, c), b + c
    if method == "chi2":
        statistic = (b - c) ** 2 / np.maximum(total, 1)
        p = chi2.sf(statistic, 1)
    elif method == "exact":
        p = 2 * binom.cdf(fewer, total, 0.5)
    elif method == "mid-p":
        p = 2 * binom.cdf(fewer, total, 0.5) - binom.pmf(fewer, total, 0.5)
    else:
        raise WordworthError(f"McNemar's test has no method {method!r}; use mid-p, exact or chi2")
    return np.asarray(np.where(b == c, 1.0, np.minimum(p, 1.0)), dtype=np.float64)


def paired_proportions(only_first: int, only_second: int, n: int) -> tuple[float, float, float]:
    """The difference (b − c) / n of two shares of the same n questions, with its 95 % interval.

    Bonett & Price (2012): Wald's interval after one question is added to each of b and c.
    """
    if n < 1 or only_first + only_second > n:
        raise WordworthError(f"{only_first} and {only_second} of {n} questions cannot be; check the counts")
    b, c = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    half = _Z * np.sqrt((b + c - (b - c) ** 2) / (n + 2))
    return (only_first - only_second) / n, max(-1.0, b - c - half), min(1.0, b - c + half)
