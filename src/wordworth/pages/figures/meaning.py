"""Draw word meaning: intrinsic tasks, valence and similarity by layer, languages side by side, models in training."""

from functools import partial
from itertools import product

import altair as alt
import polars as pl

from wordworth.pages.figures import charts
from wordworth.pages.figures.figure import EXPERIMENT, LAYER, MEASURE, VARIANT, Figure, Maker, shows
from wordworth.pages.insights import IN_CONTEXT, UNTRAINED
from wordworth.pages.runs import IS_PLAIN, SIMILARITY, VALENCE, WEAT
from wordworth.results.numbers import format_list
from wordworth.results.vocabulary import CONTEXTS

TASKS = (VALENCE, SIMILARITY, "analogy")
LANGUAGE_TASKS = (VALENCE, SIMILARITY, WEAT)
RATED = "ρ with human ratings"
BANDS, BARS = "Bands are 95 % intervals.", "Bars are 95 % intervals."
POOLED, ALONE = ("first", "last", "mean", "max", "min"), "alone"
POOLINGS = {f"{subwords}/{contexts}": (subwords, contexts) for subwords, contexts in product(POOLED, POOLED)}
POOLINGS |= {subwords: (subwords, ALONE) for subwords in POOLED}
"""Pooling → how the subwords of a word, and how its vectors over sentences are pooled."""


@shows(EXPERIMENT.is_in([*TASKS, "quality"]), MEASURE.is_in(TASKS), LAYER.is_null(), IS_PLAIN)
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
        "Agreement with people: Pearson’s ρ between the valence of a word (SC-WEAT) and its human rating, Spearman’s "
        "ρ between cosine and rated similarity, share of analogies solved."
    )
    return Figure("intrinsic", "Intrinsic tasks", caption, draw, rows, tuple(task), ("model",), "Dot chart", BARS)


SAMPLED = (EXPERIMENT == "corpus-size", MEASURE.is_in(TASKS), pl.col("corpus").is_not_null(), IS_PLAIN)
"""Scores of vectors that were trained on a sample of a corpus."""


@shows(*SAMPLED, pl.col("model").n_unique().over("corpus") > 1)
def corpus_size(rows: pl.DataFrame) -> Figure:
    """Draw ValNorm's Figure 1: the tasks on vectors trained on ever larger samples of a corpus."""
    x = alt.X("percent:Q", title="percent of the corpus", scale=alt.Scale(type="log"))
    draw = partial(charts.draw_lines, rows, x=x, y=RATED, colour="dataset", layout=charts.Layout(["corpus"]))
    caption = "Vectors trained on samples of one corpus: how much text a task needs."
    title = "Quality by size of the corpus"
    return Figure("corpus-size", title, caption, draw, rows, ("model",), ("dataset",), drawing=BANDS)


@shows(*SAMPLED, pl.col("percent") == 100)
def by_corpus(rows: pl.DataFrame) -> Figure | None:
    """Draw ValNorm's Figure 2, of vectors trained here: whole texts side by side, such as slices of a time."""
    rows = rows.sort("corpus", maintain_order=True)
    if rows.get_column("corpus").n_unique() < 2:
        return None
    x = alt.X("corpus:O", title=None, axis=alt.Axis(labelAngle=-90, grid=False, labelLimit=0))
    layout = charts.Layout(["measure"], tooltip=["corpus"])
    draw = partial(charts.draw_lines, rows, x=x, y=RATED, colour="dataset", layout=layout)
    caption = "Vectors trained on each text: whether a task has the same result in all."
    return Figure("by-corpus", "Quality by text", caption, draw, rows, ("model",), ("dataset",), drawing=BANDS)


def _order_contexts(rows: pl.DataFrame) -> charts.Series:
    names = charts.list_distinct(rows, "context")
    return charts.make_series(rows, "context", values=[name for name in CONTEXTS if name in names])


@shows((IN_CONTEXT & IS_PLAIN) | (UNTRAINED & VARIANT.is_null()))
def valence_by_layer(rows: pl.DataFrame) -> Figure | None:
    """Draw VAST's Figure 1: valence by layer, a line per context with its 95 % band; untrained networks thin."""
    by = ("model", "dataset")
    trained = rows.filter(pl.col("control").is_null())
    if trained.is_empty():
        return None
    caption = (
        "Pearson’s ρ between a word’s association with pleasant and unpleasant words and its human rating, in every "
        "layer, by the context of the word."
    )
    drawing = f"Where the contexts agree, vectors reflect the word; where they diverge, its context. {BANDS}"
    if len(trained) < len(rows):
        rows = rows.with_columns(pl.col("control").is_not_null().alias(charts.CONTROL))
        drawing += " Thin lines are the same network with random weights: what the texts alone reveal."
    layout = charts.Layout(by, tooltip=by)
    x, colour = charts.place_by_layer(), _order_contexts(trained)
    draw = partial(charts.draw_lines, rows, x=x, y=f"valence: {RATED}", colour=colour, layout=layout)
    down, across = (*by, "layer"), ("control", "context")
    return Figure("valence-layers", "Valence by layer and context", caption, draw, rows, down, across, drawing=drawing)


@shows(EXPERIMENT == "contextualization", pl.col("context") == "bleached", IS_PLAIN)
def affects(rows: pl.DataFrame) -> Figure | None:
    """Draw VAST's Figure 6: dominance and arousal next to valence."""
    others = MEASURE.is_in(["dominance", "arousal"])
    by = ("model", "dataset")
    rows = rows.filter(others.any().over(by), others | (MEASURE == VALENCE))
    if rows.is_empty():
        return None
    layout = charts.Layout(by, tooltip=by)
    draw = partial(charts.draw_lines, rows, x=charts.place_by_layer(), y=RATED, colour="measure", layout=layout)
    caption = "The three dimensions of affect in bleached context; valence is the strongest signal in the paper."
    title = "Valence, dominance and arousal by layer"
    return Figure("affects", title, caption, draw, rows, (*by, "layer"), ("measure",))


@shows(EXPERIMENT == "languages", MEASURE == VALENCE, IS_PLAIN)
def languages(rows: pl.DataFrame) -> Figure:
    """Draw VAST's Figures 20 to 22: a multilingual model, language by language."""
    by = ("model", "language")
    x, layout, colour = charts.place_by_layer(), charts.Layout(by, tooltip=["dataset"]), _order_contexts(rows)
    draw = partial(charts.draw_lines, rows, x=x, y=f"valence: {RATED}", colour=colour, layout=layout)
    caption = "Valence by layer and context in every language for which there is a lexicon."
    down = (*by, "layer")
    return Figure("languages", "Valence by language", caption, draw, rows, down, ("context",), drawing=BANDS)


@shows(EXPERIMENT == "tokenization")
def tokenization(rows: pl.DataFrame) -> Figure:
    """Draw VAST's Figures 2 and 8: words of one token and of several, by pooling."""
    by = ("model", "quantity", "context")
    draw = partial(
        charts.draw_lines,
        rows,
        x=charts.place_by_layer(),
        y=RATED,
        colour=charts.make_series(rows, "subset", "tokens of a word"),
        dash=charts.make_series(rows, "pooling", "pooling"),
        layout=charts.Layout(by, columns=2),
    )
    caption = (
        "Valence of words that the tokenizer keeps whole (single) and of words that it splits (multiple), in sets of "
        f"equal size; a split word is the {format_list(charts.list_distinct(rows, 'pooling'))} of its tokens. With "
        "multiple-poles the polar words are split too."
    )
    across = ("dataset", "subset", "pooling")
    return Figure("tokenization", "Tokenization", caption, draw, rows, (*by, "layer"), across)


@shows(EXPERIMENT == "isolation", MEASURE == VALENCE)
def isolation(rows: pl.DataFrame) -> Figure:
    """Draw VAST's Table 1 and Figure 3: valence by components nullified."""
    caption = (
        "The best and the top layer. “raw” is untouched, 0 has the mean subtracted, then the first components are "
        "nullified one by one: what is recovered was hidden behind directions that do not reflect the word."
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
    draw = partial(charts.draw_lines, rows, x=x, y=y, colour=_order_contexts(rows), layout=layout)
    return Figure(name, title, caption, draw, rows, (*by, "components"), ("context",))


@shows(EXPERIMENT == "validation", MEASURE == SIMILARITY)
def validation(rows: pl.DataFrame) -> Figure:
    """Draw VAST's Figure 4: word similarity by components nullified."""
    rows, x = charts.place_by_components(rows)
    by = ("model", "layer")
    layout = charts.Layout(by, columns=2)
    draw = partial(charts.draw_lines, rows, x=x, y=f"similarity: {RATED}", colour="dataset", layout=layout)
    caption = "Spearman’s ρ of cosines with rated similarity, bleached, in the best layer for valence and the top one."
    title = "Word similarity by components nullified"
    return Figure("validation", title, caption, draw, rows, (*by, "components"), ("dataset",))


@shows(EXPERIMENT == "probes")
def probes(rows: pl.DataFrame) -> Figure:
    """Draw VAST's probes: what the top components hold."""
    rows, x = charts.place_by_components(rows.with_columns(VARIANT.fill_null("whole vector").alias("from")))
    layout = charts.Layout(("model", "measure", "subset"))
    draw = partial(charts.draw_lines, rows, x=x, y="weighted F1", colour="from", layout=layout)
    caption = (
        "Logistic regressions in the top layer: from the whole vector, from only the top components, and from the "
        "vector without them."
    )
    title, down = "What the top components hold", ("model", "subset", "components")
    return Figure("probes", title, caption, draw, rows, down, ("quantity",))


@shows(
    EXPERIMENT.is_in(LANGUAGE_TASKS), MEASURE == EXPERIMENT, LAYER.is_null(), pl.col("language").is_not_null(), IS_PLAIN
)
def by_language(rows: pl.DataFrame) -> Figure | None:
    """Draw ValNorm's Tables 4 and 5 as one figure; of several lexica or pairs in a language the largest."""
    if rows.get_column("language").n_unique() < 2:
        return None
    side = pl.when(MEASURE == WEAT).then(pl.col("dataset")).otherwise(MEASURE)
    rows = rows.with_columns(side=side).sort("n", descending=True, maintain_order=True)
    rows = rows.unique(["model", "language", "side"], maintain_order=True, keep="first")
    several = pl.col("language").n_unique().over("side") > 1
    order = MEASURE.replace_strict({task: at for at, task in enumerate(LANGUAGE_TASKS)})
    rows = rows.filter(several).sort(pl.col("language") != "english", "language", order, "side")
    layout = charts.Layout(("side",), columns=2, free="x", tooltip=["language", "dataset"])
    x = "ρ with human ratings; effect size d of a test"
    draw = partial(charts.draw_dots, rows, y=["language"], x=x, colour="model", layout=layout, zero=True)
    caption = (
        "The same tasks in every language. Lexica and word pairs are each language’s own, which may be what differs "
        "between languages."
    )
    drawing = "Bars are 95 % intervals; broken ones, marked †, need care: machine-translated words, or half missing."
    title, down = "Languages side by side", ("measure", "language", "dataset")
    return Figure("by-language", title, caption, draw, rows, down, ("model",), "Dot chart", drawing)


@shows(EXPERIMENT == "quality", MEASURE == SIMILARITY, LAYER.is_not_null(), pl.col("sentences").is_null(), IS_PLAIN)
def similarity_by_layer(rows: pl.DataFrame) -> Figure:
    """Draw Bommasani et al.'s Figures 1 and 3 to 10: every pair of poolings in every layer."""
    subwords, contexts = ({pooling: both[at] for pooling, both in POOLINGS.items()} for at in (0, 1))
    rows = rows.with_columns(f=pl.col("pooling").replace(subwords), g=pl.col("pooling").replace(contexts))
    by = ("model", "dataset")
    draw = partial(
        charts.draw_lines,
        rows,
        x=charts.place_by_layer(),
        y="similarity: ρ with human ratings",
        colour=charts.make_series(rows, "f", "subwords"),
        dash=charts.make_series(rows, "g", "contexts"),
        layout=charts.Layout(by, columns=2, tooltip=["context"]),
    )
    caption = "Spearman’s ρ on word pairs, by how subwords/contexts are pooled."
    drawing = (
        "Colour: how the subwords of a word are pooled; dash: how its vectors over many sentences are, or "
        f"“{ALONE}”, the word without a sentence."
    )
    title, across = "Similarity by layer and pooling", ("context", "pooling")
    return Figure("similarity-layers", title, caption, draw, rows, (*by, "layer"), across, drawing=drawing)


@shows(EXPERIMENT == "quality", MEASURE == SIMILARITY, VARIANT == "best", pl.col("pooling") == "mean/mean")
def similarity_by_sentences(rows: pl.DataFrame) -> Figure | None:
    """Draw Bommasani et al.'s Tables 1 and 4 to 7: the best layer by number of sentences."""
    counts = sorted(charts.list_distinct(rows, "sentences"))
    if not counts:
        return None
    rows = rows.with_columns(sample=pl.col("sentences").cast(pl.String).fill_null("all"))
    axis = alt.Axis(labelAngle=0, grid=False)
    x = alt.X("sample:O", sort=[*map(str, counts), "all"], title="sentences", axis=axis)
    layout, y = charts.Layout(["model"], tooltip=["layer"]), "similarity in the best layer"
    draw = partial(charts.draw_lines, rows, x=x, y=y, colour="dataset", layout=layout)
    caption = "How many sentences it takes to reduce a language model to word vectors, mean over subwords and contexts."
    title = "Similarity by number of sentences"
    return Figure("similarity-sentences", title, caption, draw, rows, ("model", "sentences"), ("dataset",))


SEVERAL_STEPS = pl.col("step").is_not_null() & (pl.col("step").n_unique().over("name") > 1)
"""Of a training that was measured after several numbers of steps."""
WIDE_RATIO = 20
"""Steps that are so many times apart are drawn on an axis that spreads the first ones."""


def place_by_step(rows: pl.DataFrame) -> tuple[pl.DataFrame, alt.X]:
    """Return rows in the order of the steps, and the axis of steps."""
    rows = rows.sort("name", "step", maintain_order=True)
    steps = sorted(charts.list_distinct(rows, "step"))
    x = alt.X("step:Q", title="steps of training", axis=alt.Axis(grid=False, format=",d", labelOverlap="greedy"))
    first = next(filter(None, steps), 1)
    if steps[-1] > WIDE_RATIO * first:
        x = x.scale(type="symlog", constant=first)
        x = x.axis(grid=False, format=",d", labelOverlap="greedy", values=steps)
    return rows, x


@shows(SEVERAL_STEPS, IN_CONTEXT, IS_PLAIN)
def valence_by_step(rows: pl.DataFrame) -> Figure:
    """Draw valence while a model is trained, a line per layer."""
    rows, x = place_by_step(rows)
    by = ("name", "dataset", "context")
    layers = charts.make_series(rows, "layer", "layer", sorted(charts.list_distinct(rows, "layer")))
    layout = charts.Layout(by, tooltip=by)
    draw = partial(charts.draw_lines, rows, x=x, y=f"valence: {RATED}", colour=layers, layout=layout)
    caption = (
        "Pearson’s ρ between a word’s association with pleasant and unpleasant words and its human rating, by training "
        "step. The tokenizer and the texts alone give the value at step 0: what the model has learned is above it."
    )
    down = ("dataset", "context", "model")
    return Figure("valence-steps", "Valence by step", caption, draw, rows, down, ("layer",), drawing=BANDS)


TRAINING: tuple[Maker, ...] = (valence_by_step,)
FIGURES: tuple[Maker, ...] = (
    *(intrinsic_tasks, corpus_size, by_corpus, valence_by_layer, affects, languages, tokenization),
    *(isolation, anisotropy, validation, probes, by_language, similarity_by_layer, similarity_by_sentences),
)
