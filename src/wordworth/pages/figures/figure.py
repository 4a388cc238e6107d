"""What a figure is: a chart, the scores behind it, and the words around it.

Nothing here imports altair: a chart is built when its figure is drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any

import polars as pl

from wordworth.results.columns import SCORES, describe_score
from wordworth.results.notices import caution_legend
from wordworth.results.numbers import format_number

if TYPE_CHECKING:
    import altair as alt

Spec = dict[str, Any]

EXPERIMENT, MEASURE, VARIANT, LAYER = (pl.col(name) for name in ("experiment", "measure", "variant", "layer"))
IS_MEAN_DRAW = pl.col("draw").is_null()
"""Random subspaces are shown by their mean."""
OF_TESTS, OF_VALENCE = "Specification curves of association tests", "Specification curves of valence"
CURVE_CHAPTERS = {OF_TESTS: "Stereotypes", OF_VALENCE: "Word meaning"}
"""The chapter of each kind of specification curve."""


def curve_id(title: str, run: int, model: int) -> str:
    """Name a specification curve by the places of its run and of its model."""
    return f"specification-{'tests' if title == OF_TESTS else 'valence'}-{run}-{model}"


@dataclass(frozen=True, eq=False)
class Plot:
    """A chart without data, and the table that it draws."""

    chart: "alt.Chart | alt.LayerChart | alt.FacetChart"
    data: pl.DataFrame


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart, the rows behind it, and the words around it."""

    id: str
    title: str
    caption: str
    """What the numbers are: sentences for the figure and for the table behind it."""
    draw: Callable[[], Plot]
    rows: pl.DataFrame
    """Scores, with their `row`."""
    down: tuple[str, ...]
    across: tuple[str, ...]
    """The table behind the figure: columns that make a row's name, and columns that make a column's."""
    kind: str = "Line chart"
    drawing: str = ""
    """How to read the chart: its colours, lines and bars."""

    @cached_property
    def plot(self) -> Plot:
        """Return the chart, built once."""
        return self.draw()

    @cached_property
    def spec(self) -> Spec:
        """Return the chart as Vega-Lite, without data and without a theme."""
        made: Spec = self.plot.chart.to_dict(validate=False)  # altair has checked each of its parts
        return {key: value for key, value in made.items() if key not in ("$schema", "config", "data")}

    @property
    def own(self) -> pl.DataFrame:
        """Return what is drawn: the columns that the chart shows, or a curve cut down to what can be seen."""
        return self.plot.data

    @property
    def note(self) -> str:
        """Say which of the numbers have cautions, and why; blank where none has."""
        places = [name for name in (*self.down, *self.across) if name != "layer"]  # alike in layers: said once
        named = pl.concat_str([pl.col(name).cast(pl.String) for name in places], separator=" ", ignore_nulls=True)
        return caution_legend(self.rows.select(named, "cautions").iter_rows())

    @property
    def alt(self) -> str:
        """Describe the figure in words, for those who cannot see it."""
        ordered = self.rows.filter(pl.col("value").is_not_null()).sort("value")
        if ordered.is_empty():
            return f"{self.title}: no values."
        ends = (("Lowest", ordered.row(0, named=True)), ("highest", ordered.row(-1, named=True)))
        values = ", ".join(f"{end} {format_number(row['value'])} ({_describe(row)})" for end, row in ends)
        return f"{self.kind} of {len(self.rows):,} numbers. {self.title}. {values}."


Maker = Callable[[pl.DataFrame], Figure | None]


def shows(*wanted: pl.Expr) -> Callable[[Maker], Maker]:
    """Make a function draw the scores that pass all of `wanted`: it returns None where none do.

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


def _describe(row: dict[str, Any]) -> str:
    return describe_score({name: row[name] for name in SCORES if name != "step"})  # the label has the step
