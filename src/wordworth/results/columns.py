"""The columns of `scores.csv` and of every item table. A column that does not apply to a row is blank."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from wordworth.measure.declaration import label

Schema = dict[str, Any]
"""Column → its type in polars."""


def _text(*names: str) -> Schema:
    return dict.fromkeys(names, pl.String)


def _whole(*names: str) -> Schema:
    return dict.fromkeys(names, pl.Int64)


def _real(*names: str) -> Schema:
    return dict.fromkeys(names, pl.Float64)


PLACE: Schema = (
    _text("experiment", "model")
    | _whole("step")
    | _text("language", "dataset", "subset", "context")
    | _whole("sentences")
    | _text("version")
    | _whole("draw")
    | _text("control", "pooling")
    | _whole("layer", "components")
)
"""The columns that scores and items share: what was measured, and where.

`step` is the training step of a checkpoint; `subset` a part of the data set (a frequency band, words of one token,
one occupation); `context` the text that a word is in, and `sentences` how many sentences an aggregated vector was drawn
from; `version` what was removed from the model, and `draw` the number of a random draw; `control` what shows chance;
`components` how many principal components are nullified.
"""

SCORES: Schema = (
    _text("study")
    | PLACE
    | _text("measure", "variant")
    | _whole("k")
    | _real("threshold", "dose", "value", "low", "high", "p")
    | _text("p_method", "sides")
    | _whole("partitions", "n")
    | _real("coverage")
    | {"cautions": pl.List(pl.String)}
)
"""The columns of `scores.csv`.

`measure` and `variant` name a declared measure; `k` and `threshold` are its parameters; `dose` is the size of an
injected bias. `low` and `high` are the ends of the 95 % interval. `p_method` is exact or monte-carlo, over so many
`partitions`, on one or two `sides`. `coverage` is the share of the data set's items (or of the smallest covered word
set) that the model has. `cautions` are values of `Caution`.
"""
NUMBERS = ("value", "low", "high", "p", "p_method", "sides", "partitions", "n", "coverage", "cautions")
KEY = [name for name in SCORES if name not in NUMBERS]
"""The columns that name a score."""

_SENTENCES = _text("premise", "hypothesis")
_PROBABILITIES = _real("entailment", "neutral", "contradiction")
ITEM_TABLES: dict[str, Schema] = {
    "rated_words": _text("word", "spelling") | _whole("subwords") | _real("rating", "value", "p"),
    "word_pairs": _text("first", "second", "spelling") | _real("rating", "value"),
    "association_words": _text("role", "set", "word", "spelling") | _real("value"),
    "bias_words": _text("measure", "word") | _real("value"),
    "analogies": _text("a", "b", "c", "d", "section", "answer") | {"is_correct": pl.Boolean},
    "neighbours": _text("word") | {"neighbours": pl.List(pl.String)} | _real("value"),
    "probed_words": _text("probe", "word", "label", "prediction") | {"is_correct": pl.Boolean},
    "predictions": (
        _whole("line", "position") | _text("word", "guess", "band") | _whole("units") | _real("bits") | _whole("rank")
    ),
    "prediction_errors": _text("word", "guess", "band") | _whole("count") | _real("share"),
    "paraphrases": _text("triple") | _real("near", "far") | {"is_hit": pl.Boolean},
    "subject_pairs": _SENTENCES | _PROBABILITIES,
    "sentence_pairs": _whole("pair") | _SENTENCES | _text("extreme") | _PROBABILITIES,
    "stereotype_pairs": (
        _whole("pair")
        | _text("type", "group", "before", "stereotype", "antistereotype", "unrelated")
        | _real("logp_stereotype", "logp_antistereotype", "logp_unrelated", "women", "value")
        | {"is_stereotype": pl.Boolean}
    ),
    "labelled_pairs": _text("variant") | _SENTENCES | {"is_correct": pl.Boolean},
    "variants": (
        _text("words", "without", "vectors", "association", "sigma", "correlation", "p_test", "sides")
        | _real("value", "p")
    ),
    "word_lists": _text("list", "word", "spelling") | _whole("count"),
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
- `stereotype_pairs`: a sentence with a stereotype and one against it, and ln of the probability of each; `value` is
  their difference. `group` is what pairs depend on together, `women` the real share of women in an occupation.
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
    "stereotype_pairs": ("pair",),
    "labelled_pairs": ("premise", "hypothesis"),
}
"""Item table → the columns by which two models' rows are the same item."""
ITEM_CLUSTERS = {"predictions": "line", "subject_pairs": "premise", "stereotype_pairs": "group"}
"""Item table → the column of what its items depend on together, where they are not independent."""
ITEM_SUBSETS = {"stereotype_pairs": "type"}
"""Item table → its own column that holds the `subset` of scores: an item is saved once, for the whole and its part."""
SKIP = "skipped"
"""The last column of every item table: why an item was not used; blank where it was."""


def item_schema(table: str) -> Schema:
    """Return all columns of an item table."""
    return PLACE | ITEM_TABLES[table] | {SKIP: pl.String}


_FORMULA = r"'*[=+\-@\t\r\n＝＋－＠]"
CAUTION_SEPARATOR = " "


def as_text(scores: pl.DataFrame) -> pl.DataFrame:
    """Return scores as they are written: no cell of text starts a spreadsheet's formula."""
    joined_cautions = pl.col("cautions").list.join(CAUTION_SEPARATOR).replace("", None)
    return scores.with_columns(joined_cautions).with_columns(pl.col(pl.String).str.replace(f"^({_FORMULA})", "'$1"))


def from_text(scores: pl.DataFrame) -> pl.DataFrame:
    """Return scores as they were before they were written."""
    unescaped = scores.with_columns(pl.col(pl.String).str.replace(f"^'({_FORMULA})", "$1"))
    cautions = pl.col("cautions").fill_null("").str.extract_all(r"\S+")
    return unescaped.with_columns(cautions).cast(SCORES)  # type: ignore[arg-type]


def model_label(model: str, step: int | None = None) -> str:
    """Return a model as tables show it: its name, and the training step of a checkpoint."""
    return model if step is None else f"{model}@step{step}"


def describe_score(columns: Mapping[str, Any]) -> str:
    """Return a score in words, by its columns: “tiny valence bellezza bleached layer 3”."""
    model = columns.get("model")
    words = [model_label(model, columns.get("step"))] if model else []
    if columns.get("measure"):
        parameters = {name: columns.get(name) for name in ("variant", "k", "threshold")}
        words.append(label(columns["measure"], **parameters))
    text_columns = ("dataset", "subset", "context", "version", "control", "pooling")
    words += [columns[name] for name in text_columns if columns.get(name)]
    number_columns = ("sentences", "draw", "layer", "components", "dose")
    words += [f"{name} {columns[name]}" for name in number_columns if columns.get(name) is not None]
    return " ".join(words)
