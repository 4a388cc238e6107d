"""Draw behaviour: the words that a model predicts, the inferences that it draws, and what debiasing changes."""

from functools import partial

import altair as alt
import polars as pl

from wordworth.pages.figures import charts
from wordworth.pages.figures.figure import EXPERIMENT, IS_MEAN_DRAW, MEASURE, VARIANT, Figure, Maker, Plot, shows
from wordworth.pages.figures.meaning import BANDS, SEVERAL_STEPS, TASKS, place_by_step
from wordworth.pages.figures.stereotypes import ESTIMATORS
from wordworth.pages.runs import WEAT

NEUTRAL = ("net-neutral", "fraction-neutral", "threshold")
WHOLE = pl.all_horizontal(pl.col(name).is_null() for name in ("subset", "control", "draw"))
"""Scores over all of a data set, and of a mean of random draws."""


@shows(EXPERIMENT == "prediction", MEASURE.is_in(["top", "T"]), VARIANT.is_null())
def hits(rows: pl.DataFrame) -> Figure:
    """Draw Dudy and Bedrick's Table 1: words and types predicted."""
    layout, x = charts.Layout(["dataset"]), "share predicted"
    draw = partial(charts.draw_dots, rows, y=["quantity"], x=x, colour="model", layout=layout, zero=True)
    caption = (
        "top-k: the share of words in a text that are among the model’s k best guesses. Tk: the share of different "
        "words that it ever predicts. A model that predicts only “the” has a fair top-1 and almost no T1."
    )
    title, down = "Whole words predicted", ("dataset", "quantity")
    return Figure("prediction", title, caption, draw, rows, down, ("model",), "Dot chart")


@shows(EXPERIMENT == "coverage", pl.col("subset").is_not_null())
def coverage(rows: pl.DataFrame) -> Figure:
    """Draw Dudy and Bedrick's Figures 1 and 2: by frequency band."""
    caption = (
        "top-k over the tokens of a band, Tk over its types: words that are never predicted are in the rare bands."
    )
    down, draw = ("dataset", "model", "subset"), partial(_draw_bars, rows)
    return Figure("coverage", "Coverage by frequency band", caption, draw, rows, down, ("quantity",), "Bar chart")


def _draw_bars(rows: pl.DataFrame) -> Plot:
    models, picked = charts.make_series(rows, "model"), charts.pick_by_legend("model")
    bands = charts.list_distinct(rows, "subset")
    axis = alt.Axis(labelAngle=0 if len(bands) < 4 else -40, grid=False, labelOverlap=False)
    fields = ("model", "subset", "quantity", "value", "low", "high", "n")
    layout = charts.Layout(["dataset", "quantity"], columns=4, free="y")
    bars = alt.Chart(charts.ROWS).encode(
        alt.X("subset:N", sort=bands, title="frequency band", axis=axis),
        alt.Y("value:Q", title="share predicted"),
        xOffset=alt.XOffset("model:N", sort=models.values),
        color=models.encode(alt.Color, charts.COLOURS),
        opacity=charts.fade(picked),
        tooltip=charts.make_tooltip(*fields),
    )
    view = alt.LayerChart(layer=[bars.mark_bar().add_params(picked)], height=charts.choose_height(rows, layout))
    return charts.lay_out(view, rows, fields, layout, models)


@shows(EXPERIMENT == "soft-match", MEASURE.is_in(["soft-match", "soft-match-types"]), pl.col("k").is_not_null())
def soft_match(rows: pl.DataFrame) -> Figure:
    """Draw Dudy and Bedrick's Figure 3: near misses counted."""
    over = pl.when(MEASURE == "soft-match").then(pl.lit("tokens")).otherwise(pl.lit("types"))
    rows = rows.with_columns(over=over)
    x = alt.X("k:Q", scale=alt.Scale(type="log"), title="neighbours that count, k")
    several = len(charts.list_distinct(rows, "variant")) > 1
    dash = charts.make_series(rows, "variant", "similarity") if several else None
    layout = charts.Layout(["dataset", "over"])
    draw = partial(charts.draw_lines, rows, x=x, y="accuracy", colour="model", dash=dash, layout=layout)
    caption = (
        "A guess counts when it is among the k nearest words of the right one; @1 is the word itself. Tokens: share of "
        "words in the text; types: share of different words."
    )
    return Figure("soft-match", "Soft matches", caption, draw, rows, ("dataset", "model"), ("quantity",))


@shows(EXPERIMENT == "paraphrase", MEASURE == "hits", VARIANT.is_null())
def paraphrase(rows: pl.DataFrame) -> Figure:
    """Draw Dudy and Bedrick's Table 2: rare words against common ones."""
    title = "Paraphrases with rare and common words"
    caption = "How often a sentence is closer to its paraphrase than to a sibling, for rare and for common words."
    if rows.get_column("layer").n_unique() > 1:
        layout = charts.Layout(["model"])
        draw = partial(charts.draw_lines, rows, x=charts.place_by_layer(), y="hits", colour="dataset", layout=layout)
        return Figure("paraphrase", title, caption, draw, rows, ("model", "layer"), ("dataset",))
    draw = partial(charts.draw_dots, rows, y=["model"], x="hits", colour="dataset", zero=True)
    return Figure("paraphrase", title, caption, draw, rows, ("model",), ("dataset",), "Dot chart")


@shows(MEASURE.is_in(NEUTRAL), VARIANT.is_null(), WHOLE)
def neutrality(rows: pl.DataFrame) -> Figure:
    """Draw Dev et al.'s Tables 1, 3, 5, 8, 9 and 15."""
    x, layout = "neutral (1: no biased inference)", charts.Layout(["model", "dataset"])
    draw = partial(charts.draw_dots, rows, y=["quantity"], x=x, colour="version", layout=layout, zero=True)
    caption = (
        "Premise and hypothesis differ only in a word for a person, so neutral is always right. Net neutral: its mean "
        "probability; fraction neutral: how often it wins; threshold: how often its probability is above τ."
    )
    title = "Neutral inferences before and after debiasing"
    down = ("model", "dataset", "quantity")
    return Figure("neutrality", title, caption, draw, rows, down, ("version",), "Dot chart")


@shows(EXPERIMENT == "accuracy", MEASURE == "accuracy", WHOLE)
def accuracy(rows: pl.DataFrame) -> Figure:
    """Draw Dev et al.'s Tables 10, 16 and 17: what debiasing costs."""
    rows = rows.with_columns(treatment=pl.concat_str("version", "variant", separator=": ", ignore_nulls=True))
    layout = charts.Layout(["model"])
    draw = partial(charts.draw_dots, rows, y=["dataset"], x="accuracy", colour="treatment", layout=layout)
    caption = "Accuracy on the benchmark itself: what removing the bias costs, or gains."
    title, down = "Accuracy of the NLI model", ("model", "dataset")
    return Figure("accuracy", title, caption, draw, rows, down, ("version", "variant"), "Dot chart")


@shows(pl.col("quantity").is_in([WEAT, *TASKS, *ESTIMATORS]), pl.col("version").is_not_null(), IS_MEAN_DRAW)
def before_and_after(rows: pl.DataFrame) -> Figure:
    """Draw every measure of the vectors on the embedding as it was, as it is, and without a random subspace."""
    layout = charts.Layout(["quantity", "model"], free="xy")
    draw = partial(charts.draw_dots, rows, y=["dataset", "subset"], x="value", colour="version", layout=layout)
    caption = (
        "The same measures on the embedding as it was and with the bias removed: tests of bias should come nearer to "
        "0; valence, similarity and analogies should stay. “random”: without random directions, the control."
    )
    down = ("model", "quantity", "dataset", "subset")
    title = "Before and after debiasing"
    return Figure("debias", title, caption, draw, rows, down, ("version",), "Dot chart")


@shows(EXPERIMENT == "stability", IS_MEAN_DRAW)
def stability(rows: pl.DataFrame) -> Figure:
    """Draw Dev et al.'s Tables 7 and 12: whether a bias has one direction."""
    layout, x = charts.Layout(["model"]), "share or cosine"
    draw = partial(charts.draw_dots, rows, y=["dataset"], x=x, colour="quantity", layout=layout, zero=True)
    caption = (
        "principal@2 …: later principal values over the first, small where one direction holds the bias; cosine: "
        "between that direction and the one that is removed."
    )
    title, down = "Does the bias have a direction?", ("model", "dataset", "layer")
    return Figure("stability", title, caption, draw, rows, down, ("quantity",), "Dot chart")


@shows(SEVERAL_STEPS, EXPERIMENT == "coverage", MEASURE == "top", pl.col("k") == 1)
def accuracy_by_step(rows: pl.DataFrame) -> Figure:
    """Draw whole words predicted while a model is trained, a line per band of frequency."""
    rows, x = place_by_step(rows)
    by = ("name", "dataset")
    layout, bands = charts.Layout(by, tooltip=by), charts.make_series(rows, "subset", "frequency band")
    draw = partial(charts.draw_lines, rows, x=x, y="share predicted (top-1)", colour=bands, layout=layout)
    caption = "The share of a text’s words that are the model’s first guess, by their frequency and by training step."
    title, down = "Words predicted by step", ("dataset", "model")
    return Figure("accuracy-steps", title, caption, draw, rows, down, ("subset",), drawing=BANDS)


TRAINING: tuple[Maker, ...] = (accuracy_by_step,)
PREDICTIONS = (hits, coverage, soft_match, paraphrase)
INFERENCES = (neutrality, accuracy)
DEBIASING = (before_and_after, stability)
