"""Stereotypes and behaviour: bias of vectors, words that a model predicts, inferences, and what debiasing changes."""

from typing import Any

import polars as pl

from wordworth.measure import VALENCE, WEAT
from wordworth.pages.figures.figure import BANDS, BARS, EXPERIMENT, LAYER, MEASURE, VARIANT, Dots, Lines
from wordworth.pages.figures.meaning import SEVERAL_STEPS, TASK_NAMES
from wordworth.results.main_scores import IS_PLAINEST, ON_FIRST_LEXICON
from wordworth.results.runs import TEST_LABELS, TESTS

ESTIMATORS = (
    "direct-bias", "direct-bias (centred)", "garg-euclidean", "garg-euclidean (unit)", "garg-cosine", "manzini",
    "manzini (centroid)", "ripa", "mac", "ect", "rnsb",
)  # fmt: skip
"""In the order of a figure: the paper's with their variants, then the others."""
IS_ESTIMATE = (EXPERIMENT == "bias") & pl.col("quantity").is_in(ESTIMATORS)
IS_TEST = (MEASURE == WEAT) & VARIANT.is_null()
IN_LAYERS = IS_TEST & LAYER.is_not_null() & pl.col("components").is_null()
EFFECT_LABEL = "effect size d"
TEST_PLACE = ("model", "language", "dataset")
IS_WHOLE_SET = pl.all_horizontal(pl.col(name).is_null() for name in ("subset", "control", "draw"))
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


def recoveries(scores: pl.DataFrame) -> pl.DataFrame:
    """Return for each model the number of nullified components that recovers most valence in its top layer.

    `raw` is valence with none, `value` with these, on the model's first lexicon.
    """
    rows = scores.filter(pl.col("experiment") == "isolation", pl.col("measure") == VALENCE)
    top = rows.filter(pl.col("layer") == pl.col("layer").max().over("model"), ON_FIRST_LEXICON).filter(IS_PLAINEST)
    raw = top.filter(pl.col("components").is_null()).select("model", raw="value")
    after = top.drop_nulls("components").sort("value", descending=True, maintain_order=True)
    best = after.unique("model", keep="first", maintain_order=True).sort("model_at")
    return best.join(raw, on="model", how="inner", maintain_order="left")


def nullified_tests(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the tests in the top layer raw, and with the components nullified that recover most valence."""
    is_test = (pl.col("measure") == WEAT) & pl.col("variant").is_null() & pl.col("layer").is_not_null()
    top_tests = scores.filter(is_test).filter(pl.col("layer").max().over("model") == pl.col("layer"))
    best_counts = dict(recoveries(scores).select("model", "components").iter_rows())
    max_counts = top_tests.drop_nulls("components").group_by("model").agg(pl.col("components").max()).iter_rows()
    counts = {model: best_counts.get(model, count) for model, count in max_counts}
    count = pl.col("model").replace_strict(counts, default=None, return_dtype=pl.Int64)
    return top_tests.filter(count.is_not_null(), pl.col("components").is_null() | (pl.col("components") == count))


def _name_tests(rows: pl.DataFrame) -> pl.DataFrame:
    """Return tests in the order of their numbers, with the column `test`."""
    numbers = {name: test["number"] for name, test in TESTS.items()}
    number = pl.col("dataset").replace_strict(numbers, default=None, return_dtype=pl.Int64)
    return rows.with_columns(test=pl.col("dataset").replace(TEST_LABELS)).sort(number, "row", nulls_last=True)


def _describe_bars(rows: pl.DataFrame) -> str:
    text = "p is one-sided: the share of partitions with as large an effect."
    return text if rows["low"].is_null().all() else f"{text} {BARS} n is the words of both targets."


def _best_nullified(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the tests raw and nullified, with the column `vectors`."""
    is_raw = pl.col("components").is_null()
    vectors = pl.when(is_raw).then(pl.lit("raw")).otherwise(pl.lit("nullified"))
    return _name_tests(nullified_tests(scores)).with_columns(vectors=vectors)


def _describe_nullified(rows: pl.DataFrame) -> str:
    pairs = rows.drop_nulls("components").select("model", "components").unique(maintain_order=True).iter_rows()
    counts = "; ".join(f"{model}: {count}" for model, count in pairs)
    text = "Cohen’s d in the top layer, raw and with components nullified."
    return f"{text} Nullifying so many recovers most valence ({counts})."


def _order_estimators(rows: pl.DataFrame) -> pl.DataFrame:
    order_of_estimators = {name: at for at, name in enumerate(ESTIMATORS)}
    order = pl.col("quantity").replace_strict(order_of_estimators, return_dtype=pl.Int64)
    return rows.sort("model_at", order, "subset", maintain_order=True)


def _describe_estimators(rows: pl.DataFrame) -> str:
    names = [name for name in ("mac", "ect") if name in rows["measure"]]
    is_reversed = f" For {' and '.join(names)}, 1 is no bias; for the others 0." if names else ""
    return f"The bias of a list of words, under several estimators, each on its own scale.{is_reversed}"


CALIBRATION = Lines(
    id="calibration", title="Which measure would notice a bias?",
    caption="A bias of known size is injected into the words of a test. The share of drawn lists in which each "
    "measure detects it. At 0 there is none: 5 % false alarms are expected.",
    where=(EXPERIMENT == "calibration", pl.col("dose").is_not_null(), pl.col("k").is_null(), MEASURE != "injected-d"),
    prepare=lambda rows: rows.with_columns(calibrated=VARIANT), value="share detected", x="dose",
    colour="calibrated", by=("model", "dataset"), panels=2, down=("model", "dataset", "variant"),
    across=("dose",), drawing=BANDS,
)  # fmt: skip
STEREOTYPE_FIGURES = (
    Dots(
        id="weat", title="Association tests",
        caption="Cohen’s d of each association test. Above 0 is in the direction of the test’s name. Values "
        "of .2 are small, of .5 medium, of .8 large.",
        where=(IS_TEST, LAYER.is_null()),  # once, where two runs of an audit (valnorm and weat) have a test
        prepare=lambda rows: _name_tests(rows.unique(TEST_PLACE, maintain_order=True, keep="last")),
        value=EFFECT_LABEL, tasks=("test", "language", "count"), from_zero=True, down=("dataset", "language"),
        across=("model",), drawing=_describe_bars,
    ),
    Dots(  # VAST, Figure 5
        id="weat-nullified", title="Association tests before and after nullifying", caption=_describe_nullified,
        prepare=_best_nullified, value="effect size d, top layer", colour="vectors", by=("model",),
        tasks=("test", "language", "count"), from_zero=True, down=("model", "dataset"), across=("components",),
    ),
    Lines(
        id="weat-layers", title="Association tests by layer",
        caption="Cohen’s d of each association test in every layer, bleached, nothing nullified.", where=(IN_LAYERS,),
        prepare=_name_tests, value=EFFECT_LABEL, by=("test", "language", "count"), panels=4, down=("model", "layer"),
        across=("dataset",),
    ),
    Lines(  # Bommasani et al., Figures 2 and 11 to 18
        id="bias-layers", title="Bias by layer and estimator", caption=_describe_estimators,
        where=(IS_ESTIMATE, LAYER.is_not_null()), prepare=_order_estimators, value="bias", colour="dataset",
        by=("model", "quantity", "subset"), panels=4, free="y", down=("model", "dataset", "subset", "layer"),
        across=("quantity",),
        drawing="Where a line rises in one panel and falls in another, two definitions of one bias disagree. "
        f"{BANDS}",
    ),
    Dots(  # Bommasani et al., Tables 3 and 8, first rows
        id="bias", title="Bias of static embeddings by estimator", caption=_describe_estimators,
        where=(IS_ESTIMATE, LAYER.is_null()), prepare=_order_estimators, value="bias", by=("quantity",), free="xy",
        tasks=("dataset", "subset"), down=("dataset", "subset"), across=("quantity", "model"), drawing=BARS,
    ),
    Dots(  # the disagreement that Bommasani et al. see by eye
        id="agreement", title="Agreement of the estimators",
        caption="Do estimators of the same bias rank a model’s layers alike? 1 is always, 0 is chance. Below 0 they "
        "contradict each other. Two lists of words are compared by one estimator.",
        where=(MEASURE == "agreement", VARIANT.is_null()), value="mean rank correlation of layers",
        tasks=("dataset", "subset"), from_zero=True, across=("model",),
        drawing=f"{BARS} They are over resampled word lists.",
    ),
    Dots(
        id="pairs", title="Sentence pairs",
        caption="How often a sentence with a stereotype is more probable than the same sentence against it: .5 is no "
        "preference.",
        where=(MEASURE == "stereotype-share",), value="share that prefers the stereotype",
        tasks=("dataset", "subset"), across=("model",), drawing=BARS,
    ),
    CALIBRATION,
)  # fmt: skip


PREDICTION_FIGURES = (
    Dots(  # Dudy and Bedrick, Table 1
        id="prediction", title="Whole words predicted",
        caption="top-k: the share of words in a text that are among the model’s k best guesses. Tk: the share of "
        "different words that it ever predicts. A model that predicts only “the” has a fair top-1 and almost no T1.",
        where=(EXPERIMENT == "prediction", MEASURE.is_in(["top", "T"]), VARIANT.is_null()), value="share predicted",
        by=("dataset",), tasks=("quantity",), from_zero=True, across=("model",),
    ),
    Dots(  # Dudy and Bedrick, Figures 1 and 2
        id="coverage", title="Coverage by frequency band",
        caption="top-k over the tokens of a band, Tk over its types. Punctuation and numbers have a "
        "band of their own.",
        where=(EXPERIMENT == "coverage", pl.col("subset").is_not_null()), value="share predicted", tasks=("subset",),
        from_zero=True, by=("dataset", "quantity"), panels=4, free="x", down=("dataset", "model", "subset"),
        across=("quantity",),
    ),
    Lines(  # Dudy and Bedrick, Figure 3
        id="soft-match", title="Soft matches",
        caption="A guess counts when it is among the k nearest words of the right one; @1 is the word itself. "
        "Soft-match is the share of words, soft-match-types of different words.",
        where=(EXPERIMENT == "soft-match", pl.col("k").is_not_null()),
        value="accuracy", x="k", dash="variant", by=("dataset", "measure"), down=("dataset", "model"),
        across=("quantity",),
    ),
    Lines(  # Dudy and Bedrick, Table 2
        **PARAPHRASES, where=(*HITS, LAYER.is_not_null()), by=("model",), down=("model", "layer")
    ),
    Dots(**PARAPHRASES, where=(*HITS, LAYER.is_null()), tasks=("model",), from_zero=True, down=("model",)),
)  # fmt: skip
INFERENCE_FIGURES = (
    Dots(  # Dev et al., Tables 1, 3, 5, 8, 9 and 15
        id="neutrality", title="Neutral inferences before and after debiasing",
        caption="Premise and hypothesis differ only in a word for a person, so neutral is always right. Net neutral "
        "is its mean probability, fraction neutral how often it is most probable. Threshold is how often its "
        "probability is above τ.",
        where=(MEASURE.is_in(["net-neutral", "fraction-neutral", "threshold"]), VARIANT.is_null(), IS_WHOLE_SET),
        value="neutral (1: no biased inference)", colour="version", by=("model", "dataset"), tasks=("quantity",),
        from_zero=True, across=("version",),
    ),
    Dots(  # Dev et al., Tables 10, 16 and 17
        id="accuracy", title="Accuracy of the NLI model",
        caption="Accuracy on the benchmark itself: what removing the bias costs, or gains.",
        where=(EXPERIMENT == "accuracy", MEASURE == "accuracy", IS_WHOLE_SET),
        prepare=lambda rows: rows.with_columns(treatment=TREATMENT),
        value="accuracy", colour="treatment", by=("model",), tasks=("dataset",), across=("version", "variant"),
    ),
)  # fmt: skip
DEBIASING = (
    Dots(
        id="debias", title="Before and after debiasing",
        caption="The embedding as it was, with the bias removed, and as a control without random directions. Tests of "
        "bias should come nearer to 0. Valence, similarity and analogies should stay.",
        where=(pl.col("quantity").is_in([WEAT, *TASK_NAMES, *ESTIMATORS]), pl.col.version.is_not_null(), IS_MEAN_DRAW),
        value="value", colour="version", by=("quantity", "model"), free="xy", tasks=("dataset", "subset"),
        across=("version",),
    ),
    Dots(  # Dev et al., Tables 7 and 12
        id="stability", title="Does the bias have a direction?",
        caption="Later principal values over the first (principal@2 …) are small where one direction holds the bias. "
        "Cosine is between that direction and the one removed.",
        where=(EXPERIMENT == "stability", IS_MEAN_DRAW), value="share or cosine", colour="quantity",
        by=("model",), tasks=("dataset", "layer"), from_zero=True, across=("quantity",),
    ),
)  # fmt: skip
TRAINING_FIGURES = (
    Lines(
        id="weat-steps", title="Association tests by step",
        caption="Cohen’s d of each association test by training step, bleached.", where=(SEVERAL_STEPS, IN_LAYERS),
        prepare=_name_tests, value=EFFECT_LABEL, x="step", colour="layer", by=("name", "test", "language", "count"),
        down=("dataset", "model"), across=("layer",), drawing=BANDS,
    ),
    Lines(
        id="accuracy-steps", title="Words predicted by step",
        caption="The share of a text’s words that are the model’s first guess, by their frequency and training step.",
        where=(SEVERAL_STEPS, EXPERIMENT == "coverage", MEASURE == "top", pl.col("k") == 1),
        value="share predicted (top-1)", x="step", colour="subset", by=("name", "dataset"), down=("dataset", "model"),
        across=("subset",), drawing=BANDS,
    ),
)  # fmt: skip
