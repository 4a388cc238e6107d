"""The tables of a report as data: names down and across, and numbers with all that is known of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal

from wordworth.errors import WordworthError, nearest
from wordworth.errors import listed as _list
from wordworth.pages.captions import BEST_LAYER, WHAT, Chance, caption, chance
from wordworth.pages.comparisons import COMPARED, comparison_row, comparisons
from wordworth.pages.figures import Figure, figures_of
from wordworth.pages.leaderboard import Column as BoardColumn
from wordworth.pages.leaderboard import Leading, Score, leaderboard, leading
from wordworth.pages.missing import FAILED, failed_rows
from wordworth.pages.naming import SHORT
from wordworth.pages.runs import ALL, Runs
from wordworth.results.flags import legend
from wordworth.results.schema import SCORES

Part = Literal["value", "interval", "p", "n"]
PARTS: tuple[Part, ...] = ("value", "interval", "p", "n")
"""What of a number a table shows."""
Names = tuple[str, ...]
MAX_TURNED_ROWS = 5
"""Rows that can become columns."""
HEADINGS = {"pcs": "nullified"}
"""Columns of the scores that a reader knows by another name."""
PLACE = ("measure", "dataset", "language", "setting", "pooling", "layer", "pcs")
"""Where a score was measured, without its model."""


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
    """Whether its model leads."""

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
    """Numbers by name; without `heads`, text only."""

    id: str
    """What `--table` takes: the id of a figure, or leaderboard, published, failed."""
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
    across: str = ""
    """What the headings over the numbers are names of."""


@dataclass(frozen=True)
class Column:
    """One column of numbers: a part of those under a heading; the n that all numbers of a row share is under none."""

    at: int | None
    part: Part


def columns(table: Table) -> list[Column]:
    """Return the columns of a table; an n of all numbers is in the caption, and one of a row is in it once."""
    counts = [{cell.n for cell in row.cells if cell} for row in table.rows]
    is_alike = len(set().union(*counts) - {None}) == 1
    is_shared = not is_alike and len(table.heads) > 1 and all(len(count) < 2 for count in counts)
    parts = [part for part in PARTS if part != "n" or not (is_alike or is_shared)]
    shown = [
        Column(at, part)
        for at in range(len(table.heads))
        for part in parts
        if any(cell.has(part) for row in table.rows if (cell := row.cells[at]))
    ]
    return [*shown, Column(None, "n")] if is_shared else shown


def cell_of(row: Row, column: Column) -> Cell | None:
    """Return the number that a column shows in a row."""
    if column.at is not None:
        return row.cells[column.at]
    return next((cell for cell in row.cells if cell and cell.n is not None), None)


def tables(runs: Runs, wanted: Sequence[str] = ()) -> list[Table]:
    """Return the leaderboard, tables behind figures, published numbers and what failed; or the wanted ones."""
    every = [_upright(table) for table in _every(runs) if table.rows]
    by_id = {table.id: table for table in every}
    for name in wanted:
        if name not in by_id:
            raise WordworthError(f"--table has no {name!r}{nearest(name, [*by_id]) or f'; there are {_list(by_id)}'}")
    return [table for table in every if not wanted or table.id in wanted]


def _every(runs: Runs) -> Iterator[Table]:
    yield _leaderboard(runs)
    for chapter in figures_of(runs.scores).values():
        yield from (_of_figure(runs, figure) for figure in chapter)
    yield _text("published", "Published numbers and ours", COMPARED, [comparison_row(one) for one in comparisons(runs)])
    yield _text("failed", "What failed", FAILED, failed_rows(runs))


def _text(name: str, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    return Table(name, title, WHAT[name], tuple(heads), (), tuple(Row(tuple(row)) for row in rows))


def _upright(table: Table) -> Table:
    """Turn a table that has few rows of many numbers."""
    if len(table.rows) > MAX_TURNED_ROWS or len(table.heads) <= MAX_TURNED_ROWS:
        return table
    heads = tuple(" ".join(filter(None, row.names)) for row in table.rows)
    rows = (Row((head,), tuple(row.cells[at] for row in table.rows)) for at, head in enumerate(table.heads))
    return replace(table, names=(table.across,), heads=heads, rows=tuple(rows))


def _leaderboard(runs: Runs) -> Table:
    """Return models down, the main measure of each study and data set across."""
    board = leaderboard(runs)
    every = runs.scores.to_dicts()
    shown = board.columns if len(board.models) > 1 else []
    by_title = {column.title: _board_scores(column, every) for column in shown}
    leaders = {one.title: leading(runs, list(by_title[one.title].values()), one.better) for one in shown}
    rows = tuple(
        Row((model,), tuple(_cell(runs, mine.get(model), leaders[title]) for title, mine in by_title.items()))
        for model in board.models
        if by_title
    )
    scores = [score for mine in by_title.values() for score in mine.values()]
    note = legend((title, score["flags"]) for title, mine in by_title.items() for score in mine.values())
    is_layered = any(score["layer"] is not None for score in scores)
    what = f"{WHAT['leaderboard']}{f' {BEST_LAYER}' if is_layered else ''}"
    told = caption(runs, what, scores, list(leaders.items()))
    return Table("leaderboard", "Leaderboard", told, ("model",), tuple(by_title), rows, note, across="measure")


def _board_scores(column: BoardColumn, every: Sequence[Score]) -> dict[str, Score]:
    """Return model → the score behind its value; a mean over several has none, only its value."""
    mean = {**dict.fromkeys(SCORES), "measure": "weat"}
    return {
        model: every[column.rows[model]] if model in column.rows else {**mean, "model": model, "value": value}
        for model, value in column.values.items()
    }


def _of_figure(runs: Runs, figure: Figure) -> Table:
    """Return the table behind a figure: names down, names across, blank where there is no number."""
    scores = figure.rows.to_dicts()
    leaders = _leaders(runs, scores)
    over = tuple(name for name in figure.across if len({score[name] for score in scores}) > 1) or figure.across[-1:]
    same = _names(scores[0], [name for name in figure.across if name not in over])
    across = list(dict.fromkeys(_names(score, over) for score in scores))
    cells: dict[Names, dict[Names, Cell | None]] = {}
    for score in scores:
        row = cells.setdefault(_names(score, figure.down, with_subject=True), {})
        row[_names(score, over)] = _cell(runs, score, leaders.get(_place(score), Leading()))
    compared = {_place(score): str(score["measure"]) for score in scores}
    told = [(name, leaders[place]) for place, name in compared.items() if place in leaders]
    return Table(
        id=figure.id,
        title=": ".join(filter(None, [figure.title, ", ".join(filter(None, same))])),
        caption=caption(runs, WHAT.get(figure.id, figure.caption), scores, told),
        names=tuple(HEADINGS.get(name, name) for name in figure.down),
        heads=tuple(" ".join(filter(None, one)) for one in across),
        rows=tuple(Row(names, tuple(row.get(one) for one in across)) for names, row in cells.items()),
        note=figure.note,
        across=", ".join(HEADINGS.get(name, name) for name in over),
    )


def _names(score: Score, columns: Sequence[str], with_subject: bool = False) -> Names:
    """Return what a score is called in these columns; an association test with its subject where there is room."""
    named = []
    for column in columns:
        value = score[column]
        text = ("raw" if column == "pcs" else "") if value is None else str(value)
        text = f"{text} nullified" if column == "pcs" and value is not None and not with_subject else text
        subject = SHORT.get(text, "").partition(" ")[2] if with_subject and column == "dataset" else ""
        named.append(f"{text}: {subject}" if subject else text)
    return tuple(named)


def _place(score: Score) -> tuple[Any, ...]:
    return tuple(score[name] for name in PLACE)


def _leaders(runs: Runs, scores: Sequence[Score]) -> dict[tuple[Any, ...], Leading]:
    """Return place → who leads among the models that have a score there; layers of several models are not alike."""
    by_place: dict[tuple[Any, ...], dict[str, Score]] = {}
    for score in scores:
        value = score["value"]
        if score["layer"] is None and score["model"] != ALL and value is not None and isfinite(value):
            by_place.setdefault(_place(score), {})[score["model"]] = score
    return {place: leading(runs, list(mine.values()), runs.better(place[0])) for place, mine in by_place.items()}


def _cell(runs: Runs, score: Score | None, leaders: Leading) -> Cell | None:
    if score is None:
        return None
    numbers = {name: score[name] for name in ("value", "low", "high", "n", "flags")}
    return Cell(**numbers, chance=chance(runs, score), best=score["model"] in leaders.models)
