"""Print results as tables on stdout, and everything else on stderr."""

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from wordworth.errors import format_names, visible
from wordworth.results.table import WIDTH, Table, format_list, text_lines, text_table, wrap_words
from wordworth.results.vocabulary import SHOWN_AT_ONCE, Notice

if TYPE_CHECKING:
    from wordworth.api.audit import Audit
    from wordworth.paired import Comparison
    from wordworth.results.run import Run
    from wordworth.results.runs import Runs

MAX_NOTICES = 5
"""Notices of a kind that are printed; the others are counted."""
STYLES = {"failed": "red", "skipped": "yellow", "reduced": "dim", "substituted": "yellow", "caution": "yellow"}

stdout_console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
stderr_console = Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """Print a JSON value on stdout, for scripts; in ASCII, so that it has no control characters."""
    sys.stdout.write(json.dumps(value, indent=1) + "\n")


def _plain_text(text: str, style: str = "") -> Text:
    """Return a line without markup, emoji names or control characters."""
    return Text(visible(text), style=style)


def print_line(text: str, style: str = "") -> None:
    """Print a line of results."""
    stdout_console.print(_plain_text(text, style), soft_wrap=True)


def print_wrapped(text: str, start: str = "") -> None:
    """Print a text of results wrapped at words; `start` precedes the first line, the others are indented."""
    for line in wrap_words(visible(text), stdout_console.width - len(start)):
        print_line(start + line)
        start = " " * len(start)


def print_text(text: str) -> None:
    """Print a text of many lines as it is."""
    sys.stdout.write(visible(text, lines=True))


def print_notice(text: str, style: str = "yellow") -> None:
    """Print a line on stderr, next to the results; it wraps at words in a window, and not in a file."""
    stderr_console.print(_plain_text(text, style), soft_wrap=not stderr_console.is_terminal)


def print_table(table: Table) -> None:
    """Print a table in the width of the window."""
    title, *lines = text_lines(table, stdout_console.width)
    if title:
        print_line(title, "bold")
    for line in lines:
        print_line(line)


def print_text_table(title: str, heads: Iterable[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table of text."""
    print_table(text_table(title, heads, ([str(cell) for cell in row] for row in rows)))


def print_run(run: "Run", *, as_json: bool = False, other_files: Sequence[Path] = ()) -> None:
    """Print the main numbers of a run, its notices and its folder; `others` are other files it wrote."""
    from wordworth.results.runs import read_runs

    runs = read_runs([run])
    if as_json:
        from wordworth.pages.leads import plain_answers

        facts = {"folder": str(run.folder), "scores": run.scores.to_dicts(), "skipped": run.skipped}
        _print_facts(facts, run.notices, plain_answers(runs))
        return
    print_line(str(run.folder))
    _print_runs(runs, run.notices)
    print_notice(f"`wordworth report {shlex.quote(str(run.folder))}` makes the page.", "dim")
    for place in (run.folder, *other_files):
        print_line(str(place))


def print_audit(audit: "Audit", *, as_json: bool = False) -> None:
    """Print the main numbers of an audit, its notices, and where its report is."""
    from wordworth.results.runs import read_runs

    runs = replace(read_runs(audit.runs), notices=tuple(audit.notices))
    if as_json:
        from wordworth.pages.leads import plain_answers

        facts = {"folder": str(audit.folder), "report": str(audit.report)}
        _print_facts(facts, audit.notices, plain_answers(runs))
        return
    print_line(str(audit.report))
    _print_runs(runs, runs.notices_of(*SHOWN_AT_ONCE))
    print_line(str(audit.report))


def _print_runs(runs: "Runs", notices: Iterable[Notice]) -> None:
    """Print a table per model, a line per notice, and how many items were not used."""
    from wordworth.pages.cautions import sentences_of
    from wordworth.pages.headlines import headlines, name_missing

    for table in headlines(runs):
        print_line("")
        print_table(table)
    print_line("")
    for kind in SHOWN_AT_ONCE:
        sentences = list(sentences_of(notice for notice in notices if notice.kind == kind))
        surplus = len(sentences) - MAX_NOTICES
        surplus_line = [f"{surplus:,} more, on the page and in run.json"] if surplus > 0 else []
        for sentence in [*sentences[:MAX_NOTICES], *surplus_line]:
            print_notice(f"{kind}: {sentence}", STYLES[kind])
    for reason, count in runs.skipped.items():
        print_notice(f"not used: {count:,} item{'s' * (count != 1)} ({reason})")
    for model, data, words in name_missing(runs):
        print_notice(f"not in {model}: {format_list(words, 10)} (of {format_list(data)})")


def _print_facts(facts: dict[str, Any], notices: Iterable[Notice], answers: Mapping[str, Sequence[str]]) -> None:
    notice_records = [notice.model_dump(exclude_none=True) for notice in notices]
    print_json({**facts, "notices": notice_records, "answers": answers})


def print_comparison(comparison: "Comparison") -> None:
    """Print two models task by task, then the sentences about them."""
    from wordworth.paired.verdict import describe_method, verdicts

    print_table(comparison.table)
    for sentence in verdicts(comparison):
        print_wrapped(sentence)
    names: dict[str, list[str]] = {}
    for difference in comparison.differences:
        for note in difference.notes:
            names.setdefault(note, []).append(difference.name)
    notes = [f"{format_names(tasks, 4)}: {note}." for note, tasks in names.items()]
    for sentence in (describe_method(comparison), *comparison.remarks, *notes):
        print_notice(sentence, "dim")
    for task, reason in comparison.refused:
        print_notice(f"not compared: {task}: {reason}")
