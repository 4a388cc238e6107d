"""Draw word meaning: intrinsic tasks, valence and similarity by layer, languages side by side, models in training."""

from functools import partial

import altair as alt
import polars as pl

from wordworth.pages.figures import charts
from wordworth.pages.figures.figure import EXPERIMENT, LAYER, MEASURE, SETTING, Figure, Maker, shows
from wordworth.pages.runs import STEP, TRAINED
from wordworth.results.numbers import format_list

TASKS = ("valence", "similarity", "analogy")
LANGUAGE_TASKS = ("valence", "similarity", "weat")
SETTINGS = ("random", "bleached", "aligned", "misaligned", "decontextualized")
RATED = "ρ with human ratings"
ALONE = "alone"


@shows(EXPERIMENT.is_in([*TASKS, "quality"]), MEASURE.is_in(TASKS), LAYER.is_null())
def intrinsic_tasks(rows: pl.DataFrame) -> Figure:
    """Draw ValNorm's Figure 3: every intrinsic task's score and 95 % interval, a colour per model."""
    # A task that is in two runs (valnorm and static) is shown once.
    rows = rows.unique(["model", "language", "dataset", "measure"], maintain_order=True, keep="last")
    rows = rows.sort(MEASURE.replace_strict({task: at for at, task in enumerate(TASKS)}), maintain_order=True)
    task = ["measure", "dataset", *charts.find_varying(rows, ["language"])]
    rows = charts.add_counts(rows, task)
    x = RATED + ("; for analogies accuracy" if "analogy" in rows["measure"] else "")
    draw = partial(charts.draw_dots, rows, y=[*task, "count"], x=x, colour="model")
    caption = (
        "How far each embedding agrees with people: Pearson’s ρ between the valence of a word (SC-WEAT) and its human "
        "rating, Spearman’s ρ between cosine and rated similarity, share of analogies solved. Bars are 95 % intervals."
    )
    return Figure("intrinsic", "Intrinsic tasks", caption, draw, rows, tuple(task), ("model",), "Dot chart")


CORPUS = charts.split_part("model", "@", 0)


@shows(EXPERIMENT == "corpus-size", MEASURE.is_in(TASKS))
def corpus_size(rows: pl.DataFrame) -> Figure | None:
    """Draw ValNorm's Figure 1: the tasks on vectors trained on ever larger samples of a corpus."""
    share = charts.split_part("model", "@", 1).str.strip_suffix("%").cast(pl.Float64, strict=False)
    rows = rows.with_columns(corpus=CORPUS, share=share).filter(pl.col("model").n_unique().over("corpus") > 1)
    if rows.is_empty():
        return None
    x = alt.X("share:Q", title="percent of the corpus", scale=alt.Scale(type="log"))
    draw = partial(charts.draw_lines, rows, x=x, y=RATED, colour="dataset", layout=charts.Layout(["corpus"]))
    caption = "Vectors trained on samples of one corpus: how much text a task needs. Bands are 95 % intervals."
    return Figure("corpus-size", "Quality by size of the corpus", caption, draw, rows, ("model",), ("dataset",))


@shows(EXPERIMENT == "corpus-size", MEASURE.is_in(TASKS), pl.col("model").str.ends_with("@100%"))
def by_corpus(rows: pl.DataFrame) -> Figure | None:
    """Draw ValNorm's Figure 2, of vectors trained here: whole texts side by side, such as slices of a time."""
    rows = rows.with_columns(corpus=CORPUS).sort("corpus", maintain_order=True)
    if rows.get_column("corpus").n_unique() < 2:
        return None
    x = alt.X("corpus:O", title=None, axis=alt.Axis(labelAngle=-90, grid=False, labelLimit=0))
    layout = charts.Layout(["measure"], tooltip=["corpus"])
    draw = partial(charts.draw_lines, rows, x=x, y=RATED, colour="dataset", layout=layout)
    caption = "Vectors trained on each text: whether a task finds the same in all. Bands are 95 % intervals."
    return Figure("by-corpus", "Quality by text", caption, draw, rows, ("model",), ("dataset",))


def _order_settings(rows: pl.DataFrame, field: str = "setting") -> charts.Series:
    names = charts.list_distinct(rows, "setting")
    order = [name for name in SETTINGS if name in names]
    return charts.make_series(rows, field, values=[*order, *(name for name in names if name not in SETTINGS)])


UNTRAINED = (MEASURE == "valence:control") & SETTING.str.starts_with("untrained:")
"""The same network with random weights, in every setting."""


@shows(((EXPERIMENT == "contextualization") & (MEASURE == "valence")) | UNTRAINED)
def valence_by_layer(rows: pl.DataFrame) -> Figure | None:
    """Draw VAST's Figure 1: valence by layer, a line per setting with its 95 % band; untrained networks thin."""
    by = ("model", "dataset")
    trained = rows.filter(~UNTRAINED)
    if trained.is_empty():
        return None
    rows = rows.with_columns(context=SETTING.str.split(":").list.last())
    caption = (
        "Pearson’s ρ between a word’s association with pleasant and unpleasant words and its human rating, in every "
        "layer. Where the settings agree, vectors speak of the word; where they part, of its context. Bands are 95 % "
        "intervals."
    )
    if len(trained) < len(rows):
        rows = rows.with_columns((EXPERIMENT == "control").alias(charts.CONTROL))
        caption += " Thin lines are the same network with random weights: what the texts alone give away."
    layout = charts.Layout(by, tooltip=("setting", *by))
    x, colour = charts.place_by_layer(), _order_settings(trained, "context")
    draw = partial(charts.draw_lines, rows, x=x, y=f"valence: {RATED}", colour=colour, layout=layout)
    title = "Valence by layer and setting"
    return Figure("valence-layers", title, caption, draw, rows, (*by, "layer"), ("setting",))


@shows(EXPERIMENT == "contextualization", SETTING == "bleached")
def affects(rows: pl.DataFrame) -> Figure | None:
    """Draw VAST's Figure 6: dominance and arousal next to valence."""
    others = MEASURE.is_in(["dominance", "arousal"])
    by = ("model", "dataset")
    rows = rows.filter(others.any().over(by), others | (MEASURE == "valence"))
    if rows.is_empty():
        return None
    layout = charts.Layout(by, tooltip=by)
    draw = partial(charts.draw_lines, rows, x=charts.place_by_layer(), y=RATED, colour="measure", layout=layout)
    caption = "Bleached setting. The three dimensions of affect; valence is the strongest signal in the paper."
    title = "Valence, dominance and arousal by layer"
    return Figure("affects", title, caption, draw, rows, (*by, "layer"), ("measure",))


@shows(EXPERIMENT == "languages", MEASURE == "valence")
def languages(rows: pl.DataFrame) -> Figure:
    """Draw VAST's Figures 20 to 22: a multilingual model, language by language."""
    by = ("model", "language")
    x, layout, colour = charts.place_by_layer(), charts.Layout(by, tooltip=["dataset"]), _order_settings(rows)
    draw = partial(charts.draw_lines, rows, x=x, y=f"valence: {RATED}", colour=colour, layout=layout)
    caption = "Valence by layer and setting in every language for which there is a lexicon. Bands are 95 % intervals."
    return Figure("languages", "Valence by language", caption, draw, rows, (*by, "layer"), ("setting",))


@shows(EXPERIMENT == "tokenization")
def tokenization(rows: pl.DataFrame) -> Figure:
    """Draw VAST's Figures 2 and 8: words of one token and of several, by pooling."""
    rows = rows.with_columns(tokens=charts.split_part("dataset", ":", 1))
    by = ("model", "measure", "setting")
    draw = partial(
        charts.draw_lines,
        rows,
        x=charts.place_by_layer(),
        y=RATED,
        colour=charts.make_series(rows, "tokens", "tokens of a word"),
        dash=charts.make_series(rows, "pooling", "pooling"),
        layout=charts.Layout(by, columns=2),
    )
    caption = (
        "Words that the tokenizer keeps whole against words that it splits, in sets of equal size; a split word is "
        f"represented by {format_list(charts.list_distinct(rows, 'pooling'))} of its tokens. In panels named "
        "multiple-poles the polar words are split too."
    )
    return Figure("tokenization", "Tokenization", caption, draw, rows, (*by, "layer"), ("dataset", "pooling"))


@shows(EXPERIMENT == "isolation", MEASURE == "valence")
def isolation(rows: pl.DataFrame) -> Figure:
    """Draw VAST's Table 1 and Figure 3: valence by components nullified."""
    caption = (
        "The best and the top layer. “raw” is untouched, 0 has the mean subtracted, then the first components are "
        "nullified one by one: what comes back was hidden behind directions that do not speak of the word."
    )
    title = "Valence by components nullified"
    return _by_components(rows, "isolation", title, f"valence: {RATED}", caption)


@shows(EXPERIMENT == "isolation", MEASURE == "anisotropy")
def anisotropy(rows: pl.DataFrame) -> Figure:
    """Draw how alike all vectors are, by components nullified."""
    caption = "Mean cosine of pairs of words: near 1 all vectors point one way, near 0 they are spread out."
    title = "Anisotropy by components nullified"
    return _by_components(rows, "anisotropy", title, "mean cosine of two words", caption)


def _by_components(rows: pl.DataFrame, name: str, title: str, y: str, caption: str) -> Figure:
    rows, x = charts.place_by_components(rows)
    by = ("model", "dataset", "layer")
    layout = charts.Layout(by, columns=2, tooltip=by)
    draw = partial(charts.draw_lines, rows, x=x, y=y, colour=_order_settings(rows), layout=layout)
    return Figure(name, title, caption, draw, rows, (*by, "pcs"), ("setting",))


@shows(EXPERIMENT == "validation", MEASURE == "similarity")
def validation(rows: pl.DataFrame) -> Figure:
    """Draw VAST's Figure 4: word similarity by components nullified."""
    rows, x = charts.place_by_components(rows)
    by = ("model", "layer")
    layout = charts.Layout(by, columns=2)
    draw = partial(charts.draw_lines, rows, x=x, y=f"similarity: {RATED}", colour="dataset", layout=layout)
    caption = "Spearman’s ρ of cosines with rated similarity, bleached, in the best layer for valence and the top one."
    title = "Word similarity by components nullified"
    return Figure("validation", title, caption, draw, rows, (*by, "pcs"), ("dataset",))


@shows(EXPERIMENT == "probes")
def probes(rows: pl.DataFrame) -> Figure:
    """Draw VAST's probes: what the top components hold."""
    source = charts.split_part("measure", ":", 1, "whole vector")
    rows = rows.with_columns(source.alias("from"), probe=charts.split_part("measure", ":", 0))
    rows, x = charts.place_by_components(rows)
    layout = charts.Layout(("model", "probe", "setting"))
    draw = partial(charts.draw_lines, rows, x=x, y="weighted F1", colour="from", layout=layout)
    caption = (
        "Logistic regressions in the top layer: from the whole vector, from the top components alone, and from what "
        "is left without them."
    )
    title, down = "What the top components hold", ("model", "setting", "pcs")
    return Figure("probes", title, caption, draw, rows, down, ("measure",))


@shows(EXPERIMENT.is_in(LANGUAGE_TASKS), MEASURE == EXPERIMENT, LAYER.is_null(), pl.col("language").is_not_null())
def by_language(rows: pl.DataFrame) -> Figure | None:
    """Draw ValNorm's Tables 4 and 5 as one figure; of several lexica or pairs in a language the largest."""
    if rows.get_column("language").n_unique() < 2:
        return None
    side = pl.when(MEASURE == "weat").then(pl.col("dataset")).otherwise(MEASURE)
    rows = rows.with_columns(side=side).sort("n", descending=True, maintain_order=True)
    rows = rows.unique(["model", "language", "side"], maintain_order=True, keep="first")
    several = pl.col("language").n_unique().over("side") > 1
    order = MEASURE.replace_strict({task: at for at, task in enumerate(LANGUAGE_TASKS)})
    rows = rows.filter(several).sort(pl.col("language") != "english", "language", order, "side")
    layout = charts.Layout(("side",), columns=2, free="x", tooltip=["language", "dataset"])
    x = "ρ with human ratings; effect size d of a test"
    draw = partial(charts.draw_dots, rows, y=["language"], x=x, colour="model", layout=layout, zero=True)
    caption = (
        "The same tasks in every language. Bars are 95 % intervals; broken ones, marked †, are to be read with care: "
        "words translated by machine, or half missing. Lexica and word pairs are each language’s own: "
        "what differs between languages may be these."
    )
    title, down = "Languages side by side", ("measure", "language", "dataset")
    return Figure("by-language", title, caption, draw, rows, down, ("model",), "Dot chart")


@shows(
    EXPERIMENT == "quality",
    MEASURE == "similarity",
    LAYER.is_not_null(),
    SETTING.is_in(["aggregated", "decontextualized"]),
)
def similarity_by_layer(rows: pl.DataFrame) -> Figure:
    """Draw Bommasani et al.'s Figures 1 and 3 to 10: every pair of poolings in every layer."""
    contexts = charts.split_part("pooling", "/", 1, ALONE)
    rows = rows.with_columns(f=charts.split_part("pooling", "/", 0), g=contexts)
    by = ("model", "dataset")
    draw = partial(
        charts.draw_lines,
        rows,
        x=charts.place_by_layer(),
        y="similarity: ρ with human ratings",
        colour=charts.make_series(rows, "f", "subwords"),
        dash=charts.make_series(rows, "g", "contexts"),
        layout=charts.Layout(by, columns=2, tooltip=["setting"]),
    )
    caption = (
        "Spearman’s ρ on word pairs. Colour: how the subwords of a word are pooled; dash: how its vectors over many "
        f"sentences are, or “{ALONE}”, the word without a sentence."
    )
    title, across = "Similarity by layer and pooling", ("setting", "pooling")
    return Figure("similarity-layers", title, caption, draw, rows, (*by, "layer"), across)


@shows(EXPERIMENT == "quality", MEASURE == "similarity:best", pl.col("pooling") == "mean/mean")
def similarity_by_sentences(rows: pl.DataFrame) -> Figure | None:
    """Draw Bommasani et al.'s Tables 1 and 4 to 7: the best layer by number of sentences."""
    counts = sorted(int(name.partition(":")[2]) for name in charts.list_distinct(rows, "setting") if ":" in name)
    if not counts:
        return None
    rows = rows.with_columns(sentences=charts.split_part("setting", ":", 1, "all"))
    axis = alt.Axis(labelAngle=0, grid=False)
    x = alt.X("sentences:O", sort=[*map(str, counts), "all"], title="sentences", axis=axis)
    layout, y = charts.Layout(["model"], tooltip=["layer"]), "similarity in the best layer"
    draw = partial(charts.draw_lines, rows, x=x, y=y, colour="dataset", layout=layout)
    caption = "How many sentences it takes to reduce a language model to word vectors, mean over subwords and contexts."
    title = "Similarity by number of sentences"
    return Figure("similarity-sentences", title, caption, draw, rows, ("model", "setting"), ("dataset",))


SEVERAL_STEPS = STEP.is_not_null() & (STEP.n_unique().over(TRAINED) > 1)
"""Of a training that was measured after several numbers of steps."""
WIDE_RATIO = 20
"""Steps that are so many times apart are drawn on an axis that spreads the first ones."""


def place_by_step(rows: pl.DataFrame) -> tuple[pl.DataFrame, alt.X]:
    """Return rows in the order of the steps, with the columns `training` and `step`; and the axis of steps."""
    rows = rows.with_columns(TRAINED.alias("training"), STEP.alias("step"))
    rows = rows.sort("training", "step", maintain_order=True)
    steps = sorted(charts.list_distinct(rows, "step"))
    x = alt.X("step:Q", title="steps of training", axis=alt.Axis(grid=False, format=",d", labelOverlap="greedy"))
    first = next(filter(None, steps), 1)
    if steps[-1] > WIDE_RATIO * first:
        x = x.scale(type="symlog", constant=first)
        x = x.axis(grid=False, format=",d", labelOverlap="greedy", values=steps)
    return rows, x


@shows(SEVERAL_STEPS, EXPERIMENT == "contextualization", MEASURE == "valence")
def valence_by_step(rows: pl.DataFrame) -> Figure:
    """Draw valence while a model is trained, a line per layer."""
    rows, x = place_by_step(rows)
    by = ("training", "dataset", "setting")
    layers = charts.make_series(rows, "layer", "layer", sorted(charts.list_distinct(rows, "layer")))
    layout = charts.Layout(by, tooltip=by)
    draw = partial(charts.draw_lines, rows, x=x, y=f"valence: {RATED}", colour=layers, layout=layout)
    caption = (
        "Pearson’s ρ between a word’s association with pleasant and unpleasant words and its human rating, after so "
        "many steps. What stands at step 0 is given by the tokenizer and the texts alone: a model has learned what "
        "stands above it. Bands are 95 % intervals."
    )
    down = ("dataset", "setting", "model")
    return Figure("valence-steps", "Valence by step", caption, draw, rows, down, ("layer",))


TRAINING: tuple[Maker, ...] = (valence_by_step,)
FIGURES: tuple[Maker, ...] = (
    *(intrinsic_tasks, corpus_size, by_corpus, valence_by_layer, affects, languages, tokenization),
    *(isolation, anisotropy, validation, probes, by_language, similarity_by_layer, similarity_by_sentences),
)
