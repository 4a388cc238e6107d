"""Progress on stderr for whatever lasts over two seconds; nothing for what is quick, nothing in a pipe."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn
from rich.progress import TimeRemainingColumn as TimeLeft
from rich.text import Text

from wordworth.visible import visible

PATIENCE = 2.0
_shown: list[str] = []
"""The bar that is on the screen: what runs inside its work shows none of its own."""
Listener = Callable[[str, float, float | None], None]
_listeners: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """While this lasts, `listener(what, done, total)` hears of all progress, on a screen or not."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def progress(what: str, total: float | None, *, unit: str = "") -> Iterator[Callable[[float], None]]:
    """Yields `advance(n)`. The bar appears once `PATIENCE` seconds have passed. `unit="bytes"` counts in megabytes."""
    columns: list[ProgressColumn] = [TextColumn("{task.description}", markup=False), BarColumn()]
    columns += [DownloadColumn() if unit == "bytes" else MofNCompleteColumn(), TimeLeft()]
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(visible(what), total=total)
    began = time.monotonic()
    shown = False
    done = 0.0

    def advance(n: float) -> None:
        nonlocal shown, done
        done += n
        _tell(what, done, total)
        bar.advance(task, n)
        if not shown and not _shown and time.monotonic() - began > PATIENCE:
            bar.start()
            _shown.append(what)
            shown = True

    try:
        yield advance
    finally:
        if shown:
            bar.stop()
            _shown.remove(what)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """`what …` on a terminal, once `PATIENCE` seconds have passed, for work that has no count; listeners hear of it."""
    ended = Event()
    console = Console(stderr=True)

    def show() -> None:
        if ended.wait(PATIENCE) or _shown:
            return
        _shown.append(what)
        try:
            with console.status(Text(f"{visible(what)} …")):
                ended.wait()
        finally:
            _shown.remove(what)

    _tell(what)
    teller = Thread(target=show, daemon=True)
    if console.is_terminal:
        teller.start()
    try:
        yield
    finally:
        ended.set()
        if console.is_terminal:
            teller.join()
        _tell("")


def _tell(what: str, done: float = 0.0, total: float | None = None) -> None:
    for listener in _listeners:
        listener(what, done, total)
