"""Specification curves (Simonsohn et al. 2020): the variants of a number, sorted, over the choices behind them."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from wordworth.pages.figures import charts
from wordworth.pages.figures.figure import CURVE_CHAPTERS, OF_TESTS, Figure, Plot, curve_id
from wordworth.pages.insights import IS_SENSITIVITY, choices_of, datasets_by_kind, variants_of
from wordworth.results.main_scores import ALPHA
from wordworth.results.run import Run
from wordworth.results.runs import TEST_LABELS, Runs

POINTS, BINS = 100, 24  # variants of a curve that are drawn, evenly spread; parts that its dashboard is divided into
CURVE, GAP, STEP = 150, 14, 15  # pixels: of a curve, between it and its dashboard, of a line of the dashboard
RIGHT = 1.14  # where an axis from 0 to 1 ends, so that there is room for numbers behind it
CONCLUSIONS = ("p < .05", "p < .05, the reverse", "not significant")
DRAWING = (
    "The dashed line is the number as it is run. Below, each line is an option. The stronger its colour, the more of "
    "its variants are there. At the right is the share that concludes otherwise. Fewer words have less power."
)


def specification_curves(runs: Runs) -> Iterator[Figure]:
    """Yield a figure per model and kind of number: a panel per test or lexicon."""
    for at, run in enumerate(runs.each):
        scores = runs.scores.filter(IS_SENSITIVITY, pl.col("run") == at)
        for number, model in enumerate(charts.list_distinct(scores, "model")):
            own = scores.filter(pl.col("model") == model)
            for title, datasets in zip(CURVE_CHAPTERS, datasets_by_kind(run, model), strict=True):
                rows = own.filter(pl.col("dataset").is_in(datasets))
                if len(rows):
                    yield _figure(run, rows, title, curve_id(title, at, number))


def _figure(run: Run, rows: pl.DataFrame, title: str, name: str) -> Figure:
    model = rows.item(0, "model")
    parts: list[pl.DataFrame] = []
    options: dict[str, None] = {}
    for dataset in charts.list_distinct(rows, "dataset"):
        part, names = _panel(variants_of(run, model, dataset))
        parts.append(part.with_columns(model=pl.lit(model), test=pl.lit(TEST_LABELS.get(dataset, dataset))))
        options |= dict.fromkeys(names)
    own = pl.concat(parts, how="diagonal")
    y = "effect size d" if title == OF_TESTS else "ρ with human ratings"
    draw = partial(_draw_curves, own, list(options), y)
    most = max(rows.get_column("n").to_list())
    caption = f"The same number with other words, vectors and estimators: up to {most:,} variants each, sorted."
    down, across = ("dataset",), ("quantity", "subset")
    return Figure(name, title, caption, draw, rows, down, across, "Specification curve", DRAWING)


def _panel(table: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return the curve, its dashboard and the line of the test as it is run; and the options in their order."""
    ordered = table.sort("value", maintain_order=True)
    count = len(ordered)
    places = np.unique(np.linspace(0, count - 1, min(POINTS, count)).round().astype(int))
    same, reverse, none = map(pl.lit, CONCLUSIONS)
    verdict = pl.when(pl.col("p") >= ALPHA).then(none).when(pl.col("value") > 0).then(same).otherwise(reverse)
    choices = choices_of(table)
    variant = pl.concat_str(choices, separator=charts.AND, ignore_nulls=True)
    x = pl.Series(places / max(1, count - 1))
    curve = ordered[places.tolist()].select("value", "p", part=pl.lit("curve"), x=x, found=verdict, variant=variant)
    curve = charts.add_labels(curve, ["variant"])
    strips = [_strips(ordered, choice) for choice in choices]
    line = pl.DataFrame({"part": ["base"], "value": [table.item(0, "value")]})
    options = [option for choice in choices for option in charts.list_distinct(table, choice)]
    return pl.concat([curve, *strips, line], how="diagonal"), options


def _strips(ordered: pl.DataFrame, choice: str) -> pl.DataFrame:
    """Return how densely the variants of each option lie along the curve, and the share of them that is flipped.

    A density of 1 is that of all variants together.
    """
    count, option = len(ordered), pl.col(choice).alias("option")
    binned = ordered.with_columns(option, bin=pl.int_range(count) * BINS // count)
    binned = binned.with_columns(whole=pl.len().over("bin"), held=pl.len().over("option"))
    places = binned.group_by("option", "bin").agg(pl.len(), pl.col("whole", "held").first())
    density = pl.col("len") / pl.col("whole") * count / pl.col("held")
    x, end = pl.col("bin") / BINS, (pl.col("bin") + 1) / BINS
    strips = places.select("option", part=pl.lit("strip"), x=x, end=end, density=density.round(2))
    flipped = binned.group_by("option").agg(share=pl.col("is_flipped").mean())
    return pl.concat([strips.sort("option", "x"), flipped.with_columns(part=pl.lit("flipped"))], how="diagonal")


def _draw_curves(own: pl.DataFrame, options: list[str], y: str) -> Plot:
    """Draw the curve, and under it a line per option: where its variants lie, and how many of them flip."""
    height = CURVE + GAP + STEP * len(options)
    low, high = own.filter(pl.col("part") != "flipped").select(pl.col("value").min(), most=pl.col("value").max()).row(0)
    room = 0.05 * (high - low) or 0.05
    domain = [round(min(low, 0) - room, 3), round(max(high, 0) + room, 3)]
    values = alt.Scale(domain=domain, nice=False, range=[CURVE, 0])
    percents = alt.Axis(format=".0%", grid=False, values=[0, 0.25, 0.5, 0.75, 1])
    x = alt.X("x:Q", title="share of the variants", scale=alt.Scale(domain=[0, RIGHT]), axis=percents)
    value_axis = alt.Axis(orient="left", titleY=CURVE / 2, tickCount=5)
    bare: dict[str, Any] = {"grid": False, "ticks": False, "domain": False, "labelPadding": 6, "labelLimit": 0}
    names = alt.Axis(orient="left", labelExpr=charts.break_label("axis_letters"), **bare)
    lines = alt.Scale(domain=options, range=[CURVE + GAP, height], paddingInner=0.12)
    option = alt.Y("option:N", sort=options, title=None, axis=names, scale=lines)
    density = alt.Opacity("density:Q", legend=None, scale=alt.Scale(domain=[0, 2], range=[0.04, 0.85], clamp=True))
    legend = charts.make_legend()
    colours = alt.Scale(domain=list(CONCLUSIONS), range=["var(--c1)", "var(--c4)", "var(--c2)"])
    shapes = alt.Scale(domain=list(CONCLUSIONS), range=["circle", "triangle-down", "cross"])
    number = alt.Y("value:Q", title=y, scale=values)
    layers = [
        _part("base").mark_rule(color="var(--faint)", tooltip=False).encode(alt.YDatum(0, scale=values, axis=None)),
        _part("base").mark_rule(color="var(--ink)", strokeDash=[4, 3], tooltip=False).encode(number.axis(None)),
        _part("curve").mark_point(filled=True, size=20, opacity=1).encode(
            x,
            number.axis(value_axis),
            color=alt.Color("found:N", scale=colours, legend=legend),
            shape=alt.Shape("found:N", scale=shapes, legend=legend),
            **charts.LABEL_ENCODING,
        ),
        _part("strip").mark_rect(color="var(--c1)").encode(x, option, density, x2="end:Q"),
        _part("flipped").mark_text(align="right", fontSize=10, fill="var(--muted)", tooltip=False).encode(
            alt.XDatum(RIGHT), option.axis(None), alt.Text("share:Q", format=".0%")
        ),
    ]  # fmt: skip
    view = alt.LayerChart(layer=layers, height=height).resolve_scale(y="independent")
    return charts.lay_out(view, own, own.columns, ("model", "test"), 2, "y")


def _part(name: str) -> alt.Chart:
    return alt.Chart(charts.ROWS_DATA).transform_filter(f"datum.part === '{name}'")
