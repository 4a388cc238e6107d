"""Draw behaviour: the words that a model predicts, the inferences that it draws, and what debiasing changes."""

from functools import partial

import altair as alt
import polars as pl

from wordworth.pages.figures import charts
from wordworth.pages.figures.figure import EXPERIMENT, MEASURE, SETTING, Figure, Maker, Plot, shows
from wordworth.pages.figures.meaning import SEVERAL_STEPS, place_by_step
from wordworth.pages.figures.stereotypes import ESTIMATORS

NEUTRAL = r"^(net-neutral|fraction-neutral|threshold:[\d.]+)$"
"""Over all pairs; averages by pair and changes are in scores.csv."""
GEOMETRIC = ("weat", "valence", "similarity", "analogy", *ESTIMATORS)


@shows(EXPERIMENT == "prediction", MEASURE.str.contains(r"^(top-|T)\d+$"))
def hits(rows: pl.DataFrame) -> Figure:
    """Draw Dudy and Bedrick's Table 1: words and types predicted."""
    layout = charts.Layout(["dataset"])
    draw = partial(charts.draw_dots, rows, y=["measure"], x="share predicted", colour="model", layout=layout, zero=True)
    caption = (
        "top-k: the share of words in a text that are among the model’s k best guesses. Tk: the share of different "
        "words that it ever predicts. A model that says only “the” has a fair top-1 and next to no T1."
    )
    title = "Whole words predicted"
    return Figure("prediction", title, caption, draw, rows, ("dataset", "measure"), ("model",), "Dot chart")


@shows(EXPERIMENT == "coverage", SETTING.is_not_null())
def coverage(rows: pl.DataFrame) -> Figure:
    """Draw Dudy and Bedrick's Figures 1 and 2: by frequency band."""
    caption = "top-k over the tokens of a band, Tk over its types: what the model never says is in the rare bands."
    down, draw = ("dataset", "model", "setting"), partial(_draw_bars, rows)
    return Figure("coverage", "Coverage by frequency band", caption, draw, rows, down, ("measure",), "Bar chart")


def _draw_bars(rows: pl.DataFrame) -> Plot:
    models, picked = charts.make_series(rows, "model"), charts.pick_by_legend("model")
    bands = charts.list_distinct(rows, "setting")
    axis = alt.Axis(labelAngle=0 if len(bands) < 4 else -40, grid=False, labelOverlap=False)
    fields = ("model", "setting", "measure", "value", "low", "high", "n")
    layout = charts.Layout(["dataset", "measure"], columns=4, free="y")
    bars = alt.Chart(charts.ROWS).encode(
        alt.X("setting:N", sort=bands, title="frequency band", axis=axis),
        alt.Y("value:Q", title="share predicted"),
        xOffset=alt.XOffset("model:N", sort=models.values),
        color=models.encode(alt.Color, charts.COLOURS),
        opacity=charts.fade(picked),
        tooltip=charts.make_tooltip(*fields),
    )
    view = alt.LayerChart(layer=[bars.mark_bar().add_params(picked)], height=charts.choose_height(rows, layout))
    return charts.lay_out(view, rows, fields, layout, models)


@shows(EXPERIMENT == "soft-match", MEASURE.str.contains(r"^(T1:)?soft-match@\d+$"))
def soft_match(rows: pl.DataFrame) -> Figure:
    """Draw Dudy and Bedrick's Figure 3: near misses counted."""
    kind = pl.when(MEASURE.str.starts_with("T1:")).then(pl.lit("types")).otherwise(pl.lit("tokens"))
    rows = rows.with_columns(over=kind, k=charts.split_part("measure", "@", 1).cast(pl.Int64))
    x = alt.X("k:Q", scale=alt.Scale(type="log"), title="neighbours that count, k")
    several = len(charts.list_distinct(rows, "setting")) > 1
    dash = charts.make_series(rows, "setting", "similarity") if several else None
    layout = charts.Layout(["dataset", "over"])
    draw = partial(charts.draw_lines, rows, x=x, y="accuracy", colour="model", dash=dash, layout=layout)
    caption = (
        "A guess counts when it is among the k nearest words of the right one; @1 is the word itself. Tokens: share of "
        "words in the text; types: share of different words."
    )
    down, across = ("dataset", "model", "setting"), ("measure",)
    return Figure("soft-match", "Soft matches", caption, draw, rows, down, across)


@shows(EXPERIMENT == "paraphrase", MEASURE == "hits")
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


TOGETHER = ~SETTING.fill_null("").str.starts_with("random:")
"""Random subspaces are shown by their mean."""
SLICE = pl.col("dataset").fill_null("").str.contains("/", literal=True)


@shows(MEASURE.str.contains(NEUTRAL), TOGETHER, ~SLICE)
def neutrality(rows: pl.DataFrame) -> Figure:
    """Draw Dev et al.'s Tables 1, 3, 5, 8, 9 and 15."""
    x, layout = "neutral (1: no biased inference)", charts.Layout(["model", "dataset"])
    draw = partial(charts.draw_dots, rows, y=["measure"], x=x, colour="setting", layout=layout, zero=True)
    caption = (
        "Premise and hypothesis differ only in a word for a person, so neutral is always right. Net neutral: its mean "
        "probability; fraction neutral: how often it wins; threshold: how often its probability is above τ."
    )
    title = "Neutral inferences before and after debiasing"
    down = ("model", "dataset", "measure")
    return Figure("neutrality", title, caption, draw, rows, down, ("setting",), "Dot chart")


@shows(EXPERIMENT == "accuracy", MEASURE == "accuracy")
def accuracy(rows: pl.DataFrame) -> Figure:
    """Draw Dev et al.'s Tables 10, 16 and 17: what debiasing costs."""
    draw = partial(
        charts.draw_dots, rows, y=["dataset"], x="accuracy", colour="setting", layout=charts.Layout(["model"])
    )
    caption = "Accuracy on the benchmark itself: what taking the bias out costs, or gains."
    title, down = "Accuracy of the NLI model", ("model", "dataset")
    return Figure("accuracy", title, caption, draw, rows, down, ("setting",), "Dot chart")


@shows(MEASURE.is_in(GEOMETRIC), SETTING.is_not_null(), TOGETHER)
def before_and_after(rows: pl.DataFrame) -> Figure:
    """Draw every measure of the vectors on the embedding as it was, as it is, and without a random subspace."""
    layout = charts.Layout(["measure", "model"], free="xy")
    draw = partial(charts.draw_dots, rows, y=["dataset"], x="value", colour="setting", layout=layout)
    caption = (
        "The same measures on the embedding as it is and with the bias taken out: tests of bias should come nearer to "
        "0, valence, similarity and analogies should stay. “random”: without random directions, the control."
    )
    down = ("model", "measure", "dataset")
    title = "Before and after debiasing"
    return Figure("debias", title, caption, draw, rows, down, ("setting",), "Dot chart")


@shows(EXPERIMENT == "stability", TOGETHER)
def stability(rows: pl.DataFrame) -> Figure:
    """Draw Dev et al.'s Tables 7 and 12: whether a bias has one direction."""
    layout = charts.Layout(["model"])
    draw = partial(
        charts.draw_dots, rows, y=["dataset"], x="share or cosine", colour="measure", layout=layout, zero=True
    )
    caption = (
        "principal:2nd …: later principal values over the first, small where one direction holds the bias; cosine: "
        "between that direction and the one that is taken out."
    )
    title = "Does the bias have a direction?"
    return Figure("stability", title, caption, draw, rows, ("model", "dataset"), ("measure",), "Dot chart")


@shows(SEVERAL_STEPS, EXPERIMENT == "coverage", MEASURE == "top-1")
def accuracy_by_step(rows: pl.DataFrame) -> Figure:
    """Draw whole words predicted while a model is trained, a line per band of frequency."""
    rows, x = place_by_step(rows)
    by = ("training", "dataset")
    layout, bands = charts.Layout(by, tooltip=by), charts.make_series(rows, "setting", "frequency band")
    draw = partial(charts.draw_lines, rows, x=x, y="share predicted (top-1)", colour=bands, layout=layout)
    caption = (
        "The share of a text’s words that are the model’s first guess, by how frequent they are, after so many steps. "
        "Bands are 95 % intervals."
    )
    return Figure("accuracy-steps", "Words predicted by step", caption, draw, rows, ("dataset", "model"), ("setting",))


TRAINING: tuple[Maker, ...] = (accuracy_by_step,)
PREDICTIONS = (hits, coverage, soft_match, paraphrase)
INFERENCES = (neutrality, accuracy)
DEBIASING = (before_and_after, stability)
