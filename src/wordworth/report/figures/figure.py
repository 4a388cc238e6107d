"""What a figure is: a chart as Vega-Lite, the scores that it shows, and the words around it.

A specification holds no data: the page has all scores once, and a figure says which rows of them it draws.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import polars as pl

from wordworth.report.naming import number
from wordworth.run.flags import legend

Spec = dict[str, Any]

EXPERIMENT, MEASURE, SETTING, LAYER = (pl.col(name) for name in ("experiment", "measure", "setting", "layer"))


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart, the rows behind it, and the words around it."""

    id: str
    title: str
    caption: str
    """What is drawn, and how to read it."""
    spec: Spec
    rows: pl.DataFrame
    """Scores, with their `row`."""
    down: tuple[str, ...]
    across: tuple[str, ...]
    """The table behind the figure: columns that make a row's name, and columns that make a column's."""
    kind: str = "Line chart"
    own: pl.DataFrame | None = None
    """What is drawn, where that is not the rows: a curve of thousands of items, cut down to what can be seen."""

    @property
    def note(self) -> str:
        """Which of the numbers are to be read with care, and why; blank where none is."""
        places = [name for name in (*self.down, *self.across) if name != "layer"]  # alike in layers: said once
        named = pl.concat_str([pl.col(name).cast(pl.String) for name in places], separator=" ", ignore_nulls=True)
        return legend(self.rows.select(named, "flags").iter_rows())

    @property
    def alt(self) -> str:
        """The figure in words, for those who cannot see it."""
        values = self.rows.get_column("value").drop_nulls()
        if values.is_empty():
            return f"{self.title}: no values."
        low, high = (self.rows.row(by_predicate=pl.col("row") == _row(self.rows, at), named=True) for at in (0, -1))
        drawn = f"{self.kind} of {len(self.rows):,} numbers. {self.title}."
        return (
            f"{drawn} Lowest {number(low['value'])} ({_where(low)}), highest {number(high['value'])} ({_where(high)})."
        )


Maker = Callable[[pl.DataFrame], Figure | None]


def shows(*wanted: pl.Expr) -> Callable[[Maker], Maker]:
    """Makes a function draw the scores that pass all of `wanted`: it gives None where none do.

    Columns that the function adds for its own use are not among the figure's rows.
    """

    def selecting(draw: Maker) -> Maker:
        @wraps(draw)
        def drawn(scores: pl.DataFrame) -> Figure | None:
            rows = scores.filter(*wanted) if wanted else scores
            figure = None if rows.is_empty() else draw(rows)
            return figure and replace(figure, rows=figure.rows.select(scores.columns))

        return drawn

    return selecting


def _row(rows: pl.DataFrame, place: int) -> int:
    return int(rows.filter(pl.col("value").is_not_null()).sort("value").get_column("row")[place])


def _where(row: dict[str, Any]) -> str:
    names = [row["model"], row["dataset"], row["setting"], row["measure"]]
    names += [f"layer {row['layer']}" if row["layer"] is not None else None]
    names += [f"{row['pcs']} components nullified" if row["pcs"] is not None else None]
    return ", ".join(filter(None, names))
