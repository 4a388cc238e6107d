"""The tables of a report: the leaderboard, what is behind each figure, published numbers, and what failed.

A caption has what a paper needs: data, n, intervals, tests, and what is bold.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from wordworth.errors import WordworthError, format_names, nearest
from wordworth.pages.cautions import FAILED_HEADER, failed_rows
from wordworth.pages.comparisons import COMPARED_COLUMNS, comparison_row, comparisons
from wordworth.pages.figures import Figure, figures_of
from wordworth.pages.leaderboard import Column as BoardColumn
from wordworth.pages.leaderboard import Ranking, leaderboard, rank_models
from wordworth.pages.runs import OVERALL, TESTS, Runs, Score, better_of
from wordworth.paired.comparison import ALPHA
from wordworth.results.columns import PLACE
from wordworth.results.table import ASPECTS, Aspect, Cell, Names, Row, Table, format_list, format_number, text_table

MAX_TURNED_ROWS = 5  # rows that can become columns
HEADINGS = {"components": "nullified", "quantity": "measure"}
"""Columns of the scores that a reader knows by another name."""
LEADING_PLACE = ("quantity", *(name for name in PLACE if name not in ("model", "step", "experiment")))
"""Where a score was measured, without its model."""
BEST_LAYER = "A language model’s valence and similarity are those of its best layer, picked on the same items."
PAIRED_TESTS = {
    "williams": "Williams’ t", "mcnemar": "McNemar’s mid-p", "exchange": "a permutation test that exchanges models",
    "sign-flip": "a sign-flip permutation test",
}  # fmt: skip
"""Paired test → its name."""


@dataclass(frozen=True)
class Column:
    """One column of numbers: a part of those under a heading; the n that all numbers of a row share is under none."""

    at: int | None
    part: Aspect


def columns(table: Table) -> list[Column]:
    """Return the columns of a table. An n of all numbers is in the caption; one of a row is in the row once."""
    counts = [{cell.n for cell in row.cells if cell} for row in table.rows]
    is_alike = len(set().union(*counts) - {None}) == 1
    is_shared = not is_alike and len(table.heads) > 1 and all(len(count) < 2 for count in counts)
    parts = [part for part in ASPECTS if part != "n" or not (is_alike or is_shared)]
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
    """Return all tables that have rows, or the wanted ones."""
    every = [_turn(table) for table in _every(runs) if table.rows]
    by_id = {table.id: table for table in every}
    for name in wanted:
        if name not in by_id:
            raise WordworthError(
                f"--table has no {name!r}{nearest(name, [*by_id]) or f'; there are {format_names(by_id)}'}"
            )
    return [table for table in every if not wanted or table.id in wanted]


def _every(runs: Runs) -> Iterator[Table]:
    yield _leaderboard(runs)
    for chapter in figures_of(runs.scores).values():
        yield from (_of_figure(runs, figure) for figure in chapter)
    compared = (comparison_row(one) for one in comparisons(runs))
    what = "Numbers of these runs and the nearest ones that a paper has."
    yield text_table("Published numbers and ours", COMPARED_COLUMNS, compared, id="published", caption=what)
    what = "Parts that could not be computed."
    yield text_table("What failed", FAILED_HEADER, failed_rows(runs), id="failed", caption=what)


def _turn(table: Table) -> Table:
    """Turn a table that has few rows of many numbers."""
    if len(table.rows) > MAX_TURNED_ROWS or len(table.heads) <= MAX_TURNED_ROWS:
        return table
    return table.transpose()


def _leaderboard(runs: Runs) -> Table:
    """Return models down, the main measure of each study and data set across."""
    board = leaderboard(runs)
    shown = board.columns if len(board.models) > 1 else []
    rows = [Row((model,), tuple(_board_cell(column, model) for column in shown)) for model in board.models if shown]
    scores = [score for column in shown for score in column.scores.values()]
    what = "The main measures of each model."
    what += f" {BEST_LAYER}" if any(score["layer"] is not None for score in scores) else ""
    heads = tuple(column.title for column in shown)
    what = caption(runs, what, scores, [(column.title, column.ranking) for column in shown])
    return Table("Leaderboard", ("model",), heads, tuple(rows), what, board.note, "leaderboard", across="measure")


def _board_cell(column: BoardColumn, model: str) -> Cell | None:
    if model not in column.scores:
        return None
    return Cell.of_score(column.scores[model], is_best=model in column.ranking.models)


def _of_figure(runs: Runs, figure: Figure) -> Table:
    """Return the table behind a figure: names down, names across, blank where there is no number."""
    scores = figure.rows.to_dicts()
    leaders = _leaders(runs, scores)
    over = tuple(name for name in figure.across if len({score[name] for score in scores}) > 1) or figure.across[-1:]
    same = _names(scores[0], [name for name in figure.across if name not in over])
    across = list(dict.fromkeys(_names(score, over) for score in scores))
    cells: dict[Names, dict[Names, Cell]] = {}
    for score in scores:
        row = cells.setdefault(_names(score, figure.down, with_subject=True), {})
        is_best = score["model"] in leaders.get(_place(score), Ranking()).models
        row[_names(score, over)] = Cell.of_score(score, is_best=is_best)
    places = {_place(score): str(score["quantity"]) for score in scores}
    compared = [(name, leaders[place]) for place, name in places.items() if place in leaders]
    title = _join([figure.title, _join(same, ", ")], ": ")
    down, turned = (tuple(HEADINGS.get(name, name) for name in some) for some in (figure.down, over))
    rows = tuple(Row(names, tuple(row.get(one) for one in across)) for names, row in cells.items())
    text = caption(runs, figure.caption, scores, compared)
    return Table(title, down, tuple(map(_join, across)), rows, text, figure.note, figure.id, ", ".join(turned))


def _join(names: Iterable[str], between: str = " ") -> str:
    return between.join(filter(None, names))


def _names(score: Score, columns: Sequence[str], with_subject: bool = False) -> Names:
    """Return what a score is called in these columns; an association test with its subject where there is room."""
    return tuple(_name(score, column, with_subject) for column in columns)


def _name(score: Score, column: str, with_subject: bool) -> str:
    value = score[column]
    if column == "components" and (value is None or not with_subject):
        return "raw" if value is None else f"{value} nullified"
    if column == "dataset" and value in TESTS and with_subject:
        return f"{value}: {TESTS[value]['subject']}"
    return "" if value is None else str(value)


def _place(score: Score) -> tuple[Any, ...]:
    return tuple(score[name] for name in LEADING_PLACE)


def _leaders(runs: Runs, scores: Sequence[Score]) -> dict[tuple[Any, ...], Ranking]:
    """Return place → who leads among the models that have a score there; layers of several models are not alike."""
    by_place: dict[tuple[Any, ...], dict[str, Score]] = {}
    for score in scores:
        value = score["value"]
        if score["layer"] is None and score["model"] != OVERALL and value is not None and isfinite(value):
            by_place.setdefault(_place(score), {})[score["model"]] = score
    places = {place: list(some.values()) for place, some in by_place.items()}
    return {place: rank_models(runs, some, better_of(some[0])) for place, some in places.items()}


def caption(runs: Runs, what: str, scores: Sequence[Score], leaders: Sequence[tuple[str, Ranking]]) -> str:
    """Return the sentences over a table of these scores; `leaders` are what was compared, and who leads in it."""
    tested = [score for score in scores if score["p"] is not None]
    measured = [score for score in scores if score["low"] is not None and score["high"] is not None]
    return " ".join([what, *_data(scores), *_interval(runs, measured), *_test(tested), *_bold(leaders)])


def _data(scores: Sequence[Score]) -> Iterator[str]:
    named = list(dict.fromkeys(score["dataset"] for score in scores if score["dataset"]))
    counts = {score["n"] for score in scores if score["n"] is not None}
    n = f"n = {counts.pop():,}" if len(counts) == 1 else ""
    data = f"Data: {format_list(named, max_names=12)}" if named else ""
    if data or n:
        yield f"{_join((data, n), ', ')}."
    if len(counts) > 1:
        yield "n is the number of items."


def _interval(runs: Runs, scores: Sequence[Score]) -> Iterator[str]:
    if not scores:
        return
    counts = {int(runs.run_of(score).settings.get("resamples") or 0) for score in scores}
    drawn = " or ".join(f"{count:,}" for count in sorted(counts))
    yield f"Brackets: 95 % intervals (bootstrap, {drawn} resamples)." if all(counts) else "Brackets: 95 % intervals."


def _test(scores: Sequence[Score]) -> Iterator[str]:
    """Say what p is; only permutation tests have one in a table."""
    if not scores:
        return
    sides = {score["sides"] for score in scores} - {None}
    side = f"{sides.pop()}-sided " if len(sides) == 1 else ""
    exact = any(score["p_method"] == "exact" for score in scores)
    counts = sorted({score["partitions"] for score in scores if score["p_method"] == "monte-carlo"} - {None})
    drawn = f"{' or '.join(f'{count:,}' for count in counts)} random ones" if counts else ""
    over = ", or ".join(filter(None, ["all partitions" if exact else "", drawn]))
    yield f"p: {side}permutation test{f' over {over}' if over else ''}."
    if any(score["p"] == 0 for score in scores):
        yield "< 1/N: none of N partitions gives more."


def _bold(leaders: Sequence[tuple[str, Ranking]]) -> Iterator[str]:
    compared = [(name, one) for name, one in leaders if one.models]
    tests = sorted({PAIRED_TESTS.get(one.test, one.test) for _, one in compared if one.test})
    untested = list(dict.fromkeys(name for name, one in compared if not one.test))
    if tests:
        yield (
            "Bold: the best model of each measure, and those that are not significantly worse on the items that both "
            f"have ({format_list(tests)}; p < {format_number(ALPHA)} after Holm’s correction over the pairs)."
        )
    if untested:
        yield f"Only the best is bold where no paired test could be made: {format_list(untested, max_names=12)}."
