"""What a driver and its workers say to each other, as bytes.

Pickled, and read by our own processes alone: a worker that this process started and that is at the other end of a
private socket, or an actor of the user's own Ray cluster. Nothing that was fetched is ever read by these functions.
"""

import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wordworth.errors import WordworthError


@dataclass(frozen=True)
class Request:
    """Work for a worker: a stream function by name, the model that it is given, and the items."""

    function: Callable[[Any, Iterable[Any]], Iterator[Any]]
    """A function of a module, or a `partial` of one: (model, items) → results, one an item, in order."""
    key: str
    """Which model; a worker keeps the last one that it was sent."""
    model: bytes | None
    """The model, where the worker does not have it yet."""
    items: tuple[bytes, ...]


@dataclass(frozen=True)
class Answer:
    """The result of one item; or the error that ended the work; or the end, with what a user should know."""

    result: Any = None
    error: BaseException | None = None
    ended: bool = False
    notices: tuple[str, ...] = ()


def packed(thing: Any) -> bytes:
    """Anything that pickles, as bytes."""
    return pickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL)


def unpacked(message: bytes) -> Any:
    """What `packed` was given, on the other side."""
    return pickle.loads(message)  # noqa: S301 - see above


def carried(error: BaseException) -> BaseException:
    """An error as it can travel: a user's sentence as it is, anything else with where it was raised."""
    if isinstance(error, WordworthError):
        return WordworthError(str(error))
    where = "".join(traceback.format_exception(error))
    return RuntimeError(f"a worker failed:\n{where}")
