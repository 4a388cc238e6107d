"""Build the kinds of chart that figures are, with altair.

Colours are the page's CSS variables, so that one drawing serves light, dark and print.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from wordworth.pages.figures.figure import FigureSpec, Plot
from wordworth.results.table import Cell, format_cell
from wordworth.results.vocabulary import CAUTION_MARK, CONTEXTS

COLOURS = [f"var(--c{place})" for place in range(1, 9)]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3], [10, 4], [12, 2, 2, 2]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
LOOKS = 8  # colours, dashes and shapes there are
UNIT_PREFIX = {"layer": "layer ", "count": "n\u00a0=\u00a0"}  # words before a number that would not speak for itself
AND = "\u00a0· "  # between names; a line is broken behind it, not before
LEGEND_TITLES = {"f": "subwords", "g": "contexts", "variant": "similarity"}
LEGEND_TITLES |= {name: name for name in ("layer", "pooling", "subset")}
X_TITLES = {
    "layer": "layer", "step": "steps of training", "percent": "percent of the corpus",
    "components": "components nullified", "decade": "decade", "sample": "sentences", "k": "neighbours that count, k",
    "dose": "dose, in SD of the words",
}  # fmt: skip
HAS_CAUTION, IS_CONTROL = "isValid(datum.care)", "isValid(datum.control)"
NUMBER_FIELDS = ("value", "low", "high", "n", "care", "control", "label")
MAX_POINTS = 300  # a chart of more numbers has lines without points
ROWS_DATA = alt.NamedData("rows")
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
    labels = [pl.concat_str(pl.lit(UNIT_PREFIX.get(name, "")), pl.col(name).cast(pl.String)) for name in columns]
    return pl.concat_str(labels, separator=AND, ignore_nulls=True)


def _add_counts(rows: pl.DataFrame, columns: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """Add `count`, “16” or “14–16” over the other columns where it is among them; a language that all have is left."""
    names = [name for name in columns if name not in ("language", "count") or name in find_varying(rows, ["language"])]
    if "count" not in columns:
        return rows, names
    low, high = (end.over(names) for end in (pl.col("n").min(), pl.col("n").max()))
    counts = pl.when(low == high).then(low.cast(pl.String)).otherwise(pl.format("{}–{}", low, high))
    return rows.with_columns(count=counts), [*names, "count"]


def break_label(parameter: str) -> str:
    """Return a Vega expression: a label in lines of as many letters as a parameter says."""
    run = f".{{1,' + {parameter} + '}}"
    pattern = f"'({run}$|{run}[ /_:-]|{run})'"
    return f"split(trim(replace(datum.label, regexp({pattern}, 'g'), '$1\\n')), '\\n')"


@dataclass(frozen=True)
class Series:
    """The values that colours, dashes or shapes distinguish."""

    field: str
    values: list[Any]
    places: list[int]
    """Which colour each has. A model has the same one in every figure."""

    def encode(self, channel: Any, pool: Sequence[Any], should_shift: bool = False, symbol: str | None = None) -> Any:
        """Encode a channel by the pool; shifted by one a round, so that no two of many share both colour and dash."""
        looks = [pool[(at + at // LOOKS if should_shift else at) % LOOKS] for at in self.places]
        if should_shift and len(looks) == 1:  # nothing to tell it from
            looks = [pool[0]]
        scale = alt.Scale(domain=self.values, range=looks)
        legend = make_legend(LEGEND_TITLES.get(self.field), 4, symbol) if len(self.values) > 1 else None
        return channel(f"{self.field}:N", scale=scale, legend=legend, sort=None)


def make_legend(title: str | None = None, columns: int = 3, symbol: str | None = None) -> alt.Legend:
    """Return a legend over the chart, none of whose labels is cut."""
    options: dict[str, Any] = {"symbolType": symbol, "symbolSize": 160, "symbolStrokeWidth": 2.2} if symbol else {}
    options |= {"labelLimit": 0, "labelExpr": break_label("legend_letters"), "symbolOpacity": 1, "columnPadding": 24}
    return alt.Legend(orient="top", columns=columns, title=title, **options)


def make_series(rows: pl.DataFrame, field: str) -> Series:
    """Return the values of a field: models in the order of the report, contexts and layers in theirs."""
    if field == "model":
        models = rows.select("model", "model_at").unique().sort("model_at")
        return Series(field, models.get_column("model").to_list(), models.get_column("model_at").to_list())
    values = list_distinct(rows, field)
    if field == "context":
        values = [name for name in CONTEXTS if name in values]
    if field == "layer":
        values.sort()
    return Series(field, values, list(range(len(values))))


def add_labels(rows: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Add `label`: each number in words, “glove · weat6: 1.71 [1.48, 1.83], n = 16”, shown over its point."""
    numbers = [name for name in ("value", "low", "high", "p", "partitions", "n", "care") if name in rows.columns]
    columns = [name for name in dict.fromkeys(names) if name in rows.columns]
    texts = []
    for row in rows.select(*columns, *numbers).iter_rows(named=True):
        cell = Cell(**{name: row[name] for name in numbers if name != "care"})
        words = [f"{UNIT_PREFIX.get(name, '')}{row[name]}" for name in columns if row[name] not in (None, "")]
        care = f"; {row['care']}" if row.get("care") else ""
        texts.append(f"{AND.join(words)}: {format_cell(cell)}{care}")
    return rows.with_columns(label=pl.Series(texts, dtype=pl.String))


LABEL_ENCODING: dict[str, Any] = {"tooltip": alt.Tooltip("label:N"), "description": alt.Description("label:N")}
"""What a point shows when it is pointed at, and says to who cannot see it."""


def _place(rows: pl.DataFrame, x: str) -> tuple[pl.DataFrame, alt.X]:
    """Return the rows in the order of an axis, and the axis."""
    title = X_TITLES.get(x)
    upright = alt.Axis(labelAngle=0, grid=False, labelOverlap=True)
    match x:
        case "layer":
            return rows, alt.X("layer:Q", title=title, axis=alt.Axis(tickMinStep=1, grid=False))
        case "decade":
            return rows, alt.X("decade:Q", title=title, axis=alt.Axis(format="d", tickMinStep=10, grid=False))
        case "dose":
            return rows, alt.X("dose:Q", title=title, axis=alt.Axis(grid=False))
        case "percent" | "k":
            return rows, alt.X(f"{x}:Q", title=title, scale=alt.Scale(type="log"))
        case "components":
            order = ["raw", *map(str, sorted(list_distinct(rows, "components")))]
            rows = rows.with_columns(nullified=pl.col("components").cast(pl.String).fill_null("raw"))
            return rows, alt.X("nullified:O", sort=order, title=title, axis=upright)
        case "step":
            rows = rows.sort("name", "step", maintain_order=True)
            steps = sorted(list_distinct(rows, "step"))
            axis: dict[str, Any] = {"grid": False, "format": ",d", "labelOverlap": "greedy"}
            first = next(filter(None, steps), 1)
            scale = alt.Scale(type="symlog", constant=first)
            return rows, alt.X("step:Q", title=title, axis=alt.Axis(**axis, values=steps), scale=scale)
        case "corpus":
            return rows, alt.X("corpus:O", title=title, axis=alt.Axis(labelAngle=-90, grid=False, labelLimit=0))
    values = [value for value in list_distinct(rows, x) if value != "all"]
    return rows, alt.X(f"{x}:O", sort=[*values, "all"], title=title, axis=upright)


def lay_out(
    view: alt.LayerChart,
    rows: pl.DataFrame,
    fields: Sequence[str],
    by: Sequence[str],
    panels: int = 3,
    free: Sequence[str] = (),
    colour: Series | None = None,
) -> Plot:
    """Repeat a view for every value of the columns `by` that vary, and choose the columns that it draws.

    `panels` are side by side, and `free` are the scales that each has of its own. What does not vary, and so is neither
    a panel nor in the legend, is the title: a figure always names its model.
    """
    panel_by = find_varying(rows, by)
    constants = [name for name in by if name not in panel_by]
    labels = list_distinct(rows.select(label=join_labels(constants)), "label") if constants else []
    words = [str(label) for label in labels]
    if colour is not None and len(colour.values) == 1:
        words = [str(colour.values[0]), *words] if colour.field == "model" else [*words, str(colour.values[0])]
    chart: alt.LayerChart | alt.FacetChart = view
    if panel_by:
        rows = rows.with_columns(panel=join_labels(panel_by))
        fields = [*fields, "panel"]
        names = list_distinct(rows, "panel")
        header = alt.Header(labelLimit=0, labelExpr=break_label("panel_letters"), title=None)
        facet = alt.Facet("panel:N", sort=names, header=header, title=None)
        chart = view.facet(facet, columns=min(panels, len(names)))
        independent: dict[str, Any] = dict.fromkeys(free, "independent")
        chart = chart.resolve_scale(**independent) if free else chart
    if any(words):
        chart = chart.properties(title=alt.Title(AND.join(filter(None, words))))
    chart = chart.add_params(*(alt.param(name=name, value=value) for name, value in LETTERS.items()))
    return Plot(chart, rows.select(list(dict.fromkeys(name for name in fields if name in rows.columns))))


def draw_lines(figure: FigureSpec, rows: pl.DataFrame) -> Plot:
    """Draw lines with their 95 % bands, unless dashes tell more apart. Rows of a control are thin lines."""
    rows, by = _add_counts(rows, figure.by)
    rows, x = _place(rows, figure.x)
    is_control = rows.get_column("control").is_not_null()
    colour = make_series(rows.filter(~is_control), figure.colour)
    has_dashes = bool(figure.dash) and bool(find_varying(rows, [figure.dash]))
    dash = make_series(rows, figure.dash) if has_dashes else None
    field = "nullified" if figure.x == "components" else figure.x
    ends = alt.Scale(zero=False)
    base = alt.Chart(ROWS_DATA).encode(x=x, color=colour.encode(alt.Color, COLOURS, symbol="stroke"))
    if is_control.any():
        base = base.transform_filter(f"!{IS_CONTROL}")
    at_value = base.encode(alt.Y("value:Q", title=figure.value, scale=ends))
    stroke = (dash or colour).encode(alt.StrokeDash, DASHES, should_shift=dash is None, symbol="stroke")
    columns = [colour.field, *([dash.field] if dash else []), *by, field]
    rows = add_labels(rows, columns)
    has_cautions = rows.get_column("care").is_not_null().any()
    has_points = len(rows) <= MAX_POINTS
    layers: list[alt.Chart] = []
    if dash is None and rows.get_column("low").is_not_null().any():
        low = alt.Y("low:Q", title=figure.value, scale=ends)
        band = base.encode(low, y2="high:Q", opacity=alt.value(0.14))
        layers.append(band.mark_area(tooltip=False))
    layers.append(at_value.mark_line(strokeWidth=1.8).encode(strokeDash=stroke))
    points = at_value.encode(detail=[f"{dash.field}:N"]) if dash else at_value
    if has_points:
        layers.append(points.mark_point(filled=True, size=18).encode(**LABEL_ENCODING))
    if has_cautions and has_points:
        layers.append(_mark_cautions(points, aside=0))
    if is_control.any():
        thin = alt.MarkDef("line", strokeWidth=1, strokeDash=[2, 3])
        control = alt.Chart(ROWS_DATA, mark=thin, encoding=at_value.encoding).transform_filter(IS_CONTROL)
        layers.append(control)
    view = alt.LayerChart(layer=layers, height=190 if find_varying(rows, by) else 270)
    return lay_out(view, rows, [*columns, *NUMBER_FIELDS], by, figure.panels or 3, figure.free, colour)


def _mark_cautions(points: alt.Chart, aside: int) -> alt.Chart:
    """Mark every number with cautions; the reasons are in the tooltip and under the figure."""
    marks = alt.MarkDef("text", text=CAUTION_MARK, dx=aside, dy=-4 if aside else -8, fontSize=9, tooltip=False)
    return alt.Chart(ROWS_DATA, mark=marks, encoding=points.encoding).transform_filter(HAS_CAUTION)


def draw_dots(figure: FigureSpec, rows: pl.DataFrame) -> Plot:
    """Draw a point and its 95 % interval for every task, a colour and a shape per series."""
    colour = make_series(rows, figure.colour)
    rows, names = _add_counts(rows, figure.tasks)
    rows = rows.with_columns(task=join_labels(names))
    tasks = list_distinct(rows, "task")
    label = break_label("axis_letters")
    axis = alt.Axis(grid=True, ticks=False, domain=False, labelPadding=6, labelLimit=0, labelExpr=label)
    y = alt.Y("task:N", sort=tasks, title=None, axis=axis)
    base = alt.Chart(ROWS_DATA).encode(y, color=colour.encode(alt.Color, COLOURS))
    if len(colour.values) > 1:
        base = base.encode(yOffset=alt.YOffset(f"{colour.field}:N", sort=colour.values))
    scale = alt.Scale(zero=figure.from_zero)
    at_value = base.encode(alt.X("value:Q", title=figure.value, scale=scale))
    has_cautions = rows.get_column("care").is_not_null().any()
    layers: list[alt.Chart] = []
    if figure.from_zero:
        layers.append(alt.Chart(ROWS_DATA).mark_rule(color="var(--faint)").encode(x=alt.datum(0)))
    if rows.get_column("low").is_not_null().any():
        low = alt.X("low:Q", title=figure.value, scale=scale)
        ends = base.encode(low, x2="high:Q", opacity=alt.value(0.8))
        layers.append(ends.mark_rule(strokeWidth=1.6))
    columns = ["task", colour.field]
    rows = add_labels(rows, [colour.field, "task"])
    points = at_value.mark_point(filled=True, size=55).encode(
        **LABEL_ENCODING, shape=colour.encode(alt.Shape, SHAPES, should_shift=True)
    )
    layers.append(points)
    if has_cautions:
        layers.append(_mark_cautions(at_value, aside=6))
    step, count = 9 * max(1, len(colour.values)) + 8, len(tasks)
    if "y" in figure.free and find_varying(rows, figure.by):  # panels of one height, though some have fewer tasks
        count = rows.group_by(list(figure.by)).agg(pl.col("task").n_unique()).select(pl.col("task").max()).item()
    view = alt.LayerChart(layer=layers, height=count * step)
    free = [*figure.free, *(["yOffset"] if figure.free and len(colour.values) > 1 else [])]
    plot = lay_out(view, rows, [*columns, *NUMBER_FIELDS], figure.by, figure.panels or 2, free, colour)
    return Plot(plot.chart.properties(usermeta={"tasks": count, "step": step}), plot.data)


DRAW = {"Line chart": draw_lines, "Dot chart": draw_dots}  # kind of chart → what draws it
