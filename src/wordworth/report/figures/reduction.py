"""Language models reduced to static embeddings: quality by layer, pooling and sentences; bias and its estimators."""

from collections.abc import Iterator

import polars as pl

from wordworth.report.figures.figure import Figure, Spec, by_layer, distinct, dots, lines, series

ESTIMATORS = ("direct-bias", "garg-euclidean", "garg-cosine", "manzini")
ALONE = "alone"


def quality(scores: pl.DataFrame) -> Iterator[Figure]:
    """Similarity of the reduced vectors."""
    own = scores.filter(pl.col("study") != "debias", pl.col("experiment") == "quality")
    for make in (similarity_by_layer, similarity_by_sentences):
        figure = make(own)
        if figure is not None:
            yield figure


def similarity_by_layer(scores: pl.DataFrame) -> Figure | None:
    """Bommasani et al.'s Figures 1 and 3 to 10: every pair of poolings in every layer."""
    rows = scores.filter(
        pl.col("measure") == "similarity",
        pl.col("layer").is_not_null(),
        pl.col("setting").is_in(["aggregated", "decontextualized"]),
    ).with_columns(
        f=pl.col("pooling").str.split("/").list.first(),
        g=pl.col("pooling").str.split("/").list.get(1, null_on_oob=True).fill_null(ALONE),
    )
    if rows.is_empty():
        return None
    transform: list[Spec] = [
        {"calculate": "split(datum.pooling, '/')[0]", "as": "f"},
        {"calculate": f"length(split(datum.pooling, '/')) > 1 ? split(datum.pooling, '/')[1] : '{ALONE}'", "as": "g"},
    ]
    by = ["model", "dataset"]
    spec = lines(
        rows, x=by_layer(), y="similarity: ρ with human ratings", colour=series(rows, "f", "subwords"),
        dash=series(rows, "g", "contexts"), by=by, transform=transform, tooltip=["setting"], columns=2,
    )  # fmt: skip
    caption = (
        "Spearman’s ρ on word pairs. Colour: how the subwords of a word are pooled; dash: how its vectors over many "
        f"sentences are, or “{ALONE}”, the word without a sentence."
    )
    down, across = (*by, "layer"), ("setting", "pooling")
    return Figure(
        "similarity-layers", "Similarity by layer and pooling", caption, spec, rows.drop("f", "g"), down, across
    )


def similarity_by_sentences(scores: pl.DataFrame) -> Figure | None:
    """Bommasani et al.'s Tables 1 and 4 to 7: the best layer by number of sentences."""
    rows = scores.filter(pl.col("measure") == "similarity:best", pl.col("pooling") == "mean/mean")
    settings = distinct(rows, "setting")
    counts = sorted(int(name.partition(":")[2]) for name in settings if ":" in name)
    if not counts:
        return None
    order = [*map(str, counts), "all"]
    made = {"calculate": "datum.setting === 'aggregated' ? 'all' : split(datum.setting, ':')[1]", "as": "sentences"}
    x: Spec = {"field": "sentences", "type": "ordinal", "sort": order, "title": "sentences"}
    x["axis"] = {"labelAngle": 0, "grid": False}
    y = "similarity in the best layer"
    spec = lines(rows, x=x, y=y, colour=series(rows, "dataset"), by=["model"], transform=[made], tooltip=["layer"])
    caption = "How many sentences it takes to reduce a language model to word vectors, mean over subwords and contexts."
    title = "Similarity by number of sentences"
    return Figure("similarity-sentences", title, caption, spec, rows, ("model", "setting"), ("dataset",))


def estimators(scores: pl.DataFrame) -> Iterator[Figure]:
    """Bias by layer, and how far its estimators agree."""
    own = scores.filter(pl.col("study") != "debias")
    for make in (bias_by_layer, bias_of_vectors, agreement, agreement_of_pairs):
        figure = make(own)
        if figure is not None:
            yield figure


def bias_by_layer(scores: pl.DataFrame) -> Figure | None:
    """Bommasani et al.'s Figures 2 and 11 to 18."""
    parts = pl.col("dataset").str.split("/")
    rows = scores.filter(
        pl.col("experiment") == "bias", pl.col("measure").is_in(ESTIMATORS), pl.col("layer").is_not_null()
    ).with_columns(attribute=parts.list.first(), targets=parts.list.last())
    if rows.is_empty():
        return None
    transform: list[Spec] = [
        {"calculate": "split(datum.dataset, '/')[0]", "as": "attribute"},
        {"calculate": "split(datum.dataset, '/')[1]", "as": "targets"},
    ]
    by = ["model", "measure", "targets"]
    spec = lines(
        rows.sort("model_at", "targets", maintain_order=True), x=by_layer(), y="bias",
        colour=series(rows, "attribute"), by=by, transform=transform, columns=4, free="y",
    )  # fmt: skip
    caption = (
        "Each estimator on its own scale: a line that rises in one panel and falls in another is one bias that two "
        "definitions disagree about. Bands are 95 % intervals over resampled words."
    )
    down = ("model", "dataset", "layer")
    kept = rows.drop("attribute", "targets")
    return Figure("bias-layers", "Bias by layer under four estimators", caption, spec, kept, down, ("measure",))


def bias_of_vectors(scores: pl.DataFrame) -> Figure | None:
    """Bommasani et al.'s Tables 3 and 8, first rows: embeddings that have no layers."""
    rows = scores.filter(pl.col("experiment") == "bias", pl.col("measure").is_in(ESTIMATORS), pl.col("layer").is_null())
    if rows.is_empty():
        return None
    spec = dots(rows, y=["dataset"], x="bias", colour=series(rows, "model"), by=["measure"], free="xy")
    caption = "Static embeddings under the same estimators, each on its own scale. Bars are 95 % intervals."
    title = "Bias of static embeddings under four estimators"
    return Figure("bias", title, caption, spec, rows, ("dataset",), ("measure", "model"), "Dot chart")


def agreement(scores: pl.DataFrame) -> Figure | None:
    """The disagreement that the paper sees by eye, as a number."""
    rows = scores.filter(pl.col("measure") == "agreement")
    if rows.is_empty():
        return None
    spec = dots(rows, y=["dataset"], x="mean rank correlation of layers", colour=series(rows, "model"), zero=True)
    caption = (
        "Do estimators of the same bias order a model’s layers alike? 1: always, 0: no more than chance, below 0: they "
        "contradict each other. Bars are 95 % intervals over resampled word lists."
    )
    title = "Agreement of the estimators"
    return Figure("agreement", title, caption, spec, rows, ("dataset",), ("model",), "Dot chart")


def agreement_of_pairs(scores: pl.DataFrame) -> Figure | None:
    """The same, for every two of them."""
    rows = scores.filter(pl.col("measure").str.starts_with("agreement:")).with_columns(
        pair=pl.col("measure").str.strip_prefix("agreement:")
    )
    if rows.is_empty():
        return None
    pair = {"calculate": "replace(datum.measure, 'agreement:', '')", "as": "pair"}
    x = "rank correlation of layers"
    colour = series(rows, "model")
    spec = dots(rows, y=["pair"], x=x, colour=colour, by=["dataset"], transform=[pair], zero=True, free="y")
    caption = "“@pairs”: gender by pairs of words (he, she), else by sets of words. Bars are 95 % intervals."
    title = "Agreement of every two estimators"
    kept = rows.drop("pair")
    return Figure("agreement-pairs", title, caption, spec, kept, ("measure",), ("dataset", "model"), "Dot chart")
