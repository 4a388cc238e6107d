"""The tables of a report as data: names down and across, and numbers with all that is known of them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isfinite
from typing import Any

import polars as pl

from wordworth.errors import WordworthError, nearest
from wordworth.errors import listed as _list
from wordworth.report.asked import Asked, Part
from wordworth.report.best import Standing, standing
from wordworth.report.captions import BEST_LAYER, WHAT, caption
from wordworth.report.chances import Chance, chance
from wordworth.report.figures import Figure, figures_of
from wordworth.report.leaderboard import Column as Board
from wordworth.report.leaderboard import leaderboard
from wordworth.report.method import FAILED, failed_rows
from wordworth.report.naming import SHORT
from wordworth.report.page import COMPARED, comparison_row
from wordworth.report.published import comparisons
from wordworth.report.runs import ALL, Runs
from wordworth.run.flags import legend
from wordworth.run.schema import SCORES

Names = tuple[str, ...]
Score = Mapping[str, Any]
SIDE_BY_SIDE = 5
"""Rows that can become columns."""
HEADINGS = {"pcs": "nullified"}
"""Columns of the scores that a reader knows by another name."""
PLACE = ("measure", "dataset", "language", "setting", "pooling", "layer", "pcs")
"""Where a score stands, but for its model."""


@dataclass(frozen=True)
class Cell:
    """A number with what is known of it."""

    value: float | None
    low: float | None = None
    high: float | None = None
    chance: Chance | None = None
    n: int | None = None
    flags: str | None = None
    best: bool = False
    """Whether its model stands first."""
    measure: str = ""

    @property
    def known(self) -> bool:
        """Whether there is a number at all."""
        return self.value is not None and isfinite(self.value)

    def has(self, part: Part) -> bool:
        """Whether there is this to show."""
        if part == "interval":
            return self.low is not None and self.high is not None and isfinite(self.low) and isfinite(self.high)
        return part == "value" or (self.chance if part == "p" else self.n) is not None


@dataclass(frozen=True)
class Row:
    """What a row is of, and its numbers: None where there is none."""

    names: Names
    cells: tuple[Cell | None, ...] = ()


@dataclass(frozen=True)
class Table:
    """Numbers by name; without `heads`, text alone."""

    id: str
    """Its label; no two are alike."""
    of: str
    """What it is a table of: a figure's id. Either is what `--table` takes."""
    title: str
    caption: str
    """What, on what data, n, interval, test: sentences."""
    names: Names
    """Headings of the columns of names."""
    heads: Names
    """Headings over the numbers."""
    rows: tuple[Row, ...]
    note: str = ""
    """What is to be known of some of the numbers."""
    parts: tuple[Part, ...] = ()
    """What of the numbers is shown."""
    across: str = ""
    """What the headings over the numbers are names of."""
    counted: bool = False
    """Whether the headings say n."""


@dataclass(frozen=True)
class Column:
    """One column of numbers: a part of those under a heading; the n that all numbers of a row share is under none."""

    at: int | None
    part: Part


def columns(table: Table) -> list[Column]:
    """The columns of a table. What all its numbers have for n is in the caption; what a row's have is in it once."""
    counts = [{cell.n for cell in row.cells if cell} for row in table.rows]
    alike = len(set().union(*counts) - {None}) == 1 and table.parts != ("n",)
    shared = not alike and len(table.heads) > 1 and all(len(count) < 2 for count in counts)
    shown: list[Column] = []
    for at in range(len(table.heads)):
        cells = [row.cells[at] for row in table.rows]
        parts = [part for part in table.parts if part != "n" or not (alike or shared or table.counted)]
        shown += [Column(at, part) for part in parts if any(cell and cell.has(part) for cell in cells)]
    return [*shown, Column(None, "n")] if shared and "n" in table.parts and not table.counted else shown


def _counted(table: Table) -> Table:
    """The table with n in its headings, where that is the same below each and not throughout."""
    below = [{cell.n for row in table.rows if (cell := row.cells[at])} for at in range(len(table.heads))]
    if "n" not in table.parts or len(table.rows) < 2 or not all(len(one) == 1 and None not in one for one in below):
        return table
    if len(set().union(*below)) == 1 or table.parts == ("n",):
        return table
    heads = (f"{head} (n = {one.pop():,})" for head, one in zip(table.heads, below, strict=True))
    return replace(table, heads=tuple(heads), counted=True)


def _unnamed(table: Table) -> Table:
    """The table without the columns of names that say the same in every row: its title says it."""
    same = [len({row.names[at] for row in table.rows}) == 1 for at in range(len(table.names))]
    if not table.heads or not any(same) or len(table.rows) == 1:
        return table
    said = ", ".join(filter(None, (name for name, one in zip(table.rows[0].names, same, strict=True) if one)))

    def left(names: Names) -> Names:
        return tuple(name for name, one in zip(names, same, strict=True) if not one)

    rows = tuple(replace(row, names=left(row.names)) for row in table.rows)
    title = f"{table.title}{', ' if ': ' in table.title else ': '}{said}" if said else table.title
    return replace(table, title=title, names=left(table.names), rows=rows)


def cell_of(row: Row, column: Column) -> Cell | None:
    """The number that a column shows in a row."""
    if column.at is not None:
        return row.cells[column.at]
    return next((cell for cell in row.cells if cell and cell.n is not None), None)


def tables(runs: Runs, asked: Asked | None = None, longest: int | None = None) -> list[Table]:
    """Leaderboard, figures, published numbers, and what failed.

    A figure's table of more rows than `longest` is parted by its first name, as a model or a data set, and on by the
    next, as long as there is one to part it by.
    """
    asked = asked or Asked()
    made = (table for table in _every(runs, asked, longest) if table.rows and _shows(table))
    every = _unlike([_counted(_unnamed(_upright(table))) for table in made])
    if not every and asked != Asked():
        raise WordworthError("--columns leaves no number: no table has all that it names; name less, or leave it out")
    known = dict.fromkeys(name for table in every for name in (table.of, table.id))
    for name in asked.tables:
        if name not in known:
            raise WordworthError(f"--table has no {name!r}{nearest(name, [*known]) or f'; there are {_list(known)}'}")
    return [table for table in every if not asked.tables or {table.of, table.id} & set(asked.tables)]


def _upright(table: Table) -> Table:
    """The table, higher than wide: turned where it has few rows of many numbers."""
    if len(table.rows) > SIDE_BY_SIDE or len(table.heads) <= SIDE_BY_SIDE:
        return table
    heads = tuple(" ".join(filter(None, row.names)) for row in table.rows)
    rows = (Row((head,), tuple(row.cells[at] for row in table.rows)) for at, head in enumerate(table.heads))
    return replace(table, names=(table.across,), heads=heads, rows=tuple(rows))


def _shows(table: Table) -> bool:
    """Whether there is anything in it: text, or numbers of which something that is asked for is known."""
    return not table.heads or bool(columns(table))


def _unlike(every: Sequence[Table]) -> list[Table]:
    """Tables whose ids differ, however alike the names are that they are made of."""
    seen: Counter[str] = Counter()
    named = []
    for table in every:
        seen[table.id] += 1
        named.append(replace(table, id=f"{table.id}-{seen[table.id]}") if seen[table.id] > 1 else table)
    return named


def _every(runs: Runs, asked: Asked, longest: int | None) -> Iterator[Table]:
    yield _leaderboard(runs, asked)
    for chapter in figures_of(runs.scores).values():
        for figure in chapter:
            yield from _of_figure(runs, figure, asked, longest)
    compared = [comparison_row(one) for one in comparisons(runs) if asked.keeps(one.ours)]
    yield _text("published", "Published numbers beside ours", COMPARED, compared)
    yield _text("failed", "What failed", FAILED, failed_rows(runs))


def _text(name: str, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    return Table(name, name, title, WHAT[name], tuple(heads), (), tuple(Row(tuple(row)) for row in rows))


def _leaderboard(runs: Runs, asked: Asked) -> Table:
    """Models down, the main measure of each study and data set across."""
    board = leaderboard(runs)
    every = runs.scores.to_dicts()
    held = {column.title: _kept(column, every, asked) for column in board.columns if len(board.models) > 1}
    held = {title: scores for title, scores in held.items() if scores}
    better = {column.title: column.better for column in board.columns}
    first = {title: standing(runs, list(scores.values()), better[title]) for title, scores in held.items()}
    cells = [
        {model: _cell(runs, score, first[title]) for model, score in scores.items()} for title, scores in held.items()
    ]
    models = [model for model in board.models if any(model in scores for scores in held.values())]
    rows = tuple(Row((model,), tuple(column.get(model) for column in cells)) for model in models)
    scores = [score for column in held.values() for score in column.values()]
    note = legend((title, score["flags"]) for title, scores in held.items() for score in scores.values())
    layered = any(score["layer"] is not None for score in scores)
    what = f"{WHAT['leaderboard']}{f' {BEST_LAYER}' if layered else ''}"
    told = caption(runs, what, scores, asked.parts, list(first.items()))
    of = "leaderboard"
    return Table(of, of, "Leaderboard", told, ("model",), tuple(held), rows, note, asked.parts, across="measure")


def _kept(column: Board, every: Sequence[Score], asked: Asked) -> dict[str, Score]:
    """Model → the score behind its value; of a mean over several, which has none, the value alone."""
    mean = {**dict.fromkeys(SCORES), "measure": "weat"}
    scores = {
        model: every[column.rows[model]] if model in column.rows else {**mean, "model": model, "value": value}
        for model, value in column.values.items()
    }
    return {model: score for model, score in scores.items() if asked.keeps(score)}


def _of_figure(runs: Runs, figure: Figure, asked: Asked, longest: int | None) -> Iterator[Table]:
    """The tables behind a figure: names down, names across, blank where there is no number."""
    scores = [score for score in figure.rows.to_dicts() if asked.keeps(score)]
    first = _standings(runs, scores)
    for names, down, mine in _parted(scores, figure.down, longest):
        over, same = _told_apart(mine, figure.across)
        across = list(dict.fromkeys(_names(score, over) for score in mine))
        held: dict[Names, dict[Names, Cell]] = {}
        for score in mine:
            cell = _cell(runs, score, first.get(_place(score), Standing()))
            held.setdefault(_names(score, down, whole=True), {})[_names(score, over)] = cell
        shown = figure.rows.filter(pl.col("row").is_in([score["row"] for score in mine]))
        places = {_place(score): str(score["measure"]) for score in mine}
        told = [(name, first[place]) for place, name in places.items() if place in first]
        yield Table(
            id="-".join([figure.id, *map(_slug, names)]),
            of=figure.id,
            title=": ".join(filter(None, [figure.title, ", ".join(filter(None, (*names, *same)))])),
            caption=caption(runs, WHAT.get(figure.id, figure.caption), mine, asked.parts, told),
            names=tuple(HEADINGS.get(name, name) for name in down),
            heads=tuple(" ".join(filter(None, one)) for one in across),
            rows=tuple(Row(names, tuple(cells.get(one) for one in across)) for names, cells in held.items()),
            note=replace(figure, rows=shown).note,
            parts=asked.parts,
            across=", ".join(HEADINGS.get(name, name) for name in over),
        )


def _told_apart(scores: Sequence[Score], across: Names) -> tuple[Names, Names]:
    """The columns whose names tell the numbers of a row apart, one at the least, and the names of the others."""
    unlike = tuple(column for column in across if len({score[column] for score in scores}) > 1) or across[-1:]
    return unlike, _names(scores[0], tuple(column for column in across if column not in unlike)) if scores else ()


def _parted(
    scores: Sequence[Score], down: Names, longest: int | None, names: Names = ()
) -> Iterator[tuple[Names, Names, Sequence[Score]]]:
    """The scores of each table: the names that all of it has, the columns of names that are left, and the scores."""
    rows = {_names(score, down) for score in scores}
    if longest is None or len(rows) <= longest or len(down) == 1:
        yield names, down, scores
        return
    by_name: dict[Names, list[Score]] = {}
    for score in scores:
        by_name.setdefault(_names(score, down[:1]), []).append(score)
    for name, mine in by_name.items():
        yield from _parted(mine, down[1:], longest, (*names, *filter(None, name)))


def _slug(name: str) -> str:
    """A name as a label can have it, the same in every run."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or sha256(name.encode()).hexdigest()[:8]


def _names(score: Score, columns: Sequence[str], whole: bool = False) -> Names:
    """What a score is called in these columns; a test of association, with what it is about where there is room."""
    named = []
    for column in columns:
        value = score[column]
        text = ("raw" if column == "pcs" else "") if value is None else str(value)
        text = f"{text} nullified" if column == "pcs" and value is not None and not whole else text
        about = SHORT.get(text, "").partition(" ")[2] if whole and column == "dataset" else ""
        named.append(f"{text}: {about}" if about else text)
    return tuple(named)


def _place(score: Score) -> tuple[Any, ...]:
    return tuple(score[name] for name in PLACE)


def _standings(runs: Runs, scores: Sequence[Score]) -> dict[tuple[Any, ...], Standing]:
    """Place → who stands first among the models that have a score there; layers of several models are not alike."""
    by_place: dict[tuple[Any, ...], dict[str, Score]] = {}
    for score in scores:
        if score["layer"] is None and score["model"] != ALL and Cell(score["value"]).known:
            by_place.setdefault(_place(score), {})[score["model"]] = score
    return {place: standing(runs, list(mine.values()), runs.better(place[0])) for place, mine in by_place.items()}


def _cell(runs: Runs, score: Score, first: Standing) -> Cell:
    numbers = {name: score[name] for name in ("value", "low", "high", "n", "flags", "measure")}
    return Cell(**numbers, chance=chance(runs, score), best=score["model"] in first.first)
