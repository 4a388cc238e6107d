"""The papers’ tables and figures, as `data/papers.toml` declares them, and their numbers with ours next to them."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

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
from wordworth.results.main_scores import choose_main
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
        paper_numbers = [number for number in load_published() if number.paper == self.paper]
        if self.key != TEXT_KEY:
            return [number for number in paper_numbers if self.place in number.places]
        item_places = {item.place for item in papers()[self.paper]}
        return [number for number in paper_numbers if not item_places & {*number.places}]


@cache
def papers() -> dict[str, tuple[PaperItem, ...]]:
    """Return every table and figure by the key of its paper."""
    return {paper: tuple(_read_items(paper, declaration)) for paper, declaration in _declarations().items()}


@cache
def _declarations() -> dict[str, Any]:
    return tomllib.loads((files("wordworth.papers") / "data" / "papers.toml").read_text(encoding="utf-8"))


def paper_names() -> dict[str, str]:
    """Return what the command calls each paper → its key."""
    return {declaration["name"]: paper for paper, declaration in _declarations().items()}


def sources(paper: str) -> dict[str, str]:
    """Return what has to be given by hand → where it is to be had, and the option that takes it."""
    return dict(_declarations()[paper]["sources"])


def _read_items(paper: str, declaration: Mapping[str, Any]) -> Iterator[PaperItem]:
    paper_facts = {key: value for key, value in declaration.items() if key not in ("name", "sources", "items")}
    for key, item_facts in declaration["items"].items():
        facts = paper_facts | item_facts
        if "study" not in item_facts:
            facts["settings"] = paper_facts.get("settings", {}) | item_facts.get("settings", {})
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
    keys = [f"table-{name}" if name.isdecimal() else name for name in tables]
    for name in keys:
        if name not in items:
            near = nearest(name, [*items]) or f"; it has {', '.join(items)}"
            raise WordworthError(f"{paper} has no {name}{near}")
    return [items[name] for name in keys or items]


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
        number, cell = self.published, self.cell
        theirs: dict[str, Any] = {}
        if number is not None:
            theirs = {"model": number.model, **number.quantity._asdict(), "layer": number.layer or number.role}
        numbers = {"paper": number and (number.value if number.value is not None else [number.low, number.high])}
        numbers |= {"ours": cell.value, "low": cell.low, "high": cell.high, "n": cell.n}
        model = self.ours[0]["model"] if self.ours else None
        values = [score["value"] for score in self.ours]
        return {**theirs, **numbers, "measured": model, "values": values, **self.verdict._asdict()}


def reproduce_item(item: PaperItem, runs: Sequence[Run], *, is_reduced: bool = False) -> list[OwnNumber]:
    """Return the numbers of a table with ours from these runs, which differ at most in their seed.

    `is_reduced` says that their samples are smaller than the paper's.
    """
    targets = item.numbers()
    pairs_of: dict[tuple[int, str], list[tuple[Comparison, Runs]]] = {}
    for run in runs:
        source = read_runs([run])
        for comparison in comparisons(source, targets):
            key = (targets.index(comparison.published), comparison.ours["model"])
            pairs_of.setdefault(key, []).append((comparison, source))
    rows = []
    for at, theirs in enumerate(targets):
        groups = [pairs for (number, _), pairs in pairs_of.items() if number == at]
        for group in groups:
            verdict = judge_comparisons(group, is_reduced=is_reduced)
            rows.append(OwnNumber(theirs, tuple(comparison.ours for comparison, _ in group), verdict))
        if not groups:
            rows.append(OwnNumber(theirs, (), Verdict(NOT_MEASURED, "not run")))
    if not targets:
        rows += [OwnNumber(None, (score,), Verdict(NOT_MEASURED, "no printed number")) for score in _main(item, runs)]
    return rows


def _main(item: PaperItem, runs: Sequence[Run]) -> Iterator[Score]:
    """Yield the main scores of the experiments that a figure shows."""
    experiments = item.settings.get("experiments")
    for run in runs[:1]:
        scores = read_runs([run]).scores
        for score in choose_main(scores).iter_rows(named=True):
            if not experiments or score["experiment"] in experiments:
                yield score


def reproduction_table(item: PaperItem, rows: Sequence[OwnNumber]) -> Table:
    """Return a paper's table with ours next to it; numbers that were not run are counted under it."""
    shown_rows = [row for row in rows if row.ours][: None if item.numbers() else MAX_FIGURE_ROWS]
    names = _name_rows(item.numbers())
    lines = []
    for row in shown_rows:
        theirs = _print_number(row.published) if row.published else "drawn"
        name = names[row.published] if row.published else describe(row.ours[0])
        ours = format_cell(Cell(row.cell.value, row.cell.low, row.cell.high))
        lines.append([name, theirs, ours, f"{row.cell.n:,}" if row.cell.n is not None else "", str(row.verdict)])
    counts = [f"{sum(row.verdict.name == number for row in rows)} {number}" for number in VERDICTS]
    absent = [row.published for row in rows if row.published and not row.ours]
    note = f"Of {len(rows)} numbers: {', '.join(counts)}." if item.numbers() else "The paper draws it without numbers."
    if absent:
        models = format_list(list(dict.fromkeys(number.model or "people" for number in absent)), 9)
        note += f" Not run: {len(absent)}, of {models}."
    title = f"{citation(item.paper)}, {item.place}: {item.title}"
    return text_table(title, NUMBER_HEADINGS, lines, note=note, id=f"{item.paper}-{item.key}")


def _print_number(number: PaperNumber) -> str:
    if number.value is None:
        return f"{format_number(number.low)} to {format_number(number.high)}"
    return format_fixed(number.value, printed_decimals(number))


def _name_rows(numbers: Sequence[PaperNumber]) -> dict[PaperNumber, str]:
    """Return what tells the numbers of a table apart, in words; of a single one its data and measure."""
    facts = {}
    for number in numbers:
        layer = number.layer if number.role == "" else number.role
        facts[number] = {"model": number.model, **number.quantity._asdict(), "layer": layer}
    fields = (*Quantity._fields, "layer")
    columns = [name for name in fields if len({str(values[name]) for values in facts.values()}) > 1]
    models = ["model"] if len({number.model for number in numbers}) > 1 else []
    axes = [*models, *columns] or ["dataset", "measure"]
    names = {}
    for number, values in facts.items():
        names[number] = ", ".join(_name_part(axis, values[axis]) for axis in axes if values[axis] not in ("", None))
    return names


def _name_part(column: str, value: Any) -> str:
    if column == "layer":
        return f"{value} layer" if isinstance(value, str) else f"layer {value}"
    return value if isinstance(value, str) else f"{column} {value:,}"
