"""Show the progress of work that takes over two seconds, on stderr.

A terminal and a notebook show a bar; otherwise a line is printed every 30 seconds.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

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
from rich.text import Text

from wordworth.errors import visible

PATIENCE = 2.0
"""Seconds before anything is shown."""
SECONDS_PER_LINE = 30.0
"""Between two lines in a file or a pipe."""
SECONDS_PER_UPDATE = 1.0
"""Between two updates in a notebook."""
LINE_WIDTH = 150
"""Columns of a line that is written to a file or a pipe."""
_bars: list[str] = []
"""Tasks with a bar; work inside them shows none."""


@contextmanager
def progress(task: str, total: float | None, *, unit: str = "") -> Iterator[Callable[[float], None]]:
    """Show the progress of a task, and yield `advance(n)`; `unit="bytes"` counts in megabytes."""
    count = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    with _show(task, total, BarColumn(), count, TimeElapsedColumn(), TimeRemainingColumn()) as advance:
        yield advance


@contextmanager
def waiting(task: str) -> Iterator[None]:
    """Show that a task without a count is under way."""
    with _show(f"{task} …", None, SpinnerColumn(), TimeElapsedColumn()):
        yield


@contextmanager
def _show(task: str, total: float | None, *columns: ProgressColumn) -> Iterator[Callable[[float], None]]:
    if _bars:
        yield lambda n: None
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        console.width = LINE_WIDTH
    text = TextColumn("{task.description}", markup=False)
    bar = Progress(text, *columns, console=console, transient=True)
    task_id = bar.add_task(visible(task), total=total)
    watch = draw_bar if console.is_terminal else update_cell if console.is_jupyter else print_lines
    is_over = Event()
    thread = Thread(target=watch, args=(bar, is_over), daemon=True)
    _bars.append(task)
    thread.start()
    try:
        yield lambda n: bar.advance(task_id, n)
    finally:
        is_over.set()
        thread.join()
        _bars.remove(task)


def draw_bar(bar: Progress, is_over: Event) -> None:
    """Draw a bar on a terminal until the work is over."""
    if not is_over.wait(PATIENCE):
        with bar:
            is_over.wait()


def print_lines(bar: Progress, is_over: Event) -> None:
    """Print a line at intervals until the work is over."""
    while not is_over.wait(SECONDS_PER_LINE):
        bar.console.print(bar.get_renderable())


def update_cell(bar: Progress, is_over: Event) -> None:
    """Show a bar under the cell of a notebook that runs, and remove it when the work is over."""
    from IPython.display import display  # type: ignore[import-not-found]  # there where a notebook is

    if is_over.wait(PATIENCE):
        return
    cell = display(bar, display_id=True)
    while not is_over.wait(SECONDS_PER_UPDATE):
        cell.update(bar)
    cell.update(Text())
