"""The papers' figures with a run's numbers, in Vega-Lite through altair."""

import altair as alt
import polars as pl

PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"]
"""Okabe and Ito's colours, told apart by colour-blind readers."""

TASKS = ("valence", "similarity", "analogy")


def intrinsic_tasks(scores: pl.DataFrame) -> alt.LayerChart | alt.FacetChart:
    """ValNorm's Figure 3: every intrinsic task's score and 95 % interval, a colour a model."""
    shown = scores.filter(pl.col("measure").is_in(TASKS)).with_columns(
        task=pl.concat_str(pl.col("measure"), pl.lit(" · "), pl.col("dataset"))
    )
    tasks = shown.get_column("task").unique(maintain_order=True).to_list()
    models = shown.get_column("model").unique(maintain_order=True).to_list()
    base = alt.Chart(shown.select("task", "model", "value", "low", "high", "n")).encode(
        y=alt.Y("task:N", sort=tasks, title=None, axis=alt.Axis(labelLimit=220, grid=True, gridOpacity=0.4)),
        yOffset=alt.YOffset("model:N", sort=models),
        color=alt.Color(
            "model:N", sort=models, title=None, scale=alt.Scale(range=PALETTE), legend=alt.Legend(orient="top")
        ),
    )
    title = "ρ with human ratings (valence, similarity); accuracy (analogy)"
    least = shown.select(pl.col("low").min()).item()
    scale = alt.Scale(domain=[min(0.0, least), 1])
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(gridOpacity=0.4))
    intervals = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=title, scale=scale), x2="high:Q")
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=x,
        shape=alt.Shape("model:N", sort=models, legend=None),
        tooltip=["model", "task", "value", "low", "high", "n"],
    )
    return alt.layer(intervals, points).properties(width=460, height=alt.Step(13))


def valence_by_layer(scores: pl.DataFrame) -> alt.LayerChart:
    """VAST's Figure 1: valence by layer, a line a setting, with its 95 % band."""
    shown = scores.filter(pl.col("experiment") == "contextualization", pl.col("measure") == "valence")
    settings = shown.get_column("setting").unique(maintain_order=True).to_list()
    scale = alt.Scale(range=PALETTE)
    title = "valence: ρ with human ratings"
    base = alt.Chart(shown.select("layer", "setting", "value", "low", "high", "n")).encode(
        x=alt.X("layer:Q", title="layer", axis=alt.Axis(tickMinStep=1, gridOpacity=0.3))
    )
    band = base.mark_area(opacity=0.15).encode(
        y=alt.Y("low:Q", title=title, axis=alt.Axis(gridOpacity=0.3)),
        y2="high:Q",
        color=alt.Color("setting:N", sort=settings, scale=scale, legend=None),
    )
    line = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("value:Q", title=title),
        color=alt.Color("setting:N", sort=settings, scale=scale, title="setting"),
        strokeDash=alt.StrokeDash("setting:N", sort=settings, legend=None),
        tooltip=["setting", "layer", "value", "n"],
    )
    layered: alt.LayerChart = (
        alt.layer(band, line)
        .properties(width=460, height=260)
        .resolve_scale(color="independent", strokeDash="independent")
    )
    return layered
