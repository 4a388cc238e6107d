"""The papers’ tables and figures, as `data/papers.toml` declares them, and their numbers with ours next to them."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl

from wordworth.errors import WordworthError, nearest
from wordworth.papers.comparisons import Comparison, comparisons
from wordworth.papers.published import PaperNumber, Quantity, citation, load_published
from wordworth.papers.verdicts import (
    MIN_REPEATS,
    NOT_MEASURED,
    VERDICTS,
    Verdict,
    judge_comparisons,
    prediction_interval,
    printed_decimals,
)
from wordworth.results.main_scores import associations, main_numbers
from wordworth.results.run import Run
from wordworth.results.runs import Runs, Score, describe, read_runs
from wordworth.results.table import Cell, Table, format_cell, format_fixed, format_list, format_number, text_table

MAX_FIGURE_ROWS = 12
"""Of a figure without printed numbers, so many of ours are listed."""
NUMBER_HEADINGS = ("number", "paper", "ours [95 % interval]", "n", "verdict")
TEXT_KEY = "text"
"""The key of what is neither in a table nor in a figure."""


@dataclass(frozen=True)
class PaperItem:
    """A table or figure of a paper: what measures it, and what that needs."""

    paper: str
    """The paper's key in the references."""
    key: str
    """`table-3`, `figure-7` or `text`."""
    title: str
    study: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    stand_in_settings: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Keys of the paper's sources."""
    cannot: str = ""

    @property
    def place(self) -> str:
        """Return what the paper calls it: Table 3, Figure 7."""
        kind, _, number = self.key.partition("-")
        return f"{kind.capitalize()} {number}".strip()

    def numbers(self) -> list[PaperNumber]:
        """Return the numbers that the paper prints in it, in their order."""
        own = [one for one in load_published() if one.paper == self.paper]
        if self.key != TEXT_KEY:
            return [one for one in own if self.place in one.places]
        places = {item.place for item in papers()[self.paper]}
        return [one for one in own if not places & {*one.places}]


@cache
def papers() -> dict[str, tuple[PaperItem, ...]]:
    """Return every table and figure by the key of its paper."""
    return {paper: tuple(_read_items(paper, declared)) for paper, declared in _declarations().items()}


@cache
def _declarations() -> dict[str, Any]:
    return tomllib.loads((files("wordworth.papers") / "data" / "papers.toml").read_text(encoding="utf-8"))


def paper_names() -> dict[str, str]:
    """Return what the command calls each paper → its key."""
    return {declared["name"]: paper for paper, declared in _declarations().items()}


def sources(paper: str) -> dict[str, str]:
    """Return what has to be given by hand → where it is to be had, and the option that takes it."""
    return dict(_declarations()[paper]["sources"])


def _read_items(paper: str, declared: Mapping[str, Any]) -> Iterator[PaperItem]:
    shared = {key: value for key, value in declared.items() if key not in ("name", "sources", "items")}
    for key, own in declared["items"].items():
        facts = shared | own
        if "study" not in own:
            facts["settings"] = shared.get("settings", {}) | own.get("settings", {})
        facts |= {name: tuple(facts.get(name, ())) for name in ("models", "stand_ins", "data", "needs")}
        yield PaperItem(paper, key, **facts)


def find_items(paper: str, tables: Sequence[str] = ()) -> list[PaperItem]:
    """Return the tables and figures of a paper that are named, or all: `3` is table-3."""
    names = paper_names()
    key = names.get(paper, paper)
    if key not in papers():
        near = nearest(paper, [*names, *names.values()]) or f"; there are {', '.join(names)}"
        raise WordworthError(f"there is no paper {paper!r}{near}")
    items = {item.key: item for item in papers()[key]}
    wanted = [f"table-{one}" if one.isdecimal() else one for one in tables]
    for one in wanted:
        if one not in items:
            near = nearest(one, [*items]) or f"; it has {', '.join(items)}"
            raise WordworthError(f"{paper} has no {one}{near}")
    return [items[one] for one in wanted or items]


@dataclass(frozen=True)
class OwnNumber:
    """A number of a paper, ours of one model, and the verdict."""

    published: PaperNumber | None
    """None for one of ours in a figure that the paper draws without printing its numbers."""
    ours: tuple[Score, ...]
    """One score per run; blank where none was measured."""
    verdict: Verdict

    @property
    def cell(self) -> Cell:
        """Return ours with its interval; of several runs their mean, with the interval of one more."""
        if not self.ours:
            return Cell(None)
        values = [score["value"] for score in self.ours]
        first = Cell.of_score(self.ours[0])
        if len(values) < MIN_REPEATS:
            return first
        return Cell(float(np.mean(values)), *prediction_interval(values), n=first.n)

    def as_json(self) -> dict[str, Any]:
        """Return the number as JSON holds it."""
        one, cell = self.published, self.cell
        theirs = {} if one is None else {"model": one.model, **one.quantity._asdict(), "layer": one.layer or one.role}
        numbers = {"paper": one and (one.value if one.value is not None else [one.low, one.high])}
        numbers |= {"ours": cell.value, "low": cell.low, "high": cell.high, "n": cell.n}
        by = {"measured": self.ours[0]["model"] if self.ours else None, "values": [one["value"] for one in self.ours]}
        return {**theirs, **numbers, **by, **self.verdict._asdict()}


def reproduce_item(item: PaperItem, runs: Sequence[Run], *, is_reduced: bool = False) -> list[OwnNumber]:
    """Return the numbers of a table with ours from these runs, which differ at most in their seed.

    `is_reduced` says that their samples are smaller than the paper's.
    """
    wanted = item.numbers()
    found: dict[tuple[int, str], list[tuple[Comparison, Runs]]] = {}
    for run in runs:
        gathered = read_runs([run])
        for one in comparisons(gathered, wanted):
            found.setdefault((wanted.index(one.published), one.ours["model"]), []).append((one, gathered))
    rows = []
    for at, theirs in enumerate(wanted):
        measured = [every for (number, _), every in found.items() if number == at]
        for some in measured:
            verdict = judge_comparisons(some, is_reduced=is_reduced)
            rows.append(OwnNumber(theirs, tuple(one.ours for one, _ in some), verdict))
        if not measured:
            rows.append(OwnNumber(theirs, (), Verdict(NOT_MEASURED, "not run")))
    if not wanted:
        rows += [OwnNumber(None, (score,), Verdict(NOT_MEASURED, "no printed number")) for score in _main(item, runs)]
    return rows


def _main(item: PaperItem, runs: Sequence[Run]) -> Iterator[Score]:
    """Yield the main scores of the experiments that a figure shows."""
    experiments = item.settings.get("experiments")
    for run in runs[:1]:
        scores = read_runs([run]).scores
        tests = associations(scores).select(scores.columns)
        for score in pl.concat([main_numbers(scores), tests]).unique("row", maintain_order=True).iter_rows(named=True):
            if not experiments or score["experiment"] in experiments:
                yield score


def reproduction_table(item: PaperItem, rows: Sequence[OwnNumber]) -> Table:
    """Return a paper's table with ours next to it; numbers that were not run are counted under it."""
    shown = [row for row in rows if row.ours][: None if item.numbers() else MAX_FIGURE_ROWS]
    names = _name_rows(item.numbers())
    lines = []
    for row in shown:
        theirs = _print_number(row.published) if row.published else "drawn"
        name = names[row.published] if row.published else describe(row.ours[0])
        ours = format_cell(Cell(row.cell.value, row.cell.low, row.cell.high))
        lines.append([name, theirs, ours, f"{row.cell.n:,}" if row.cell.n is not None else "", str(row.verdict)])
    counts = [f"{sum(row.verdict.name == one for row in rows)} {one}" for one in VERDICTS]
    absent = [row.published for row in rows if row.published and not row.ours]
    note = f"Of {len(rows)} numbers: {', '.join(counts)}." if item.numbers() else "The paper draws it without numbers."
    if absent:
        whose = format_list(list(dict.fromkeys(one.model or "people" for one in absent)), 9)
        note += f" Not run: {len(absent)}, of {whose}."
    title = f"{citation(item.paper)}, {item.place}: {item.title}"
    return text_table(title, NUMBER_HEADINGS, lines, note=note, id=f"{item.paper}-{item.key}")


def _print_number(one: PaperNumber) -> str:
    if one.value is None:
        return f"{format_number(one.low)} to {format_number(one.high)}"
    return format_fixed(one.value, printed_decimals(one))


def _name_rows(every: Sequence[PaperNumber]) -> dict[PaperNumber, str]:
    """Return what tells the numbers of a table apart, in words; of a single one its data and measure."""
    facts = {
        one: {"model": one.model, **one.quantity._asdict(), "layer": one.layer if one.role == "" else one.role}
        for one in every
    }
    columns = [name for name in (*Quantity._fields, "layer") if len({str(one[name]) for one in facts.values()}) > 1]
    models = ["model"] if len({one.model for one in every}) > 1 else []
    shown = [*models, *columns] or ["dataset", "measure"]
    return {
        one: ", ".join(_name_part(name, own[name]) for name in shown if own[name] not in ("", None))
        for one, own in facts.items()
    }


def _name_part(column: str, value: Any) -> str:
    if column == "layer":
        return f"{value} layer" if isinstance(value, str) else f"layer {value}"
    return value if isinstance(value, str) else f"{column} {value:,}"
