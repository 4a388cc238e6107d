"""Bootstrap resamples of items, as counts of how often each was drawn, and ratios over clusters of items.

Words of one text are alike, so intervals of ratios resample texts (the clusters). A ratio only needs each cluster's two
sums, so all resamples are one product of the sums with the counts of how often each cluster was drawn.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from wordworth.errors import WordworthError
from wordworth.statistics.choices import RESAMPLES as RESAMPLES

Floats = NDArray[np.floating]
"""Of any precision, as they are given."""
Exact = NDArray[np.float64]
"""Of the precision that statistics are computed in."""


BLOCK_NUMBERS = 1 << 20  # counts in one block (4 MB)


def resample_counts(n: int, resamples: int, seed: int, block: int = BLOCK_NUMBERS) -> Iterator[NDArray[np.int32]]:
    """Yield blocks (n, r) of counts, one column a resample of n items drawn with replacement; r sums to `resamples`.

    The draws do not depend on the size of the blocks.
    """
    rng = np.random.default_rng(seed)
    step = max(1, block // n)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        items = rng.integers(n, size=(size, n))
        places = items * size + np.arange(size)[:, None]
        yield np.bincount(places.ravel(), minlength=n * size).reshape(n, size).astype(np.int32)


def all_counts(n: int, resamples: int, seed: int) -> Exact:
    """Return the counts of all resamples together (n, resamples)."""
    return np.concatenate(list(resample_counts(n, resamples, seed)), axis=1).astype(np.float64)


def percentile_interval(replicates: Exact) -> tuple[Exact, Exact]:
    """Return the 2.5 and 97.5 percentiles over the last axis.

    A resample of very few items can be one item throughout and then has no statistic (NaN): it is skipped.
    """
    low, high = np.nanquantile(replicates, [0.025, 0.975], axis=-1)
    return np.asarray(low), np.asarray(high)


NO_PREDICTED_WORD = "there is no predicted word to measure; give a text whose lines have at least 3 words"


@dataclass(frozen=True)
class Estimate:
    """A value, its 95 % interval (NaN where one cluster leaves nothing to resample), and the items it is over."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, eq=False)
class Summable:
    """All that a ratio needs of its items: the two sums of each cluster that has any, and how many items there are."""

    above: Exact
    below: Exact
    items: int


class Summing:
    """Columns of items added up by cluster (0 … clusters − 1), as the items come. They are added one by one in their
    order, so that the sums do not depend on how the items are cut."""

    def __init__(self, clusters: int, names: Iterable[str]) -> None:
        self._items = np.zeros(clusters, dtype=np.int64)
        self._sums = {name: np.zeros(clusters) for name in names}

    @property
    def items(self) -> int:
        return int(self._items.sum())

    def add(self, clusters: NDArray[np.integer], **columns: Floats | NDArray[np.integer] | NDArray[np.bool_]) -> None:
        self._items += np.bincount(clusters, minlength=len(self._items))
        for name, column in columns.items():
            np.add.at(self._sums[name], clusters, column.astype(np.float64))

    def sums(self, above: str, below: str | None = None) -> Summable:
        """Return one column over another, or over the items."""
        is_used = self._items > 0
        under = self._items if below is None else self._sums[below]
        return Summable(self._sums[above][is_used], under[is_used].astype(np.float64), self.items)


def ratio(sums: Summable, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return Σ above / Σ below over all items, with a percentile interval over resampled clusters."""
    if not sums.items:
        raise WordworthError(NO_PREDICTED_WORD)
    if not sums.below.sum() > 0:
        raise WordworthError("a ratio to nothing is not defined: the denominators sum to 0")
    value, k = float(sums.above.sum() / sums.below.sum()), len(sums.above)
    if k == 1:
        return Estimate(value, np.nan, np.nan, sums.items)
    both = np.stack([sums.above, sums.below])
    resampled_sums = [both @ counts for counts in resample_counts(k, resamples, seed)]
    top, bottom = np.concatenate(resampled_sums, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = percentile_interval(np.where(bottom > 0, top / bottom, np.nan))
    return Estimate(value, float(low), float(high), sums.items)


Piece = TypeVar("Piece")
Done = TypeVar("Done")

MAX_BLOCKS = 16  # blocks in memory at a time
_ONE_CALLER = Lock()  # the limit on BLAS is the whole process's: two callers would restore each other's


@cache
def _blas() -> tuple[ThreadpoolController, int]:
    """Return the handle on BLAS, and how many threads the user lets it have."""
    controller = ThreadpoolController().select(user_api="blas")
    return controller, min(MAX_BLOCKS, max((library["num_threads"] for library in controller.info()), default=1))


def in_threads(work: Callable[[Piece], Done], pieces: Sequence[Piece]) -> list[Done]:
    """Return [work(piece) for piece in pieces]; the first to fail raises. `work` must not call this again."""
    if len(pieces) < 2:
        return [work(piece) for piece in pieces]
    with _ONE_CALLER:
        controller, cores = _blas()
        with controller.limit(limits=1), ThreadPoolExecutor(cores) as pool:
            return list(pool.map(work, pieces))


@cache
def _torch_pool(threads: int, cores: int) -> ThreadPoolExecutor:
    """Return threads with so many cores each; kept, because torch sets each of them up at its first product."""
    import torch

    return ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(cores,))


if hasattr(os, "register_at_fork"):  # a forked process has none of the threads
    os.register_at_fork(after_in_child=_torch_pool.cache_clear)


def in_torch_threads(work: Callable[[Piece], Done], pieces: Sequence[Piece], limit: int | None = None) -> list[Done]:
    """Return the same for work of torch, on as many cores as torch may have. A thread's limit on cores is its own."""
    import torch

    cores = torch.get_num_threads()
    threads = min(cores, limit or cores)
    try:
        return list(_torch_pool(threads, cores // threads).map(work, pieces))
    finally:
        torch.set_num_threads(cores)  # a thread's limit is also what threads begun later start with
