"""Behaviour: the words that a model predicts, the inferences that it draws, and what debiasing changes."""

from typing import Any

import polars as pl

from wordworth.measure import WEAT
from wordworth.pages.figures.figure import BANDS, EXPERIMENT, LAYER, MEASURE, VARIANT, Dots, Lines
from wordworth.pages.figures.meaning import SEVERAL_STEPS, TASKS
from wordworth.pages.figures.stereotypes import ESTIMATORS

WHOLE = pl.all_horizontal(pl.col(name).is_null() for name in ("subset", "control", "draw"))
"""Scores over all of a data set, and of a mean of random draws."""
IS_MEAN_DRAW = pl.col("draw").is_null()
HITS = (EXPERIMENT == "paraphrase", MEASURE == "hits", VARIANT.is_null())
PARAPHRASES: dict[str, Any] = {
    "id": "paraphrase",
    "title": "Paraphrases with rare and common words",
    "caption": "How often a sentence is closer to its paraphrase than to a sibling, for rare and for common words.",
    "value": "hits",
    "colour": "dataset",
    "across": ("dataset",),
}


def _name_treatments(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(treatment=pl.concat_str("version", "variant", separator=": ", ignore_nulls=True))


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
        prepare=_name_treatments,
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
        id="accuracy-steps", title="Words predicted by step",
        caption="The share of a text’s words that are the model’s first guess, by their frequency and training step.",
        where=(SEVERAL_STEPS, EXPERIMENT == "coverage", MEASURE == "top", pl.col("k") == 1),
        value="share predicted (top-1)", x="step", colour="subset", by=("name", "dataset"), down=("dataset", "model"),
        across=("subset",), drawing=BANDS,
    ),
)  # fmt: skip
