"""Blocks of work side by side on all cores.

BLAS would split every small product over all cores and wait for the slowest; one core that is busy elsewhere then stops
them all. One block a core, with BLAS kept to one thread inside it, is faster, and its numbers cannot depend on how many
cores there are. numpy lets other threads run while it computes.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import TypeVar

from threadpoolctl import ThreadpoolController

Part = TypeVar("Part")
Done = TypeVar("Done")

MOST = 16  # blocks in memory at a time
_ONE_CALLER = Lock()  # the limit on BLAS is the whole process's: two callers would restore each other's


@cache
def _blas() -> tuple[ThreadpoolController, int]:
    """The handle on BLAS, and how many threads the user lets it have."""
    controller = ThreadpoolController().select(user_api="blas")
    return controller, min(MOST, max((library["num_threads"] for library in controller.info()), default=1))


def in_threads(work: Callable[[Part], Done], parts: Sequence[Part]) -> list[Done]:
    """[work(part) for part in parts]; the first part to fail raises. `work` must not call this again."""
    if len(parts) < 2:
        return [work(part) for part in parts]
    with _ONE_CALLER:
        controller, cores = _blas()
        with controller.limit(limits=1), ThreadPoolExecutor(cores) as pool:
            return list(pool.map(work, parts))


@cache
def _torch_pool(cores: int) -> ThreadPoolExecutor:
    """Threads that keep to one core each; kept, because torch sets each of them up at its first product."""
    import torch

    return ThreadPoolExecutor(cores, initializer=torch.set_num_threads, initargs=(1,))


def in_torch_threads(work: Callable[[Part], Done], parts: Sequence[Part]) -> list[Done]:
    """The same for work that torch does, on as many cores as torch may have. A thread's limit on cores is its own."""
    import torch

    allowed = torch.get_num_threads()
    try:
        return list(_torch_pool(allowed).map(work, parts))
    finally:
        torch.set_num_threads(allowed)  # a thread's limit is also what threads begun later start with
