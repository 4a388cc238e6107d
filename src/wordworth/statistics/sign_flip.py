"""Paired permutation: under equal models either's value could have been the other's, so a difference's sign is free.

All that is permuted here is linear in the flips, so that a test is one product of flips (m × n) and values (n × rows).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Exact, Values
from wordworth.statistics.bootstrap import RESAMPLES, percentile_interval, resample_counts
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
    if permutations < 1:
        raise WordworthError(f"a paired permutation test needs at least one permutation, not {permutations}")
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
