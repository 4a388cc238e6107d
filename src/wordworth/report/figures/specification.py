"""Specification curves (Simonsohn et al. 2020): the variants of a number, sorted, over the choices they stand on."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from wordworth.report.figures import charts
from wordworth.report.figures.figure import EXPERIMENT, MEASURE, SETTING, Figure, Spec
from wordworth.report.figures.stereotypes import TEST
from wordworth.report.naming import SHORT
from wordworth.report.runs import Runs
from wordworth.run import Run

LEVEL = 0.05
AND = " · "
"""Between the choices of a variant, as its item has them."""
POINTS, BINS = 100, 24
"""Variants of a curve that are drawn, evenly spread; parts that its dashboard is cut into."""
CURVE, GAP, STEP = 150, 14, 15
"""Pixels: of a curve, between it and its dashboard, of a line of the dashboard."""
RIGHT = 1.14
"""Where an axis from 0 to 1 ends, so that there is room for numbers behind it."""
FOUND = ("p < .05", "p < .05, the reverse", "not significant")
TRIED = EXPERIMENT == "sensitivity"
OPTION, OF_SIDES = SETTING.fill_null("").str.contains(": "), SETTING.str.starts_with("sides: ")
"""Scores of single options; those that association tests alone have."""
OF_TESTS, OF_VALENCE = "Specification curves of association tests", "Specification curves of valence"
CHAPTERS = {OF_TESTS: "Stereotypes", OF_VALENCE: "Word meaning"}
"""Where in a report they stand."""
OWN = {
    "model": pl.String, "test": pl.String, "part": pl.String, "x": pl.Float64, "end": pl.Float64, "value": pl.Float64,
    "p": pl.Float64, "found": pl.String, "option": pl.String, "density": pl.Float64, "share": pl.Float64,
    "variant": pl.String,
}  # fmt: skip


def specification_curves(runs: Runs) -> Iterator[Figure]:
    """A figure for each model and kind of number: a panel a test or lexicon."""
    for at, run in enumerate(runs.each):
        scores = runs.scores.filter(TRIED, pl.col("study") == run.manifest["study"])
        for number, model in enumerate(charts.distinct(run.scores.filter(TRIED), "model")):
            mine = scores.filter(pl.col("model") == model)
            tested = pl.col("dataset").is_in(mine.filter(OF_SIDES).get_column("dataset").unique().implode())
            for title, which in ((OF_TESTS, tested), (OF_VALENCE, ~tested)):
                rows = mine.filter(which)
                if len(rows):
                    yield _figure(run, rows, title, curve_id(title, at, number))


def curve_id(title: str, run: int, model: int) -> str:
    """By the places of the run and of its model."""
    return f"specification-{'tests' if title == OF_TESTS else 'valence'}-{run}-{model}"


def _figure(run: Run, rows: pl.DataFrame, title: str, name: str) -> Figure:
    model = rows.item(0, "model")
    parts: list[pl.DataFrame] = []
    options: dict[str, None] = {}
    for dataset in charts.distinct(rows, "dataset"):
        part, named = _panel(_variants(run, model, dataset), rows.filter(pl.col("dataset") == dataset))
        parts.append(part.with_columns(model=pl.lit(model), test=pl.lit(SHORT.get(dataset, dataset))))
        options |= dict.fromkeys(named)
    own = pl.concat(part.select(pl.col(column).cast(of) for column, of in OWN.items()) for part in parts)
    spec = _spec(own, list(options), "effect size d" if title == OF_TESTS else "ρ with human ratings")
    most = max(rows.get_column("n").to_list())
    caption = (
        f"Up to {most:,} variants each, sorted: the same number with other words, vectors and estimators. The dashed "
        "line is the number as it is run. Below, for each choice, where the variants that make it lie: the stronger "
        "the colour, the more. At the right, how many of them come to another conclusion; fewer words have less power."
    )
    return Figure(name, title, caption, spec, rows, ("dataset",), ("measure", "setting"), "Specification curve", own)


def _variants(run: Run, model: str, dataset: str) -> pl.DataFrame:
    """The variants of one test in the last slot that it was tried in, the test as it is run first."""
    mine = run.items.filter(TRIED, pl.col("model") == model, pl.col("dataset") == dataset)
    slot = ("layer", "pcs", "setting")
    table = mine.filter(pl.col("left_out").is_null()).select(*slot, "item", "group", "place", "value", "p").collect()
    last = table.row(-1, named=True)
    return table.filter(pl.col(name).eq_missing(pl.lit(last[name])) for name in slot)


def _panel(table: pl.DataFrame, scores: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The curve, its dashboard and the line of the test as it is run; and the options in their order."""
    ordered = table.sort("value", maintain_order=True)
    count = len(ordered)
    places = np.unique(np.linspace(0, count - 1, min(POINTS, count)).round().astype(int))
    told = pl.when(pl.col("p") >= LEVEL).then(pl.lit(FOUND[2])).when(pl.col("value") > 0).then(pl.lit(FOUND[0]))
    curve = ordered[places.tolist()].select(
        "value", "p",
        pl.lit("curve").alias("part"),
        pl.Series("x", places / max(1, count - 1)),
        told.otherwise(pl.lit(FOUND[1])).alias("found"),
        pl.format("{} ({}){}{}", "item", "group", pl.lit(AND), "place").alias("variant"),
    )  # fmt: skip
    strips, options = _strips(table, ordered)
    settings = scores.filter(MEASURE == "sensitivity:flipped", OPTION).with_columns(
        option=SETTING.str.split(": ").list.get(1).str.split(":").list.first()
    )
    flipped = settings.select("option", pl.lit("flipped").alias("part"), pl.col("value").alias("share"))
    line = pl.DataFrame({"part": ["base"], "value": [table.item(0, "value")]})
    every = pl.concat([curve, strips, flipped, line], how="diagonal_relaxed")
    return every.with_columns(pl.lit(None).alias(name) for name in OWN if name not in every.columns), options


def _strips(table: pl.DataFrame, ordered: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """For every option, how densely its variants lie along the curve: 1 is as densely as all variants together."""
    count = len(ordered)
    bins = np.arange(count) * BINS // count
    whole = np.bincount(bins, minlength=BINS)
    parts = [pl.col("group"), *(pl.col("place").str.split(AND).list.get(at) for at in range(_choices(table)))]
    rows: list[dict[str, Any]] = []
    options: list[str] = []
    for part in parts:
        values = ordered.select(option=part).get_column("option").to_numpy()
        for option in charts.distinct(table.select(option=part), "option"):
            held = np.bincount(bins[values == option], minlength=BINS)
            density = np.divide(held, whole, out=np.zeros(BINS), where=whole > 0) * count / held.sum()
            strip = (
                {"x": at / BINS, "end": (at + 1) / BINS, "density": round(float(one), 2)}
                for at, one in enumerate(density)
            )
            rows += [{"part": "strip", "option": option, **one} for one in strip if one["density"] > 0]
            options.append(option)
    return pl.DataFrame(rows), options


def _choices(table: pl.DataFrame) -> int:
    """How many there are beside that of the words."""
    return str(table.item(0, "place")).count(AND) + 1


def _spec(own: pl.DataFrame, options: list[str], y: str) -> Spec:
    height = CURVE + GAP + STEP * len(options)
    ends = own.filter(pl.col("part") != "flipped").select(pl.col("value").min(), most=pl.col("value").max()).row(0)
    room = 0.05 * (ends[1] - ends[0]) or 0.05
    scale = {
        "domain": [round(min(ends[0], 0) - room, 3), round(max(ends[1], 0) + room, 3)],
        "nice": False,
        "range": [CURVE, 0],
    }
    x: Spec = {"field": "x", "type": "quantitative", "title": "share of the variants", "scale": {"domain": [0, RIGHT]}}
    x["axis"] = {"format": ".0%", "grid": False, "values": [0, 0.25, 0.5, 0.75, 1]}
    above: Spec = {"field": "value", "type": "quantitative", "title": y, "scale": scale}
    above["axis"] = {"orient": "left", "titleY": CURVE / 2, "tickCount": 5}
    unseen: Spec = {**above, "axis": None}
    axis: Spec = {
        "orient": "left",
        "grid": False,
        "ticks": False,
        "domain": False,
        "labelPadding": 6,
        **charts.NEVER_CUT,
    }
    axis["labelExpr"] = charts.in_lines("axis_letters")
    below: Spec = {"field": "option", "type": "nominal", "sort": options, "title": None, "axis": axis}
    below["scale"] = {"domain": options, "range": [CURVE + GAP, height], "paddingInner": 0.12}
    density: Spec = {"field": "density", "type": "quantitative", "legend": None}
    density["scale"] = {"domain": [0, 2], "range": [0.04, 0.85], "clamp": True}
    shown = [{"field": name, "type": "nominal"} for name in ("option", "density")]
    share = {"field": "share", "type": "quantitative", "format": ".0%"}
    end = {"x": {"datum": RIGHT}, "y": {**below, "axis": None}, "text": share}
    rule = {"type": "rule", "color": "var(--faint)", "tooltip": False}
    text = {"type": "text", "align": "right", "fontSize": 10, "fill": "var(--muted)", "tooltip": False}
    strip = {"x": x, "x2": {"field": "end"}, "y": below, "opacity": density, "tooltip": shown}
    layers: list[Spec] = [
        _layer("base", rule, {"y": {"datum": 0, "type": "quantitative", "scale": scale, "axis": None}}),
        _layer("base", {**rule, "strokeDash": [4, 3], "color": "var(--ink)"}, {"y": unseen}),
        _layer("curve", {"type": "point", "filled": True, "size": 20, "opacity": 1}, {"x": x, "y": above, **_told()}),
        _layer("strip", {"type": "rect", "color": "var(--c1)"}, strip),
        _layer("flipped", text, end),
    ]
    view: Spec = {"height": height, "layer": layers, "resolve": {"scale": {"y": "independent"}}}
    spec = charts.panels(view, own, charts.Layout(("model", "test"), columns=2, free="y"))
    return spec if "spec" in spec else {**spec, "height": height}


def _told() -> Spec:
    """Colour and shape of a variant, by what it says."""
    legend = {"orient": "top", "title": None, "symbolOpacity": 1, "columns": 3, **charts.NEVER_CUT}
    legend["labelExpr"] = charts.in_lines("legend_letters")
    pools = {"color": ("var(--c1)", "var(--c4)", "var(--c2)"), "shape": ("circle", "triangle-down", "cross")}
    channels: Spec = {
        channel: {
            "field": "found",
            "type": "nominal",
            "scale": {"domain": list(FOUND), "range": list(pool)},
            "legend": legend,
        }
        for channel, pool in pools.items()
    }
    return {**channels, "tooltip": charts.hover("value", "p", "variant")}


def _layer(part: str, mark: Spec, encoding: Spec) -> Spec:
    return {"transform": [{"filter": f"datum.part === '{part}'"}], "mark": mark, "encoding": encoding}


def spread(scores: pl.DataFrame) -> Figure | None:
    """The median of all variants of each association test, with the least and the greatest."""
    rows = scores.filter(TRIED, MEASURE == "sensitivity:median")
    tests = scores.filter(TRIED, OF_SIDES).select("study", "model", "dataset").unique()
    rows = rows.join(tests, on=["study", "model", "dataset"], how="semi", maintain_order="left")
    if rows.is_empty():
        return None
    rows = rows.with_columns(test=pl.col("dataset").replace(SHORT))
    spec = charts.dots(rows, y=["test"], x="effect size d of the variants", colour="model", transform=[TEST], zero=True)
    caption = (
        "What other defensible choices make of each test: the median effect size of its variants, with the least and "
        "the greatest. Where the bar crosses 0, choices decide which way the association goes."
    )
    rows = rows.select(scores.columns)
    return Figure("sensitivity", "Sensitivity to choices", caption, spec, rows, ("dataset",), ("model",), "Dot chart")
