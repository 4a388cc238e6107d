"""Behaviour: the words that a model predicts, the inferences that it draws, and what debiasing changes."""

import polars as pl

from wordworth.report.figures import charts
from wordworth.report.figures.figure import EXPERIMENT, MEASURE, SETTING, Figure, Spec, shows
from wordworth.report.figures.reduction import ESTIMATORS

NEUTRAL = r"^(net-neutral|fraction-neutral|threshold:[\d.]+)$"
"""Over all pairs; averages by pair and changes are in scores.csv."""
GEOMETRIC = ("weat", "valence", "similarity", "analogy", *ESTIMATORS)
SLICES = 12


@shows(EXPERIMENT == "prediction", MEASURE.str.contains(r"^(top-|T)\d+$"))
def hits(rows: pl.DataFrame) -> Figure:
    """Dudy and Bedrick's Table 1: words and types predicted."""
    layout = charts.Layout(["dataset"])
    spec = charts.dots(rows, y=["measure"], x="share predicted", colour="model", layout=layout, zero=True)
    caption = (
        "top-k: the share of words in a text that are among the model’s k best guesses. Tk: the share of different "
        "words that it ever predicts. A model that says only “the” has a fair top-1 and next to no T1."
    )
    title = "Whole words predicted"
    return Figure("prediction", title, caption, spec, rows, ("dataset", "measure"), ("model",), "Dot chart")


@shows(EXPERIMENT == "coverage", SETTING.is_not_null())
def coverage(rows: pl.DataFrame) -> Figure:
    """Dudy and Bedrick's Figures 1 and 2: by frequency band."""
    models = charts.series(rows, "model")
    bands = charts.distinct(rows, "setting")
    axis = {"labelAngle": 0 if len(bands) < 4 else -40, "grid": False, "labelOverlap": False}
    view: Spec = {
        "height": 190,
        "mark": {"type": "bar"},
        "encoding": {
            "x": {"field": "setting", "type": "nominal", "sort": bands, "title": "frequency band", "axis": axis},
            "xOffset": {"field": "model", "type": "nominal", "sort": models.values},
            "y": {"field": "value", "type": "quantitative", "title": "share predicted"},
            "color": models.channel(charts.COLOURS),
            "opacity": charts.faded(),
            "tooltip": charts.hover("model", "setting", "measure", "value", "low", "high", "n"),
        },
        "params": charts.picked("model"),
    }
    layout = charts.Layout(["dataset", "measure"], columns=4, free="y")
    spec = charts.panels(view, rows, layout, colour=models)
    caption = "top-k over the tokens of a band, Tk over its types: what the model never says is in the rare bands."
    down = ("dataset", "model", "setting")
    return Figure("coverage", "Coverage by frequency band", caption, spec, rows, down, ("measure",), "Bar chart")


@shows(EXPERIMENT.is_in(["confusion", "coverage"]))
def confusion(scores: pl.DataFrame) -> Figure | None:
    """Which band the wrong guesses come from."""
    meant, said = charts.Part("meant", "setting", ">", 0), charts.Part("said", "setting", ">", 1)
    rows, parts = charts.with_parts(scores.filter(EXPERIMENT == "confusion", MEASURE == "share"), meant, said)
    if rows.is_empty():
        return None
    known = charts.distinct(scores.filter(EXPERIMENT == "coverage"), "setting")
    order = [*known, *(band for band in charts.distinct(rows, "said") if band not in known)]
    axis = {"labelAngle": 0, "grid": False, "ticks": False, "domain": False}
    shared = {
        "x": {"field": "said", "type": "nominal", "sort": order, "title": "band of the guess", "axis": axis},
        "y": {"field": "meant", "type": "nominal", "sort": order, "title": "band of the word", "axis": axis},
    }
    strength = {"field": "value", "type": "quantitative", "scale": {"domain": [0, 1], "range": [0.04, 0.75]}}
    over = charts.hover("model", "meant", "said", "value", "n")
    view: Spec = {
        "height": 190,
        "layer": [
            {
                "mark": {"type": "rect", "fill": "var(--c1)"},
                "encoding": {**shared, "opacity": {**strength, "legend": None}, "tooltip": over},
            },
            {
                "mark": {"type": "text", "fill": "var(--ink)", "fontSize": 11},
                "encoding": {**shared, "text": {"field": "value", "type": "quantitative", "format": ".0%"}},
            },
        ],
        "transform": parts,
    }
    spec = charts.panels(view, rows, charts.Layout(["dataset", "model"]))
    caption = "Of the words of a band that were missed, the share for which a word of another band was guessed."
    down = ("dataset", "model", "setting")
    return Figure("confusion", "What is said instead", caption, spec, rows, down, ("measure",), "Heat map")


@shows(EXPERIMENT == "soft-match", MEASURE.str.contains(r"^(T1:)?soft-match@\d+$"))
def soft_match(rows: pl.DataFrame) -> Figure:
    """Dudy and Bedrick's Figure 3: near misses counted."""
    kind = pl.when(MEASURE.str.starts_with("T1:")).then(pl.lit("types")).otherwise(pl.lit("tokens"))
    rows = rows.with_columns(over=kind)
    transform: list[Spec] = [
        {"calculate": "toNumber(split(datum.measure, '@')[1])", "as": "k"},
        {"calculate": "indexof(datum.measure, 'T1:') === 0 ? 'types' : 'tokens'", "as": "over"},
    ]
    x: Spec = {"field": "k", "type": "quantitative", "scale": {"type": "log"}, "title": "neighbours that count, k"}
    dash = charts.series(rows, "setting", "similarity") if len(charts.distinct(rows, "setting")) > 1 else None
    layout = charts.Layout(["dataset", "over"])
    spec = charts.lines(rows, x=x, y="accuracy", colour="model", dash=dash, layout=layout, transform=transform)
    caption = (
        "A guess counts when it is among the k nearest words of the right one; @1 is the word itself. Tokens: share of "
        "words in the text; types: share of different words."
    )
    down, across = ("dataset", "model", "setting"), ("measure",)
    return Figure("soft-match", "Soft matches", caption, spec, rows, down, across)


@shows(EXPERIMENT == "paraphrase", MEASURE == "hits")
def paraphrase(rows: pl.DataFrame) -> Figure:
    """Dudy and Bedrick's Table 2: rare words against common ones."""
    title = "Paraphrases with rare and common words"
    caption = "How often a sentence is closer to its paraphrase than to a sibling, for rare and for common words."
    if rows.get_column("layer").n_unique() > 1:
        spec = charts.lines(rows, x=charts.by_layer(), y="hits", colour="dataset", layout=charts.Layout(["model"]))
        return Figure("paraphrase", title, caption, spec, rows, ("model", "layer"), ("dataset",))
    spec = charts.dots(rows, y=["model"], x="hits", colour="dataset", zero=True)
    return Figure("paraphrase", title, caption, spec, rows, ("model",), ("dataset",), "Dot chart")


TOGETHER = ~SETTING.fill_null("").str.starts_with("random:")
"""Random subspaces are shown by their mean."""
SLICE = pl.col("dataset").fill_null("").str.contains("/", literal=True)


@shows(MEASURE.str.contains(NEUTRAL), TOGETHER, ~SLICE)
def neutrality(rows: pl.DataFrame) -> Figure:
    """Dev et al.'s Tables 1, 3, 5, 8, 9 and 15."""
    x, layout = "neutral (1: no biased inference)", charts.Layout(["model", "dataset"])
    spec = charts.dots(rows, y=["measure"], x=x, colour="setting", layout=layout, zero=True)
    caption = (
        "Premise and hypothesis differ only in a word for a person, so neutral is always right. Net neutral: its mean "
        "probability; fraction neutral: how often it wins; threshold: how often its probability is above τ."
    )
    title = "Neutral inferences before and after debiasing"
    down = ("model", "dataset", "measure")
    return Figure("neutrality", title, caption, spec, rows, down, ("setting",), "Dot chart")


@shows(MEASURE == "net-neutral", TOGETHER, SLICE)
def neutrality_of_slices(sliced: pl.DataFrame) -> Figure:
    """The slices of a probe that are least neutral."""
    probe = pl.col("dataset").str.split("/").list.first()
    first = sliced.filter(SETTING.first().over("model") == SETTING)
    least = first.filter(pl.col("value").rank("ordinal").over("model", probe) <= SLICES).select("model", "dataset")
    rows = sliced.join(least, on=["model", "dataset"], how="semi", maintain_order="left").sort("value")
    colour, layout = charts.series(rows.sort("row"), "setting"), charts.Layout(["model"], free="y")
    spec = charts.dots(rows, y=["dataset"], x="net neutral", colour=colour, layout=layout)
    caption = f"The {SLICES} least neutral slices of each probe; all of them are in scores.csv."
    title = "Least neutral slices"
    return Figure("slices", title, caption, spec, rows, ("model", "dataset"), ("setting",), "Dot chart")


@shows(EXPERIMENT == "accuracy", MEASURE == "accuracy")
def accuracy(rows: pl.DataFrame) -> Figure:
    """Dev et al.'s Tables 10, 16 and 17: what debiasing costs."""
    spec = charts.dots(rows, y=["dataset"], x="accuracy", colour="setting", layout=charts.Layout(["model"]))
    caption = "Accuracy on the benchmark itself: what taking the bias out costs, or gains."
    title, down = "Accuracy of the NLI model", ("model", "dataset")
    return Figure("accuracy", title, caption, spec, rows, down, ("setting",), "Dot chart")


@shows(MEASURE.is_in(GEOMETRIC), SETTING.is_not_null(), TOGETHER)
def before_and_after(rows: pl.DataFrame) -> Figure:
    """Every measure of the vectors on the embedding as it was, as it is, and without a random subspace."""
    layout = charts.Layout(["measure", "model"], free="xy")
    spec = charts.dots(rows, y=["dataset"], x="value", colour="setting", layout=layout)
    caption = (
        "The same measures on the embedding as it is and with the bias taken out: tests of bias should come nearer to "
        "0, valence, similarity and analogies should stay. “random”: without random directions, the control."
    )
    down = ("model", "measure", "dataset")
    title = "Before and after debiasing"
    return Figure("debias", title, caption, spec, rows, down, ("setting",), "Dot chart")


@shows(EXPERIMENT == "stability", TOGETHER)
def stability(rows: pl.DataFrame) -> Figure:
    """Dev et al.'s Tables 7 and 12: whether a bias has one direction."""
    layout = charts.Layout(["model"])
    spec = charts.dots(rows, y=["dataset"], x="share or cosine", colour="measure", layout=layout, zero=True)
    caption = (
        "principal:2nd …: later principal values over the first, small where one direction holds the bias; cosine: "
        "between that direction and the one that is taken out."
    )
    title = "Does the bias have a direction?"
    return Figure("stability", title, caption, spec, rows, ("model", "dataset"), ("measure",), "Dot chart")


PREDICTIONS = (hits, coverage, confusion, soft_match, paraphrase)
INFERENCES = (neutrality, neutrality_of_slices, accuracy)
DEBIASING = (before_and_after, stability)
