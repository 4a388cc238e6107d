"""Progress on stderr for whatever lasts over two seconds; nothing for what is quick, nothing in a pipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from wordworth.errors import visible

PATIENCE = 2.0
"""Seconds before anything is shown."""
_shown: list[str] = []
"""What is on the screen: what runs inside its work shows no bar of its own."""


@contextmanager
def progress(what: str, total: float | None, *, unit: str = "") -> Iterator[Callable[[float], None]]:
    """Yield `advance(n)` of a bar that appears after `PATIENCE` seconds; `unit="bytes"` counts in megabytes."""
    count = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    with _show(what, total, BarColumn(), count, TimeElapsedColumn(), TimeRemainingColumn()) as advance:
        yield advance


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that `what` is under way after `PATIENCE` seconds, for work that has no count."""
    with _show(f"{what} …", None, SpinnerColumn()):
        yield


@contextmanager
def _show(what: str, total: float | None, *columns: ProgressColumn) -> Iterator[Callable[[float], None]]:
    console = Console(stderr=True)
    if not console.is_terminal or _shown:
        yield lambda n: None
        return
    text = TextColumn("{task.description}", markup=False)
    bar = Progress(text, *columns, console=console, transient=True)
    task = bar.add_task(visible(what), total=total)
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    _shown.append(what)
    try:
        yield lambda n: bar.advance(task, n)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
        _shown.remove(what)
