"""Models in training: what was measured of them after so many steps, as curves."""

from typing import Any

import polars as pl

from wordworth.report.figures import charts
from wordworth.report.figures.figure import EXPERIMENT, LAYER, MEASURE, Figure, Maker, Spec, shows
from wordworth.report.figures.meaning import RATED
from wordworth.report.figures.stereotypes import named_tests
from wordworth.report.runs import STEP, TRAINED
from wordworth.run.vocabulary import BEFORE_STEP

SEVERAL = STEP.is_not_null() & (STEP.n_unique().over(TRAINED) > 1)
"""Of a training that was measured after several numbers of steps."""
FAR = 20
"""Steps that are so many times apart are drawn on an axis that spreads the first ones."""


def _stepped(rows: pl.DataFrame) -> tuple[pl.DataFrame, Spec, list[Spec]]:
    """Rows in the order of the steps, with the columns `training` and `step`; the axis of steps; the transforms."""
    rows = rows.with_columns(TRAINED.alias("training"), STEP.alias("step"))
    rows = rows.sort("training", "step", maintain_order=True)
    parts = f"split(datum.model, '{BEFORE_STEP}')"
    steps = sorted(charts.distinct(rows, "step"))
    axis: dict[str, Any] = {"grid": False, "format": ",d", "labelOverlap": "greedy"}
    x: Spec = {"field": "step", "type": "quantitative", "title": "steps of training"}
    if steps[-1] > FAR * next(filter(None, steps), 1):
        x["scale"] = {"type": "symlog", "constant": next(filter(None, steps))}
        axis["values"] = steps
    return (
        rows,
        {**x, "axis": axis},
        [
            {"calculate": f"{parts}[0]", "as": "training"},
            {"calculate": f"toNumber({parts}[1])", "as": "step"},
        ],
    )


@shows(SEVERAL, EXPERIMENT == "contextualization", MEASURE == "valence")
def valence_by_step(rows: pl.DataFrame) -> Figure:
    """Valence while a model is trained, a line a layer."""
    rows, x, steps = _stepped(rows)
    by = ("training", "dataset", "setting")
    layers = charts.series(rows, "layer", "layer", sorted(charts.distinct(rows, "layer")))
    layout = charts.Layout(by, tooltip=by)
    spec = charts.lines(rows, x=x, y=f"valence: {RATED}", colour=layers, layout=layout, transform=steps)
    caption = (
        "Pearson’s ρ between a word’s association with pleasant and unpleasant words and its human rating, after so "
        "many steps. What stands at step 0 is given by the tokenizer and the texts alone: a model has learned what "
        "stands above it. Bands are 95 % intervals."
    )
    down = ("dataset", "setting", "model")
    return Figure("valence-steps", "Valence by step", caption, spec, rows, down, ("layer",))


@shows(SEVERAL, MEASURE == "weat", LAYER.is_not_null(), pl.col("pcs").is_null())
def associations_by_step(rows: pl.DataFrame) -> Figure:
    """The association tests while a model is trained, a panel a test."""
    rows, x, steps = _stepped(rows)
    rows, test, naming = named_tests(rows)
    layers = charts.series(rows, "layer", "layer", sorted(charts.distinct(rows, "layer")))
    layout = charts.Layout(("training", *test), tooltip=["p"])
    spec = charts.lines(rows, x=x, y="effect size d", colour=layers, layout=layout, transform=[*steps, *naming])
    caption = "Cohen’s d of each association test after so many steps, bleached. Bands are 95 % intervals."
    down = ("dataset", "model")
    return Figure("weat-steps", "Association tests by step", caption, spec, rows, down, ("layer",))


@shows(SEVERAL, EXPERIMENT == "coverage", MEASURE == "top-1")
def accuracy_by_step(rows: pl.DataFrame) -> Figure:
    """Whole words predicted while a model is trained, a line a band of frequency."""
    rows, x, steps = _stepped(rows)
    by = ("training", "dataset")
    layout = charts.Layout(by, tooltip=by)
    bands = charts.series(rows, "setting", "frequency band")
    spec = charts.lines(rows, x=x, y="share predicted (top-1)", colour=bands, layout=layout, transform=steps)
    caption = (
        "The share of a text’s words that are the model’s first guess, by how frequent they are, after so many steps. "
        "Bands are 95 % intervals."
    )
    return Figure("accuracy-steps", "Words predicted by step", caption, spec, rows, ("dataset", "model"), ("setting",))


FIGURES: tuple[Maker, ...] = (valence_by_step, associations_by_step, accuracy_by_step)
