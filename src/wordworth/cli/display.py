"""What the command prints: results as tables on stdout, everything else on stderr."""

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from wordworth.errors import listed, visible
from wordworth.results.table import Table, format_cell, legend_of, text_table
from wordworth.results.vocabulary import SHOWN_AT_ONCE, Notice

if TYPE_CHECKING:
    from wordworth.api.audit import Audit
    from wordworth.pages.runs import Runs
    from wordworth.paired import Comparison
    from wordworth.results.run import Run

DECIMALS = 3
PIPE_WIDTH = 150
"""Columns of a table in a pipe or a file, where there is no window to fit."""
MAX_WORD = 16
"""Letters of a name that are never broken over two lines, where the window has room for them."""
STYLES = {"failed": "red", "skipped": "yellow", "reduced": "dim", "substituted": "yellow", "caution": "yellow"}

out = Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
err = Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """Print one JSON value on stdout, for scripts; in ASCII, so that no terminal is steered by it."""
    sys.stdout.write(json.dumps(value, indent=1) + "\n")


def _plain_text(text: str, style: str = "") -> Text:
    """Return a line in which nothing is markup, an emoji's name, or an order to the terminal."""
    return Text(visible(text), style=style)


def print_line(text: str, style: str = "") -> None:
    """Print a line of results."""
    out.print(_plain_text(text, style), soft_wrap=True)


def print_text(text: str) -> None:
    """Print a text of many lines as it is."""
    sys.stdout.write(visible(text, lines=True))


def print_notice(text: str, style: str = "yellow") -> None:
    """Print a line on stderr, next to the results."""
    err.print(_plain_text(text, style), soft_wrap=True)


def print_table(table: Table) -> None:
    """Print a table: names on the left, numbers on the right, and its note under it."""
    grid = Grid(
        title=_plain_text(table.title) if table.title else None,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
        collapse_padding=True,
    )
    for at, name in enumerate(table.names):
        longest = max((len(word) for row in table.rows for word in row.names[at].split()), default=0)
        grid.add_column(_plain_text(name), overflow="fold", min_width=min(longest, MAX_WORD))
    for head in table.heads:
        grid.add_column(_plain_text(head), justify="right", no_wrap=bool(table.names), overflow="fold")
    for row in table.rows:
        cells = (
            _plain_text(format_cell(cell, DECIMALS), "bold" if cell and cell.is_best else "") for cell in row.cells
        )
        grid.add_row(*map(_plain_text, row.names), *cells)
    out.print(grid)
    if note := table.note or legend_of(table.rows):
        out.print(_plain_text(note))


def print_text_table(title: str, heads: Iterable[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table of text."""
    print_table(text_table(title, heads, ([str(cell) for cell in row] for row in rows)))


def print_run(run: "Run", *, as_json: bool = False, others: Sequence[Path] = ()) -> None:
    """Print the main numbers of a run, its notices and its folder; `others` are other files it wrote."""
    from wordworth.pages.runs import read_runs

    runs = read_runs([run])
    if as_json:
        from wordworth.pages.answers import plain_answers

        facts = {"folder": str(run.folder), "scores": run.scores.to_dicts(), "skipped": run.skipped}
        _print_facts(facts, run.notices, plain_answers(runs))
        return
    _print_runs(runs, run.notices)
    for place in (run.folder, *others):
        print_line(str(place))
    print_notice(f"`wordworth report {shlex.quote(str(run.folder))}` makes the page.", "dim")


def print_audit(audit: "Audit", *, as_json: bool = False) -> None:
    """Print the main numbers of an audit, its notices, and where its report is."""
    from wordworth.pages.runs import read_runs

    runs = replace(read_runs(audit.runs), notices=tuple(audit.notices))
    if as_json:
        from wordworth.pages.answers import plain_answers

        facts = {"folder": str(audit.folder), "report": str(audit.report)}
        _print_facts(facts, audit.notices, plain_answers(runs))
        return
    _print_runs(runs, runs.notices_of(*SHOWN_AT_ONCE))
    print_line(str(audit.report))


def _print_runs(runs: "Runs", notices: Iterable[Notice]) -> None:
    """Print a table per model, a line per notice, and how many items were not used."""
    from wordworth.pages.answers import sentences_of
    from wordworth.pages.headlines import headlines

    for table in headlines(runs):
        print_table(table)
    for kind in SHOWN_AT_ONCE:
        for sentence in sentences_of(notice for notice in notices if notice.kind == kind):
            print_notice(f"{kind}: {sentence}", STYLES[kind])
    for reason, count in runs.skipped.items():
        print_notice(f"not used: {count:,} items ({reason})")


def _print_facts(facts: dict[str, Any], notices: Iterable[Notice], answers: Mapping[str, Sequence[str]]) -> None:
    dumped = [notice.model_dump(exclude_none=True) for notice in notices]
    print_json({**facts, "notices": dumped, "answers": answers})


def print_comparison(comparison: "Comparison") -> None:
    """Print two models task by task, then the sentences about them."""
    from wordworth.paired.verdict import describe_method, verdicts

    print_table(comparison.table)
    for sentence in verdicts(comparison):
        print_line(sentence)
    names: dict[str, list[str]] = {}
    for difference in comparison.differences:
        for note in difference.notes:
            names.setdefault(note, []).append(difference.name)
    notes = [f"{listed(tasks, 4)}: {note}." for note, tasks in names.items()]
    for sentence in (describe_method(comparison), *comparison.remarks, *notes):
        print_notice(sentence, "dim")
    for task, reason in comparison.refused:
        print_notice(f"not compared: {task}: {reason}")
