"""Lines of progress where no terminal is, by a clock that moves only when it is waited for."""

import io
import sys
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console

from wordworth import progress
from wordworth.progress import Work


class Clock:
    """Waiting moves the clock and the work, until so many seconds are over."""

    def __init__(self, work: Work, speed: float, end: float) -> None:
        self.now, self.work, self.speed, self.end = 0.0, work, speed, end

    def wait(self, timeout: float) -> bool:
        if self.now + timeout >= self.end:
            return True
        self.now += timeout
        self.work.done += self.speed * timeout
        return False


def run(work: Work, speed: float, end: float, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    clock, written = Clock(work, speed, end), io.StringIO()
    monkeypatch.setattr(progress, "monotonic", lambda: clock.now)
    progress.print_lines(work, clock, written)
    return written.getvalue().splitlines()


def test_a_line_every_30_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run(Work("encoding", 20_000), 1400 / 30, 100, monkeypatch)
    assert lines == [
        "encoding: 1,400 of 20,000, 0:30",
        "encoding: 2,800 of 20,000, 1:00",
        "encoding: 4,200 of 20,000, 1:30",
    ]


@pytest.mark.parametrize(
    ("work", "line"),
    [
        (Work("drawing sentences"), "drawing sentences: 30, 0:30"),
        (Work("fetching glove", 350e6, "bytes", done=11_999_970), "fetching glove: 12 of 350 MB, 0:30"),
        (Work("loading tiny …", is_counted=False), "loading tiny …, 0:30"),
    ],
)
def test_what_a_line_says(work: Work, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(work, 1, 31, monkeypatch) == [line]


def test_hours() -> None:
    assert Work("x", 10).describe(2 * 3600 + 62).endswith(", 2:01:02")


def test_short_work_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(Work("encoding", 20_000), 1, 29, monkeypatch) == []
    written = io.StringIO()
    monkeypatch.setattr(progress, "Console", lambda **_: Console(file=written, force_terminal=False))
    with progress.progress("encoding", 3) as advance:
        advance(3)
        with progress.waiting("loading"):
            pass
    assert written.getvalue() == ""
    assert progress._shown == []


def test_a_notebook_has_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, str]] = []

    class Cell:
        def update(self, data: dict[str, str], raw: bool) -> None:
            shown.append(data)

    module: Any = ModuleType("IPython.display")
    module.display = lambda data, raw, display_id: Cell()
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    work = Work("encoding <s>", 20)
    clock = Clock(work, 1, 4.5)
    monkeypatch.setattr(progress, "monotonic", lambda: clock.now)
    progress.update_cell(work, clock)
    assert [one["text/plain"] for one in shown] == ["encoding <s>: 3 of 20, 0:03", "encoding <s>: 4 of 20, 0:04", ""]
    assert shown[0]["text/html"] == '<progress value="3.0" max="20"></progress> encoding &lt;s&gt;: 3 of 20, 0:03'
    shown.clear()
    progress.update_cell(work, Clock(work, 1, 1.5))
    assert shown == []
