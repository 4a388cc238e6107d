"""The kinds of chart that most figures are, as Vega-Lite.

Colours are the page's CSS variables, so that one drawing serves light, dark and print.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from wordworth.report.figures.figure import Spec
from wordworth.run.flags import MARK

SHOWN = "shown"
COLOURS = [f"var(--c{place})" for place in range(1, 9)]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3], [10, 4], [12, 2, 2, 2]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
BESIDE = 8
"""Colours, dashes and shapes there are."""


def varying(rows: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """Those of the columns that have more than one value here."""
    return [name for name in columns if rows.get_column(name).n_unique() > 1]


def distinct(rows: pl.DataFrame, column: str) -> list[Any]:
    """The values of a column, in the order of the rows."""
    return rows.get_column(column).drop_nulls().unique(maintain_order=True).to_list()


@dataclass(frozen=True)
class Part:
    """A part of a column's text, “single” of “bellezza:single”, named alike for polars and for Vega."""

    name: str
    column: str
    separator: str
    place: int
    otherwise: str = ""
    """Where the text has fewer parts."""

    @property
    def calculate(self) -> Spec:
        """For Vega."""
        parts = f"split(datum.{self.column}, '{self.separator}')"
        part = f"{parts}[{self.place}]"
        if self.otherwise:
            part = f"length({parts}) > {self.place} ? {part} : '{self.otherwise}'"
        return {"calculate": part, "as": self.name}

    @property
    def expression(self) -> pl.Expr:
        """For polars."""
        part = pl.col(self.column).str.split(self.separator).list.get(self.place, null_on_oob=True)
        return part.fill_null(self.otherwise).alias(self.name) if self.otherwise else part.alias(self.name)


def with_parts(rows: pl.DataFrame, *parts: Part) -> tuple[pl.DataFrame, list[Spec]]:
    """Scores with the parts as columns, and the transforms that give Vega the same."""
    return rows.with_columns(part.expression for part in parts), [part.calculate for part in parts]


BEFORE = {"layer": "layer "}
"""Words before a number that would not speak for itself."""
AND = "\u00a0· "
"""Between names; a line is broken behind it, not before."""


def label(columns: Sequence[str]) -> str:
    """A Vega expression that joins the columns that are not blank, “a · layer 3”."""
    parts = (f"(isValid(datum.{name}) ? '{AND}{BEFORE.get(name, '')}' + datum.{name} : '')" for name in columns)
    return f"slice({' + '.join(parts)}, {len(AND)})"


def labels(rows: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """What `label` gives for these rows, in the order of the rows."""
    if not columns:
        return []
    named = [pl.concat_str(pl.lit(BEFORE.get(name, "")), pl.col(name).cast(pl.String)) for name in columns]
    joined = pl.concat_str(named, separator=AND, ignore_nulls=True)
    return [str(name) for name in distinct(rows.select(label=joined), "label")]


OF = "n\u00a0=\u00a0"
"""Not to be broken."""


def counted(rows: pl.DataFrame, columns: Sequence[str]) -> tuple[pl.DataFrame, list[Spec]]:
    """Rows with `count`, “n = 16” or “n = 14–16” over these columns, and the transforms that give Vega the same."""
    least, most = (pl.col("n").min().over(columns), pl.col("n").max().over(columns))
    span = pl.struct(least.alias("least"), most.alias("most"))
    ends = [
        {"op": "min", "field": "n", "as": "least"},
        {"op": "max", "field": "n", "as": "most"},
    ]
    text = f"'{OF}' + format(datum.least, ',') + (datum.least === datum.most ? '' : '–' + format(datum.most, ','))"
    return rows.with_columns(count=span.map_elements(_count, pl.String)), [
        {"joinaggregate": ends, "groupby": list(columns)},
        {"calculate": f"isValid(datum.least) ? {text} : null", "as": "count"},
    ]


def _count(span: dict[str, int | None]) -> str | None:
    least, most = span["least"], span["most"]
    if least is None or most is None:
        return None
    return f"{OF}{least:,}" + ("" if least == most else f"–{most:,}")


def in_lines(letters: str) -> str:
    """A Vega expression: a label in lines of as many letters as a parameter says, broken as by `fitting.in_lines`."""
    some = f".{{1,' + {letters} + '}}"
    pattern = f"'({some}$|{some}[ /_:-]|{some})'"
    return f"split(trim(replace(datum.label, regexp({pattern}, 'g'), '$1\\n')), '\\n')"


PARAMETERS: list[Spec] = [
    {"name": "axis_letters", "value": 40},
    {"name": "panel_letters", "value": 30},
    {"name": "legend_letters", "value": 36},
]
"""Letters in a line of labels. Whoever draws a figure sets them by the width there is."""
NEVER_CUT: Spec = {"labelLimit": 0}


@dataclass(frozen=True)
class Series:
    """What colours, dashes or shapes stand for."""

    field: str
    values: list[Any]
    places: list[int]
    """Which colour each has. A model has the same one in every figure."""
    title: str | None = None

    def channel(self, pool: Sequence[Any], shifted: bool = False, symbol: str | None = None) -> Spec:
        """An encoding by the pool; shifted by one a round, so that no two of many share both colour and dash."""
        chosen = [pool[(at + at // BESIDE if shifted else at) % BESIDE] for at in self.places]
        if shifted and len(chosen) == 1:  # nothing to tell it from
            chosen = [pool[0]]
        legend = {"orient": "top", "columns": 4, "title": self.title, "symbolOpacity": 1, **NEVER_CUT}
        legend["labelExpr"] = in_lines("legend_letters")
        if symbol:
            legend |= {"symbolType": symbol, "symbolSize": 160, "symbolStrokeWidth": 2.2}
        scale, several = {"domain": self.values, "range": chosen}, len(self.values) > 1
        named = {"field": self.field, "type": "nominal", "scale": scale}
        return {**named, "legend": legend if several else None, "sort": None}


def series(rows: pl.DataFrame, field: str, title: str | None = None, values: Sequence[Any] | None = None) -> Series:
    """The values of a field, those of models in the order of the report."""
    if field == "model":
        known = rows.select("model", "model_at").unique().sort("model_at")
        return Series(field, known.get_column("model").to_list(), known.get_column("model_at").to_list(), title)
    values = distinct(rows, field) if values is None else list(values)
    return Series(field, values, list(range(len(values))), title)


def picked(colour: str) -> list[Spec]:
    """A click in the legend picks series."""
    return [{"name": SHOWN, "select": {"type": "point", "fields": [colour]}, "bind": "legend"}]


def faded(full: float = 1.0) -> Spec:
    return {"condition": {"param": SHOWN, "value": full, "empty": True}, "value": 0.08}


def zoom(*axes: str) -> Spec:
    """Ctrl and the wheel zoom, dragging moves, a double click goes back: the wheel alone scrolls the page."""
    select = {"type": "interval", "zoom": "wheel![event.ctrlKey]", "clear": "dblclick", "encodings": list(axes)}
    return {"name": "zoom", "select": select, "bind": "scales"}


CONTROL = "control"
"""What a transform calls the rows of a control, which are thin lines."""
POINTS = "points"
"""The layer of points on lines: to be hovered over, and to show a line of one point."""
FLAGGED = "isValid(datum.flags)"


def over(rows: pl.DataFrame, *more: str) -> list[str]:
    """The columns of numbers that are shown over every point."""
    flagged = rows.get_column("flags").is_not_null().any()
    return ["value", "low", "high", *more, "n", *(["flags"] if flagged else [])]


def marks(rows: pl.DataFrame, encoding: Spec, aside: int = 6) -> list[Spec]:
    """A mark at every number that is to be read with care; the reasons stand over the point and under the figure."""
    if rows.get_column("flags").is_null().all():
        return []
    mark = {"type": "text", "text": MARK, "dx": aside, "dy": -4 if aside else -8, "fontSize": 9, "tooltip": False}
    return [{"transform": [{"filter": FLAGGED}], "mark": mark, "encoding": {**encoding, "opacity": faded()}}]


def hover(*columns: str) -> list[Spec]:
    """What is shown over a point."""
    formats = {"value": ".3f", "low": ".3f", "high": ".3f", "p": ".3g"}
    return [
        {"field": name, "type": "quantitative", "format": formats[name]}
        if name in formats
        else {"field": name, "type": "nominal"}
        for name in columns
    ]


@dataclass(frozen=True)
class Layout:
    """How a chart is spread over panels, and what is shown over a point."""

    by: Sequence[str] = ()
    """A panel for each value of these columns."""
    columns: int = 0
    """Panels beside each other; 0 is as many as the kind of chart bears."""
    free: str = ""
    """Axes that each panel has of its own."""
    tooltip: Sequence[str] = ()
    """Columns shown beside the usual ones."""
    between: tuple[float, float] | None = None
    """Ends of the axis of values; a control beyond them is clipped, and how far it goes is written there."""


ONE_PANEL = Layout()


def panels(view: Spec, rows: pl.DataFrame, layout: Layout, columns: int = 3, colour: Series | None = None) -> Spec:
    """A view repeated for every value of the columns that vary; alone where none does.

    What does not vary, and so is neither a panel nor in the legend, is the title: a figure names its model always.
    """
    apart = varying(rows, layout.by)
    named = labels(rows, [name for name in layout.by if name not in apart])
    if colour is not None and len(colour.values) == 1:
        named = [str(colour.values[0]), *named] if colour.field == "model" else [*named, str(colour.values[0])]
    transform = view.pop("transform", [])
    spec: Spec = {"params": [*view.pop("params", []), *PARAMETERS]}
    if any(named):
        spec["title"] = {"text": AND.join(filter(None, named))}
    if "usermeta" in view:
        spec["usermeta"] = view.pop("usermeta")
    if not apart:
        height = {} if "usermeta" in spec else {"height": 270}
        return {**spec, "transform": transform, **view, **height, "width": "container"}
    every = labels(rows, apart)
    header = {**NEVER_CUT, "labelExpr": in_lines("panel_letters"), "title": None}
    spec |= {
        "transform": [*transform, {"calculate": label(apart), "as": "panel"}],
        "facet": {"field": "panel", "type": "nominal", "sort": every, "header": header, "title": None},
        "columns": min(layout.columns or columns, len(every)),
        "spec": view,
    }
    if layout.free:
        # Places within a row are those of the panel's own rows.
        axes = [*layout.free, "yOffset"] if "yOffset" in str(view) else layout.free
        spec["resolve"] = {"scale": dict.fromkeys(axes, "independent")}
    return spec


def lines(
    rows: pl.DataFrame,
    *,
    x: Spec,
    y: str,
    colour: Series | str,
    dash: Series | None = None,
    layout: Layout = ONE_PANEL,
    transform: Sequence[Spec] = (),
) -> Spec:
    """Lines, a colour a series (or a column's value); with their 95 % bands, unless dashes tell more apart.

    Rows that a transform marks as `control` are thin lines beside the others.
    """
    colour = series(rows, colour) if isinstance(colour, str) else colour
    stroke = (dash or colour).channel(DASHES, shifted=dash is None, symbol="stroke")
    ends = {"domain": list(layout.between)} if layout.between else {"zero": False}
    vertical = {"field": "value", "type": "quantitative", "title": y, "scale": ends}
    shared = {"x": x, "color": colour.channel(COLOURS, symbol="stroke")}
    detail = {"detail": [{"field": dash.field, "type": "nominal"}]} if dash else {}
    layers: list[Spec] = []
    if dash is None and rows.get_column("low").is_not_null().any():
        ranges = {"y": {**vertical, "field": "low"}, "y2": {"field": "high"}}
        band = {**shared, **ranges, "opacity": {**faded(0.14), "value": 0.02}}
        layers.append({"mark": {"type": "area", "tooltip": False}, "encoding": band})
    axes = ["x", "y"] if x["type"] == "quantitative" else ["y"]
    layers.append(
        {
            "mark": {"type": "line", "strokeWidth": 1.8},
            "encoding": {**shared, "y": vertical, "strokeDash": stroke, "opacity": faded()},
            "params": [*picked(colour.field), zoom(*axes)],
        }
    )
    fields = [colour.field, *([dash.field] if dash else []), x["field"], *layout.tooltip, *over(rows)]
    points = {**shared, **detail, "y": vertical, "opacity": faded(), "tooltip": hover(*dict.fromkeys(fields))}
    layers.append({"name": POINTS, "mark": {"type": "point", "filled": True, "size": 18}, "encoding": points})
    layers += marks(rows, {**shared, **detail, "y": vertical}, aside=0)
    if any(one.get("as") == CONTROL for one in transform):
        thin = {**shared, "y": vertical, "opacity": faded(0.9), "tooltip": hover(*dict.fromkeys(fields))}
        layers = _beside_controls(layers, thin, layout.between)
    view: Spec = {"transform": list(transform), "height": 190, "layer": layers}
    return panels(view, rows, layout, colour=colour)


def _beside_controls(layers: list[Spec], thin: Spec, between: tuple[float, float] | None) -> list[Spec]:
    """The layers without the controls, these as thin lines, and in words those that would stretch the axis."""
    rest = [{**one, "transform": [{"filter": f"!datum.{CONTROL}"}, *one.get("transform", [])]} for one in layers]
    mark = {"type": "line", "strokeWidth": 1, "strokeDash": [2, 3], "clip": True}
    lines = [{"transform": [{"filter": f"datum.{CONTROL}"}], "mark": mark, "encoding": thin}]
    return [*rest, *lines, *(_told_beyond(*between) if between else ())]


def _told_beyond(low: float, high: float) -> Iterator[Spec]:
    """The values of controls below and above an axis, at its foot and its head."""
    ends = [{"op": "min", "field": "value", "as": "least"}, {"op": "max", "field": "value", "as": "most"}]
    shown = [f"replace(replace(format(datum.{end}, '.2f'), '0.', '.'), '-', '−')" for end in ("least", "most")]
    for where, beyond, place, baseline, aside in (
        ("below", f"datum.value < {low}", "height", "bottom", -3),
        ("above", f"datum.value > {high}", 0, "top", 3),
    ):
        transform: list[Spec] = [
            {"filter": f"datum.{CONTROL} && {beyond}"},
            {"aggregate": ends},
            {"filter": "isValid(datum.least)"},
            {"calculate": f"'untrained, {where}: ' + {shown[0]} + ' to ' + {shown[1]}", "as": "told"},
        ]
        mark = {"type": "text", "align": "left", "baseline": baseline, "dx": 4, "dy": aside, "fill": "var(--muted)"}
        encoding = {"x": {"value": 0}, "y": {"value": place}, "text": {"field": "told"}}
        yield {"transform": transform, "mark": {**mark, "fontSize": 10, "tooltip": False}, "encoding": encoding}


def dots(
    rows: pl.DataFrame,
    *,
    y: Sequence[str],
    x: str,
    colour: Series | str,
    layout: Layout = ONE_PANEL,
    transform: Sequence[Spec] = (),
    zero: bool = False,
) -> Spec:
    """A point and its 95 % interval for every task, a colour and a shape a series (or a column's value)."""
    colour = series(rows, colour) if isinstance(colour, str) else colour
    tasks = labels(rows, y)
    axis = {"grid": True, "ticks": False, "domain": False, "labelPadding": 6, **NEVER_CUT}
    axis["labelExpr"] = in_lines("axis_letters")
    vertical = {"field": "task", "type": "nominal", "sort": tasks, "title": None, "axis": axis}
    across = {"field": "value", "type": "quantitative", "title": x, "scale": {"zero": zero}}
    shared = {"y": vertical, "color": colour.channel(COLOURS)}
    if len(colour.values) > 1:
        shared["yOffset"] = {"field": colour.field, "type": "nominal", "sort": colour.values}
    layers: list[Spec] = []
    if zero:
        layers.append({"mark": {"type": "rule", "color": "var(--faint)"}, "encoding": {"x": {"datum": 0}}})
    if rows.get_column("low").is_not_null().any():
        rule = {**shared, "x": {**across, "field": "low"}, "x2": {"field": "high"}, "opacity": faded(0.8)}
        if rows.get_column("flags").is_not_null().any():
            rule["strokeDash"] = {"condition": {"test": FLAGGED, "value": [2, 2]}, "value": [1, 0]}
        layers.append({"mark": {"type": "rule", "strokeWidth": 1.6}, "encoding": rule})
    shown = hover(*dict.fromkeys(["task", colour.field, *layout.tooltip, *over(rows, "p")]))
    points = {
        **shared,
        "x": across,
        "opacity": faded(),
        "tooltip": shown,
        "shape": colour.channel(SHAPES, shifted=True),
    }
    mark = {"type": "point", "filled": True, "size": 55}
    layers.append({"mark": mark, "encoding": points, "params": [*picked(colour.field), zoom("x")]})
    layers += marks(rows, {**shared, "x": across})
    step = 9 * max(1, len(colour.values)) + 8
    named = {"calculate": label(y), "as": "task"}
    most = len(tasks)
    if "y" in layout.free and varying(rows, layout.by):  # panels of one height, though some have fewer tasks
        every = rows.group_by(list(layout.by)).agg(pl.struct(list(y)).n_unique().alias("tasks"))
        most = every.select(pl.col("tasks").max()).item()
    view: Spec = {"transform": [*transform, named], "height": most * step, "layer": layers}
    view["usermeta"] = {"tasks": most, "step": step}
    return panels(view, rows, layout, columns=2, colour=colour)


def by_layer() -> Spec:
    """The axis of layers."""
    return {"field": "layer", "type": "quantitative", "title": "layer", "axis": {"tickMinStep": 1, "grid": False}}


def by_components(rows: pl.DataFrame) -> tuple[Spec, Spec]:
    """The axis of components nullified, “raw” first, and the transform that makes it."""
    numbers = sorted(distinct(rows, "pcs"))
    order = ["raw", *map(str, numbers)]
    axis: Spec = {"field": "components", "type": "ordinal", "sort": order, "title": "components nullified"}
    axis["axis"] = {"labelAngle": 0, "grid": False, "labelOverlap": True}
    return axis, {"calculate": "isValid(datum.pcs) ? toString(datum.pcs) : 'raw'", "as": "components"}
