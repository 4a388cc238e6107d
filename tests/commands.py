"""The command as a user meets it: what stands on stdout, what on stderr, and the exit code."""

from collections.abc import Callable
from typing import NamedTuple


class Answer(NamedTuple):
    code: int
    out: str
    err: str


Command = Callable[..., Answer]
