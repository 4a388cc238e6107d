"""Word meaning: the intrinsic tasks of ValNorm, and VAST's figures of valence."""

from collections.abc import Iterator

import polars as pl

from wordworth.report.figures.figure import (
    Figure,
    Series,
    by_components,
    by_layer,
    distinct,
    dots,
    lines,
    names,
    series,
    varying,
)

TASKS = ("valence", "similarity", "analogy")
SETTINGS = ("random", "bleached", "aligned", "misaligned", "decontextualized")


def meaning(scores: pl.DataFrame) -> Iterator[Figure]:
    """All that the scores have data for."""
    own = scores.filter(pl.col("study") != "debias")
    for make in (intrinsic_tasks, corpus_size, valence_by_layer, affects, languages, tokenization, isolation):
        figure = make(own)
        if figure is not None:
            yield figure
    for make in (anisotropy, validation, probes):
        figure = make(own)
        if figure is not None:
            yield figure


def intrinsic_tasks(scores: pl.DataFrame) -> Figure | None:
    """ValNorm's Figure 3: every intrinsic task's score and 95 % interval, a colour a model."""
    rows = scores.filter(
        pl.col("experiment").is_in([*TASKS, "quality"]), pl.col("measure").is_in(TASKS), pl.col("layer").is_null()
    )
    # A task that stands in two runs (valnorm and static) is shown once.
    rows = rows.unique(["model", "language", "dataset", "measure"], maintain_order=True, keep="last")
    rows = rows.sort(pl.col("measure").replace_strict({task: at for at, task in enumerate(TASKS)}), maintain_order=True)
    if rows.is_empty():
        return None
    task = ["measure", "dataset", *varying(rows, ["language"])]
    spec = dots(rows, y=task, x="ρ with human ratings; for analogies accuracy", colour=series(rows, "model"))
    caption = (
        "How far each embedding agrees with people: Pearson’s ρ between the valence of a word (SC-WEAT) and its human "
        "rating, Spearman’s ρ between cosine and rated similarity, share of analogies solved. Bars are 95 % intervals."
    )
    return Figure("intrinsic", "Intrinsic tasks", caption, spec, rows, tuple(task), ("model",), "Dot chart")


def corpus_size(scores: pl.DataFrame) -> Figure | None:
    """ValNorm's Figure 1: the tasks on vectors trained on ever larger samples of a corpus."""
    rows = scores.filter(pl.col("experiment") == "corpus-size", pl.col("measure").is_in(TASKS))
    if rows.is_empty():
        return None
    share = {"calculate": "toNumber(split(split(datum.model, '@')[1], '%')[0])", "as": "share"}
    x = {"field": "share", "type": "quantitative", "title": "percent of the corpus", "scale": {"type": "log"}}
    spec = lines(rows, x=x, y="ρ with human ratings", colour=series(rows, "dataset"), transform=[share])
    caption = "Vectors trained on samples of one corpus: how much text a task needs. Bands are 95 % intervals."
    return Figure("corpus-size", "Quality by size of the corpus", caption, spec, rows, ("model",), ("dataset",))


def _settings(rows: pl.DataFrame) -> Series:
    there = distinct(rows, "setting")
    known = [name for name in SETTINGS if name in there]
    return series(rows, "setting", values=[*known, *(name for name in there if name not in SETTINGS)])


def valence_by_layer(scores: pl.DataFrame) -> Figure | None:
    """VAST's Figure 1: valence by layer, a line a setting, with its 95 % band."""
    rows = scores.filter(pl.col("experiment") == "contextualization", pl.col("measure") == "valence")
    if rows.is_empty():
        return None
    by = ["model", "dataset"]
    y = "valence: ρ with human ratings"
    spec = lines(rows, x=by_layer(), y=y, colour=_settings(rows), by=by, tooltip=by)
    caption = (
        "Pearson’s ρ between a word’s association with pleasant and unpleasant words and its human rating, in every "
        "layer. Where the settings agree, vectors speak of the word; where they part, of its context. Bands are 95 % "
        "intervals."
    )
    title = "Valence by layer and setting"
    return Figure("valence-layers", title, caption, spec, rows, ("model", "dataset", "layer"), ("setting",))


def affects(scores: pl.DataFrame) -> Figure | None:
    """VAST's Figure 6: dominance and arousal beside valence."""
    every = scores.filter(pl.col("experiment") == "contextualization")
    rated = every.filter(pl.col("measure").is_in(["dominance", "arousal"])).select("model", "dataset").unique()
    if rated.is_empty():
        return None
    rows = every.filter(pl.col("measure").is_in(["valence", "dominance", "arousal"]), pl.col("setting") == "bleached")
    rows = rows.join(rated, on=["model", "dataset"], how="semi", maintain_order="left")
    if rows.is_empty():
        return None
    by = ["model", "dataset"]
    spec = lines(rows, x=by_layer(), y="ρ with human ratings", colour=series(rows, "measure"), by=by, tooltip=by)
    caption = "Bleached setting. The three dimensions of affect; valence is the strongest signal in the paper."
    down = ("model", "dataset", "layer")
    return Figure("affects", "Valence, dominance and arousal by layer", caption, spec, rows, down, ("measure",))


def languages(scores: pl.DataFrame) -> Figure | None:
    """VAST's Figures 20 to 22: a multilingual model, language by language."""
    rows = scores.filter(pl.col("experiment") == "languages", pl.col("measure") == "valence")
    if rows.is_empty():
        return None
    by = ["model", "language"]
    y = "valence: ρ with human ratings"
    spec = lines(rows, x=by_layer(), y=y, colour=_settings(rows), by=by, tooltip=["dataset"])
    caption = "Valence by layer and setting in every language for which there is a lexicon. Bands are 95 % intervals."
    down = ("model", "language", "layer")
    return Figure("languages", "Valence by language", caption, spec, rows, down, ("setting",))


def tokenization(scores: pl.DataFrame) -> Figure | None:
    """VAST's Figures 2 and 8: words of one token and of several, by pooling."""
    rows = scores.filter(pl.col("experiment") == "tokenization").with_columns(
        tokens=pl.col("dataset").str.split(":").list.last()
    )
    if rows.is_empty():
        return None
    tokens = {"calculate": "split(datum.dataset, ':')[1]", "as": "tokens"}
    by = ["model", "measure"]
    poolings = distinct(rows, "pooling")
    spec = lines(
        rows, x=by_layer(), y="ρ with human ratings", colour=series(rows, "tokens", "tokens of a word"),
        dash=series(rows, "pooling", "pooling"), by=by, transform=[tokens], columns=2,
    )  # fmt: skip
    caption = (
        "Words that the tokenizer keeps whole against words that it splits, in sets of equal size; a split word is "
        f"represented by {names(poolings)} of its tokens. In panels named multiple-poles the polar words are split too."
    )
    return Figure(
        "tokenization", "Tokenization", caption, spec, rows.drop("tokens"),
        ("model", "measure", "layer"), ("dataset", "pooling"),
    )  # fmt: skip


def isolation(scores: pl.DataFrame) -> Figure | None:
    """VAST's Table 1 and Figure 3: valence by components nullified."""
    rows = scores.filter(pl.col("experiment") == "isolation", pl.col("measure") == "valence")
    if rows.is_empty():
        return None
    x, made = by_components(rows)
    by = ["model", "dataset", "layer"]
    spec = lines(
        rows, x=x, y="valence: ρ with human ratings", colour=_settings(rows), by=by,
        transform=[made], tooltip=by, columns=2,
    )  # fmt: skip
    caption = (
        "The best and the top layer. “raw” is untouched, 0 has the mean subtracted, then the first components are "
        "nullified one by one: what comes back was hidden behind directions that do not speak of the word."
    )
    down = ("model", "dataset", "layer", "pcs")
    return Figure("isolation", "Valence by components nullified", caption, spec, rows, down, ("setting",))


def anisotropy(scores: pl.DataFrame) -> Figure | None:
    """How alike all vectors are, by components nullified."""
    rows = scores.filter(pl.col("experiment") == "isolation", pl.col("measure") == "anisotropy")
    if rows.is_empty():
        return None
    x, made = by_components(rows)
    by = ["model", "dataset", "layer"]
    spec = lines(
        rows, x=x, y="mean cosine of two words", colour=_settings(rows), by=by, transform=[made], tooltip=by,
        columns=2,
    )  # fmt: skip
    caption = "Mean cosine of pairs of words: near 1 all vectors point one way, near 0 they are spread out."
    return Figure("anisotropy", "Anisotropy by components nullified", caption, spec, rows, (*by, "pcs"), ("setting",))


def validation(scores: pl.DataFrame) -> Figure | None:
    """VAST's Figure 4: word similarity by components nullified."""
    rows = scores.filter(pl.col("experiment") == "validation", pl.col("measure") == "similarity")
    if rows.is_empty():
        return None
    x, made = by_components(rows)
    by = ["model", "layer"]
    spec = lines(
        rows,
        x=x,
        y="similarity: ρ with human ratings",
        colour=series(rows, "dataset"),
        by=by,
        transform=[made],
        columns=2,
    )
    caption = "Spearman’s ρ of cosines with rated similarity, bleached, in the best layer for valence and the top one."
    title = "Word similarity by components nullified"
    return Figure("validation", title, caption, spec, rows, (*by, "pcs"), ("dataset",))


def probes(scores: pl.DataFrame) -> Figure | None:
    """VAST's probes: what the top components hold."""
    rows = scores.filter(pl.col("experiment") == "probes").with_columns(
        pl.col("measure").str.split(":").list.first().alias("task"),
        pl.col("measure").str.split(":").list.get(1, null_on_oob=True).fill_null("whole vector").alias("from"),
    )
    if rows.is_empty():
        return None
    x, made = by_components(rows)
    transform = [
        made,
        {"calculate": "split(datum.measure, ':')[0]", "as": "task"},
        {"calculate": "length(split(datum.measure, ':')) > 1 ? split(datum.measure, ':')[1] : 'whole vector'",
         "as": "from"},
    ]  # fmt: skip
    by = ["model", "task", "setting"]
    spec = lines(rows, x=x, y="weighted F1", colour=series(rows, "from"), by=by, transform=transform)
    caption = (
        "Logistic regressions in the top layer: from the whole vector, from the top components alone, and from what "
        "is left without them."
    )
    kept = rows.drop("task", "from")
    return Figure(
        "probes", "What the top components hold", caption, spec, kept, (*by[:1], "setting", "pcs"), ("measure",)
    )
