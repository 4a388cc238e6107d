"""What a figure is: the scores that it shows, how they are drawn, and the words around them.

Nothing here imports altair: a chart is built when its figure is drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

import polars as pl

from wordworth.results.runs import describe
from wordworth.results.table import format_number
from wordworth.results.vocabulary import caution_legend

EXPERIMENT, MEASURE, VARIANT, LAYER = (pl.col(name) for name in ("experiment", "measure", "variant", "layer"))
BANDS, BARS = "Bands are 95 % intervals.", "Bars are 95 % intervals."
_AXIS = {"labelColor": "var(--muted)", "titleColor": "var(--muted)", "domainColor": "var(--faint)"}
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "aria": False,
    "font": "Helvetica, Arial, Noto Sans, Noto Sans CJK SC, PingFang SC, Microsoft YaHei, sans-serif",
    "view": {"stroke": "transparent"},
    "title": {"color": "var(--ink)", "fontSize": 12, "fontWeight": 600, "anchor": "start", "offset": 8},
    "axis": {
        **_AXIS, "tickColor": "var(--faint)", "gridColor": "var(--faint)", "gridOpacity": 0.5, "titleFontWeight": 500,
        "labelFontSize": 11, "titleFontSize": 11.5, "labelSeparation": 4,
    },
    "axisQuantitative": {"labelFlush": False},
    "legend": {
        "labelColor": "var(--ink)", "titleColor": "var(--muted)", "labelFontSize": 11.5, "titleFontWeight": 500,
        "symbolStrokeWidth": 2,
    },
    "header": {"labelColor": "var(--ink)", "labelFontSize": 12, "labelFontWeight": 600, "labelAnchor": "start"},
}  # fmt: skip
"""How charts look."""


@dataclass(frozen=True, eq=False)
class Plot:
    """A chart without data, and the table that it draws: the columns that it shows, or a curve cut down to be seen."""

    chart: Any  # altair takes a while to import
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
    def spec(self) -> dict[str, Any]:
        """Return the chart as Vega-Lite, without data and without a theme."""
        chart: dict[str, Any] = self.plot.chart.to_dict(validate=False)  # altair has checked each of its parts
        return {key: value for key, value in chart.items() if key not in ("$schema", "config", "data")}

    @property
    def note(self) -> str:
        """Say which of the numbers have cautions, and why; blank where none has."""
        columns = [name for name in (*self.down, *self.across) if name != "layer"]  # the same in all layers
        names = pl.concat_str([pl.col(name).cast(pl.String) for name in columns], separator=" ", ignore_nulls=True)
        return caution_legend(self.rows.select(names, "cautions").iter_rows())

    @property
    def alt(self) -> str:
        """Describe the figure in words, for those who cannot see it."""
        scores = self.rows.filter(pl.col("value").is_not_null()).sort("value")
        if scores.is_empty():
            return f"{self.title}: no values."
        ends = (("Lowest", scores.row(0, named=True)), ("highest", scores.row(-1, named=True)))
        values = ", ".join(f"{end} {format_number(row['value'])} ({describe(row)})" for end, row in ends)
        return f"{self.kind} of {len(self.rows):,} numbers. {self.title}. {values}."


TextOrFunction = str | Callable[[pl.DataFrame], str]  # a text, or what makes it from the rows


@dataclass(frozen=True, kw_only=True)
class FigureSpec:
    """A figure as it is declared. Called with scores, it returns the figure; None where none of them belongs to it."""

    kind: Literal["Line chart", "Dot chart"] = "Line chart"
    id: str
    title: str
    caption: TextOrFunction
    where: tuple[pl.Expr, ...] = ()
    """The scores that it shows."""
    prepare: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    """Selects further, sorts, or adds columns that only the chart has."""
    value: str
    """What the values are: the title of their axis."""
    x: str = "layer"
    """The column that lines are over."""
    tasks: tuple[str, ...] = ()
    """The columns that name what has a dot."""
    from_zero: bool = False
    """Whether the axis of dots has 0 in it."""
    colour: str = "model"
    """A colour for each value of this column."""
    dash: str = ""
    """A dash for each value of this column."""
    by: tuple[str, ...] = ()
    """A panel for each value of these columns."""
    across: tuple[str, ...]
    down: tuple[str, ...] = ()
    """The columns that name a row of the table behind it; blank: the panels, and the tasks or the x axis."""
    drawing: TextOrFunction = ""
    panels: int = 0
    """Panels side by side; 0 is as many as the kind of chart bears."""
    free: str = ""
    """Scales, of x and y, that each panel has of its own."""

    def __call__(self, scores: pl.DataFrame) -> Figure | None:
        rows = scores.filter(*self.where) if self.where else scores
        if self.prepare is not None and len(rows):
            rows = self.prepare(rows)
        if rows.is_empty():
            return None
        caption, drawing = (text if isinstance(text, str) else text(rows) for text in (self.caption, self.drawing))
        table, draw = rows.select(scores.columns), partial(self._draw, rows)
        down = tuple(name for name in self.down or (*self.by, *(self.tasks or (self.x,))) if name in table.columns)
        if table.get_column("language").n_unique() < 2:
            down = tuple(name for name in down if name != "language")
        return Figure(self.id, self.title, caption, draw, table, down, self.across, self.kind, drawing)

    def _draw(self, rows: pl.DataFrame) -> Plot:
        from wordworth.pages.figures import charts

        return charts.DRAW[self.kind](self, rows)


Lines = partial(FigureSpec, kind="Line chart")
Dots = partial(FigureSpec, kind="Dot chart")
