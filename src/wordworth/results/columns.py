"""The columns of `scores.csv` and of every item table. A column that does not apply to a row is blank."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from wordworth.measure.declaration import label

Schema = dict[str, Any]
"""Column → its type in polars."""
PLACE: Schema = {
    "experiment": pl.String,
    "model": pl.String,
    "step": pl.Int64,
    "language": pl.String,
    "dataset": pl.String,
    "subset": pl.String,
    "context": pl.String,
    "sentences": pl.Int64,
    "version": pl.String,
    "draw": pl.Int64,
    "control": pl.String,
    "pooling": pl.String,
    "layer": pl.Int64,
    "components": pl.Int64,
}
"""What was measured, and where. Scores and items share these columns.

`step` is the training step of a checkpoint; `subset` a part of the data set (a frequency band, words of one token,
one occupation); `context` the text that a word is in, and `sentences` how many sentences an aggregated vector was drawn
from; `version` what was removed from the model, and `draw` the number of a random draw; `control` what shows chance;
`components` how many principal components are nullified.
"""

SCORES: Schema = (
    {"study": pl.String}
    | PLACE
    | {
        "measure": pl.String,
        "variant": pl.String,
        "k": pl.Int64,
        "threshold": pl.Float64,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "p": pl.Float64,
        "p_method": pl.String,
        "sides": pl.String,
        "partitions": pl.Int64,
        "n": pl.Int64,
        "coverage": pl.Float64,
        "cautions": pl.List(pl.String),
    }
)
"""The columns of `scores.csv`.

`measure` and `variant` name a declared measure; `k` and `threshold` are its parameters. `low` and `high` are the ends
of the 95 % interval. `p_method` is exact or monte-carlo, over so many `partitions`, on one or two `sides`. `coverage`
is the share of the data set's items (or of the smallest covered word set) that the model has. `cautions` are values of
`Caution`.
"""
NUMBERS = ("value", "low", "high", "p", "p_method", "sides", "partitions", "n", "coverage", "cautions")
KEY = [name for name in SCORES if name not in NUMBERS]
"""The columns that name a score."""

ITEM_TABLES: dict[str, Schema] = {
    "rated_words": {
        "word": pl.String,
        "spelling": pl.String,
        "subwords": pl.Int64,
        "rating": pl.Float64,
        "value": pl.Float64,
        "p": pl.Float64,
    },
    "word_pairs": {
        "first": pl.String,
        "second": pl.String,
        "spelling": pl.String,
        "rating": pl.Float64,
        "value": pl.Float64,
    },
    "association_words": {
        "role": pl.String,
        "set": pl.String,
        "word": pl.String,
        "spelling": pl.String,
        "value": pl.Float64,
    },
    "bias_words": {"measure": pl.String, "word": pl.String, "value": pl.Float64},
    "analogies": {
        "a": pl.String,
        "b": pl.String,
        "c": pl.String,
        "d": pl.String,
        "section": pl.String,
        "answer": pl.String,
        "is_correct": pl.Boolean,
    },
    "neighbours": {"word": pl.String, "neighbours": pl.List(pl.String), "value": pl.Float64},
    "probed_words": {
        "probe": pl.String,
        "word": pl.String,
        "label": pl.String,
        "prediction": pl.String,
        "is_correct": pl.Boolean,
    },
    "predictions": {
        "line": pl.Int64,
        "position": pl.Int64,
        "word": pl.String,
        "guess": pl.String,
        "band": pl.String,
        "units": pl.Int64,
        "bits": pl.Float64,
        "rank": pl.Int64,
    },
    "prediction_errors": {
        "word": pl.String,
        "guess": pl.String,
        "band": pl.String,
        "count": pl.Int64,
        "share": pl.Float64,
    },
    "paraphrases": {"triple": pl.String, "near": pl.Float64, "far": pl.Float64, "is_hit": pl.Boolean},
    "subject_pairs": {
        "premise": pl.String,
        "hypothesis": pl.String,
        "entailment": pl.Float64,
        "neutral": pl.Float64,
        "contradiction": pl.Float64,
    },
    "sentence_pairs": {
        "pair": pl.Int64,
        "premise": pl.String,
        "hypothesis": pl.String,
        "extreme": pl.String,
        "entailment": pl.Float64,
        "neutral": pl.Float64,
        "contradiction": pl.Float64,
    },
    "labelled_pairs": {"variant": pl.String, "premise": pl.String, "hypothesis": pl.String, "is_correct": pl.Boolean},
    "variants": {
        "words": pl.String,
        "without": pl.String,
        "vectors": pl.String,
        "association": pl.String,
        "sigma": pl.String,
        "correlation": pl.String,
        "p_test": pl.String,
        "sides": pl.String,
        "value": pl.Float64,
        "p": pl.Float64,
    },
    "word_lists": {"list": pl.String, "word": pl.String, "spelling": pl.String, "count": pl.Int64},
}
"""Item table → its own columns.

- `rated_words`: a word of a lexicon; `value` is its association (SC-WEAT d). In `raters`, `value` and `rating` are the
  mean ratings of the two groups.
- `word_pairs`: `value` is the cosine. `spelling` is how the vocabulary spells a word or pair where that differs.
- `association_words`: a word of a test; `role` is X, Y, A or B and `set` its word set; targets have a value.
- `bias_words`: a target word under one estimator of bias, which `measure` names.
- `predictions`: a word of a text; `rank` is the smallest k at which it was predicted, `bits` its surprisal.
- `prediction_errors`: in `instead`, a guess, its band and how many misses it answered; in `confused`, a word and the
  guess; in `never-predicted`, a word and how often it occurs.
- `subject_pairs`: two subjects, averaged over all sentences. `sentence_pairs`: the pairs farthest from neutral;
  `extreme` is the label that is most probable.
- `labelled_pairs`: `variant` is that of the accuracy: the bias removed before.
- `variants`: a test under other choices of words, vectors and statistics; `without` names the words that are removed.
- `word_lists`: words of other lists: poles, sets of a bias, words without a vector; `count` is how often one occurs.
"""
ITEM_KEYS: dict[str, tuple[str, ...]] = {
    "rated_words": ("word",),
    "word_pairs": ("first", "second"),
    "association_words": ("word", "role", "set"),
    "bias_words": ("word",),
    "analogies": ("a", "b", "c", "d"),
    "predictions": ("line", "position"),
    "subject_pairs": ("premise", "hypothesis"),
    "labelled_pairs": ("premise", "hypothesis"),
}
"""Item table → the columns by which two models' rows are the same item."""
ITEM_CLUSTERS = {"predictions": "line", "subject_pairs": "premise"}
"""Item table → the column of what its items depend on together, where they are not independent."""
SKIPPED = "skipped"
"""The last column of every item table: why an item was not used; blank where it was."""


def item_schema(table: str) -> Schema:
    """Return all columns of an item table."""
    return PLACE | ITEM_TABLES[table] | {SKIPPED: pl.String}


_FORMULA = r"'*[=+\-@\t\r\n＝＋－＠]"
CAUTION_SEPARATOR = " "


def as_text(scores: pl.DataFrame) -> pl.DataFrame:
    """Return scores as they are written: no cell of text starts a spreadsheet's formula."""
    joined = pl.col("cautions").list.join(CAUTION_SEPARATOR).replace("", None)
    return scores.with_columns(joined).with_columns(pl.col(pl.String).str.replace(f"^({_FORMULA})", "'$1"))


def from_text(scores: pl.DataFrame) -> pl.DataFrame:
    """Return scores as they were before they were written."""
    plain = scores.with_columns(pl.col(pl.String).str.replace(f"^'({_FORMULA})", "$1"))
    cautions = pl.col("cautions").fill_null("").str.extract_all(r"\S+")
    return plain.with_columns(cautions).cast(SCORES)  # type: ignore[arg-type]


def main_scores(scores: pl.DataFrame, measures: list[str]) -> pl.DataFrame:
    """Return the scores that stand for a model: main measures on whole data sets and untouched vectors."""
    plain = ("variant", "subset", "components", "draw", "control")
    return scores.filter(
        pl.col("measure").is_in(measures), pl.col("value").is_finite(), *(pl.col(name).is_null() for name in plain)
    )


def model_label(model: str, step: int | None = None) -> str:
    """Return a model as tables show it: its name, and the training step of a checkpoint."""
    return model if step is None else f"{model}@step{step}"


def describe_score(columns: Mapping[str, Any]) -> str:
    """Return a score in words, by its columns: “tiny valence bellezza bleached layer 3”."""
    model = columns.get("model")
    words = [model_label(model, columns.get("step"))] if model else []
    if columns.get("measure"):
        more = {name: columns.get(name) for name in ("variant", "k", "threshold")}
        words.append(label(columns["measure"], **more))
    places = ("dataset", "subset", "context", "version", "control", "pooling")
    words += [columns[name] for name in places if columns.get(name)]
    numbered = ("sentences", "draw", "layer", "components")
    words += [f"{name} {columns[name]}" for name in numbered if columns.get(name) is not None]
    return " ".join(words)
