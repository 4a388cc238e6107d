"""Workers that run shards: which one is free, what is in flight, and what happens when one dies.

Items are handed out in groups that take a second or so, results come back in the order of the items. A worker that dies
(killed, or out of memory) is replaced and what it had not answered is run again; an item that kills its worker three
times is an error that names it.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from threading import Lock
from typing import Any, Protocol

from wordworth.engine.messages import Answer, Request, packed, unpacked
from wordworth.engine.notices import notice
from wordworth.errors import WordworthError

Stream = Callable[[Any, Iterable[Any]], Iterator[Any]]
ATTEMPTS = 3
"""Workers that may die at one item."""
GROUP_SECONDS = 1.0
"""Of work that a message to a worker is to hold: so little is lost by a death, and the way to and fro is no matter."""
LARGEST_GROUP = 64


class WorkerDied(Exception):  # noqa: N818 - what happened, not what is wrong
    """A worker ended before it had answered; the message says how."""


class Link(Protocol):
    """The way to one worker."""

    def ask(self, message: bytes) -> Iterator[bytes]:
        """The worker's answers, as many as are taken; `WorkerDied` where it ends before."""

    def end(self) -> None:
        """Ends the worker, at work or not."""


@dataclass(eq=False)
class _Worker:
    """A link, and the model that the worker at its other end has."""

    link: Link | None = None
    key: str = ""


@dataclass(eq=False)
class _Parcel:
    """A model on its way to workers: packed when the first of them needs it."""

    model: Any
    key: str
    _lock: Lock = field(default_factory=Lock)
    _bytes: bytes | None = None

    def message(self) -> bytes:
        with self._lock:
            if self._bytes is None:
                self._bytes = packed(self.model)
            return self._bytes


class Pool:
    """An engine over workers that a function makes, when they are needed and when one has died."""

    remote = True

    def __init__(self, name: str, count: int, make: Callable[[int], Link]) -> None:
        self.name, self.count, self._make = name, count, make
        self._free: SimpleQueue[tuple[int, _Worker]] = SimpleQueue()
        self._workers = [_Worker() for _ in range(count)]
        for numbered in enumerate(self._workers):
            self._free.put(numbered)
        self._threads: ThreadPoolExecutor | None = None
        self._closed = False
        self._parcel: _Parcel | None = None
        self._parcels = 0
        self.deaths = 0
        """Workers that died and were replaced."""

    def map(self, function: Stream, model: Any, items: Iterable[Any], what: str) -> Iterator[Any]:
        """See `Engine.map`."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="wordworth-worker")
        parcel = self._parcel_of(model)
        waiting = enumerate(map(packed, items))
        pending: deque[Future[tuple[list[Any], float]]] = deque()
        size = 1
        try:
            while True:
                # One group more than there are workers, so that none of them waits for this loop.
                while len(pending) <= self.count and (group := list(islice(waiting, size))):
                    pending.append(self._threads.submit(self._run, function, parcel, group, what))
                if not pending:
                    return
                results, seconds = pending.popleft().result()
                size = _suitable(size, len(results), seconds)
                yield from results
        finally:
            for future in pending:
                future.cancel()

    def close(self) -> None:
        """Ends all workers, at work or not."""
        self._closed = True
        for worker in self._workers:
            if worker.link is not None:
                worker.link.end()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)

    def _parcel_of(self, model: Any) -> _Parcel:
        """The same one as long as the model is the same object: what is done to one goes to workers in one piece."""
        if self._parcel is None or self._parcel.model is not model:
            self._parcels += 1
            self._parcel = _Parcel(model, str(self._parcels))
        return self._parcel

    def _run(
        self, function: Stream, parcel: _Parcel, group: list[tuple[int, bytes]], what: str
    ) -> tuple[list[Any], float]:
        """The results of a group and the seconds that they took, whichever workers die over it."""
        number, worker = self._free.get()
        results: list[Any] = []
        died, began = 0, time.monotonic()
        try:
            while True:
                done = len(results)
                try:
                    self._ask(number, worker, function, parcel, [item for _, item in group[done:]], results)
                    return results, time.monotonic() - began
                except WorkerDied as death:
                    worker.link, worker.key = None, ""
                    if self._closed:
                        raise
                    self.deaths += 1
                    died = 1 if len(results) > done else died + 1
                    shard = group[min(len(results), len(group) - 1)][0] + 1
                    notice(f"{what[:1].upper()}{what[1:]}: a worker ended {death} at shard {shard}, and was replaced.")
                    if died >= ATTEMPTS:
                        raise WordworthError(
                            f"{what}: shard {shard} ended {ATTEMPTS} workers, the last {death}; use fewer workers or "
                            "a machine with more memory (what was done is kept)"
                        ) from death
        finally:
            self._free.put((number, worker))

    def _ask(
        self, number: int, worker: _Worker, function: Stream, parcel: _Parcel, items: list[bytes], results: list[Any]
    ) -> None:
        if worker.link is None and not self._closed:
            worker.link = self._make(number)
        if self._closed or worker.link is None:
            if worker.link is not None:  # it was begun while the others were ended
                worker.link.end()
            raise WorkerDied("when the engine was closed")
        model = None if worker.key == parcel.key else parcel.message()
        for message in worker.link.ask(packed(Request(function, parcel.key, model, tuple(items)))):
            answer: Answer = unpacked(message)
            if answer.error is not None:
                worker.key = ""
                raise answer.error
            worker.key = parcel.key
            if answer.ended:
                for sentence in answer.notices:
                    notice(sentence)
                return
            results.append(answer.result)


def _suitable(size: int, done: int, seconds: float) -> int:
    """Items in the next groups: about `GROUP_SECONDS` of work, and never many more than now."""
    wanted = GROUP_SECONDS * max(done, 1) / max(seconds, 1e-3)
    return max(1, min(int(wanted), 2 * size, LARGEST_GROUP))
