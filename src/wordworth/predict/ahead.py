"""What comes next, made ready in a thread while what is there is worked on."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 0.1
"""Seconds after which a thread that waits looks whether it is still wanted."""


@contextmanager
def ahead(items: Iterable[T], most: int = 1, *, thread: bool = True) -> Iterator[Iterator[T]]:
    """The items in their order, up to `most` of them ready before they are asked for. An error comes where its item
    would have come. Without a thread, none is ready before: where it would only take its time from the work itself."""
    if not thread:
        yield iter(items)
        return
    ready: Queue[tuple[T | None, BaseException | None]] = Queue(most)
    unwanted = Event()

    def put(item: T | None, error: BaseException | None) -> bool:
        while not unwanted.is_set():
            try:
                ready.put((item, error), timeout=PATIENCE)
            except Full:
                continue
            return True
        return False

    def fill() -> None:
        try:
            for item in items:
                if not put(item, None):
                    return
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits for the item
            put(None, error)
        else:
            put(None, StopIteration())

    def given() -> Iterator[T]:
        while True:
            item, error = ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            assert item is not None
            yield item

    filling = Thread(target=fill, daemon=True)
    filling.start()
    try:
        yield given()
    finally:
        unwanted.set()
        filling.join()
