"""Stream functions for tests of the engines: what a worker imports by name."""

import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from wordworth.errors import WordworthError


def squares(model: int, items: Iterable[int]) -> Iterator[int]:
    """The square of each item, plus the “model”."""
    for item in items:
        yield item * item + model


def with_process(model: Any, items: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Each item and the process that it was run in."""
    for item in items:
        yield item, os.getpid()


def dying(model: Path, items: Iterable[int]) -> Iterator[int]:
    """Kills its process at every third item, the first time; `model` is a folder that remembers."""
    for item in items:
        mark = model / str(item)
        if item % 3 == 0 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield item + 1


def always_dying(model: int, items: Iterable[int]) -> Iterator[int]:
    """Kills its process at the item that is the model."""
    for item in items:
        if item == model:
            os.kill(os.getpid(), signal.SIGKILL)
        yield item


def refusing(model: int, items: Iterable[int]) -> Iterator[int]:
    """A user's error at the item that is the model, and a mistake at the next one."""
    for item in items:
        if item == model:
            raise WordworthError(f"item {item} is no good")
        if item == model + 1:
            raise KeyError(item)
        yield item


def arrays(model: int, items: Iterable[int]) -> Iterator[np.ndarray[Any, Any]]:
    """A megabyte an item."""
    for item in items:
        yield np.full((1 << 17,), float(item))


def sleeping(model: Any, items: Iterable[int]) -> Iterator[int]:
    """A long shard: what a driver that ends leaves behind in the middle of work."""
    for item in items:
        time.sleep(60)
        yield item
