"""Word meaning: intrinsic tasks, valence and similarity by layer, languages side by side, models in training."""

from itertools import product

import polars as pl

from wordworth.measure import SIMILARITY, VALENCE, WEAT
from wordworth.pages.figures.figure import BANDS, BARS, EXPERIMENT, LAYER, MEASURE, VARIANT, Dots, Lines
from wordworth.results.main_scores import IN_CONTEXT, IS_UNTRAINED
from wordworth.results.runs import IS_PLAIN
from wordworth.results.table import format_list

TASK_NAMES = (VALENCE, SIMILARITY, "analogy")
LANGUAGE_TASKS = (VALENCE, SIMILARITY, WEAT)
RHO = "ρ with human ratings"
VALENCE_AXIS = f"valence: {RHO}"
POOLED, NO_SENTENCE = ("first", "last", "mean", "max", "min"), "alone"
POOLING_NAMES = {f"{subwords}/{contexts}": (subwords, contexts) for subwords, contexts in product(POOLED, POOLED)}
POOLING_NAMES |= {subwords: (subwords, NO_SENTENCE) for subwords in POOLED}
"""Pooling → how the subwords of a word, and how its vectors over sentences are pooled."""
SEVERAL_STEPS = pl.col("step").is_not_null() & (pl.col("step").n_unique().over("name") > 1)
"""Of a training that was measured after several numbers of steps."""
IS_WHOLE = (pl.col("subset").is_null(), pl.col("components").is_null())
IN_QUALITY = (EXPERIMENT == "quality") & (MEASURE == SIMILARITY)
IS_SAMPLED = (EXPERIMENT == "corpus-size", MEASURE.is_in(TASK_NAMES), pl.col("corpus").is_not_null(), IS_PLAIN)
"""Scores of vectors that were trained on a sample of a corpus."""


def _order_tasks(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the tasks in their order; one that is in two runs (valnorm and static) once."""
    once = rows.unique(["model", "language", "dataset", "measure"], maintain_order=True, keep="last")
    return once.sort(MEASURE.replace_strict({task: at for at, task in enumerate(TASK_NAMES)}), maintain_order=True)


def _describe_layers(rows: pl.DataFrame) -> str:
    is_bare = rows.get_column("control").is_null().all()
    return BANDS if is_bare else f"{BANDS} Thin lines are the same network with random weights."


def _with_affects(rows: pl.DataFrame) -> pl.DataFrame:
    is_other_affect = MEASURE.is_in(["dominance", "arousal"])
    return rows.filter(is_other_affect.any().over("model", "dataset"), is_other_affect | (MEASURE == VALENCE))


def _describe_tokens(rows: pl.DataFrame) -> str:
    poolings = format_list(rows.get_column("pooling").drop_nulls().unique(maintain_order=True).to_list())
    return (
        "Valence of words that the tokenizer keeps whole (single) or splits (multiple), in sets of equal size. A split "
        f"word is the {poolings} of its tokens. With multiple-poles the polar words are split too."
    )


def _largest_by_language(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a score per language and task: of several lexica or pairs that of the largest."""
    side = pl.when(MEASURE == WEAT).then(pl.col("dataset")).otherwise(MEASURE)
    rows = rows.with_columns(side=side).sort("n", descending=True, maintain_order=True)
    rows = rows.unique(["model", "language", "side"], maintain_order=True, keep="first")
    order = MEASURE.replace_strict({task: at for at, task in enumerate(LANGUAGE_TASKS)})
    several = rows.drop_nulls("language").filter(pl.col("language").n_unique().over("side") > 1)
    return several.sort(pl.col("language") != "english", "language", order, "side")


def _separate_poolings(rows: pl.DataFrame) -> pl.DataFrame:
    subwords, contexts = ({pooling: both[at] for pooling, both in POOLING_NAMES.items()} for at in (0, 1))
    return rows.with_columns(f=pl.col("pooling").replace(subwords), g=pl.col("pooling").replace(contexts))


def _compare_samples(rows: pl.DataFrame) -> pl.DataFrame:
    several = rows.filter(pl.col("sentences").is_not_null().any())
    return several.with_columns(sample=pl.col("sentences").cast(pl.String).fill_null("all")).sort("sentences")


def _in_isolated_layers(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the scores of the layers in which components were nullified, also those of vectors as they are."""
    return rows.filter(pl.col("components").is_not_null().any().over("model", "context", "layer"))


VALENCE_BY_LAYER = Lines(  # VAST, Figure 1
    id="valence-layers", title="Valence by layer and context",
    caption="Pearson’s ρ of words’ associations with their rated pleasantness, in every layer, by the words’ context.",
    where=((IN_CONTEXT & IS_PLAIN) | (IS_UNTRAINED & VARIANT.is_null()),),
    prepare=lambda rows: rows.filter(pl.col("control").is_null().any()), value=VALENCE_AXIS, colour="context",
    by=("model", "dataset"), across=("control", "context"), drawing=_describe_layers,
)  # fmt: skip
INTRINSIC = Dots(  # ValNorm, Figure 3
    id="intrinsic", title="Intrinsic tasks",
    caption="Agreement with people. Valence: Pearson’s ρ of a word’s SC-WEAT with its rating. Similarity: Spearman’s "
        "ρ of cosines with ratings. Analogy: the share solved.",
    where=(EXPERIMENT.is_in([*TASK_NAMES, "quality"]), MEASURE.is_in(TASK_NAMES), LAYER.is_null(), IS_PLAIN),
    prepare=_order_tasks, value=f"{RHO}; for analogies accuracy", tasks=("measure", "dataset", "language", "count"),
    across=("model",), drawing=BARS,
)  # fmt: skip
FIGURES = (
    INTRINSIC,
    Lines(  # ValNorm, Figure 1
        id="corpus-size", title="Quality by size of the corpus",
        caption="Vectors trained on samples of one corpus: how much text a task needs.",
        where=(*IS_SAMPLED, pl.col("model").n_unique().over("corpus") > 1), value=RHO, x="percent", colour="dataset",
        by=("corpus",), down=("model",), across=("dataset",), drawing=BANDS,
    ),
    Lines(  # ValNorm, Figure 2, of vectors trained here: whole texts, such as slices of a time
        id="by-corpus", title="Quality by text",
        caption="Vectors trained on each text: whether a task has the same result in all.",
        where=(*IS_SAMPLED, pl.col("percent") == 100),
        prepare=lambda rows: rows.filter(pl.col("corpus").n_unique() > 1).sort("corpus", maintain_order=True),
        value=RHO, x="corpus", colour="dataset", by=("measure",), down=("model",), across=("dataset",), drawing=BANDS,
    ),
    Lines(  # ValNorm, Figure 2, of vectors by decade
        id="decades", title="Quality by decade",
        caption="Vectors of the texts of each decade: whether people’s ratings today agree with them.",
        where=(EXPERIMENT.is_in(TASK_NAMES), MEASURE == EXPERIMENT, pl.col("decade").is_not_null(), IS_PLAIN),
        prepare=lambda rows: rows.filter(pl.col("decade").n_unique().over("corpus") > 1).sort("decade"), value=RHO,
        x="decade", colour="dataset", by=("corpus", "measure", "language"), down=("model",), across=("dataset",),
        drawing=BANDS,
    ),
    VALENCE_BY_LAYER,
    Lines(  # VAST, Figure 6
        id="affects", title="Valence, dominance and arousal by layer",
        caption="The three dimensions of affect in bleached context; valence is the strongest signal in the paper.",
        where=(EXPERIMENT == "contextualization", pl.col("context") == "bleached", IS_PLAIN), prepare=_with_affects,
        value=RHO, colour="measure", by=("model", "dataset"), across=("measure",),
    ),
    Lines(  # VAST, Figure 20
        id="languages-mean", title="Valence, mean over languages",
        caption="The mean of ρ over the languages, by layer and context; n is the number of languages.",
        where=(EXPERIMENT == "languages", MEASURE == VALENCE, VARIANT == "mean", *IS_WHOLE), value=VALENCE_AXIS,
        colour="context",
        by=("model", "count"), down=("model", "layer"), across=("context",),
    ),
    Lines(  # VAST, Figures 21 and 22
        id="languages", title="Valence by language",
        caption="Valence by layer and context in every language for which there is a lexicon.",
        where=(EXPERIMENT == "languages", MEASURE == VALENCE, IS_PLAIN), value=VALENCE_AXIS, colour="context",
        by=("model", "language"), across=("context",), drawing=BANDS,
    ),
    Lines(  # VAST, Figures 23 to 25
        id="languages-tokens", title="Tokenization by language",
        caption="Valence of words that the tokenizer keeps whole and of words that it splits, in sets of equal size, "
        "by language and as the mean over languages. The polar words are of both kinds.",
        where=(EXPERIMENT == "languages", MEASURE == VALENCE, pl.col("subset").is_not_null()),
        prepare=lambda rows: rows.with_columns(pl.col("language").fill_null("mean")), value=VALENCE_AXIS,
        colour="subset", dash="pooling", by=("model", "language", "context"), panels=2, across=("subset", "pooling"),
    ),
    Lines(  # VAST, Figures 26 and 27
        id="languages-isolated", title="Valence by components nullified, by language",
        caption="The two top layers, as they are (raw), with the mean subtracted (0), and with the first components "
        "nullified one by one.",
        where=(EXPERIMENT == "languages", MEASURE == VALENCE, VARIANT.is_null(), pl.col("subset").is_null()),
        prepare=_in_isolated_layers, value=VALENCE_AXIS, x="components", colour="language",
        by=("model", "layer", "context"), panels=2, across=("language",),
    ),
    Lines(  # VAST, Figures 2 and 8
        id="tokenization", title="Tokenization", caption=_describe_tokens, where=(EXPERIMENT == "tokenization",),
        value=RHO, colour="subset", dash="pooling", by=("model", "quantity", "context"), panels=2,
        across=("dataset", "subset", "pooling"),
    ),
    Lines(  # VAST, Table 1 and Figure 3
        id="isolation", title="Valence by components nullified",
        caption="The best and the top layer. “raw” is untouched, 0 has the mean subtracted, then the first components "
        "are nullified one by one.",
        where=(EXPERIMENT == "isolation", MEASURE == VALENCE), value=VALENCE_AXIS, x="components", colour="context",
        by=("model", "dataset", "layer"), panels=2, across=("context",),
    ),
    Lines(  # VAST, Figure 7
        id="affects-isolated", title="Valence, dominance and arousal by components nullified",
        caption="The three dimensions of affect in the top layer, bleached. At 0 the mean is subtracted, then the "
        "first components are nullified one by one.",
        where=(EXPERIMENT == "isolation", pl.col("context") == "bleached", VARIANT.is_null()),
        prepare=lambda rows: _with_affects(rows.filter(LAYER.max().over("model") == LAYER)), value=RHO,
        x="components", colour="measure", by=("model", "dataset", "layer"), across=("measure",), drawing=BANDS,
    ),
    Lines(
        id="anisotropy", title="Anisotropy by components nullified",
        caption="Mean cosine of pairs of words: near 1 all vectors point one way, near 0 they are spread out.",
        where=(EXPERIMENT == "isolation", MEASURE == "anisotropy"), value="mean cosine of two words", x="components",
        colour="context", by=("model", "dataset", "layer"), panels=2, across=("context",),
    ),
    Lines(  # VAST, Figure 4
        id="validation", title="Word similarity by components nullified",
        caption="Spearman’s ρ of cosines with rated similarity, bleached, in the best layer for valence and the top "
        "one.",
        where=(EXPERIMENT == "validation", MEASURE == SIMILARITY), value=f"similarity: {RHO}", x="components",
        colour="dataset", by=("model", "layer"), panels=2, across=("dataset",),
    ),
    Lines(  # VAST's probes
        id="probes", title="What the top components hold",
        caption="Logistic regressions in the top layer: from the whole vector, from the top components, and without "
        "them.",
        where=(EXPERIMENT == "probes",),
        prepare=lambda rows: rows.with_columns(VARIANT.fill_null("whole vector").alias("from")), value="weighted F1",
        x="components", colour="from", by=("model", "measure", "subset"), down=("model", "subset", "components"),
        across=("quantity",),
    ),
    Dots(  # ValNorm, Tables 4 and 5
        id="by-language", title="Languages side by side",
        caption="The same tasks in every language. Lexica and word pairs are each language’s own, which may be what "
        "differs between languages.",
        where=(EXPERIMENT.is_in(LANGUAGE_TASKS), MEASURE == EXPERIMENT, LAYER.is_null(), IS_PLAIN),
        prepare=_largest_by_language, value="ρ with human ratings; effect size d of a test", by=("side",), panels=2,
        free="x", tasks=("language",), from_zero=True, down=("measure", "language", "dataset"), across=("model",),
        drawing="Bars are 95 % intervals; those marked † need care: machine-translated words, or half missing.",
    ),
    Lines(  # Bommasani et al., Figures 1 and 3 to 10
        id="similarity-layers", title="Similarity by layer and pooling",
        caption="Spearman’s ρ on word pairs, by how subwords/contexts are pooled.",
        where=(IN_QUALITY, LAYER.is_not_null(), pl.col("sentences").is_null(), IS_PLAIN), prepare=_separate_poolings,
        value=f"similarity: {RHO}", colour="f", dash="g", by=("model", "dataset"), panels=2,
        across=("context", "pooling"),
        drawing="Colour: how the subwords of a word are pooled. Dash: how its vectors over sentences are pooled; "
        f"“{NO_SENTENCE}” is the word without a sentence.",
    ),
    Lines(  # Bommasani et al., Tables 1 and 4 to 7
        id="similarity-sentences", title="Similarity by number of sentences",
        caption="How many sentences it takes to reduce a language model to word vectors, mean over subwords and "
        "contexts.",
        where=(IN_QUALITY, VARIANT == "best", pl.col("pooling") == "mean/mean"), prepare=_compare_samples,
        value="similarity in the best layer", x="sample", colour="dataset", by=("model",),
        down=("model", "sentences"), across=("dataset",),
    ),
)  # fmt: skip
TRAINING_FIGURES = (
    Lines(
        id="valence-steps", title="Valence by step",
        caption="Pearson’s ρ between a word’s association with pleasant and unpleasant words and its human rating, by "
        "training step. The value at step 0 comes from the tokenizer and the texts; the model has learned what is "
        "above it.",
        where=(SEVERAL_STEPS, IN_CONTEXT, IS_PLAIN), value=VALENCE_AXIS, x="step", colour="layer",
        by=("name", "dataset", "context"), down=("dataset", "context", "model"), across=("layer",), drawing=BANDS,
    ),
)  # fmt: skip
