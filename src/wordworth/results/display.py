"""How results show themselves in Python: tables as text and HTML, and the numbers of a run."""

from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import BaseModel

from wordworth.errors import WordworthError
from wordworth.measure.declaration import find_measure, label
from wordworth.results.columns import main_scores
from wordworth.results.table import Cell, Names, Row, Table, format_cell, legend_of
from wordworth.results.vocabulary import CAUTION_TEXTS

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
    lines, note = _strings(table, MAX_ROWS)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = ["  ".join(map(str.ljust, line, widths)) for line in lines]
    return "\n".join(line.rstrip() for line in [table.title, *aligned, note] if line)


def as_html(table: Table) -> str:
    """Return the first rows of a table as HTML."""
    (heads, *rows), note = _strings(table, MAX_HTML_ROWS)
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    caption = f"<caption>{escape(table.title)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(note)}</p>"


def _strings(table: Table, most: int) -> tuple[list[list[str]], str]:
    """Return the headings and the first rows of a table, and the line under them."""
    rows = [[*row.names, *map(format_cell, row.cells)] for row in table.rows[:most]]
    more = f"… and {len(table.rows) - most:,} more" if len(table.rows) > most else ""
    return [[*table.names, *table.heads], *rows], "; ".join(filter(None, [more, table.note or legend_of(table.rows)]))


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
        scores, value = main_scores(self.scores), pl.col("value")
        better = pl.Series([find_measure(name).better for name in scores["measure"]], dtype=pl.String)
        merit = pl.when(better == "lower").then(-value).when(better == "zero").then(value.abs()).otherwise(value)
        key = ["measure", "k", "threshold", "dataset", *PLACES[:-1]]
        ordered = scores.with_row_index().sort(merit, descending=True, nulls_last=True, maintain_order=True)
        return ordered.unique(key, keep="first", maintain_order=True).sort("index").drop("index")

    @property
    def _only(self) -> Cell:
        """The number, of a run with one main score."""
        scores = self.main
        if len(scores) != 1:
            raise SeveralScoresError(f"this run of {self.study} has {len(scores):,} main scores; choose from `scores`")
        return Cell.of_score(scores.row(0, named=True))

    @property
    def value(self) -> float | None:
        """The number, of a run with one main score."""
        return self._only.value

    @property
    def low(self) -> float | None:
        """The lower end of its 95 % interval."""
        return self._only.low

    @property
    def high(self) -> float | None:
        """The upper end of its 95 % interval."""
        return self._only.high

    @property
    def p(self) -> float | None:
        """Its p."""
        return self._only.p

    @property
    def n(self) -> int | None:
        """The number of items behind it."""
        return self._only.n

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
        if len(scores) != 1:
            return super().__repr__()
        score = scores.row(0, named=True)
        symbol = SYMBOLS.get(score["measure"], score["measure"])
        where = ", ".join(filter(None, [score["dataset"], score["model"]]))
        cell = Cell.of_score(score)
        cautions = "".join(f"; {CAUTION_TEXTS[one]}" for one in cell.cautions)
        return f"{symbol} = {format_cell(replace(cell, cautions=()))} ({where}){cautions}"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>" if len(self.main) == 1 else super()._repr_html_()

    def __dir__(self) -> list[str]:
        hidden = set(dir(BaseModel)) - set(dir(object))
        return [name for name in super().__dir__() if name not in hidden and (name[:1] != "_" or name[:2] == "__")]
