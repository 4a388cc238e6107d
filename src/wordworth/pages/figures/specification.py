"""Specification curves (Simonsohn et al. 2020): the variants of a number, sorted, over the choices behind them."""

from functools import partial
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from wordworth.pages.figures import charts
from wordworth.pages.figures.figure import Figure, Plot
from wordworth.results.columns import SKIP
from wordworth.results.main_scores import ALPHA
from wordworth.results.run import Run
from wordworth.results.runs import TEST_LABELS, Runs

POINTS, MARKS = 100, 60  # variants that are drawn at most, evenly spread: of a curve, and of an option under it
CURVE = "Specification curve"
CURVE_HEIGHT, GAP, STEP = 150, 14, 15  # pixels: of a curve, between it and its dashboard, of a line of the dashboard
RIGHT = 1.14  # where an axis from 0 to 1 ends, so that there is room for numbers behind it
CHOICES = ("words", "vectors", "association", "sigma", "correlation", "p_test", "sides")
"""The columns of a variant that hold its choices; those that are blank are no choice of its number."""
CONCLUSIONS = ("p < .05", "p < .05, the reverse", "not significant")
DRAWING = (
    "The dashed line is the number as it is run. Below, each line is an option, with marks where its variants are. "
    "At the right is the share of its variants that conclude otherwise. Fewer words have less power."
)


def specification_curves(runs: Runs) -> dict[str, list[Figure]]:
    """Return chapter → a figure per model: a panel per test or lexicon."""
    curves: dict[str, list[Figure]] = {"Stereotypes": [], "Word meaning": []}
    for at, run in enumerate(runs.each):
        scores = runs.scores.filter(pl.col("experiment") == "sensitivity", pl.col("run") == at)
        for number, model in enumerate(charts.list_distinct(scores, "model")):
            for (chapter, figures), datasets in zip(curves.items(), _datasets_by_kind(run, model), strict=True):
                rows = scores.filter(pl.col("model") == model, pl.col("dataset").is_in(datasets))
                if len(rows):
                    figures.append(_figure(run, rows, chapter == "Stereotypes", f"{at}-{number}"))
    return curves


def _datasets_by_kind(run: Run, model: str) -> tuple[list[str], list[str]]:
    """Return the tests and the lexica of which a run tried variants; only tests choose a σ."""
    variants = run.item_table("variants").filter(pl.col("model") == model)
    by_test = variants.group_by("dataset", maintain_order=True).agg(pl.col("sigma").is_not_null().any()).collect()
    tests, lexica = ([name for name, is_test in by_test.iter_rows() if is_test is kind] for kind in (True, False))
    return tests, lexica


def variants_of(run: Run, model: str, dataset: str) -> pl.DataFrame:
    """Return the variants of one test in the last slot that it was tried in, the test as it is run first."""
    model_variants = run.item_table("variants").filter(pl.col("model") == model, pl.col("dataset") == dataset)
    table = model_variants.filter(pl.col(SKIP).is_null()).collect()
    last = table.row(-1, named=True)
    slot = table.filter(pl.col(name).eq_missing(pl.lit(last[name])) for name in ("layer", "components", "context"))
    conclusion = pl.when(pl.col("p") < ALPHA).then(pl.col("value").sign()).otherwise(0.0)
    return slot.with_columns(is_flipped=conclusion != conclusion.first())


def choices_of(table: pl.DataFrame) -> list[str]:
    """Return the columns of the choices that these variants differ in, or could."""
    return [name for name in CHOICES if table.get_column(name).null_count() < len(table)]


def _figure(run: Run, rows: pl.DataFrame, is_test: bool, number: str) -> Figure:
    model = rows.item(0, "model")
    panels: list[pl.DataFrame] = []
    options: dict[str, None] = {}
    for dataset in charts.list_distinct(rows, "dataset"):
        panel, names = _panel(variants_of(run, model, dataset))
        panels.append(panel.with_columns(model=pl.lit(model), test=pl.lit(TEST_LABELS.get(dataset, dataset))))
        options |= dict.fromkeys(names)
    y, noun = ("effect size d", "association tests") if is_test else ("ρ with human ratings", "valence")
    draw = partial(_draw_curves, pl.concat(panels, how="diagonal"), list(options), y)
    count = max(rows.get_column("n").to_list())
    caption = f"The same number with other words, vectors and estimators: up to {count:,} variants each, sorted."
    name, title = f"specification-{'tests' if is_test else 'valence'}-{number}", f"Specification curves of {noun}"
    return Figure(name, title, caption, draw, rows, ("dataset",), ("quantity", "subset"), CURVE, DRAWING)


def _panel(table: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return what a panel draws, by `part`, and the options in their order.

    The parts are the curve, a mark per variant and option, the share of an option's variants that conclude otherwise,
    and the number as it is run.
    """
    variants, choices = table.sort("value", maintain_order=True), choices_of(table)
    count = len(variants)
    positions = np.unique(np.linspace(0, count - 1, min(POINTS, count)).round().astype(int))
    significant, reverse, none = map(pl.lit, CONCLUSIONS)
    conclusion = pl.when(pl.col("p") >= ALPHA).then(none).when(pl.col("value") > 0).then(significant).otherwise(reverse)
    drawn_variants = variants[positions.tolist()].with_columns(
        x=pl.Series(positions / max(1, count - 1)),
        conclusion=conclusion,
        variant=pl.concat_str(choices, separator=charts.AND, ignore_nulls=True),
    )
    curve = charts.add_labels(drawn_variants.select("value", "p", "x", "conclusion", "variant"), ["variant"])
    x = (pl.col("value").rank("ordinal") - 1) / max(1, count - 1)
    options = table.with_columns(x=x).unpivot(choices, index=["x", "is_flipped"], value_name="option")
    options = options.drop_nulls("option")
    is_drawn = pl.int_range(pl.len()).over("option") % (pl.len().over("option") // MARKS + 1) == 0
    marks = options.sort("x").filter(is_drawn).select("x", "option")
    shares = options.group_by("option", maintain_order=True).agg(share=pl.col("is_flipped").mean())
    rows_by_part = {"curve": curve, "mark": marks, "share": shares, "base": table.select("value").head(1)}
    labelled_parts = [rows.with_columns(part=pl.lit(label)) for label, rows in rows_by_part.items()]
    return pl.concat(labelled_parts, how="diagonal"), shares.get_column("option").to_list()


def _draw_curves(panel_rows: pl.DataFrame, options: list[str], y: str) -> Plot:
    """Draw the curve, and under it a line per option: where its variants lie, and how many of them flip."""
    height = CURVE_HEIGHT + GAP + STEP * len(options)
    low, high = panel_rows.select(low=pl.col("value").min(), high=pl.col("value").max()).row(0)
    room = 0.05 * (high - low) or 0.05
    domain = [round(min(low, 0) - room, 3), round(max(high, 0) + room, 3)]
    values = alt.Scale(domain=domain, nice=False, range=[CURVE_HEIGHT, 0])
    percents = alt.Axis(format=".0%", grid=False, values=[0, 0.25, 0.5, 0.75, 1])
    x = alt.X("x:Q", title="share of the variants", scale=alt.Scale(domain=[0, RIGHT]), axis=percents)
    value_axis = alt.Axis(orient="left", titleY=CURVE_HEIGHT / 2, tickCount=5)
    bare: dict[str, Any] = {"grid": False, "ticks": False, "domain": False, "labelPadding": 6, "labelLimit": 0}
    names = alt.Axis(orient="left", labelExpr=charts.break_label("axis_letters"), **bare)
    lines = alt.Scale(domain=options, range=[CURVE_HEIGHT + GAP, height], paddingInner=0.12)
    option = alt.Y("option:N", sort=options, title=None, axis=names, scale=lines)
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
            color=alt.Color("conclusion:N", scale=colours, legend=legend),
            shape=alt.Shape("conclusion:N", scale=shapes, legend=legend),
            **charts.LABEL_ENCODING,
        ),
        _part("mark").mark_tick(color="var(--c1)", opacity=0.6, thickness=1.2, height=9).encode(x, option),
        _part("share").mark_text(align="right", fontSize=10, fill="var(--muted)", tooltip=False).encode(
            alt.XDatum(RIGHT), option.axis(None), alt.Text("share:Q", format=".0%")
        ),
    ]  # fmt: skip
    view = alt.LayerChart(layer=layers, height=height).resolve_scale(y="independent")
    return charts.lay_out(view, panel_rows, panel_rows.columns, ("model", "test"), 2, "y")


def _part(name: str) -> alt.Chart:
    return alt.Chart(charts.ROWS_DATA).transform_filter(f"datum.part === '{name}'")
