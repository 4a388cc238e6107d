"""Entries of the cache that shards fill: what is missing goes to the engine, and each is written as its result comes.

Each is claimed before it is computed, so that processes share the work: what another one is at is left to it, and
looked at again in the end. Where an error ends the work, what was claimed is given up.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from filelock import Timeout

from wordworth.engine.cache import CacheSlot
from wordworth.engine.engines import Stream, current

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Part(Generic[Item]):
    """An entry, the item that it is computed from, and how much of the work it is."""

    slot: CacheSlot
    item: Item
    amount: float


@dataclass(frozen=True)
class Filling(Generic[Item, Result]):
    """How items become entries."""

    stream: Stream[Any, Item, Result]
    write: Callable[[Result, Path], object]
    """Writes a result into the folder of its entry."""
    what: str
    """What is done, for messages."""
    writers: int = 0
    """Threads that write behind the engine; without any, each is written before the next result is taken."""

    def fill(self, model: Any, parts: Iterable[Part[Item]], advance: Callable[[float], None] | None = None) -> None:
        """Makes the entries that are not there, in their order; `advance(n)` is called for each when it is there."""
        tell = advance or (lambda _: None)
        busy = self._fill(model, parts, tell, wait=False)
        self._fill(model, busy, tell, wait=True)

    def _fill(
        self, model: Any, parts: Iterable[Part[Item]], advance: Callable[[float], None], *, wait: bool
    ) -> list[Part[Item]]:
        """Gives those that another process is at work on."""
        claims: deque[tuple[Part[Item], ExitStack]] = deque()
        writing: deque[tuple[Future[None], Part[Item], ExitStack]] = deque()
        busy: list[Part[Item]] = []

        def missing() -> Iterator[Item]:
            for part in parts:
                try:
                    lock = part.slot.claim(wait=wait)
                except Timeout:
                    busy.append(part)
                    continue
                if lock is None:
                    advance(part.amount)
                else:
                    claims.append((part, lock))
                    yield part.item

        def write(part: Part[Item], lock: ExitStack, result: Result) -> None:
            with lock:
                part.slot.write(partial(self.write, result))

        def finish(most: int) -> None:
            """Wait until no more than so many are being written."""
            while len(writing) > most:
                writing[0][0].result()
                advance(writing.popleft()[1].amount)

        with ThreadPoolExecutor(max(1, self.writers)) as pool:
            try:
                for result in current().map(self.stream, model, missing(), self.what):
                    part, lock = claims.popleft()
                    writing.append((pool.submit(write, part, lock, result), part, lock))
                    finish(2 * self.writers)
                finish(0)
            finally:
                for future, _, lock in writing:
                    if future.cancel():
                        lock.close()
                for _, lock in claims:
                    lock.close()
        return busy
