"""Which score stands for a model on a data set: the one choice of the profile, the leaderboard, cards and sentences.

Of a language model it is the score of its best layer: for valence in the plainest context, for similarity in the mean
over the paper's whole sample. A data set that two runs measured counts once: the number over most items, then the last.
"""

from typing import Any

import polars as pl

from wordworth.measure import SIMILARITY, VALENCE, WEAT
from wordworth.measure.calibration import DETECTABLE, PERMUTATION_MEASURES
from wordworth.pages.insights import associations, best_layers
from wordworth.pages.runs import AS_IT_IS, DERIVED_COLUMNS, IS_ORIGINAL, OVERALL
from wordworth.results.columns import SCORES, main_scores
from wordworth.results.vocabulary import HARMLESS, ORIGINAL, RANDOM

FIRST_DATASETS = {VALENCE: ("bellezza", "warriner", "anew"), SIMILARITY: ("simlex-999", "ws-353", "rg-65")}
"""Measure → the data sets that stand for it, the first one that most models have."""


def main_numbers(scores: pl.DataFrame) -> pl.DataFrame:
    """Return one score per model, measure and data set, of models as they are; without association tests."""
    rows = scores.filter(AS_IT_IS, pl.col("model") != OVERALL)
    whole = main_scores(rows.filter(pl.col("layer").is_null(), IS_ORIGINAL))
    layered = best_layers(rows).select(scores.columns)
    # Of vectors made of many sentences, the best layer of the paper's pooling over the whole sample.
    reduced = rows.filter(
        (pl.col("measure") == SIMILARITY) & (pl.col("variant") == "best") & (pl.col("context") == "aggregated"),
        pl.col("sentences").is_null(),
        pl.col("pooling") == "mean/mean",
    ).with_columns(quantity=pl.lit(SIMILARITY), variant=pl.lit(None, pl.String))
    calibrated = rows.filter(pl.col("measure") == DETECTABLE, pl.col("variant").is_in(PERMUTATION_MEASURES))
    every = pl.concat([whole.filter(pl.col("measure") != WEAT), layered, reduced, calibrated])
    finite = every.filter(pl.col("value").is_finite()).sort("n", nulls_last=False, maintain_order=True)
    return finite.unique(["model", "quantity", "language", "dataset"], keep="last", maintain_order=True).sort("row")


def numbers_of_versions(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the main scores of models from which something was removed, and of originals that only `debias` has."""
    is_original = ~AS_IT_IS & (pl.col("version") == ORIGINAL) & AS_IT_IS.not_().all().over("model")
    changed = is_original | ~pl.col("version").is_in([ORIGINAL, RANDOM])
    rows = main_scores(scores.filter(changed, pl.col("layer").is_null(), pl.col("model") != OVERALL))
    return rows.unique(["model", "version", "quantity", "dataset"], keep="last", maintain_order=True)


def choose_tests(scores: pl.DataFrame) -> pl.DataFrame:
    """Return the association tests of groups of people, one score per model and test."""
    return associations(scores).filter(~pl.col("dataset").is_in(HARMLESS)).select(scores.columns)


def blank_score() -> dict[str, Any]:
    """Return a score without any value, for a number that no study records."""
    return dict.fromkeys([*SCORES, *DERIVED_COLUMNS])
