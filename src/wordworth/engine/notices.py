"""What a user should know of where things came from and where they run: collected per study, for its run."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_sentences: ContextVar[list[str] | None] = ContextVar("sentences", default=None)
_OUTSIDE_OF_STUDIES: list[str] = []


def _current() -> list[str]:
    sentences = _sentences.get()
    return _OUTSIDE_OF_STUDIES if sentences is None else sentences


def notice(sentence: str) -> None:
    """Add a sentence, once."""
    if sentence not in _current():
        _current().append(sentence)


def notices() -> tuple[str, ...]:
    """Return the sentences so far, in their order."""
    return tuple(_current())


@contextmanager
def collecting_notices() -> Iterator[None]:
    """Collect the sentences of what runs inside by themselves."""
    token = _sentences.set([])
    try:
        yield
    finally:
        _sentences.reset(token)
