"""Tests of two models on the same items: sign flips, McNemar's test, 2 × 2 tables; and Holm's correction for many.

Under equal models either's value could have been the other's, so a difference's sign is free. All that is permuted here
is linear in the flips, so a test is one product of flips (m × n) and values (n × rows).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from scipy.stats import binom, chi2_contingency, fisher_exact

from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import RESAMPLES, Exact, Values, percentile_interval, resample_counts
from wordworth.statistics.permutation import PERMUTATIONS, TIE, PermutationTest

EXACT = 16
"""Items up to which all flips are taken. Turning every sign round changes no size, so one item may stay: 2ⁿ⁻¹."""
ROWS = 2_000  # flips in one block


def swaps(n: int, permutations: int, seed: int) -> Iterator[Exact]:
    """Blocks (m, n) of 0 and 1: which items are swapped. All for few items (the last one stays), else random ones."""
    if n <= EXACT:
        for start in range(0, 1 << (n - 1), ROWS):
            numbers = np.arange(start, min(start + ROWS, 1 << (n - 1)))
            yield ((numbers[:, None] >> np.arange(n)) & 1).astype(np.float64)
        return
    rng = np.random.default_rng(seed)
    for start in range(0, permutations, ROWS):
        yield rng.integers(2, size=(min(ROWS, permutations - start), n)).astype(np.float64)


def share_beyond(beyond: NDArray[np.int64], n: int, permutations: int) -> PermutationTest:
    """p from the count of permuted statistics that are as large as the observed one, which is one of them all."""
    if n <= EXACT:
        return PermutationTest(beyond / (1 << (n - 1)), "exact", 1 << (n - 1))
    return PermutationTest((beyond + 1) / (permutations + 1), "monte-carlo", permutations)


def sign_flip(differences: Values, *, permutations: int = PERMUTATIONS, seed: int = 0) -> PermutationTest:
    """Two-sided p of a mean of paired differences (..., n): how often |Σ ±dᵢ| ≥ |Σ dᵢ| (Fisher 1935)."""
    values = np.asarray(differences, dtype=np.float64)
    n = values.shape[-1] if values.ndim else 0
    if n < 1:
        raise WordworthError("a paired permutation test needs at least one pair of values")
    if not np.isfinite(values).all():
        raise WordworthError("a difference is not finite; drop that item before testing")
    columns = values.reshape(-1, n).T
    total = columns.sum(axis=0)
    bar = np.abs(total) - TIE * np.abs(columns).sum(axis=0)
    beyond = np.zeros(columns.shape[1], dtype=np.int64)
    for block in swaps(n, permutations, seed):
        beyond += np.count_nonzero(np.abs(total - 2 * (block @ columns)) >= bar, axis=0)
    found = share_beyond(beyond, n, permutations)
    return PermutationTest(found.p.reshape(values.shape[:-1]), found.method, found.partitions)


def mean_interval(sums: Exact, sizes: Exact, *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """95 % bootstrap interval of Σ sums / Σ sizes over clusters of items; clusters are drawn whole."""
    drawn = resample_counts(len(sums), resamples, seed)
    replicates = np.concatenate([(sums @ counts) / (sizes @ counts) for counts in drawn])
    low, high = percentile_interval(replicates)
    return float(low), float(high)


_Z = float(ndtri(0.975))


def mcnemar(only_first: ArrayLike, only_second: ArrayLike) -> Exact:
    """Return the two-sided mid-p of b questions that only the first got right against c that only the second did.

    It is 2 P(B ≤ min(b, c)) − P(B = min(b, c)), B binomial(b + c, ½), which keeps the nominal rate at any size
    (Fagerland, Lydersen & Laake 2013). b and c broadcast; what both or neither got right says nothing of a difference.
    """
    b, c = (np.asarray(count, dtype=np.int64) for count in (only_first, only_second))
    fewer, total = np.minimum(b, c), b + c
    p = 2 * binom.cdf(fewer, total, 0.5) - binom.pmf(fewer, total, 0.5)
    return np.asarray(np.where(b == c, 1.0, np.minimum(p, 1.0)), dtype=np.float64)


def paired_proportions(only_first: int, only_second: int, n: int) -> tuple[float, float, float]:
    """The difference (b − c) / n of two shares of the same n questions, with its 95 % interval.

    Bonett & Price (2012): Wald's interval after one question is added to each of b and c.
    """
    b, c = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    half = _Z * np.sqrt((b + c - (b - c) ** 2) / (n + 2))
    return (only_first - only_second) / n, max(-1.0, b - c - half), min(1.0, b - c + half)


def holm(p: ArrayLike) -> Exact:
    """Adjusted p, in the order of p: max over j ≤ i of (m − j + 1) p₍ⱼ₎ for the i-th smallest, at most 1."""
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise WordworthError("Holm's correction takes a list of p-values between 0 and 1")
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


class TwoByTwo(NamedTuple):
    """χ² without continuity correction and its p; the sample odds ratio and Fisher's two-sided p."""

    chi2: float
    chi2_p: float
    odds: float
    exact_p: float


def two_by_two(first: tuple[int, int], second: tuple[int, int]) -> TwoByTwo:
    """(hits, misses) of two groups. Where all are hits, or all are misses, there is no difference: χ² 0, p 1."""
    table = np.array([first, second])
    exact = fisher_exact(table)
    if not table.sum(axis=0).all():
        return TwoByTwo(0.0, 1.0, float("nan"), 1.0)
    chi = chi2_contingency(table, correction=False)
    return TwoByTwo(float(chi.statistic), float(chi.pvalue), float(exact.statistic), float(exact.pvalue))
