"""The main scores of a model, chosen once for the terminal, Python, the page, cards and papers.

Of a language model it is the score of its best layer: for valence in the plainest context, for similarity in the mean
over the paper's whole sample. A data set that two runs measured counts once: the number over most items, then the last.
"""

from typing import Any

import polars as pl

from wordworth.measure import SIMILARITY, VALENCE, WEAT
from wordworth.measure.calibration import DETECTABLE, PERMUTATION_MEASURES
from wordworth.measure.declaration import main_measures
from wordworth.results.columns import SCORES
from wordworth.results.runs import AS_IT_IS, DERIVED_COLUMNS, IS_ORIGINAL, IS_PLAIN, OVERALL
from wordworth.results.vocabulary import HARMLESS, ORIGINAL, RANDOM

ALPHA = 0.05  # of significance
ON_FIRST_LEXICON = pl.col("dataset") == pl.col("dataset").first().over("model")
IN_CONTEXT = (pl.col("experiment") == "contextualization") & (pl.col("measure") == VALENCE)
IS_UNTRAINED = (pl.col("control") == "untrained") & (pl.col("measure") == VALENCE)
"""Valence of the same network with random weights."""
IS_VALUE, IS_DIFFERENCE = (pl.col("variant").is_null(),), (pl.col("variant") == "above-control",)
"""Of a control: its own value, and how far the model is above it."""
IS_BY_P, IS_BY_INTERVAL = (pl.col("value") > 0) & (pl.col("p") < ALPHA), pl.col("low") > 0
IS_ABOVE = pl.when(pl.col("p").is_not_null()).then(IS_BY_P).otherwise(IS_BY_INTERVAL).alias("is_above")
"""Whether a difference is significantly above 0, by its p or else its interval; null where it has neither."""
LEXICON, CONTEXT = ["model", "dataset"], ["model", "dataset", "context"]
HAS_BLEACHED, FIRST_CONTEXT = (pl.col("context") == "bleached").any(), pl.col("context").first()
PLAINEST = pl.when(HAS_BLEACHED).then(pl.lit("bleached")).otherwise(FIRST_CONTEXT).over(LEXICON)
IS_PLAINEST = pl.col("context").eq_missing(PLAINEST)
"""The context that says least about a word: bleached if it was run, otherwise the first."""
FIRST_DATASETS = {VALENCE: ("bellezza", "warriner", "anew"), SIMILARITY: ("simlex-999", "ws-353", "rg-65")}
"""Measure → its data sets in the order of choice: the first one that most models have."""


def main_scores(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the main scores of a model: main measures on whole data sets and untouched vectors."""
    plain = ("variant", "subset", "components", "draw", "control")
    is_main = pl.col("measure").is_in(main_measures())
    return scores.filter(is_main, pl.col("value").is_finite(), *(pl.col(name).is_null() for name in plain))


def main_numbers(scores: pl.DataFrame) -> pl.DataFrame:
    """Return one score per model, measure and data set, of models as they are; without association tests."""
    rows = scores.filter(AS_IT_IS, pl.col("model") != OVERALL)
    static = main_scores(rows.filter(pl.col("layer").is_null(), IS_ORIGINAL))
    layers = best_layers(rows).select(scores.columns)
    # For vectors from many sentences, the best layer of the paper's pooling over the whole sample.
    vectors = rows.filter(
        (pl.col("measure") == SIMILARITY) & (pl.col("variant") == "best") & (pl.col("context") == "aggregated"),
        pl.col("sentences").is_null(),
        pl.col("pooling") == "mean/mean",
    ).with_columns(quantity=pl.lit(SIMILARITY), variant=pl.lit(None, pl.String))
    effects = rows.filter(pl.col("measure") == DETECTABLE, pl.col("variant").is_in(PERMUTATION_MEASURES))
    table = pl.concat([static.filter(pl.col("measure") != WEAT), layers, vectors, effects])
    finite = table.filter(pl.col("value").is_finite()).sort("n", nulls_last=False, maintain_order=True)
    return finite.unique(["model", "quantity", "language", "dataset"], keep="last", maintain_order=True).sort("row")


def best_layers(scores: pl.DataFrame) -> pl.DataFrame:
    """Return for each model and lexicon the score of the layer in which valence is highest in the plainest context.

    Its other columns are `top`, the last layer; `held_out`, ρ over half of the words in the layer that the other half
    picked; `untrained`, ρ of the same network with random weights; and `is_above`, whether ρ is significantly higher.
    They are null where they were not measured.
    """
    finite = scores.filter(AS_IT_IS, pl.col("value").is_finite())
    rows = finite.filter(IN_CONTEXT, IS_PLAIN).with_columns(top=pl.col("layer").max().over(LEXICON)).filter(IS_PLAINEST)
    by_value = rows.sort("value", descending=True, maintain_order=True)
    best = by_value.unique(LEXICON, keep="first", maintain_order=True).sort("model_at", "row")
    held_out = finite.filter(IN_CONTEXT, pl.col("variant") == "held-out")
    baseline, above = (finite.filter(IS_UNTRAINED, *is_kind) for is_kind in (IS_VALUE, IS_DIFFERENCE))
    for table, key, column in (
        (held_out, CONTEXT, pl.col("value").alias("held_out")),
        (baseline, [*CONTEXT, "layer"], pl.col("value").alias("untrained")),
        (above, [*CONTEXT, "layer"], IS_ABOVE),
    ):
        values = table.select(*key, column).unique(key, keep="last")
        best = best.join(values, on=key, how="left", nulls_equal=True, maintain_order="left")
    return best


def numbers_of_versions(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the main scores of models from which something was removed, and of originals that only `debias` has."""
    is_original = ~AS_IT_IS & (pl.col("version") == ORIGINAL) & AS_IT_IS.not_().all().over("model")
    is_version = is_original | ~pl.col("version").is_in([ORIGINAL, RANDOM])
    rows = main_scores(scores.filter(is_version, pl.col("layer").is_null(), pl.col("model") != OVERALL))
    return rows.unique(["model", "version", "quantity", "dataset"], keep="last", maintain_order=True)


def associations(scores: pl.DataFrame) -> pl.DataFrame:
    """Return one effect size per model and test, of untouched vectors.

    In a language model it is that of the layer in which valence is best, which is picked on other words than the
    tests have; where valence was not measured, of the top layer (`picked` says which).
    """
    rows = scores.filter(AS_IT_IS, pl.col("measure") == WEAT, IS_PLAIN)
    once = rows.unique(["model", "language", "dataset", "context", "layer"], maintain_order=True, keep="last")
    first = best_layers(scores).unique("model", keep="first", maintain_order=True)
    reading = dict(first.select("model", "layer").iter_rows())
    best = pl.col("model").replace_strict(reading, default=None, return_dtype=pl.Int64)
    is_picked = (pl.col("layer") == best).fill_null(value=False).any().over("model")
    layer = pl.when(is_picked).then(best).otherwise(pl.col("layer").max().over("model"))
    return once.with_columns(picked=is_picked).filter(pl.col("layer").is_null() | (pl.col("layer") == layer))


def choose_tests(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the association tests of groups of people, one score per model and test."""
    return associations(scores).filter(~pl.col("dataset").is_in(HARMLESS)).select(scores.columns)


def choose_main(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the main numbers and the association tests of every model."""
    tests = associations(scores).select(scores.columns)
    return pl.concat([main_numbers(scores), tests]).unique("row", maintain_order=True)


def blank_score() -> dict[str, Any]:
    """Return a score without any value, for a number that no study records."""
    return dict.fromkeys([*SCORES, *DERIVED_COLUMNS])
