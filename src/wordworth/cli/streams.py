"""What stdout and stderr may be: closed, full, a pipe that nobody reads, or one that knows only ASCII."""

import io
import os
import sys
from typing import Any, TextIO

from wordworth.errors import WordworthError

BROKEN_PIPE = 128 + 13
"""The exit code of a command whose reader has gone, as `| head` does; 13 is SIGPIPE."""


class _Results(io.FileIO):
    """stdout: a reader that has gone ends the command quietly; results that cannot be written are an error."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            _to_nowhere(self.fileno())
            raise SystemExit(BROKEN_PIPE) from None
        except OSError as error:
            _to_nowhere(self.fileno())
            raise WordworthError(
                f"the results cannot be written to stdout ({error.strerror}); send them elsewhere"
            ) from error


class _Notices(io.FileIO):
    """stderr: where nobody can be told, the work goes on."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            _to_nowhere(self.fileno())
            return super().write(data)


def open_streams() -> None:
    """Makes stdout and stderr such that whatever they lead to, no traceback comes of it.

    A closed one is opened on nothing, lest the next file that is opened takes its place.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free, which is this one
    sys.stdout = _over(_Results(1, "w", closefd=False), sys.stdout)
    sys.stderr = _over(_Notices(2, "w", closefd=False), sys.stderr)


def _over(raw: io.FileIO, given: TextIO | None) -> TextIO:
    """Characters that the encoding lacks are spelled out."""
    text = given if isinstance(given, io.TextIOWrapper) else None
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=text.encoding if text else "utf-8",
        errors="backslashreplace",
        line_buffering=text is None or text.line_buffering or text.write_through,
    )


def _to_nowhere(number: int) -> None:
    """What is still to be written, at the end of the process at the latest, goes to nobody."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
