"""Languages side by side: every task of word vectors, a point a language."""

import polars as pl

from wordworth.report.figures import charts
from wordworth.report.figures.figure import EXPERIMENT, LAYER, MEASURE, Figure, shows

TASKS = ("valence", "similarity", "weat")
PANEL = {"calculate": "datum.measure === 'weat' ? datum.dataset : datum.measure", "as": "side"}


@shows(EXPERIMENT.is_in(TASKS), MEASURE == EXPERIMENT, LAYER.is_null(), pl.col("language").is_not_null())
def by_language(rows: pl.DataFrame) -> Figure | None:
    """ValNorm's Tables 4 and 5 as one figure; of several lexica or pairs in a language the largest."""
    if rows.get_column("language").n_unique() < 2:
        return None
    side = pl.when(MEASURE == "weat").then(pl.col("dataset")).otherwise(MEASURE)
    rows = rows.with_columns(side=side).sort("n", descending=True, maintain_order=True)
    rows = rows.unique(["model", "language", "side"], maintain_order=True, keep="first")
    several = pl.col("language").n_unique().over("side") > 1
    order = MEASURE.replace_strict({task: at for at, task in enumerate(TASKS)})
    rows = rows.filter(several).sort(pl.col("language") != "english", "language", order, "side")
    layout = charts.Layout(("side",), columns=2, free="x", tooltip=["language", "dataset"])
    x = "ρ with human ratings; effect size d of a test"
    spec = charts.dots(rows, y=["language"], x=x, colour="model", layout=layout, transform=[PANEL], zero=True)
    caption = (
        "The same tasks in every language. Bars are 95 % intervals; broken ones, marked †, are to be read with care: "
        "words translated by machine, or half missing. Lexica and word pairs are each language’s own: "
        "what differs between languages may be these."
    )
    title, down = "Languages side by side", ("measure", "language", "dataset")
    return Figure("by-language", title, caption, spec, rows, down, ("model",), "Dot chart")
