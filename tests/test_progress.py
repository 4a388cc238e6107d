"""Lines of progress where no terminal is, by a clock that moves only when it is waited for."""

import io
import sys
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console
from rich.progress import DownloadColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn

from wordworth import progress


class Clock:
    """Waiting moves the clock and the work of a bar, until so many seconds are over."""

    def __init__(self, what: str, total: float, speed: float, end: float, count: ProgressColumn | None = None) -> None:
        self.now, self.speed, self.end, self.file = 0.0, speed, end, io.StringIO()
        columns = (TextColumn("{task.description}", markup=False), count or MofNCompleteColumn(), TimeElapsedColumn())
        self.bar = Progress(*columns, console=Console(file=self.file), get_time=lambda: self.now)
        self.task = self.bar.add_task(what, total=total)

    def wait(self, timeout: float) -> bool:
        if self.now + timeout >= self.end:
            return True
        self.now += timeout
        self.bar.advance(self.task, self.speed * timeout)
        return False


def lines(clock: Any) -> list[str]:
    progress.print_lines(clock.bar, clock)
    return [" ".join(line.split()) for line in clock.file.getvalue().splitlines()]


def test_a_line_every_30_seconds() -> None:
    assert lines(Clock("encoding", 20_000, 1400 / 30, 100)) == [
        "encoding 1400/20000 0:00:30",
        "encoding 2800/20000 0:01:00",
        "encoding 4200/20000 0:01:30",
    ]


def test_bytes_are_counted_in_megabytes() -> None:
    assert lines(Clock("fetching glove", 350e6, 4e5, 31, DownloadColumn())) == ["fetching glove 12.0/350.0 MB 0:00:30"]


def test_short_work_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(Clock("encoding", 20_000, 1, 29)) == []
    written = io.StringIO()
    monkeypatch.setattr(progress, "Console", lambda **_: Console(file=written, force_terminal=False))
    with progress.progress("encoding", 3) as advance:
        advance(3)
        with progress.waiting("loading"):
            pass
    assert written.getvalue() == ""
    assert progress._bars == []


def test_a_notebook_has_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Cell:
        def update(self, renderable: Any) -> None:
            shown.append(renderable._repr_mimebundle_([], [])["text/html"])

    module: Any = ModuleType("IPython.display")
    module.display = lambda renderable, display_id: Cell()
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    clock: Any = Clock("encoding <s>", 20, 1, 4.5)
    progress.update_cell(clock.bar, clock)
    assert ["encoding &lt;s&gt;" in one for one in shown] == [True, True, False]
    shown.clear()
    clock.now, clock.end = 0.0, 1.5
    progress.update_cell(clock.bar, clock)
    assert shown == []
