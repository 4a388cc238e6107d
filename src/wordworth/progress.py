"""Progress of whatever lasts over two seconds: a bar on a terminal and in a notebook, else a line every 30 seconds.

All goes to stderr. What is quick shows nothing.
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
"""Between two lines, where they are not shown to anyone who waits for them."""
SECONDS_PER_UPDATE = 1.0
"""The same in a notebook, where a line takes the place of the last."""
LINE_WIDTH = 150
"""Columns of a line that is written to a file or a pipe."""
_bars: list[str] = []
"""What is on the screen: what runs inside its work shows no bar of its own."""


@contextmanager
def progress(what: str, total: float | None, *, unit: str = "") -> Iterator[Callable[[float], None]]:
    """Yield `advance(n)` of work whose progress is shown; `unit="bytes"` counts in megabytes."""
    count = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    with _show(what, total, BarColumn(), count, TimeElapsedColumn(), TimeRemainingColumn()) as advance:
        yield advance


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that `what` is under way, for work that has no count."""
    with _show(f"{what} …", None, SpinnerColumn(), TimeElapsedColumn()):
        yield


@contextmanager
def _show(what: str, total: float | None, *columns: ProgressColumn) -> Iterator[Callable[[float], None]]:
    if _bars:
        yield lambda n: None
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        console.width = LINE_WIDTH
    text = TextColumn("{task.description}", markup=False)
    bar = Progress(text, *columns, console=console, transient=True)
    task = bar.add_task(visible(what), total=total)
    watch = draw_bar if console.is_terminal else update_cell if console.is_jupyter else print_lines
    over = Event()
    thread = Thread(target=watch, args=(bar, over), daemon=True)
    _bars.append(what)
    thread.start()
    try:
        yield lambda n: bar.advance(task, n)
    finally:
        over.set()
        thread.join()
        _bars.remove(what)


def draw_bar(bar: Progress, over: Event) -> None:
    """Draw a bar on a terminal until the work is over."""
    if not over.wait(PATIENCE):
        with bar:
            over.wait()


def print_lines(bar: Progress, over: Event) -> None:
    """Print a line on the work again and again, until it is over."""
    while not over.wait(SECONDS_PER_LINE):
        bar.console.print(bar.get_renderable())


def update_cell(bar: Progress, over: Event) -> None:
    """Show a bar under the cell of a notebook that runs, and remove it when the work is over."""
    from IPython.display import display  # type: ignore[import-not-found]  # there where a notebook is

    if over.wait(PATIENCE):
        return
    cell = display(bar, display_id=True)
    while not over.wait(SECONDS_PER_UPDATE):
        cell.update(bar)
    cell.update(Text())
