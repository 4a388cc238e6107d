"""Stream functions for tests of the engines: what a worker imports by name."""

import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from wordworth.errors import WordworthError


def square(model: int, items: Iterable[int]) -> Iterator[int]:
    """Yield the square of each item, plus the “model”."""
    for item in items:
        yield item * item + model


def tell_process(model: Any, items: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield each item and the process that it was run in."""
    for item in items:
        yield item, os.getpid()


def die_once(model: Path, items: Iterable[int]) -> Iterator[int]:
    """Kill the process at every third item, the first time; `model` is a folder that remembers."""
    for item in items:
        mark = model / str(item)
        if item % 3 == 0 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield item + 1


def die_always(model: int, items: Iterable[int]) -> Iterator[int]:
    """Kill the process at the item that is the model."""
    for item in items:
        if item == model:
            os.kill(os.getpid(), signal.SIGKILL)
        yield item


def refuse(model: int, items: Iterable[int]) -> Iterator[int]:
    """Raise a user's error at the item that is the model, and another one at the next."""
    for item in items:
        if item == model:
            raise WordworthError(f"item {item} is no good")
        if item == model + 1:
            raise KeyError(item)
        yield item
