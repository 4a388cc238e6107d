"""Build the kinds of chart that most figures are, with altair.

Colours are the page's CSS variables, so that one drawing serves light, dark and print.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import polars as pl

from wordworth.pages.figures.figure import Plot
from wordworth.results.notices import CAUTION_MARK

COLOURS = [f"var(--c{place})" for place in range(1, 9)]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3], [10, 4], [12, 2, 2, 2]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
LOOKS = 8
"""Colours, dashes and shapes there are."""
UNIT_PREFIX = {"layer": "layer "}
"""Words before a number that would not speak for itself."""
AND = "\u00a0· "
"""Between names; a line is broken behind it, not before."""
OF = "n\u00a0=\u00a0"
CONTROL = "control"
"""The column that marks the rows of a control, which are thin lines."""
HAS_CAUTION = "isValid(datum.care)"
FORMATS = {"value": ".3f", "low": ".3f", "high": ".3f", "p": ".3g"}
ROWS = alt.NamedData("rows")
LETTERS = {"axis_letters": 40, "panel_letters": 30, "legend_letters": 36}
"""Parameters: letters in a line of labels. Whoever draws a figure sets them by the width there is."""


def find_varying(rows: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """Return those of the columns that have more than one value here."""
    return [name for name in columns if rows.get_column(name).n_unique() > 1]


def list_distinct(rows: pl.DataFrame, column: str) -> list[Any]:
    """Return the values of a column, in the order of the rows."""
    return rows.get_column(column).drop_nulls().unique(maintain_order=True).to_list()


def join_labels(columns: Sequence[str]) -> pl.Expr:
    """Join the columns that are not blank, “a · layer 3”."""
    named = [pl.concat_str(pl.lit(UNIT_PREFIX.get(name, "")), pl.col(name).cast(pl.String)) for name in columns]
    return pl.concat_str(named, separator=AND, ignore_nulls=True)


def add_counts(rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Add `count`, “n = 16” or “n = 14–16” over these columns."""
    least, most = (end.over(columns) for end in (pl.col("n").min(), pl.col("n").max()))
    alike = pl.format(f"{OF}{{}}", least)
    return rows.with_columns(
        count=pl.when(least == most).then(alike).otherwise(pl.format(f"{OF}{{}}–{{}}", least, most))
    )


def break_label(parameter: str) -> str:
    """Return a Vega expression: a label in lines of as many letters as a parameter says, as by `svg.break_lines`."""
    some = f".{{1,' + {parameter} + '}}"
    pattern = f"'({some}$|{some}[ /_:-]|{some})'"
    return f"split(trim(replace(datum.label, regexp({pattern}, 'g'), '$1\\n')), '\\n')"


@dataclass(frozen=True)
class Series:
    """What colours, dashes or shapes stand for."""

    field: str
    values: list[Any]
    places: list[int]
    """Which colour each has. A model has the same one in every figure."""
    title: str | None = None

    def encode(self, channel: Any, pool: Sequence[Any], shifted: bool = False, symbol: str | None = None) -> Any:
        """Encode a channel by the pool; shifted by one a round, so that no two of many share both colour and dash."""
        chosen = [pool[(at + at // LOOKS if shifted else at) % LOOKS] for at in self.places]
        if shifted and len(chosen) == 1:  # nothing to tell it from
            chosen = [pool[0]]
        scale = alt.Scale(domain=self.values, range=chosen)
        legend = make_legend(self.title, columns=4, symbol=symbol) if len(self.values) > 1 else None
        return channel(f"{self.field}:N", scale=scale, legend=legend, sort=None)


def make_legend(title: str | None = None, columns: int = 3, symbol: str | None = None) -> alt.Legend:
    """Return a legend over the chart, none of whose labels is cut."""
    return alt.Legend(
        orient="top",
        columns=columns,
        title=title,
        labelLimit=0,
        labelExpr=break_label("legend_letters"),
        symbolOpacity=1,
        symbolType=symbol or alt.Undefined,
        symbolSize=160 if symbol else alt.Undefined,
        symbolStrokeWidth=2.2 if symbol else alt.Undefined,
    )


def make_series(
    rows: pl.DataFrame, field: str, title: str | None = None, values: Sequence[Any] | None = None
) -> Series:
    """Return the values of a field, those of models in the order of the report."""
    if field == "model":
        known = rows.select("model", "model_at").unique().sort("model_at")
        return Series(field, known.get_column("model").to_list(), known.get_column("model_at").to_list(), title)
    values = list_distinct(rows, field) if values is None else list(values)
    return Series(field, values, list(range(len(values))), title)


def pick_by_legend(field: str) -> alt.Parameter:
    """Let a click in the legend pick series."""
    return alt.selection_point(name="shown", fields=[field], bind="legend")


def fade(picked: alt.Parameter, full: float = 1.0, rest: float = 0.08) -> Any:
    """Return the opacity of what is picked, and of the rest."""
    return alt.condition(picked, alt.value(full), alt.value(rest))


def zoom(*axes: Any) -> alt.Parameter:
    """Let Ctrl and the wheel zoom, dragging move, a double click go back: the wheel alone scrolls the page."""
    return alt.selection_interval(
        name="zoom", bind="scales", encodings=list(axes), zoom="wheel![event.ctrlKey]", clear="dblclick"
    )


def make_tooltip(*columns: str) -> list[alt.Tooltip]:
    """List what is shown over a point."""
    return [
        alt.Tooltip(f"{name}:Q", format=FORMATS[name]) if name in FORMATS else alt.Tooltip(f"{name}:N")
        for name in dict.fromkeys(columns)
    ]


def has_cautions(rows: pl.DataFrame) -> bool:
    """Return whether any of the numbers has cautions."""
    return rows.get_column("care").is_not_null().any()


@dataclass(frozen=True)
class Layout:
    """How a chart is spread over panels, and what is shown over a point."""

    by: Sequence[str] = ()
    """A panel for each value of these columns."""
    columns: int = 0
    """Panels side by side; 0 is as many as the kind of chart bears."""
    free: Sequence[str] = ()
    """Scales, of x and y, that each panel has of its own."""
    tooltip: Sequence[str] = ()
    """Columns shown besides the usual ones."""


ONE_PANEL = Layout()


def choose_height(rows: pl.DataFrame, layout: Layout) -> int:
    """Return the pixels of a panel among others, or of one that has the width for itself."""
    return 190 if find_varying(rows, layout.by) else 270


def lay_out(
    view: alt.LayerChart,
    rows: pl.DataFrame,
    fields: Sequence[str],
    layout: Layout,
    colour: Series | None = None,
    columns: int = 3,
) -> Plot:
    """Repeat a view for every value of the columns that vary, and choose the columns that it draws.

    What does not vary, and so is neither a panel nor in the legend, is the title: a figure names its model always.
    """
    apart = find_varying(rows, layout.by)
    alike = [name for name in layout.by if name not in apart]
    named = [str(name) for name in list_distinct(rows.select(label=join_labels(alike)), "label")] if alike else []
    if colour is not None and len(colour.values) == 1:
        named = [str(colour.values[0]), *named] if colour.field == "model" else [*named, str(colour.values[0])]
    chart: alt.LayerChart | alt.FacetChart = view
    if apart:
        rows = rows.with_columns(panel=join_labels(apart))
        fields = [*fields, "panel"]
        every = list_distinct(rows, "panel")
        header = alt.Header(labelLimit=0, labelExpr=break_label("panel_letters"), title=None)
        facet = alt.Facet("panel:N", sort=every, header=header, title=None)
        chart = view.facet(facet, columns=min(layout.columns or columns, len(every)))
        if layout.free:
            independent: dict[str, Any] = dict.fromkeys(layout.free, "independent")
            chart = chart.resolve_scale(**independent)
    if any(named):
        chart = chart.properties(title=alt.Title(AND.join(filter(None, named))))
    chart = chart.add_params(*(alt.param(name=name, value=value) for name, value in LETTERS.items()))
    return Plot(chart, rows.select(list(dict.fromkeys(name for name in fields if name in rows.columns))))


NUMBERS = ("value", "low", "high", "p", "n", "care")


def draw_lines(
    rows: pl.DataFrame,
    *,
    x: alt.X,
    y: str,
    colour: Series | str,
    dash: Series | None = None,
    layout: Layout = ONE_PANEL,
) -> Plot:
    """Draw lines, a colour a series (or a column's value); with their 95 % bands, unless dashes tell more apart.

    Rows that a column `control` marks are thin lines beside the others.
    """
    colour = make_series(rows, colour) if isinstance(colour, str) else colour
    field, kind = str(x.shorthand).split(":")
    picked = pick_by_legend(colour.field)
    ends = alt.Scale(zero=False)
    base = alt.Chart(ROWS).encode(x=x, color=colour.encode(alt.Color, COLOURS, symbol="stroke"))
    if CONTROL in rows.columns:
        base = base.transform_filter(f"!datum.{CONTROL}")
    at_value = base.encode(alt.Y("value:Q", title=y, scale=ends))
    stroke = (dash or colour).encode(alt.StrokeDash, DASHES, shifted=dash is None, symbol="stroke")
    shown = [colour.field, *([dash.field] if dash else []), field, *layout.tooltip, "value", "low", "high", "n"]
    tooltip = make_tooltip(*shown, *(["care"] if has_cautions(rows) else []))
    layers: list[alt.Chart] = []
    if dash is None and rows.get_column("low").is_not_null().any():
        band = base.encode(alt.Y("low:Q", title=y, scale=ends), y2="high:Q", opacity=fade(picked, 0.14, 0.02))
        layers.append(band.mark_area(tooltip=False))
    line = at_value.mark_line(strokeWidth=1.8).encode(strokeDash=stroke, opacity=fade(picked))
    layers.append(line.add_params(picked, zoom(*(["x", "y"] if kind == "Q" else ["y"]))))
    points = at_value.encode(detail=[f"{dash.field}:N"]) if dash else at_value
    layers.append(points.mark_point(filled=True, size=18).encode(opacity=fade(picked), tooltip=tooltip))
    if has_cautions(rows):
        layers.append(_mark_cautions(points, picked, aside=0))
    if CONTROL in rows.columns:
        thin = alt.MarkDef("line", strokeWidth=1, strokeDash=[2, 3])
        control = alt.Chart(ROWS, mark=thin, encoding=at_value.encoding).transform_filter(f"datum.{CONTROL}")
        layers.append(control.encode(opacity=fade(picked, 0.9), tooltip=tooltip))
    view = alt.LayerChart(layer=layers, height=choose_height(rows, layout))
    return lay_out(view, rows, [*shown, *NUMBERS, CONTROL], layout, colour)


def _mark_cautions(points: alt.Chart, picked: alt.Parameter, aside: int) -> alt.Chart:
    """Mark every number with cautions; the reasons are in the tooltip and under the figure."""
    marks = alt.MarkDef("text", text=CAUTION_MARK, dx=aside, dy=-4 if aside else -8, fontSize=9, tooltip=False)
    return (
        alt.Chart(ROWS, mark=marks, encoding=points.encoding).transform_filter(HAS_CAUTION).encode(opacity=fade(picked))
    )


def draw_dots(
    rows: pl.DataFrame,
    *,
    y: Sequence[str],
    x: str,
    colour: Series | str,
    layout: Layout = ONE_PANEL,
    zero: bool = False,
) -> Plot:
    """Draw a point and its 95 % interval for every task, a colour and a shape a series (or a column's value)."""
    colour = make_series(rows, colour) if isinstance(colour, str) else colour
    rows = rows.with_columns(task=join_labels(y))
    tasks = list_distinct(rows, "task")
    picked = pick_by_legend(colour.field)
    axis = alt.Axis(
        grid=True, ticks=False, domain=False, labelPadding=6, labelLimit=0, labelExpr=break_label("axis_letters")
    )
    base = alt.Chart(ROWS).encode(
        alt.Y("task:N", sort=tasks, title=None, axis=axis), color=colour.encode(alt.Color, COLOURS)
    )
    if len(colour.values) > 1:
        base = base.encode(yOffset=alt.YOffset(f"{colour.field}:N", sort=colour.values))
        if layout.free:  # places within a row are those of the panel's own rows
            layout = replace(layout, free=[*layout.free, "yOffset"])
    at_value = base.encode(alt.X("value:Q", title=x, scale=alt.Scale(zero=zero)))
    layers: list[alt.Chart] = []
    if zero:
        layers.append(alt.Chart(ROWS).mark_rule(color="var(--faint)").encode(x=alt.datum(0)))
    if rows.get_column("low").is_not_null().any():
        ends = base.encode(alt.X("low:Q", title=x, scale=alt.Scale(zero=zero)), x2="high:Q", opacity=fade(picked, 0.8))
        if has_cautions(rows):
            ends = ends.encode(strokeDash=alt.condition(HAS_CAUTION, alt.value([2, 2]), alt.value([1, 0])))
        layers.append(ends.mark_rule(strokeWidth=1.6))
    shown = ["task", colour.field, *layout.tooltip, "value", "low", "high", "p", "n"]
    points = at_value.mark_point(filled=True, size=55).encode(
        opacity=fade(picked),
        tooltip=make_tooltip(*shown, *(["care"] if has_cautions(rows) else [])),
        shape=colour.encode(alt.Shape, SHAPES, shifted=True),
    )
    layers.append(points.add_params(picked, zoom("x")))
    if has_cautions(rows):
        layers.append(_mark_cautions(at_value, picked, aside=6))
    step = 9 * max(1, len(colour.values)) + 8
    most = len(tasks)
    if "y" in layout.free and find_varying(rows, layout.by):  # panels of one height, though some have fewer tasks
        most = rows.group_by(list(layout.by)).agg(pl.col("task").n_unique()).select(pl.col("task").max()).item()
    view = alt.LayerChart(layer=layers, height=most * step)
    plot = lay_out(view, rows, [*shown, *NUMBERS], layout, colour, columns=2)
    return Plot(plot.chart.properties(usermeta={"tasks": most, "step": step}), plot.data)


def place_by_layer() -> alt.X:
    """Return the axis of layers."""
    return alt.X("layer:Q", title="layer", axis=alt.Axis(tickMinStep=1, grid=False))


def place_by_components(rows: pl.DataFrame) -> tuple[pl.DataFrame, alt.X]:
    """Add the column `nullified`, components as text, and return its axis, “raw” first."""
    order = ["raw", *map(str, sorted(list_distinct(rows, "components")))]
    axis = alt.Axis(labelAngle=0, grid=False, labelOverlap=True)
    x = alt.X("nullified:O", sort=order, title="components nullified", axis=axis)
    return rows.with_columns(nullified=pl.col("components").cast(pl.String).fill_null("raw")), x
