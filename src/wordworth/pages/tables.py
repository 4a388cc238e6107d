"""The tables of a report: the leaderboard, what is behind each figure, and published numbers.

A caption has what a paper needs: data, n, intervals, tests, and what is bold.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wordworth.errors import WordworthError, format_names, nearest
from wordworth.pages.figures import Figure, figures_of
from wordworth.pages.leaderboard import Column as BoardColumn
from wordworth.pages.leaderboard import Ranking, leaderboard
from wordworth.paired.comparison import ALPHA
from wordworth.papers.comparisons import COMPARED_COLUMNS, comparison_row, comparisons
from wordworth.results.runs import TESTS, Runs, Score
from wordworth.results.table import ASPECTS, Aspect, Cell, Names, Row, Table, format_list, format_number, text_table

MAX_TURNED_ROWS = 5  # rows that can become columns
HEADINGS = {"components": "nullified", "quantity": "measure"}
"""Columns of the scores that a reader knows by another name."""
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
    aspects = [aspect for aspect in ASPECTS if aspect != "n" or not (is_alike or is_shared)]
    numbers = []
    for at in range(len(table.heads)):
        cells = [cell for row in table.rows if (cell := row.cells[at])]
        numbers += [Column(at, aspect) for aspect in aspects if any(cell.has(aspect) for cell in cells)]
    return [*numbers, Column(None, "n")] if is_shared else numbers


def cell_of(row: Row, column: Column) -> Cell | None:
    """Return the number that a column shows in a row."""
    if column.at is not None:
        return row.cells[column.at]
    return next((cell for cell in row.cells if cell and cell.n is not None), None)


def tables(runs: Runs, ids: Sequence[str] = ()) -> list[Table]:
    """Return all tables that have rows, or the wanted ones."""
    candidates = [_turn(table) for table in _every(runs) if table.rows]
    by_id = {table.id: table for table in candidates}
    for name in ids:
        if name not in by_id:
            hint = nearest(name, [*by_id]) or f"; there are {format_names(by_id)}"
            raise WordworthError(f"--table has no {name!r}{hint}")
    return [table for table in candidates if not ids or table.id in ids]


def _every(runs: Runs) -> Iterator[Table]:
    yield _leaderboard(runs)
    for chapter in figures_of(runs.scores).values():
        yield from (_of_figure(runs, figure) for figure in chapter)
    comparison_rows = (comparison_row(comparison) for comparison in comparisons(runs))
    text = "Numbers of these runs and the nearest ones that a paper has."
    yield text_table("Published numbers and ours", COMPARED_COLUMNS, comparison_rows, id="published", caption=text)


def _turn(table: Table) -> Table:
    """Turn a table that has few rows of many numbers."""
    if len(table.rows) > MAX_TURNED_ROWS or len(table.heads) <= MAX_TURNED_ROWS:
        return table
    return table.transpose()


def _leaderboard(runs: Runs) -> Table:
    """Return models down, the main measure of each study and data set across."""
    board = leaderboard(runs)
    columns = board.columns if len(board.models) > 1 else []
    rows = [Row((model,), tuple(_board_cell(column, model) for column in columns)) for model in board.models if columns]
    scores = [score for column in columns for score in column.scores.values()]
    text = "The main measures of each model."
    text += f" {BEST_LAYER}" if any(score["layer"] is not None for score in scores) else ""
    heads = tuple(column.title for column in columns)
    text = caption(runs, text, scores, [(column.title, column.ranking) for column in columns])
    return Table("Leaderboard", ("model",), heads, tuple(rows), text, board.note, "leaderboard", across="measure")


def _board_cell(column: BoardColumn, model: str) -> Cell | None:
    if model not in column.scores:
        return None
    return Cell.of_score(column.scores[model], is_best=model in column.ranking.models)


def _of_figure(runs: Runs, figure: Figure) -> Table:
    """Return the table behind a figure: names down, names across, blank where there is no number."""
    scores = figure.rows.to_dicts()
    axes = tuple(name for name in figure.across if len({score[name] for score in scores}) > 1) or figure.across[-1:]
    same = _names(scores[0], [name for name in figure.across if name not in axes])
    across = list(dict.fromkeys(_names(score, axes) for score in scores))
    cells: dict[Names, dict[Names, Cell]] = {}
    for score in scores:
        row = cells.setdefault(_names(score, figure.down, with_subject=True), {})
        row[_names(score, axes)] = Cell.of_score(score)
    title = _join([figure.title, _join(same, ", ")], ": ")
    down, across_names = (tuple(HEADINGS.get(name, name) for name in heads) for heads in (figure.down, axes))
    rows = tuple(Row(names, tuple(row.get(head) for head in across)) for names, row in cells.items())
    text = caption(runs, figure.caption, scores)
    return Table(title, down, tuple(map(_join, across)), rows, text, figure.note, figure.id, ", ".join(across_names))


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


def caption(runs: Runs, description: str, scores: Sequence[Score], leaders: Sequence[tuple[str, Ranking]] = ()) -> str:
    """Return the sentences over a table of these scores; `leaders` are its columns, and who leads in each."""
    chances = [score for score in scores if score["p"] is not None]
    intervals = [score for score in scores if score["low"] is not None and score["high"] is not None]
    return " ".join([description, *_data(scores), *_interval(runs, intervals), *_test(chances), *_bold(leaders)])


def _data(scores: Sequence[Score]) -> Iterator[str]:
    datasets = list(dict.fromkeys(score["dataset"] for score in scores if score["dataset"]))
    counts = {score["n"] for score in scores if score["n"] is not None}
    n = f"n = {counts.pop():,}" if len(counts) == 1 else ""
    data = f"Data: {format_list(datasets, max_names=12)}" if datasets else ""
    if data or n:
        yield f"{_join((data, n), ', ')}."
    if len(counts) > 1:
        yield "n is the number of items."


def _interval(runs: Runs, scores: Sequence[Score]) -> Iterator[str]:
    if not scores:
        return
    counts = {int(runs.run_of(score).settings.get("resamples") or 0) for score in scores}
    sizes = " or ".join(f"{count:,}" for count in sorted(counts))
    yield (f"Brackets: 95 % intervals (bootstrap, {sizes} resamples)." if all(counts) else "Brackets: 95 % intervals.")


def _test(scores: Sequence[Score]) -> Iterator[str]:
    """Say what p is; only permutation tests have one in a table."""
    if not scores:
        return
    sides = {score["sides"] for score in scores} - {None}
    side = f"{sides.pop()}-sided " if len(sides) == 1 else ""
    exact = any(score["p_method"] == "exact" for score in scores)
    counts = sorted({score["partitions"] for score in scores if score["p_method"] == "monte-carlo"} - {None})
    samples = f"{' or '.join(f'{count:,}' for count in counts)} random ones" if counts else ""
    partitions = ", or ".join(filter(None, ["all partitions" if exact else "", samples]))
    yield f"p: {side}permutation test{f' over {partitions}' if partitions else ''}."
    if any(score["p"] == 0 for score in scores):
        yield "< 1/N: none of N partitions gives more."


def _bold(leaders: Sequence[tuple[str, Ranking]]) -> Iterator[str]:
    columns = [(name, ranking) for name, ranking in leaders if ranking.models]
    tests = sorted({PAIRED_TESTS.get(ranking.test, ranking.test) for _, ranking in columns if ranking.test})
    exceptions = list(dict.fromkeys(name for name, ranking in columns if not ranking.test))
    if tests:
        yield (
            "Bold: the best model of each measure, and those that are not significantly worse on the items that both "
            f"have ({format_list(tests)}; p < {format_number(ALPHA)} after Holm’s correction over the pairs)."
        )
    if exceptions:
        yield f"Only the best is bold where no paired test is possible: {format_list(exceptions, max_names=12)}."
