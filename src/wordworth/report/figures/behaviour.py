"""Behaviour: the words that a model predicts, the inferences that it draws, and what debiasing changes."""

from collections.abc import Iterator

import polars as pl

from wordworth.report.figures.figure import (
    COLOURS,
    Figure,
    Spec,
    by_layer,
    distinct,
    dots,
    faded,
    hover,
    lines,
    panels,
    picked,
    series,
)

NEUTRAL = ("net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7")
SLICES = 12


def predictions(scores: pl.DataFrame) -> Iterator[Figure]:
    """Whole words predicted."""
    for make in (hits, coverage, soft_match, paraphrase):
        figure = make(scores)
        if figure is not None:
            yield figure


def hits(scores: pl.DataFrame) -> Figure | None:
    """Dudy and Bedrick's Table 1: words and types predicted."""
    counted = pl.col("measure").str.contains(r"^(top-|T)\d+$")
    rows = scores.filter(pl.col("experiment") == "prediction", counted)
    if rows.is_empty():
        return None
    spec = dots(rows, y=["measure"], x="share predicted", colour=series(rows, "model"), by=["dataset"], zero=True)
    caption = (
        "top-k: the share of words in a text that are among the model’s k best guesses. Tk: the share of different "
        "words that it ever predicts. A model that says only “the” has a fair top-1 and next to no T1."
    )
    title = "Whole words predicted"
    return Figure("prediction", title, caption, spec, rows, ("dataset", "measure"), ("model",), "Dot chart")


def coverage(scores: pl.DataFrame) -> Figure | None:
    """Dudy and Bedrick's Figures 1 and 2: by frequency band."""
    rows = scores.filter(pl.col("experiment") == "coverage", pl.col("setting").is_not_null())
    if rows.is_empty():
        return None
    models = series(rows, "model")
    bands = distinct(rows, "setting")
    axis = {"labelAngle": 0, "grid": False}
    view: Spec = {
        "height": 190,
        "mark": {"type": "bar"},
        "encoding": {
            "x": {"field": "setting", "type": "nominal", "sort": bands, "title": "frequency band", "axis": axis},
            "xOffset": {"field": "model", "type": "nominal", "sort": models.values},
            "y": {"field": "value", "type": "quantitative", "title": "share predicted"},
            "color": models.channel(COLOURS),
            "opacity": faded(),
            "tooltip": hover("model", "setting", "measure", "value", "low", "high", "n"),
        },
        "params": picked("model"),
    }
    spec = panels(view, rows, ["dataset", "measure"], columns=4, free="y")
    caption = "top-k over the tokens of a band, Tk over its types: what the model never says is in the rare bands."
    down = ("dataset", "model", "setting")
    return Figure("coverage", "Coverage by frequency band", caption, spec, rows, down, ("measure",), "Bar chart")


def soft_match(scores: pl.DataFrame) -> Figure | None:
    """Dudy and Bedrick's Figure 3: near misses counted."""
    rows = scores.filter(pl.col("experiment") == "soft-match", pl.col("measure").str.starts_with("soft-match@"))
    if rows.is_empty():
        return None
    made = {"calculate": "toNumber(split(datum.measure, '@')[1])", "as": "k"}
    x: Spec = {"field": "k", "type": "quantitative", "scale": {"type": "log"}, "title": "neighbours that count, k"}
    dash = series(rows, "setting", "similarity") if len(distinct(rows, "setting")) > 1 else None
    colour = series(rows, "model")
    spec = lines(rows, x=x, y="accuracy", colour=colour, dash=dash, by=["dataset"], transform=[made])
    caption = "A guess counts when it is among the k nearest words of the right one; @1 is the word itself."
    down, across = ("dataset", "model", "setting"), ("measure",)
    return Figure("soft-match", "Soft matches", caption, spec, rows, down, across)


def paraphrase(scores: pl.DataFrame) -> Figure | None:
    """Dudy and Bedrick's Table 2: rare words against common ones."""
    rows = scores.filter(pl.col("experiment") == "paraphrase", pl.col("measure") == "hits")
    if rows.is_empty():
        return None
    title = "Paraphrases with rare and common words"
    caption = "How often a sentence is closer to its paraphrase than to a sibling, for rare and for common words."
    if rows.get_column("layer").is_not_null().any():
        spec = lines(rows, x=by_layer(), y="hits", colour=series(rows, "dataset"), by=["model"])
        return Figure("paraphrase", title, caption, spec, rows, ("model", "layer"), ("dataset",))
    spec = dots(rows, y=["model"], x="hits", colour=series(rows, "dataset"), zero=True)
    return Figure("paraphrase", title, caption, spec, rows, ("model",), ("dataset",), "Dot chart")


def inferences(scores: pl.DataFrame) -> Iterator[Figure]:
    """What an NLI model infers from a group's name."""
    for make in (neutrality, neutrality_of_slices, accuracy):
        figure = make(scores)
        if figure is not None:
            yield figure


def _neutral(scores: pl.DataFrame) -> pl.DataFrame:
    single = pl.col("setting").fill_null("").str.starts_with("random:")
    return scores.filter(pl.col("measure").is_in(NEUTRAL), ~single)


def neutrality(scores: pl.DataFrame) -> Figure | None:
    """Dev et al.'s Tables 1, 3, 5, 8, 9 and 15."""
    rows = _neutral(scores).filter(~pl.col("dataset").fill_null("").str.contains("/", literal=True))
    if rows.is_empty():
        return None
    spec = dots(
        rows,
        y=["measure"],
        x="neutral (1: no biased inference)",
        colour=series(rows, "setting"),
        by=["model", "dataset"],
        zero=True,
    )
    caption = (
        "Premise and hypothesis differ only in a word for a person, so neutral is always right. Net neutral: its mean "
        "probability; fraction neutral: how often it wins; threshold: how often its probability is above τ."
    )
    title = "Neutral inferences before and after debiasing"
    down = ("model", "dataset", "measure")
    return Figure("neutrality", title, caption, spec, rows, down, ("setting",), "Dot chart")


def neutrality_of_slices(scores: pl.DataFrame) -> Figure | None:
    """The slices of a probe that are least neutral."""
    sliced = _neutral(scores).filter(
        pl.col("dataset").str.contains("/", literal=True), pl.col("measure") == "net-neutral"
    )
    if sliced.is_empty():
        return None
    probe = pl.col("dataset").str.split("/").list.first()
    first = sliced.filter(pl.col("setting") == pl.col("setting").first().over("model"))
    least = first.filter(pl.col("value").rank("ordinal").over("model", probe) <= SLICES).select("model", "dataset")
    rows = sliced.join(least, on=["model", "dataset"], how="semi", maintain_order="left").sort("value")
    spec = dots(rows, y=["dataset"], x="net neutral", colour=series(rows, "setting"), by=["model"], free="y")
    caption = f"The {SLICES} least neutral slices of each probe; all of them are in scores.csv."
    title = "Least neutral slices"
    return Figure("slices", title, caption, spec, rows, ("model", "dataset"), ("setting",), "Dot chart")


def accuracy(scores: pl.DataFrame) -> Figure | None:
    """Dev et al.'s Tables 10, 16 and 17: what debiasing costs."""
    rows = scores.filter(pl.col("experiment") == "accuracy", pl.col("measure") == "accuracy")
    if rows.is_empty():
        return None
    spec = dots(rows, y=["dataset"], x="accuracy", colour=series(rows, "setting"), by=["model"])
    caption = "Accuracy on the benchmark itself: what taking the bias out costs, or gains."
    return Figure(
        "accuracy", "Accuracy of the NLI model", caption, spec, rows, ("model", "dataset"), ("setting",), "Dot chart"
    )


def debiasing(scores: pl.DataFrame) -> Iterator[Figure]:
    """What debiasing an embedding changes: bias on one side, meaning on the other."""
    rows = scores.filter(
        pl.col("study") == "debias",
        ~pl.col("measure").is_in([*NEUTRAL, "accuracy", "coverage"]),
        pl.col("layer").is_null(),
    )
    if rows.is_empty():
        return
    spec = dots(
        rows,
        y=["dataset"],
        x="value",
        colour=series(rows, "setting"),
        by=["measure", "model"],
        tooltip=["measure"],
        free="xy",
    )
    caption = (
        "The same measures on the embedding as it is and with the bias taken out: tests of bias should fall, valence, "
        "similarity and analogies should stay. Bars are 95 % intervals."
    )
    down = ("model", "measure", "dataset")
    yield Figure("debias", "Before and after debiasing", caption, spec, rows, down, ("setting",), "Dot chart")
