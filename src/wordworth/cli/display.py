"""What the command prints: results as tables on stdout, everything else on stderr."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wordworth.engine.notices import notices
from wordworth.paired import Comparison, verdict, verdicts
from wordworth.results import Findings
from wordworth.visible import visible, visible_json

# In a pipe or a file there is no window to fit.
out = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
err = Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """For scripts: one JSON value on stdout."""
    utf = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    sys.stdout.write(visible_json(json.dumps(value, ensure_ascii=not utf, indent=1)) + "\n")


def _shown(text: str, style: str = "") -> Text:
    """A line as it stands: nothing in it is markup, the name of a picture, or an order to the terminal."""
    return Text(visible(text), style=style)


def line(text: str) -> None:
    """A line of results."""
    out.print(_shown(text), soft_wrap=True)


def plain(text: str) -> None:
    """A text of many lines, as it stands."""
    sys.stdout.write(visible(text, lines=True))


def notice(text: str, style: str = "yellow") -> None:
    """A line beside the results."""
    err.print(_shown(text, style), soft_wrap=True)


def table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = (), note: str = ""
) -> None:
    """A plain table; the columns in `right` hold numbers, `note` stands under it."""
    grid = Table(
        title=_shown(title) if title else None,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
    )
    for at, name in enumerate(header):
        grid.add_column(_shown(name), justify="right" if at in right else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(_shown(cell) for cell in row))
    out.print(grid)
    if note:
        line(note)


def warnings_of(findings: Findings) -> None:
    """What a user should see of a study at once: what could not be had, and what was left out."""
    for sentence in dict.fromkeys((*findings.warnings, *notices())):
        notice(sentence)
    for reason, count in findings.left_out_by_kind().items():
        notice(f"left out: {count:,} {reason}")


def answers(given: dict[str, list[str]]) -> None:
    """What runs say, by question."""
    for question, sentences in given.items():
        out.print(_shown(question, "bold"), soft_wrap=True)
        for sentence in sentences:
            line(f"  {sentence}")


def audit(found: dict[str, list[str]], place: Path) -> None:
    """What is missing and the answers of the report, and where it is."""
    answers(found)
    line(str(place))


def comparison(result: Comparison) -> None:
    """Two models task by task, then what it comes to in sentences."""
    header, rows = verdict.headings(result), [verdict.cells(one) for one in result.differences]
    table(f"wordworth compare · {result.study}", header, rows, range(1, len(header)), verdict.care(result))
    for sentence in verdicts(result):
        line(sentence)
    noted: dict[str, list[str]] = {}
    for difference in result.differences:
        for note in difference.notes:
            noted.setdefault(note, []).append(difference.task)
    remarks = [verdict.method(result), *result.remarks]
    remarks += [f"{_some(tasks)}: {note}." for note, tasks in noted.items()]
    for sentence in remarks:
        notice(sentence, "dim")
    for task, reason in result.refused:
        notice(f"not compared: {task}: {reason}")


def _some(names: Sequence[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
