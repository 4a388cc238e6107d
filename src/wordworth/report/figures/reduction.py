"""Language models reduced to static embeddings: quality by layer, pooling and sentences; bias and its estimators."""

import polars as pl

from wordworth.report.figures import charts
from wordworth.report.figures.figure import EXPERIMENT, LAYER, MEASURE, SETTING, Figure, Spec, shows

ESTIMATORS = (
    *("direct-bias", "direct-bias:centred", "garg-euclidean", "garg-cosine", "manzini", "manzini:centroid"),
    *("ripa", "mac", "ect", "rnsb"),
)
"""In the order of a figure: the paper's with their variants, then those beside them."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ALONE = "alone"


@shows(
    EXPERIMENT == "quality",
    MEASURE == "similarity",
    LAYER.is_not_null(),
    SETTING.is_in(["aggregated", "decontextualized"]),
)
def similarity_by_layer(rows: pl.DataFrame) -> Figure:
    """Bommasani et al.'s Figures 1 and 3 to 10: every pair of poolings in every layer."""
    contexts = charts.Part("g", "pooling", "/", 1, ALONE)
    rows, parts = charts.with_parts(rows, charts.Part("f", "pooling", "/", 0), contexts)
    by = ("model", "dataset")
    spec = charts.lines(
        rows,
        x=charts.by_layer(),
        y="similarity: ρ with human ratings",
        colour=charts.series(rows, "f", "subwords"),
        dash=charts.series(rows, "g", "contexts"),
        layout=charts.Layout(by, columns=2, tooltip=["setting"]),
        transform=parts,
    )
    caption = (
        "Spearman’s ρ on word pairs. Colour: how the subwords of a word are pooled; dash: how its vectors over many "
        f"sentences are, or “{ALONE}”, the word without a sentence."
    )
    title, across = "Similarity by layer and pooling", ("setting", "pooling")
    return Figure("similarity-layers", title, caption, spec, rows, (*by, "layer"), across)


@shows(EXPERIMENT == "quality", MEASURE == "similarity:best", pl.col("pooling") == "mean/mean")
def similarity_by_sentences(rows: pl.DataFrame) -> Figure | None:
    """Bommasani et al.'s Tables 1 and 4 to 7: the best layer by number of sentences."""
    counts = sorted(int(name.partition(":")[2]) for name in charts.distinct(rows, "setting") if ":" in name)
    if not counts:
        return None
    count = "datum.setting === 'aggregated' ? 'all' : split(datum.setting, ':')[1]"
    x: Spec = {"field": "sentences", "type": "ordinal", "sort": [*map(str, counts), "all"], "title": "sentences"}
    x["axis"] = {"labelAngle": 0, "grid": False}
    spec = charts.lines(
        rows,
        x=x,
        y="similarity in the best layer",
        colour="dataset",
        layout=charts.Layout(["model"], tooltip=["layer"]),
        transform=[{"calculate": count, "as": "sentences"}],
    )
    caption = "How many sentences it takes to reduce a language model to word vectors, mean over subwords and contexts."
    title = "Similarity by number of sentences"
    return Figure("similarity-sentences", title, caption, spec, rows, ("model", "setting"), ("dataset",))


PLACE = MEASURE.replace_strict({name: at for at, name in enumerate(ESTIMATORS)}, return_dtype=pl.Int64)


def _under(rows: pl.DataFrame) -> str:
    """“under ten estimators”: as many as there are."""
    count = rows.get_column("measure").n_unique()
    return f"under {NUMBERS[count]} estimator{'' if count == 1 else 's'}"


def _reversed(rows: pl.DataFrame) -> str:
    """What a reader must know of the estimators that are not 0 where there is no bias."""
    there = [name for name in ("mac", "ect") if name in rows["measure"]]
    return f" Of {' and '.join(there)} 1 is no bias, of the others 0." if there else ""


@shows(EXPERIMENT == "bias", MEASURE.is_in(ESTIMATORS), LAYER.is_not_null())
def bias_by_layer(rows: pl.DataFrame) -> Figure:
    """Bommasani et al.'s Figures 2 and 11 to 18."""
    attribute, targets = charts.Part("attribute", "dataset", "/", 0), charts.Part("targets", "dataset", "/", 1)
    rows, parts = charts.with_parts(rows, attribute, targets)
    spec = charts.lines(
        rows.sort("model_at", PLACE, "targets", maintain_order=True),
        x=charts.by_layer(),
        y="bias",
        colour=charts.series(rows, "attribute"),
        layout=charts.Layout(("model", "measure", "targets"), columns=4, free="y"),
        transform=parts,
    )
    caption = (
        "Each estimator on its own scale: a line that rises in one panel and falls in another is one bias that two "
        f"definitions disagree about.{_reversed(rows)} Bands are 95 % intervals over resampled words."
    )
    title, down = f"Bias by layer {_under(rows)}", ("model", "dataset", "layer")
    return Figure("bias-layers", title, caption, spec, rows, down, ("measure",))


@shows(EXPERIMENT == "bias", MEASURE.is_in(ESTIMATORS), LAYER.is_null())
def bias_of_vectors(rows: pl.DataFrame) -> Figure:
    """Bommasani et al.'s Tables 3 and 8, first rows: embeddings that have no layers."""
    layout = charts.Layout(["measure"], free="xy")
    rows = rows.sort(PLACE, maintain_order=True)
    spec = charts.dots(rows, y=["dataset"], x="bias", colour="model", layout=layout)
    caption = f"Embeddings without layers, each estimator on its own scale.{_reversed(rows)} Bars are 95 % intervals."
    title = f"Bias of static embeddings {_under(rows)}"
    return Figure("bias", title, caption, spec, rows, ("dataset",), ("measure", "model"), "Dot chart")


@shows(MEASURE == "agreement")
def agreement(rows: pl.DataFrame) -> Figure:
    """The disagreement that the paper sees by eye, as a number."""
    spec = charts.dots(rows, y=["dataset"], x="mean rank correlation of layers", colour="model", zero=True)
    caption = (
        "Do estimators of the same bias order a model’s layers alike? 1: always, 0: no more than chance, below 0: they "
        "contradict each other. Bars are 95 % intervals over resampled word lists."
    )
    title = "Agreement of the estimators"
    return Figure("agreement", title, caption, spec, rows, ("dataset",), ("model",), "Dot chart")


@shows(MEASURE.str.starts_with("agreement:"))
def agreement_of_pairs(rows: pl.DataFrame) -> Figure:
    """The same, for every two of them."""
    rows = rows.with_columns(pair=MEASURE.str.strip_prefix("agreement:"))
    pair = {"calculate": "replace(datum.measure, 'agreement:', '')", "as": "pair"}
    layout = charts.Layout(["dataset"], free="y")
    x = "rank correlation of layers"
    spec = charts.dots(rows, y=["pair"], x=x, colour="model", layout=layout, transform=[pair], zero=True)
    caption = "“@pairs”: gender by pairs of words (he, she), else by sets of words. Bars are 95 % intervals."
    title = "Agreement of every two estimators"
    return Figure("agreement-pairs", title, caption, spec, rows, ("measure",), ("dataset", "model"), "Dot chart")


QUALITY = (similarity_by_layer, similarity_by_sentences)
BIAS = (bias_by_layer, bias_of_vectors, agreement, agreement_of_pairs)
