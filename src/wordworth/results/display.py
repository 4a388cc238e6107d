"""Show results in Python: tables as text and HTML, and the numbers of a run."""

from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import BaseModel

from wordworth.errors import WordworthError
from wordworth.results.table import Cell, Row, Table, format_cell, legend_of, text_lines
from wordworth.results.vocabulary import CAUTION_TEXTS

MAX_ROWS, MAX_HTML_ROWS = 10, 25
"""Rows of a table that are shown at once, as text and as HTML."""
SYMBOLS = {"weat": "d", "valence": "ρ", "similarity": "ρ"}
"""Measure → the symbol of its number, where papers have one."""


class SeveralScoresError(WordworthError, AttributeError):
    """Raise for `value` of a run that does not have exactly one main score."""


def as_text(table: Table) -> str:
    """Return the first rows of a table in aligned columns."""
    return "\n".join(text_lines(_shorten(table, MAX_ROWS)))


def as_html(table: Table) -> str:
    """Return the first rows of a table as HTML."""
    short = _shorten(table, MAX_HTML_ROWS)
    has_remarks = any(row.remark for row in short.rows)
    rows = [[*row.names, *map(format_cell, row.cells), *([row.remark] if has_remarks else [])] for row in short.rows]
    head = "".join(f"<th>{escape(name)}</th>" for name in [*short.names, *short.heads, *([""] if has_remarks else [])])
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    caption, note = escape(short.title), escape(short.note or legend_of(short.rows))
    top = f"<caption>{caption}</caption><thead><tr>{head}</tr></thead>"
    return f"<table>{top}<tbody>{body}</tbody></table><p>{note}</p>"


def _shorten(table: Table, max_rows: int) -> Table:
    """Return the first rows of a table; its note says how many more there are."""
    if len(table.rows) <= max_rows:
        return table
    notes = [f"… and {len(table.rows) - max_rows:,} more", table.note or legend_of(table.rows)]
    return replace(table, rows=table.rows[:max_rows], note="; ".join(filter(None, notes)))


class ShowsTable:
    """Show a result as its tables, in text and in a notebook."""

    @property
    def table(self) -> Table:
        """Return the table that is shown."""
        raise NotImplementedError

    @property
    def tables(self) -> list[Table]:
        """Return all tables that are shown."""
        return [self.table]

    def __repr__(self) -> str:
        return "\n\n".join(map(as_text, self.tables))

    def _repr_html_(self) -> str:
        return "".join(map(as_html, self.tables))


class DisplayedRun(ShowsTable):
    """Show a run and its numbers; the methods import `pages`, which is above this room."""

    if TYPE_CHECKING:
        study: str
        scores: pl.DataFrame
        models: list[Any]

    @property
    def tables(self) -> list[Table]:
        """Return the main numbers as the terminal shows them: a table per model."""
        from wordworth.pages.headlines import headlines
        from wordworth.results.runs import read_runs

        run: Any = self
        return list(headlines(read_runs([run]))) or [Table(f"{self.study}: no scores", (), (), ())]

    @property
    def _numbers(self) -> list[tuple[Table, Row, Cell]]:
        """Return the main numbers with the tables and rows that they are in."""
        return [(table, row, cell) for table in self.tables for row in table.rows for cell in row.cells if cell]

    @property
    def _main_cell(self) -> Cell:
        """Return the number, of a run with one main number."""
        numbers = self._numbers
        if len(numbers) != 1:
            raise SeveralScoresError(f"this run of {self.study} has {len(numbers):,} numbers; choose from `scores`")
        return numbers[0][-1]

    @property
    def value(self) -> float | None:
        """Return the number, of a run with one main number."""
        return self._main_cell.value

    @property
    def low(self) -> float | None:
        """Return the lower end of its 95 % interval."""
        return self._main_cell.low

    @property
    def high(self) -> float | None:
        """Return the upper end of its 95 % interval."""
        return self._main_cell.high

    @property
    def p(self) -> float | None:
        """Return its p."""
        return self._main_cell.p

    @property
    def n(self) -> int | None:
        """Return the number of items behind it."""
        return self._main_cell.n

    def to_pandas(self) -> Any:
        """Return the scores as a pandas `DataFrame`."""
        try:
            import pandas as pd  # type: ignore[import-untyped, unused-ignore]
        except ImportError as error:
            raise WordworthError("to_pandas needs pandas; run `pip install pandas`, or use `scores`") from error
        return pd.DataFrame({column.name: column.to_list() for column in self.scores})

    def plot(self, figure: str = "") -> Any:
        """Return an altair chart: the first figure of the page, or one by (part of) its title; or the "profile"."""
        from wordworth.pages.figures.document import plot
        from wordworth.pages.page import plot_profile

        run: Any = self
        if figure.lower() == "profile":
            return plot_profile(run)
        return plot(run, figure)

    def report(self, path: str | Path | None = None) -> Path:
        """Write the run's page, and return its path; in the run's folder unless given."""
        from wordworth.pages.page import write_report

        run: Any = self
        return write_report([run], None if path is None else Path(path))

    def __repr__(self) -> str:
        numbers = self._numbers
        if len(numbers) != 1:
            return super().__repr__()
        ((table, row, cell),) = numbers
        measure = self.scores.filter(pl.col("value") == cell.value).get_column("measure")[0]
        symbol = SYMBOLS.get(measure, measure)
        cautions = "".join(f"; {CAUTION_TEXTS[caution]}" for caution in cell.cautions)
        return f"{symbol} = {format_cell(replace(cell, cautions=()))} ({row.names[-1]}, {table.title}){cautions}"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>" if len(self._numbers) == 1 else super()._repr_html_()

    def __dir__(self) -> list[str]:
        base_names = set(dir(BaseModel)) - set(dir(object))
        return [name for name in super().__dir__() if name not in base_names and (name[:1] != "_" or name[:2] == "__")]
