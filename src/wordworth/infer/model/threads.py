"""Blocks of torch work side by side, one core each.

The products of one block are too small to be parted over cores: waiting for each other would cost more than it brings.
Torch lets other threads run while it computes, and a thread's limit on cores is that thread's own.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import torch

Part = TypeVar("Part")
Done = TypeVar("Done")


@cache
def _pool(cores: int) -> ThreadPoolExecutor:
    """Threads that keep to one core each; kept, because torch sets each of them up at its first product."""
    return ThreadPoolExecutor(cores, initializer=torch.set_num_threads, initargs=(1,))


def side_by_side(work: Callable[[Part], Done], parts: Sequence[Part]) -> list[Done]:
    """[work(part) for part in parts], on as many cores as torch may have; the first part to fail raises.

    `work` must not call this again.
    """
    allowed = torch.get_num_threads()
    try:
        return list(_pool(allowed).map(work, parts))
    finally:
        torch.set_num_threads(allowed)  # a thread's limit is also what threads begun later start with
