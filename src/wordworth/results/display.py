"""How results show themselves in Python: tables as text and HTML, and the numbers of a run."""

from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import BaseModel

from wordworth.errors import WordworthError
from wordworth.measure.declaration import find_measure, label, main_measures
from wordworth.results.columns import main_scores
from wordworth.results.table import Cell, Names, Row, Table, format_interval, format_number, format_p
from wordworth.results.vocabulary import CAUTION_MARK, CAUTION_TEXTS

MAX_ROWS, MAX_HTML_ROWS = 9, 25
"""Rows of a table that are shown at once, as text and as HTML."""
SYMBOLS = {"weat": "d", "valence": "ρ", "similarity": "ρ"}
"""Measure → the symbol of its number, where papers have one."""
PLACES = ("model", "step", "language", "context", "version", "pooling", "layer")
"""Columns that say where a score was measured; those that are blank everywhere are not shown."""
VIEWS: dict[str, Callable[..., Any]] = {}
"""What draws a run (`plot`) and writes its page (`report`): `api` adds them, since this room imports no pages."""


class SeveralScoresError(WordworthError, AttributeError):
    """A run that does not have exactly one main score has no `value`."""


def as_text(table: Table) -> str:
    """Return a table of at most 12 lines in aligned columns."""
    title, lines, rest = _strings(table, MAX_ROWS)
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    aligned = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join(line.rstrip() for line in [title, *aligned, rest] if line)


def as_html(table: Table) -> str:
    """Return the first rows of a table as HTML."""
    title, (heads, *rows), rest = _strings(table, MAX_HTML_ROWS)
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    note = f"<p>{escape(rest)}</p>" if rest else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def _strings(table: Table, most: int) -> tuple[str, list[list[str]], str]:
    """Return the title with the cautions of the table, its headings and first rows, and the line under them."""
    rest = len(table.rows) - most
    shown = table.rows[:most] if rest > 1 else table.rows  # a last row takes no more room than “1 more”
    cautions = dict.fromkeys(one for row in shown for cell in row.cells if cell for one in cell.cautions)
    legend = f"{CAUTION_MARK} {'; '.join(CAUTION_TEXTS[one] for one in cautions)}" if cautions else ""
    title = " · ".join(filter(None, [table.title, legend]))
    rows = [[*row.names, *map(_format_cell, row.cells)] for row in shown]
    more = f"… and {rest:,} more" if rest > 1 else "" if legend else table.note
    return title, [[*table.names, *table.heads], *rows], more


def _format_cell(cell: Cell | None) -> str:
    """Return a number with what is known of it: 1.71 [1.48, 1.83], p = 8e-05, n = 16."""
    if cell is None:
        return ""
    text = format_number(cell.value) + (CAUTION_MARK if cell.cautions else "")
    if cell.low is not None and cell.high is not None:
        text += f" {format_interval(cell.low, cell.high)}"
    more = [f"p = {format_p(cell.p)}"] if cell.p is not None else []
    return ", ".join([text, *more, *([f"n = {cell.n:,}"] if cell.n is not None else [])])


class ShowsTable:
    """A result that a notebook shows as its `table`."""

    @property
    def table(self) -> Table:
        """What is shown."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return as_text(self.table)

    def _repr_html_(self) -> str:
        return as_html(self.table)


class DisplayedRun(ShowsTable):
    """What a run shows of itself."""

    if TYPE_CHECKING:
        study: str
        scores: pl.DataFrame
        models: list[Any]

    @property
    def main(self) -> pl.DataFrame:
        """The main scores: of every measure and data set, where there are layers, the best layer."""
        scores = main_scores(self.scores, main_measures())
        signs = {name: {"lower": -1, "zero": 0}.get(find_measure(name).better, 1) for name in main_measures()}
        sign, value = pl.col("measure").replace_strict(signs, default=1), pl.col("value")
        key = ["measure", "k", "threshold", "dataset", *PLACES[:-1]]
        ordered = scores.with_columns(order=pl.when(sign == 0).then(value.abs()).otherwise(value * sign))
        best = ordered.with_row_index().sort("order", descending=True, nulls_last=True, maintain_order=True)
        return best.unique(key, keep="first", maintain_order=True).sort("index").drop("index", "order")

    def _only(self, column: str) -> Any:
        scores = self.main
        if len(scores) != 1:
            raise SeveralScoresError(f"this run of {self.study} has {len(scores):,} main scores; choose from `scores`")
        return scores[column].item()

    @property
    def value(self) -> float:
        """The number, of a run with one main score."""
        return float(self._only("value"))

    @property
    def low(self) -> float | None:
        """The lower end of its 95 % interval."""
        value: float | None = self._only("low")
        return value

    @property
    def high(self) -> float | None:
        """The upper end of its 95 % interval."""
        value: float | None = self._only("high")
        return value

    @property
    def p(self) -> float | None:
        """Its p."""
        value: float | None = self._only("p")
        return value

    @property
    def n(self) -> int | None:
        """The number of items behind it."""
        value: int | None = self._only("n")
        return value

    @property
    def table(self) -> Table:
        """The main scores as a table."""
        scores = self.main
        varying = [name for name in PLACES if name != "version" and scores[name].n_unique() > 1]
        has_layers = scores["layer"].null_count() < len(scores)
        places = varying if "layer" in varying or not has_layers else [*varying, "layer"]
        versions = scores["version"].unique(maintain_order=True).to_list()
        cells: dict[Names, dict[str | None, Cell]] = {}
        for score in scores.iter_rows(named=True):
            measure = label(score["measure"], k=score["k"], threshold=score["threshold"])
            names = [measure, score["dataset"], *(score[name] for name in places)]
            row = cells.setdefault(tuple("" if name is None else str(name) for name in names), {})
            row[score["version"]] = Cell.of_score(score)
        rows = tuple(Row(names, tuple(map(row.get, versions))) for names, row in cells.items())
        models = ", ".join(one.name for one in self.models)
        best = ", of each the best or strongest layer" if has_layers else ""
        title = f"{self.study} of {models}: {len(scores):,} main scores of {len(self.scores):,}{best}"
        heads = tuple(version or "value [95 % interval]" for version in versions)
        return Table(title, ("measure", "data", *places), heads, rows)

    def to_pandas(self) -> Any:
        """Return the scores as a pandas `DataFrame`."""
        try:
            import pandas as pd  # type: ignore[import-untyped, unused-ignore]
        except ImportError as error:
            raise WordworthError("to_pandas needs pandas; run `pip install pandas`, or use `scores`") from error
        return pd.DataFrame({column.name: column.to_list() for column in self.scores})

    def plot(self, figure: str = "") -> Any:
        """Return an altair chart: the figure that the page would show first, or one by (part of) its title."""
        return VIEWS["plot"](self, figure)

    def report(self, path: Any = None) -> Any:
        """Write the run's page, and return its path; in the run's folder unless given."""
        return VIEWS["report"](self, output=path)

    def __repr__(self) -> str:
        scores = self.main
        if len(scores) == 1:
            score = scores.row(0, named=True)
            symbol = SYMBOLS.get(score["measure"], score["measure"])
            where = ", ".join(filter(None, [score["dataset"], score["model"]]))
            cell = Cell.of_score(score)
            cautions = "".join(f"; {CAUTION_TEXTS[one]}" for one in cell.cautions)
            return f"{symbol} = {_format_cell(replace(cell, cautions=()))} ({where}){cautions}"
        return super().__repr__()

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>" if len(self.main) == 1 else super()._repr_html_()

    def __dir__(self) -> list[str]:
        hidden = set(dir(BaseModel)) - set(dir(object))
        return [name for name in super().__dir__() if name not in hidden and (name[:1] != "_" or name[:2] == "__")]
