"""Partitions of n pooled items: drawn at random, or as the subset sums of one half of them."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from wordworth.statistics.arrays import Exact
from wordworth.statistics.bootstrap import told


def random_partitions(n: int, k: int, m: int, seed: int, block: int) -> Iterator[Exact]:
    """m random subsets of k of n items as 0/1 columns, in blocks of at most `block` columns.

    The draws do not depend on the size of the blocks.
    """
    rng = np.random.default_rng(seed)
    with told("permuting", m, n) as advance:
        for start in range(0, m, block):
            size = min(block, m - start)
            members = np.argpartition(rng.random((size, n)), k - 1, axis=1)[:, :k]
            columns = np.zeros((n, size))
            columns[members, np.arange(size)[:, None]] = 1
            yield columns
            advance(size)


def sums_by_size(values: Exact, largest: int) -> list[Exact]:
    """Subset sums, grouped: item i holds the C(n, i) sums of subsets of i values, for i up to `largest`."""
    groups = [np.zeros(1)]
    for value in values:
        grown = [np.concatenate((more, fewer + value)) for fewer, more in pairwise(groups)]
        groups = [groups[0], *grown, groups[-1] + value][: largest + 1]
    return groups
