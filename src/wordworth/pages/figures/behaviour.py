"""Stereotypes and behaviour: bias of vectors, words that a model predicts, inferences, and what debiasing changes."""

from typing import Any

import polars as pl

from wordworth.measure import WEAT
from wordworth.pages.figures.figure import BANDS, BARS, EXPERIMENT, LAYER, MEASURE, VARIANT, Dots, Lines
from wordworth.pages.figures.meaning import SEVERAL_STEPS, TASKS
from wordworth.pages.insights import recoveries
from wordworth.pages.runs import SHORT, TESTS

ESTIMATORS = (
    "direct-bias", "direct-bias (centred)", "garg-euclidean", "garg-euclidean (unit)", "garg-cosine", "manzini",
    "manzini (centroid)", "ripa", "mac", "ect", "rnsb",
)  # fmt: skip
"""In the order of a figure: the paper's with their variants, then the others."""
IS_ESTIMATE = (EXPERIMENT == "bias") & pl.col("quantity").is_in(ESTIMATORS)
IS_TEST = (MEASURE == WEAT) & VARIANT.is_null()
IN_LAYERS = IS_TEST & LAYER.is_not_null() & pl.col("components").is_null()
EFFECT = "effect size d"
TEST_PLACE = ("model", "language", "dataset")
WHOLE = pl.all_horizontal(pl.col(name).is_null() for name in ("subset", "control", "draw"))
"""Scores over all of a data set, and of a mean of random draws."""
IS_MEAN_DRAW = pl.col("draw").is_null()
TREATMENT = pl.concat_str("version", "variant", separator=": ", ignore_nulls=True)
HITS = (EXPERIMENT == "paraphrase", MEASURE == "hits", VARIANT.is_null())
PARAPHRASES: dict[str, Any] = {
    "id": "paraphrase",
    "title": "Paraphrases with rare and common words",
    "caption": "How often a sentence is closer to its paraphrase than to a sibling, for rare and for common words.",
    "value": "hits",
    "colour": "dataset",
    "across": ("dataset",),
}


def _name_tests(rows: pl.DataFrame) -> pl.DataFrame:
    """Return tests in the order of their numbers, with the column `test`."""
    numbers = {name: test["number"] for name, test in TESTS.items()}
    number = pl.col("dataset").replace_strict(numbers, default=None, return_dtype=pl.Int64)
    return rows.with_columns(test=pl.col("dataset").replace(SHORT)).sort(number, "row", nulls_last=True)


def _describe_bars(rows: pl.DataFrame) -> str:
    text = "Hover for p, the share of partitions of the words that give as much."
    return text if rows["low"].is_null().all() else f"{text} {BARS} n is the words of both targets."


def _best_nullified(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the tests in the top layer raw, and with the components nullified that recover most valence."""
    layered = scores.filter(IS_TEST, LAYER.is_not_null()).filter(LAYER.max().over("model") == LAYER)
    chosen = dict(recoveries(scores).select("model", "components").iter_rows())
    most = layered.drop_nulls("components").group_by("model").agg(pl.col("components").max()).iter_rows()
    counts = {model: chosen.get(model, count) for model, count in most}
    is_raw = pl.col("components").is_null()
    count = pl.col("model").replace_strict(counts, default=None, return_dtype=pl.Int64)
    rows = layered.filter(count.is_not_null(), is_raw | (pl.col("components") == count))
    return _name_tests(rows).with_columns(vectors=pl.when(is_raw).then(pl.lit("raw")).otherwise(pl.lit("nullified")))


def _describe_nullified(rows: pl.DataFrame) -> str:
    nullified = rows.drop_nulls("components").select("model", "components").unique(maintain_order=True).iter_rows()
    counts = "; ".join(f"{model}: {count}" for model, count in nullified)
    return (
        "Bias that non-semantic directions hide: Cohen’s d in the top layer raw, and with the number of components "
        f"nullified that recovers most valence ({counts})."
    )


def _order_estimators(rows: pl.DataFrame) -> pl.DataFrame:
    places = {name: at for at, name in enumerate(ESTIMATORS)}
    order = pl.col("quantity").replace_strict(places, return_dtype=pl.Int64)
    return rows.sort("model_at", order, "subset", maintain_order=True)


def _describe_estimators(rows: pl.DataFrame) -> str:
    names = [name for name in ("mac", "ect") if name in rows["measure"]]
    is_reversed = f" For {' and '.join(names)}, 1 is no bias; for the others 0." if names else ""
    return f"The bias of a list of words by an attribute, under several estimators, each on its own scale.{is_reversed}"


STEREOTYPES = (
    Dots(
        id="weat", title="Association tests",
        caption="Cohen’s d of each association test: above 0 in the direction of the test’s name, .2 is small, .5 "
        "medium, .8 large.",
        where=(IS_TEST, LAYER.is_null()),  # once, where two runs of an audit (valnorm and weat) have a test
        prepare=lambda rows: _name_tests(rows.unique(TEST_PLACE, maintain_order=True, keep="last")),
        value=EFFECT, tasks=("test", "language", "count"), from_zero=True, down=("dataset", "language"),
        across=("model",), drawing=_describe_bars,
    ),
    Dots(  # VAST, Figure 5
        id="weat-nullified", title="Association tests before and after nullifying", caption=_describe_nullified,
        prepare=_best_nullified, value="effect size d, top layer", colour="vectors", by=("model",),
        tasks=("test", "language", "count"), from_zero=True, down=("model", "dataset"), across=("components",),
        tooltip=("components",),
    ),
    Lines(
        id="weat-layers", title="Association tests by layer",
        caption="Cohen’s d of each association test in every layer, bleached, nothing nullified.", where=(IN_LAYERS,),
        prepare=_name_tests, value=EFFECT, by=("test", "language", "count"), panels=4, down=("model", "layer"),
        across=("dataset",), tooltip=("p",),
    ),
    Lines(  # Bommasani et al., Figures 2 and 11 to 18
        id="bias-layers", title="Bias by layer and estimator", caption=_describe_estimators,
        where=(IS_ESTIMATE, LAYER.is_not_null()), prepare=_order_estimators, value="bias", colour="dataset",
        by=("model", "quantity", "subset"), panels=4, free="y", down=("model", "dataset", "subset", "layer"),
        across=("quantity",),
        drawing="A line that rises in one panel and falls in another is one bias that two definitions disagree about. "
        f"{BANDS}",
    ),
    Dots(  # Bommasani et al., Tables 3 and 8, first rows
        id="bias", title="Bias of static embeddings by estimator", caption=_describe_estimators,
        where=(IS_ESTIMATE, LAYER.is_null()), prepare=_order_estimators, value="bias", by=("quantity",), free="xy",
        tasks=("dataset", "subset"), down=("dataset", "subset"), across=("quantity", "model"), drawing=BARS,
    ),
    Dots(  # the disagreement that Bommasani et al. see by eye
        id="agreement", title="Agreement of the estimators",
        caption="Do estimators of the same bias rank a model’s layers alike? 1: always, 0: no more than chance, below "
        "0: they contradict each other.",
        where=(MEASURE == "agreement", VARIANT.is_null()), value="mean rank correlation of layers",
        tasks=("dataset", "subset"), from_zero=True, across=("model",),
        drawing=f"{BARS} They are over resampled word lists.",
    ),
)  # fmt: skip


PREDICTIONS = (
    Dots(  # Dudy and Bedrick, Table 1
        id="prediction", title="Whole words predicted",
        caption="top-k: the share of words in a text that are among the model’s k best guesses. Tk: the share of "
        "different words that it ever predicts. A model that predicts only “the” has a fair top-1 and almost no T1.",
        where=(EXPERIMENT == "prediction", MEASURE.is_in(["top", "T"]), VARIANT.is_null()), value="share predicted",
        by=("dataset",), tasks=("quantity",), from_zero=True, across=("model",),
    ),
    Dots(  # Dudy and Bedrick, Figures 1 and 2
        id="coverage", title="Coverage by frequency band",
        caption="top-k over the tokens of a band, Tk over its types: words that are never predicted are in the rare "
        "bands.",
        where=(EXPERIMENT == "coverage", pl.col("subset").is_not_null()), value="share predicted", tasks=("subset",),
        from_zero=True, by=("dataset", "quantity"), panels=4, free="x", down=("dataset", "model", "subset"),
        across=("quantity",),
    ),
    Lines(  # Dudy and Bedrick, Figure 3
        id="soft-match", title="Soft matches",
        caption="A guess counts when it is among the k nearest words of the right one; @1 is the word itself. "
        "soft-match: share of words in the text; soft-match-types: share of different words.",
        where=(EXPERIMENT == "soft-match", pl.col("k").is_not_null()),
        value="accuracy", x="k", dash="variant", by=("dataset", "measure"), down=("dataset", "model"),
        across=("quantity",),
    ),
    Lines(  # Dudy and Bedrick, Table 2
        **PARAPHRASES, where=(*HITS, LAYER.is_not_null()), by=("model",), down=("model", "layer")
    ),
    Dots(**PARAPHRASES, where=(*HITS, LAYER.is_null()), tasks=("model",), from_zero=True, down=("model",)),
)  # fmt: skip
INFERENCES = (
    Dots(  # Dev et al., Tables 1, 3, 5, 8, 9 and 15
        id="neutrality", title="Neutral inferences before and after debiasing",
        caption="Premise and hypothesis differ only in a word for a person, so neutral is always right. Net neutral: "
        "its mean probability; fraction neutral: how often it wins; threshold: how often its probability is above τ.",
        where=(MEASURE.is_in(["net-neutral", "fraction-neutral", "threshold"]), VARIANT.is_null(), WHOLE),
        value="neutral (1: no biased inference)", colour="version", by=("model", "dataset"), tasks=("quantity",),
        from_zero=True, across=("version",),
    ),
    Dots(  # Dev et al., Tables 10, 16 and 17
        id="accuracy", title="Accuracy of the NLI model",
        caption="Accuracy on the benchmark itself: what removing the bias costs, or gains.",
        where=(EXPERIMENT == "accuracy", MEASURE == "accuracy", WHOLE),
        prepare=lambda rows: rows.with_columns(treatment=TREATMENT),
        value="accuracy", colour="treatment", by=("model",), tasks=("dataset",), across=("version", "variant"),
    ),
)  # fmt: skip
DEBIASING = (
    Dots(
        id="debias", title="Before and after debiasing",
        caption="The same measures on the embedding as it was and with the bias removed: tests of bias should come "
        "nearer to 0; valence, similarity and analogies should stay. “random”: without random directions, the control.",
        where=(pl.col("quantity").is_in([WEAT, *TASKS, *ESTIMATORS]), pl.col("version").is_not_null(), IS_MEAN_DRAW),
        value="value", colour="version", by=("quantity", "model"), free="xy", tasks=("dataset", "subset"),
        across=("version",),
    ),
    Dots(  # Dev et al., Tables 7 and 12
        id="stability", title="Does the bias have a direction?",
        caption="principal@2 …: later principal values over the first, small where one direction holds the bias; "
        "cosine: between that direction and the one that is removed.",
        where=(EXPERIMENT == "stability", IS_MEAN_DRAW), value="share or cosine", colour="quantity",
        by=("model",), tasks=("dataset", "layer"), from_zero=True, across=("quantity",),
    ),
)  # fmt: skip
TRAINING = (
    Lines(
        id="weat-steps", title="Association tests by step",
        caption="Cohen’s d of each association test by training step, bleached.", where=(SEVERAL_STEPS, IN_LAYERS),
        prepare=_name_tests, value=EFFECT, x="step", colour="layer", by=("name", "test", "language", "count"),
        down=("dataset", "model"), across=("layer",), drawing=BANDS, tooltip=("p",),
    ),
    Lines(
        id="accuracy-steps", title="Words predicted by step",
        caption="The share of a text’s words that are the model’s first guess, by their frequency and training step.",
        where=(SEVERAL_STEPS, EXPERIMENT == "coverage", MEASURE == "top", pl.col("k") == 1),
        value="share predicted (top-1)", x="step", colour="subset", by=("name", "dataset"), down=("dataset", "model"),
        across=("subset",), drawing=BANDS,
    ),
)  # fmt: skip
