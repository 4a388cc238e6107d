"""Two counts of hits against each other: Pearson's χ² and Fisher's exact test of a 2 × 2 table."""

from typing import NamedTuple

import numpy as np
from scipy.stats import chi2_contingency, fisher_exact

from wordworth.errors import WordworthError


class TwoByTwo(NamedTuple):
    """χ² without continuity correction and its p; the sample odds ratio and Fisher's two-sided p."""

    chi2: float
    chi2_p: float
    odds: float
    exact_p: float


def two_by_two(first: tuple[int, int], second: tuple[int, int]) -> TwoByTwo:
    """(hits, misses) of two groups. Where all are hits, or all are misses, there is no difference: χ² 0, p 1."""
    table = np.array([first, second])
    if table.min() < 0 or not table.sum(axis=1).all():
        raise WordworthError(f"hits and misses of both groups must be counts, and not all 0, not {first} and {second}")
    exact = fisher_exact(table)
    if not table.sum(axis=0).all():
        return TwoByTwo(0.0, 1.0, float("nan"), 1.0)
    chi = chi2_contingency(table, correction=False)
    return TwoByTwo(float(chi.statistic), float(chi.pvalue), float(exact.statistic), float(exact.pvalue))
