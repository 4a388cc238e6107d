"""Bootstrap resamples of items, as counts: how often each item was drawn."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from wordworth.progress import progress
from wordworth.statistics.arrays import Exact
from wordworth.statistics.choices import RESAMPLES as RESAMPLES

BLOCK = 1 << 20  # counts in one block (4 MB)
MANY = 1 << 25  # draws from which on progress is told: about a second


def resample_counts(n: int, resamples: int, seed: int, block: int = BLOCK) -> Iterator[NDArray[np.int32]]:
    """Blocks (n, r) of counts, one column a resample of n items drawn with replacement; r sums to `resamples`.

    The draws do not depend on the size of the blocks.
    """
    rng = np.random.default_rng(seed)
    step = max(1, block // n)
    with told("resampling", resamples, n) as advance:
        for start in range(0, resamples, step):
            size = min(step, resamples - start)
            drawn = rng.integers(n, size=(size, n))
            places = drawn * size + np.arange(size)[:, None]
            yield np.bincount(places.ravel(), minlength=n * size).reshape(n, size).astype(np.int32)
            advance(size)


@contextmanager
def told(what: str, count: int, size: int) -> Iterator[Callable[[float], None]]:
    """Progress of so many draws of that size; none of what is quick, since a bar takes longer to make."""
    if count * size < MANY:
        yield lambda _: None
        return
    with progress(what, count) as advance:
        yield advance


def percentile_interval(replicates: Exact) -> tuple[Exact, Exact]:
    """The 2.5 and 97.5 percentiles over the last axis.

    A resample of very few items can be one item throughout and then has no statistic (NaN): it is passed over.
    """
    low, high = np.nanquantile(replicates, [0.025, 0.975], axis=-1)
    return np.asarray(low), np.asarray(high)
