"""Ctrl-C: one is enough, no traceback, and what was being written is removed; `cli/commands.py` says what is kept."""

import os
import signal
import sys
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED = 128 + signal.SIGINT
"""The exit code that a shell shows for it."""
_at_work: list[bool] = []


def end_interrupted() -> NoReturn:
    """Ends as Ctrl-C ends any command: a shell that runs a loop sees it and stops."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
    raise SystemExit(INTERRUPTED)  # where the signal does not come at once


def listen() -> None:
    """From now on Ctrl-C ends the process quietly: at once, until it is at work. One that was told to ignore it does.

    The handler is set once: polars puts its own before it when it is imported, and to set it anew would remove that.
    The system's default would not do either: polars keeps the signal from it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _asked)
        sys.unraisablehook = _unraisable


def at_work() -> None:
    """From now on Ctrl-C is a KeyboardInterrupt, so that what is being written is removed on the way out."""
    _at_work.append(True)


def _asked(_number: int, _frame: FrameType | None) -> None:
    if not _at_work:
        end_interrupted()
    raise KeyboardInterrupt


def _unraisable(what: Any) -> None:
    """Where Python cannot raise, as while it frees an object, it would print the interrupt and go on."""
    if issubclass(what.exc_type, KeyboardInterrupt):
        end_interrupted()
    sys.__unraisablehook__(what)
