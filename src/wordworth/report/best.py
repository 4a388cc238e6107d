"""Which models stand first in a measure: the best one, and those that a paired test does not find worse."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from wordworth.measure.centroids import GROWS_WITH_VECTORS
from wordworth.report.runs import Runs
from wordworth.run import Run
from wordworth.run.pairing import ARROW, KEY, clusters, numbered
from wordworth.statistics.bootstrap import Exact
from wordworth.statistics.paired_correlation import correlation_test
from wordworth.statistics.paired_tests import holm, mcnemar, sign_flip

ALPHA = 0.05
FEWEST = 4
"""Items that both models must have for a test."""
WHERE = ("experiment", "language", "dataset", "setting", "pooling", "layer", "pcs")
"""The columns in which a score and its items agree."""
Score = Mapping[str, Any]
Tested = tuple[float, float]
"""How far the first is above the second, in any unit, and p."""


@dataclass(frozen=True)
class Standing:
    """The models that stand first among those that are compared."""

    first: frozenset[str] = frozenset()
    """The best one, and all that are not significantly worse."""
    tests: frozenset[str] = frozenset()
    """The names of the tests that were made."""
    untested: frozenset[str] = frozenset()
    """Models that could not be tested against the best."""


def standing(runs: Runs, scores: Sequence[Score], better: str) -> Standing:
    """Of scores that differ in their model alone. None is first where neither end is better, or there is but one model.

    p of each against the best is corrected by Holm over all of them.
    """
    measure = scores[0]["measure"] if scores else ""
    if len(scores) < 2 or better not in ("higher", "lower") or measure in GROWS_WITH_VECTORS:
        return Standing()
    sign = 1 if better == "higher" else -1
    best = max(scores, key=lambda score: sign * score["value"])
    others = {score["model"]: paired(runs, best, score) for score in scores if score is not best}
    tested = {model: found for model, found in others.items() if found is not None}
    adjusted = dict(zip(tested, holm([p for _, p in tested.values()]), strict=True)) if tested else {}
    worse = {model for model, p in adjusted.items() if p < ALPHA and sign * tested[model][0] > 0}
    how = paired_test(measure)
    names = frozenset({how.name} if how and tested else ())
    return Standing(frozenset({best["model"], *(adjusted.keys() - worse)}), names, frozenset(others.keys() - tested))


@dataclass(frozen=True)
class PairedTest:
    """How a measure's difference between two models is tested: the test, and the items that it is over."""

    name: str
    test: Callable[[pl.DataFrame], Tested]
    keep: pl.Expr = pl.col("value").is_not_null()  # noqa: RUF009
    value: pl.Expr = pl.col("value")  # noqa: RUF009


def _correlated(frame: pl.DataFrame, ranked: bool) -> Tested:
    people = frame.get_column("reference").to_numpy().astype(np.float64)
    values = frame.select("value", "value_second").to_numpy().T.astype(np.float64)
    (first, second), _, _, p = correlation_test(values, people, ranked=ranked)
    return float(first - second), float(p)


def _hits(frame: pl.DataFrame) -> Tested:
    first, second = (frame.get_column(name) > 0.5 for name in ("value", "value_second"))
    only = int((first & ~second).sum()), int((second & ~first).sum())
    return float(only[0] - only[1]), float(mcnemar(*only))


def _averaged(frame: pl.DataFrame) -> Tested:
    differences = frame.select(clusters(), apart=pl.col("value") - pl.col("value_second"))
    sums = differences.group_by("cluster", maintain_order=True).agg(pl.col("apart").sum()).get_column("apart")
    return float(sums.sum()), float(sign_flip(sums.to_numpy()).p)


_RATED = pl.col("value").is_not_null() & pl.col("reference").is_not_null()
_PAIRS = pl.col("value").is_not_null() & pl.col("item").str.contains(ARROW, literal=True)
_BITS = ("perplexity", "bits-per-word", "bits-per-character", "bits-per-byte")
"""Of the same words, all of these order two models as the mean of their bits does."""
_BY_TARGET = ("direct-bias", "garg-cosine", "manzini")
"""Estimators that have an item for each target word."""
WILLIAMS, MCNEMAR, FLIPPED = "Williams’ t", "McNemar’s mid-p", "sign-flip permutation"


def paired_test(measure: str) -> PairedTest | None:
    """The test of a measure; None where its items allow none."""
    if measure == "valence":
        return PairedTest(WILLIAMS, partial(_correlated, ranked=False), _RATED & (pl.col("group") == "lexicon"))
    if measure in ("similarity", "similarity:best"):
        return PairedTest(WILLIAMS, partial(_correlated, ranked=True), _RATED & pl.col("group").is_null())
    if measure == "analogy":
        return PairedTest(MCNEMAR, _hits)
    if top := re.fullmatch(r"top-(\d+)", measure):
        return PairedTest(MCNEMAR, _hits, pl.lit(True), (pl.col("rank") <= int(top[1])).fill_null(value=False))
    if measure in _BITS:
        return PairedTest(FLIPPED, _averaged)
    if measure == "net-neutral":
        return PairedTest(FLIPPED, _averaged, _PAIRS)
    if measure in _BY_TARGET:
        return PairedTest(FLIPPED, _averaged, pl.col("value").is_not_null() & (pl.col("group") == measure))
    return None


def paired(runs: Runs, first: Score, second: Score) -> Tested | None:
    """The paired test on the items that both have; None where there is none to make."""
    how = paired_test(first["measure"])
    if how is None:
        return None
    ours, theirs = run_of(runs, first), run_of(runs, second)
    if _other_data(ours, theirs, first["dataset"]):
        return None
    one, other = _items(ours, first, how), _items(theirs, second, how)
    both = one.join(other.select(*KEY, "value"), on=KEY, suffix="_second", nulls_equal=True).sort(KEY)
    if len(both) < FEWEST or both.select(KEY).is_duplicated().any():
        return None
    return how.test(both) if how.name != WILLIAMS or _varied(both) else None


def run_of(runs: Runs, score: Score) -> Run:
    """The run that a score is of."""
    mine = (run for run in runs.each if run.manifest["study"] == score["study"])
    return next(run for run in mine if score["model"] in run.scores.get_column("model"))


def _items(run: Run, score: Score, how: PairedTest) -> pl.DataFrame:
    """The items that went into a score."""
    place = (pl.col(name).eq_missing(pl.lit(score[name])) for name in (*WHERE, "model"))
    kept = run.items.filter(*place, pl.col("left_out").is_null(), how.keep)
    return numbered(kept.with_columns(value=how.value.cast(pl.Float64)).collect())


def _other_data(one: Run, other: Run, name: str | None) -> bool:
    """Whether a name stands for different data in two runs."""
    sums = [{data["sha256"] for data in run.manifest["data"] if data["name"] == name} - {""} for run in (one, other)]
    return all(sums) and sums[0] != sums[1]


def _varied(both: pl.DataFrame) -> bool:
    """Whether there are correlations: neither the ratings nor the values of either model are all the same."""
    columns: list[Exact] = [both.get_column(name).to_numpy() for name in ("reference", "value", "value_second")]
    return all(np.ptp(column) > 1e-12 * np.abs(column).max() for column in columns)
