"""Permutation tests: how often a random partition of the pooled values gives as much as the observed one.

The statistic mean(A) − mean(B) of fixed pooled values is monotone in the sum over A, and once the values are centred
it is proportional to it: a partition is a subset sum, and a test is a count of subset sums beyond a threshold.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, pairwise
from math import comb
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import Exact, Floats, in_threads
from wordworth.statistics.choices import PERMUTATIONS, Count, Method, Sides


def random_partitions(n: int, k: int, m: int, seed: int, block: int) -> Iterator[Exact]:
    """Yield m random subsets of k of n items as 0/1 columns, in blocks of at most `block` columns.

    The draws do not depend on the size of the blocks.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, m, block):
        size = min(block, m - start)
        members = np.argpartition(rng.random((size, n)), k - 1, axis=1)[:, :k]
        columns = np.zeros((n, size))
        columns[members, np.arange(size)[:, None]] = 1
        yield columns


def sums_by_size(values: Exact, largest: int) -> list[Exact]:
    """Return subset sums, grouped: item i holds the C(n, i) sums of subsets of i values, for i up to `largest`."""
    groups = [np.zeros(1)]
    for value in values:
        grown = [np.concatenate((more, fewer + value)) for fewer, more in pairwise(groups)]
        groups = [groups[0], *grown, groups[-1] + value][: largest + 1]
    return groups


MAX_PARTITIONS = 20_000  # partitions up to which they are laid out as a matrix; 8 v 8 has 12,870
MIN_MATRIX_ROWS = 16  # rows below which the matrix is not worth making
MAX_SUBSET_SUMS = 1 << 21  # subset sums of two halves that one row may take: 20 v 20 takes all 2 · 2^20
AFFORDABLE = 1 << 26  # subset sums of all rows together; beyond it “auto” draws at random
STATISTIC_TIE = 1e-12  # of the summed magnitudes: sums closer than this are equal
ROWS, COLUMNS = 128, 2_000  # of one block of subset sums (2 MB)


class Permuting(TypedDict, total=False):
    """The settings of `permutation_test`, for functions that hand them on."""

    sides: Sides
    method: Method
    count: Count
    permutations: int
    seed: int


@dataclass(frozen=True)
class PermutationTest:
    """p of a permutation test, and how it was computed."""

    p: Exact
    """One p a row; of no dimension when a single row was tested."""
    method: str
    """"exact" or "monte-carlo"."""
    partitions: int
    """Number of partitions that p is computed from."""


def permutation_test(
    values: Floats,
    size_a: int,
    *,
    sides: Sides = "one",
    method: Method = "auto",
    count: Count = "inclusive",
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PermutationTest:
    """Return p of s = mean(A) − mean(B) for values (..., n) whose first `size_a` columns are A and the rest B.

    exact: the share of all C(n, size_a) partitions, the given one among them, with s_i ≥ s (two-sided: |s_i| ≥ |s|),
    which cannot be 0; the count "strict" takes s_i > s, as the papers write it. monte-carlo: (b + 1) / (m + 1) with b
    of m random partitions counted. auto: exact where that is affordable, else monte-carlo. All rows share the same
    partitions.
    """
    rows, shape = _check_rows(values, size_a)
    n = rows.shape[1]
    chosen_method = _choose(method, n, size_a, len(rows))
    centred = rows - rows.mean(axis=1, keepdims=True)
    observed = centred[:, :size_a].sum(axis=1)
    size, tie = np.abs(observed) if sides == "two" else observed, STATISTIC_TIE * np.abs(rows).sum(axis=1)
    # A sum is counted above the bar: just below the observed one, or above all that ties with it.
    bar = size + tie if count == "strict" else np.nextafter(size - tie, -np.inf)
    if chosen_method == "exact":
        partitions = comb(n, size_a)
        p = _count_exact(centred, bar, size_a, sides) / partitions
    else:
        partitions = permutations
        beyond = np.zeros(len(rows), dtype=np.int64)
        for block in random_partitions(n, size_a, permutations, seed, COLUMNS):
            beyond += _count_in(block, centred, bar, sides)
        p = (beyond + 1) / (partitions + 1)
    return PermutationTest(p.reshape(shape), chosen_method, partitions)


def _check_rows(values: Floats, size_a: int) -> tuple[Exact, tuple[int, ...]]:
    """Return the values as rows of finite numbers that can be split, and the shape of the p that they give."""
    pooled = np.asarray(values, dtype=np.float64)
    n = pooled.shape[-1] if pooled.ndim else 0
    if not 1 <= size_a < n:
        raise WordworthError(f"{n} pooled values cannot be split into {size_a} and {n - size_a}; both need one or more")
    rows = pooled.reshape(-1, n)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        raise WordworthError(f"row {int(np.argmin(finite))} of the pooled values is not finite; drop that word")
    return rows, pooled.shape[:-1]


def _choose(method: Method, n: int, k: int, rows: int) -> Literal["exact", "monte-carlo"]:
    enumerable = comb(n, k) <= MAX_PARTITIONS
    sums = 2 * sum(comb((n + 1) // 2, i) for i in range(min(k, n - k) + 1))
    if method == "auto":
        return "exact" if enumerable or (sums <= MAX_SUBSET_SUMS and rows * sums <= AFFORDABLE) else "monte-carlo"
    if method == "exact" and not enumerable and sums > MAX_SUBSET_SUMS:
        raise WordworthError(
            f"the partitions of {n} words into {k} and {n - k} are too many to enumerate; use the method 'monte-carlo'"
        )
    return method


def _count_exact(centred: Exact, bar: Exact, k: int, sides: Sides) -> NDArray[np.int64]:
    n = centred.shape[1]
    if k > n - k:  # the sum over A is the sum over B of the negated values: enumerate the smaller set
        centred, k = -centred, n - k
    if comb(n, k) > MAX_PARTITIONS or len(centred) < MIN_MATRIX_ROWS:
        return np.array(in_threads(lambda i: _meet(centred[i], k, float(bar[i]), sides), range(len(centred))))
    partitions = _all_partitions(n, k)
    counts = np.zeros(len(centred), dtype=np.int64)
    for start in range(0, partitions.shape[1], COLUMNS):
        counts += _count_in(partitions[:, start : start + COLUMNS], centred, bar, sides)
    return counts


def _count_in(partitions: Exact, centred: Exact, bar: Exact, sides: Sides) -> NDArray[np.int64]:
    """Count, for each row, the partitions (n × m, 0/1) that have a sum beyond its bar."""
    counts = np.empty(len(centred), dtype=np.int64)

    def count(start: int) -> None:
        part = slice(start, start + ROWS)
        sums = centred[part] @ partitions
        if sides == "two":
            np.abs(sums, out=sums)
        counts[part] = np.count_nonzero(sums > bar[part, None], axis=1)

    in_threads(count, range(0, len(centred), ROWS))
    return counts


@lru_cache(maxsize=8)
def _all_partitions(n: int, k: int) -> Exact:
    """Return every subset of k of n items as a 0/1 column: n × C(n, k)."""
    total = comb(n, k)
    members = np.fromiter(chain.from_iterable(combinations(range(n), k)), dtype=np.intp, count=total * k)
    matrix = np.zeros((n, total))
    matrix[members, np.repeat(np.arange(total), k)] = 1
    matrix.flags.writeable = False  # shared between calls
    return matrix


def _meet(row: Exact, k: int, bar: float, sides: Sides) -> int:
    """Count the subsets of k items with a sum beyond the bar, from sums of two halves: 2^(n/2) instead of C(n, k).

    A subset is i items of the left half and k − i of the right; for each left sum the right sums that lift it over the
    bar are counted by bisection.
    """
    if sides == "two" and bar < 0:
        return comb(len(row), k)  # every size reaches 0
    middle = len(row) // 2
    left, right = sums_by_size(row[:middle], k), sums_by_size(row[middle:], k)
    count = 0
    for i in range(max(0, k - len(right) + 1), min(k, len(left) - 1) + 1):
        lefts, rights = left[i], np.sort(right[k - i])
        # Keys in ascending order let the bisections walk the array instead of jumping in it.
        count += len(lefts) * len(rights) - int(np.searchsorted(rights, np.sort(bar - lefts), side="right").sum())
        if sides == "two":
            count += int(np.searchsorted(rights, np.sort(-bar - lefts), side="left").sum())
    return count


def normal_p(
    values: Floats, size_a: int, *, sides: Sides = "one", permutations: int = PERMUTATIONS, seed: int = 0
) -> Exact:
    """Return 1 − Φ(z), or 2(1 − Φ(|z|)), of a normal fitted to random partitions, as the ValNorm authors' code does.

    Mean and variance of the m sums come from those of the m partitions (n and n × n). Values are as in
    `permutation_test`; sensitivity shows this p as one of the choices in the literature.
    """
    rows, shape = _check_rows(values, size_a)
    centred, n, k = rows - rows.mean(axis=1, keepdims=True), rows.shape[1], size_a
    observed = centred[:, :k].sum(axis=1)
    total, products = np.zeros(n), np.zeros((n, n))
    for block in random_partitions(n, k, permutations, seed, COLUMNS):
        total += block.sum(axis=1)
        products += block @ block.T
    mean = total / permutations
    covariance = products / permutations - np.outer(mean, mean)
    variance = np.einsum("wi,ij,wj->w", centred, covariance, centred, optimize=True)
    if not (variance > 0).all():
        raise WordworthError(
            f"row {int(np.argmin(variance > 0))} of the pooled values does not vary over {permutations} partitions, so "
            "no normal can be fitted; drop that word"
        )
    z = (observed - centred @ mean) / np.sqrt(variance)
    return np.asarray(ndtr(-z) if sides == "one" else 2 * ndtr(-np.abs(z)), dtype=np.float64).reshape(shape)
