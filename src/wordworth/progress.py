"""Progress of whatever lasts over two seconds: a bar on a terminal and in a notebook, else a line every 30 seconds.

All goes to stderr. What is quick shows nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from threading import Event, Thread, Timer
from time import monotonic
from typing import Any

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
SECONDS_PER_LINE = 30.0
"""Between two lines, where they are not shown to anyone who waits for them."""
SECONDS_PER_UPDATE = 1.0
"""The same in a notebook, where a line takes the place of the last."""
_shown: list[str] = []
"""What is on the screen: what runs inside its work shows no bar of its own."""


@dataclass
class Work:
    """Work that is under way."""

    what: str
    total: float | None = None
    unit: str = ""
    is_counted: bool = True
    done: float = 0.0

    def describe(self, seconds: float) -> str:
        """Return a line on it after so many seconds: “encoding: 4,200 of 20,000, 1:30”."""
        minutes, rest = divmod(int(seconds), 60)
        clock = f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"
        if not self.is_counted:
            return f"{self.what}, {clock}"
        size, unit = (1e6, " MB") if self.unit == "bytes" else (1, "")
        total = "" if self.total is None else f" of {self.total / size:,.0f}"
        return f"{self.what}: {self.done / size:,.0f}{total}{unit}, {clock}"


@contextmanager
def progress(what: str, total: float | None, *, unit: str = "") -> Iterator[Callable[[float], None]]:
    """Yield `advance(n)` of work whose progress is shown; `unit="bytes"` counts in megabytes."""
    count = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    work = Work(visible(what), total, unit)
    with _show(work, BarColumn(), count, TimeElapsedColumn(), TimeRemainingColumn()) as advance:
        yield advance


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that `what` is under way, for work that has no count."""
    with _show(Work(visible(f"{what} …"), is_counted=False), SpinnerColumn()):
        yield


@contextmanager
def _show(work: Work, *columns: ProgressColumn) -> Iterator[Callable[[float], None]]:
    console = Console(stderr=True)
    if _shown:
        yield lambda n: None
        return
    _shown.append(work.what)
    try:
        with _bar(work, console, columns) if console.is_terminal else _lines(work, console) as advance:
            yield advance
    finally:
        _shown.remove(work.what)


@contextmanager
def _bar(work: Work, console: Console, columns: tuple[ProgressColumn, ...]) -> Iterator[Callable[[float], None]]:
    text = TextColumn("{task.description}", markup=False)
    bar = Progress(text, *columns, console=console, transient=True)
    task = bar.add_task(work.what, total=work.total)
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda n: bar.advance(task, n)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@contextmanager
def _lines(work: Work, console: Console) -> Iterator[Callable[[float], None]]:
    over = Event()
    target, given = (update_cell, (work, over)) if console.is_jupyter else (print_lines, (work, over, console.file))
    thread = Thread(target=target, args=given, daemon=True)
    thread.start()

    def advance(n: float) -> None:
        work.done += n

    try:
        yield advance
    finally:
        over.set()
        thread.join()


def print_lines(work: Work, over: Event, file: Any) -> None:
    """Print a line on the work again and again, until it is over."""
    started = monotonic()
    while not over.wait(SECONDS_PER_LINE):
        print(work.describe(monotonic() - started), file=file, flush=True)


def update_cell(work: Work, over: Event) -> None:
    """Show a bar under the cell of a notebook that runs, and remove it when the work is over."""
    from IPython.display import display  # type: ignore[import-not-found]  # there where a notebook is

    started = monotonic()
    if over.wait(PATIENCE):
        return
    cell = display({"text/plain": ""}, raw=True, display_id=True)
    while not over.wait(SECONDS_PER_UPDATE):
        seconds = monotonic() - started
        bar = f'<progress value="{work.done}" max="{work.total}"></progress> ' if work.total else ""
        line = work.describe(seconds)
        cell.update({"text/html": bar + escape(line), "text/plain": line}, raw=True)
    cell.update({"text/html": "", "text/plain": ""}, raw=True)
