"""Progress on stderr for whatever lasts over two seconds; nothing for what is quick, nothing in a pipe."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from wordworth.visible import visible

PATIENCE = 2.0
"""Seconds before anything is shown."""
_shown: list[str] = []
"""What is on the screen: what runs inside its work shows no bar of its own."""


@contextmanager
def progress(what: str, total: float | None, *, unit: str = "") -> Iterator[Callable[[float], None]]:
    """Yield `advance(n)`, which shows a bar once `PATIENCE` seconds have passed; `unit="bytes"` counts in megabytes."""
    console = Console(stderr=True)
    count = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), count)
    bar = Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True)
    task = bar.add_task(visible(what), total=total)
    began = time.monotonic()
    is_shown = False

    def advance(n: float) -> None:
        nonlocal is_shown
        bar.advance(task, n)
        if console.is_terminal and not _shown and time.monotonic() - began > PATIENCE:
            is_shown = True
            _shown.append(what)
            bar.start()

    try:
        yield advance
    finally:
        if is_shown:
            bar.stop()
            _shown.remove(what)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show `what …` on a terminal, once `PATIENCE` seconds have passed, for work that has no count."""
    console = Console(stderr=True)
    status = console.status(Text(f"{visible(what)} …"))
    if not console.is_terminal or _shown:
        yield
        return
    timer = Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    _shown.append(what)
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
        _shown.remove(what)
