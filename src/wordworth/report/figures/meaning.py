"""Word meaning: the intrinsic tasks of ValNorm, and VAST's figures of valence."""

from dataclasses import replace

import polars as pl

from wordworth.report.figures import charts
from wordworth.report.figures.figure import EXPERIMENT, LAYER, MEASURE, SETTING, Figure, Maker, Spec, shows
from wordworth.report.naming import listed

TASKS = ("valence", "similarity", "analogy")
SETTINGS = ("random", "bleached", "aligned", "misaligned", "decontextualized")
RATED = "ρ with human ratings"


@shows(EXPERIMENT.is_in([*TASKS, "quality"]), MEASURE.is_in(TASKS), LAYER.is_null())
def intrinsic_tasks(rows: pl.DataFrame) -> Figure:
    """ValNorm's Figure 3: every intrinsic task's score and 95 % interval, a colour a model."""
    # A task that stands in two runs (valnorm and static) is shown once.
    rows = rows.unique(["model", "language", "dataset", "measure"], maintain_order=True, keep="last")
    rows = rows.sort(MEASURE.replace_strict({task: at for at, task in enumerate(TASKS)}), maintain_order=True)
    task = ["measure", "dataset", *charts.varying(rows, ["language"])]
    rows, counts = charts.counted(rows, task)
    x = RATED + ("; for analogies accuracy" if "analogy" in rows["measure"] else "")
    spec = charts.dots(rows, y=[*task, "count"], x=x, colour="model", transform=counts)
    caption = (
        "How far each embedding agrees with people: Pearson’s ρ between the valence of a word (SC-WEAT) and its human "
        "rating, Spearman’s ρ between cosine and rated similarity, share of analogies solved. Bars are 95 % intervals."
    )
    return Figure("intrinsic", "Intrinsic tasks", caption, spec, rows, tuple(task), ("model",), "Dot chart")


CORPUS = charts.Part("corpus", "model", "@", 0)


@shows(EXPERIMENT == "corpus-size", MEASURE.is_in(TASKS))
def corpus_size(rows: pl.DataFrame) -> Figure | None:
    """ValNorm's Figure 1: the tasks on vectors trained on ever larger samples of a corpus."""
    rows, corpus = charts.with_parts(rows, CORPUS)
    rows = rows.filter(pl.col("model").n_unique().over("corpus") > 1)
    if rows.is_empty():
        return None
    share = {"calculate": "toNumber(split(split(datum.model, '@')[1], '%')[0])", "as": "share"}
    x = {"field": "share", "type": "quantitative", "title": "percent of the corpus", "scale": {"type": "log"}}
    layout = charts.Layout(["corpus"])
    spec = charts.lines(rows, x=x, y=RATED, colour="dataset", layout=layout, transform=[*corpus, share])
    caption = "Vectors trained on samples of one corpus: how much text a task needs. Bands are 95 % intervals."
    return Figure("corpus-size", "Quality by size of the corpus", caption, spec, rows, ("model",), ("dataset",))


@shows(EXPERIMENT == "corpus-size", MEASURE.is_in(TASKS), pl.col("model").str.ends_with("@100%"))
def by_corpus(rows: pl.DataFrame) -> Figure | None:
    """ValNorm's Figure 2, of vectors trained here: the tasks on whole texts side by side, such as slices of a time."""
    rows, corpus = charts.with_parts(rows, CORPUS)
    if rows.get_column("corpus").n_unique() < 2:
        return None
    rows = rows.sort("corpus", maintain_order=True)
    x: Spec = {"field": "corpus", "type": "ordinal", "title": None}
    x["axis"] = {"labelAngle": -90, "grid": False, **charts.NEVER_CUT}
    layout = charts.Layout(["measure"], tooltip=["corpus"])
    spec = charts.lines(rows, x=x, y=RATED, colour="dataset", layout=layout, transform=corpus)
    caption = "Vectors trained on each text: whether a task finds the same in all. Bands are 95 % intervals."
    return Figure("by-corpus", "Quality by text", caption, spec, rows, ("model",), ("dataset",))


def _settings(rows: pl.DataFrame) -> charts.Series:
    there = charts.distinct(rows, "setting")
    known = [name for name in SETTINGS if name in there]
    return charts.series(rows, "setting", values=[*known, *(name for name in there if name not in SETTINGS)])


UNTRAINED = (MEASURE == "valence:control") & SETTING.str.starts_with("untrained:")
"""The same network with random weights, in every setting."""


def _ends(rows: pl.DataFrame) -> tuple[float, float]:
    """The ends of an axis that holds these values and their intervals, with room for a line of text at each."""
    low, high = rows.select(
        pl.min_horizontal("value", "low").min().alias("low"), pl.max_horizontal("value", "high").max().alias("high")
    ).row(0)
    room = 0.08 * (high - low) or 0.05
    return round(low - room, 3), round(high + room, 3)


@shows(((EXPERIMENT == "contextualization") & (MEASURE == "valence")) | UNTRAINED)
def valence_by_layer(rows: pl.DataFrame) -> Figure | None:
    """VAST's Figure 1: valence by layer, a line a setting, with its 95 % band; the untrained network a thin one."""
    by = ("model", "dataset")
    trained = rows.filter(~UNTRAINED)
    if trained.is_empty():
        return None
    context = {"calculate": "peek(split(datum.setting, ':'))", "as": "context"}
    control = {"calculate": "datum.experiment === 'control'", "as": charts.CONTROL}
    controlled = len(trained) < len(rows)
    spec = charts.lines(
        rows,
        x=charts.by_layer(),
        y=f"valence: {RATED}",
        colour=replace(_settings(trained), field="context"),
        layout=charts.Layout(by, tooltip=("setting", *by), between=_ends(trained) if controlled else None),
        transform=[context, *([control] if controlled else [])],
    )
    caption = (
        "Pearson’s ρ between a word’s association with pleasant and unpleasant words and its human rating, in every "
        "layer. Where the settings agree, vectors speak of the word; where they part, of its context. Bands are 95 % "
        "intervals."
    )
    if controlled:
        caption += (
            " Thin lines are the same network with random weights: what the texts alone give away. The axis is that of "
            "the trained network; where the untrained one lies beyond it, its values are written there."
        )
    title = "Valence by layer and setting"
    return Figure("valence-layers", title, caption, spec, rows, (*by, "layer"), ("setting",))


@shows(EXPERIMENT == "contextualization", SETTING == "bleached")
def affects(rows: pl.DataFrame) -> Figure | None:
    """VAST's Figure 6: dominance and arousal beside valence."""
    others = MEASURE.is_in(["dominance", "arousal"])
    by = ("model", "dataset")
    rows = rows.filter(others.any().over(by), others | (MEASURE == "valence"))
    if rows.is_empty():
        return None
    spec = charts.lines(rows, x=charts.by_layer(), y=RATED, colour="measure", layout=charts.Layout(by, tooltip=by))
    caption = "Bleached setting. The three dimensions of affect; valence is the strongest signal in the paper."
    title = "Valence, dominance and arousal by layer"
    return Figure("affects", title, caption, spec, rows, (*by, "layer"), ("measure",))


@shows(EXPERIMENT == "languages", MEASURE == "valence")
def languages(rows: pl.DataFrame) -> Figure:
    """VAST's Figures 20 to 22: a multilingual model, language by language."""
    by = ("model", "language")
    layout = charts.Layout(by, tooltip=["dataset"])
    spec = charts.lines(rows, x=charts.by_layer(), y=f"valence: {RATED}", colour=_settings(rows), layout=layout)
    caption = "Valence by layer and setting in every language for which there is a lexicon. Bands are 95 % intervals."
    return Figure("languages", "Valence by language", caption, spec, rows, (*by, "layer"), ("setting",))


@shows(EXPERIMENT == "tokenization")
def tokenization(rows: pl.DataFrame) -> Figure:
    """VAST's Figures 2 and 8: words of one token and of several, by pooling."""
    rows, tokens = charts.with_parts(rows, charts.Part("tokens", "dataset", ":", 1))
    by = ("model", "measure", "setting")
    spec = charts.lines(
        rows,
        x=charts.by_layer(),
        y=RATED,
        colour=charts.series(rows, "tokens", "tokens of a word"),
        dash=charts.series(rows, "pooling", "pooling"),
        layout=charts.Layout(by, columns=2),
        transform=tokens,
    )
    caption = (
        "Words that the tokenizer keeps whole against words that it splits, in sets of equal size; a split word is "
        f"represented by {listed(charts.distinct(rows, 'pooling'))} of its tokens. In panels named "
        "multiple-poles the polar words are split too."
    )
    return Figure("tokenization", "Tokenization", caption, spec, rows, (*by, "layer"), ("dataset", "pooling"))


@shows(EXPERIMENT == "isolation", MEASURE == "valence")
def isolation(rows: pl.DataFrame) -> Figure:
    """VAST's Table 1 and Figure 3: valence by components nullified."""
    x, components = charts.by_components(rows)
    by = ("model", "dataset", "layer")
    layout = charts.Layout(by, columns=2, tooltip=by)
    spec = charts.lines(rows, x=x, y=f"valence: {RATED}", colour=_settings(rows), layout=layout, transform=[components])
    caption = (
        "The best and the top layer. “raw” is untouched, 0 has the mean subtracted, then the first components are "
        "nullified one by one: what comes back was hidden behind directions that do not speak of the word."
    )
    return Figure("isolation", "Valence by components nullified", caption, spec, rows, (*by, "pcs"), ("setting",))


@shows(EXPERIMENT == "isolation", MEASURE == "anisotropy")
def anisotropy(rows: pl.DataFrame) -> Figure:
    """How alike all vectors are, by components nullified."""
    x, components = charts.by_components(rows)
    by = ("model", "dataset", "layer")
    layout = charts.Layout(by, columns=2, tooltip=by)
    y = "mean cosine of two words"
    spec = charts.lines(rows, x=x, y=y, colour=_settings(rows), layout=layout, transform=[components])
    caption = "Mean cosine of pairs of words: near 1 all vectors point one way, near 0 they are spread out."
    return Figure("anisotropy", "Anisotropy by components nullified", caption, spec, rows, (*by, "pcs"), ("setting",))


@shows(EXPERIMENT == "validation", MEASURE == "similarity")
def validation(rows: pl.DataFrame) -> Figure:
    """VAST's Figure 4: word similarity by components nullified."""
    x, components = charts.by_components(rows)
    by = ("model", "layer")
    layout = charts.Layout(by, columns=2)
    spec = charts.lines(rows, x=x, y=f"similarity: {RATED}", colour="dataset", layout=layout, transform=[components])
    caption = "Spearman’s ρ of cosines with rated similarity, bleached, in the best layer for valence and the top one."
    title = "Word similarity by components nullified"
    return Figure("validation", title, caption, spec, rows, (*by, "pcs"), ("dataset",))


@shows(EXPERIMENT == "probes")
def probes(rows: pl.DataFrame) -> Figure:
    """VAST's probes: what the top components hold."""
    source = charts.Part("from", "measure", ":", 1, "whole vector")
    rows, parts = charts.with_parts(rows, charts.Part("task", "measure", ":", 0), source)
    x, components = charts.by_components(rows)
    layout = charts.Layout(("model", "task", "setting"))
    spec = charts.lines(rows, x=x, y="weighted F1", colour="from", layout=layout, transform=[components, *parts])
    caption = (
        "Logistic regressions in the top layer: from the whole vector, from the top components alone, and from what "
        "is left without them."
    )
    title, down = "What the top components hold", ("model", "setting", "pcs")
    return Figure("probes", title, caption, spec, rows, down, ("measure",))


FIGURES: tuple[Maker, ...] = (
    intrinsic_tasks,
    corpus_size,
    by_corpus,
    valence_by_layer,
    affects,
    languages,
    tokenization,
    isolation,
    anisotropy,
    validation,
    probes,
)
