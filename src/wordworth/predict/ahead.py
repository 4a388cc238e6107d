"""What comes next, made ready in a thread while what is there is worked on."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

T = TypeVar("T")


class _End:
    """Stands behind the last item."""


_END: Final = _End()


@contextmanager
def ahead(items: Iterable[T], *, thread: bool = True) -> Iterator[Iterator[T]]:
    """The items in their order, the next one made ready before it is asked for. An error comes where its item would
    have come. Without a thread, none is ready before: where it would only take its time from the work itself."""
    every = iter(items)
    if not thread:
        yield every
        return

    def following() -> T | _End:
        return next(every, _END)

    def given() -> Iterator[T]:
        coming = pool.submit(following)
        while not isinstance(item := coming.result(), _End):
            coming = pool.submit(following)
            yield item

    with ThreadPoolExecutor(1) as pool:
        yield given()
