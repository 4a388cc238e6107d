"""Many models in one table by measure, and which lead: the best, and those that a paired test finds no worse."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
import polars as pl

from wordworth.measure.centroids import GROWS_WITH_VECTORS
from wordworth.pages.insights import associations, best_layers
from wordworth.pages.runs import ALL, AS_IT_IS, Runs
from wordworth.results import Run
from wordworth.results.flags import legend
from wordworth.results.schema import ARROW, KEY, clusters, numbered
from wordworth.results.vocabulary import HARMLESS
from wordworth.statistics.bootstrap import Exact
from wordworth.statistics.paired_correlation import correlation_test
from wordworth.statistics.paired_tests import holm, mcnemar, sign_flip

MOST = 8
"""Columns that stand beside each other on a page."""
USUAL = ("valence", "similarity", "analogy", "stereotypes", "top-1", "T1", "perplexity", "net neutral", "accuracy")
"""The measures that are shown before any are chosen, each on one data set."""
ALPHA = 0.05
FEWEST = 4
"""Items that both models must have for a test."""
WHERE = ("experiment", "language", "dataset", "setting", "pooling", "layer", "pcs")
"""The columns in which a score and its items agree."""
Score = Mapping[str, Any]
Tested = tuple[float, float]
"""How far the first is above the second, in any unit, and p."""


@dataclass(frozen=True, eq=False)
class Column:
    """One measure: model → value."""

    title: str
    values: dict[str, float]
    better: str = ""
    """higher, lower, or blank where the runs do not say."""
    measure: str = ""
    """What the columns of several data sets have in common."""
    flags: dict[str, str] = field(default_factory=dict)
    """Model → why its value is to be read with care."""
    rows: dict[str, int] = field(default_factory=dict)
    """Model → the place of its value in the scores; none where it is a mean over several."""

    @property
    def best(self) -> str | None:
        """The model that stands first; None where there is only one, or no end is better."""
        if len(self.values) < 2 or not self.better:
            return None
        order = max if self.better == "higher" else min
        return order(self.values, key=lambda model: self.values[model])


@dataclass(frozen=True)
class Leaderboard:
    """Models down, measures across."""

    models: list[str]
    columns: list[Column]

    @property
    def shown(self) -> list[Column]:
        """The columns to begin with: all where they fit, else of each usual measure the one that most models have."""
        if len(self.columns) <= MOST:
            return self.columns
        usual = [[column for column in self.columns if column.measure == name] for name in USUAL]
        chosen = [max(alike, key=lambda column: len(column.values)) for alike in usual if alike]
        return [column for column in self.columns if column in chosen[:MOST]]

    @property
    def hidden_models(self) -> list[str]:
        """The models without a number in the columns to begin with."""
        return [model for model in self.models if not any(model in column.values for column in self.shown)]

    @property
    def note(self) -> str:
        """Which of the values are to be read with care, and why."""
        return legend((column.title, flags) for column in self.columns for flags in column.flags.values())


def leaderboard(runs: Runs) -> Leaderboard:
    """The main measure of everything that was run."""
    columns = [column for column in _columns(runs) if column.values]
    models = [model for model in runs.models if any(model in column.values for column in columns)]
    return Leaderboard(models, columns)


def _columns(runs: Runs) -> Iterator[Column]:
    scores = runs.scores.filter(AS_IT_IS)
    measure, experiment, setting = pl.col("measure"), pl.col("experiment"), pl.col("setting")

    def by_dataset(rows: pl.DataFrame, name: str, title: str = "") -> Iterator[Column]:
        for (dataset,), mine in rows.filter(pl.col("model") != ALL).group_by(["dataset"], maintain_order=True):
            values = dict(zip(mine.get_column("model"), mine.get_column("value"), strict=True))
            finite = {model: value for model, value in values.items() if value is not None and isfinite(value)}
            flags = {model: why for model, why in mine.select("model", "flags").iter_rows() if why}
            places = {model: row for model, row in mine.select("model", "row").iter_rows() if model in finite}
            said = title or name
            full = " ".join(filter(None, (said, dataset)))
            yield Column(full, finite, runs.better(name), said, flags, places)

    alone = scores.filter(pl.col("layer").is_null())
    reduced = scores.filter(measure == "similarity:best", setting == "aggregated", pl.col("pooling") == "mean/mean")
    static = alone.filter(experiment == "valence", measure == "valence")
    layered = pl.DataFrame([asdict(one) for one in best_layers(scores)])
    valences = [
        table.select(pl.col("row").cast(pl.Int64), "model", "dataset", "value", pl.col("flags").cast(pl.String))
        for table in (static, layered)
        if len(table)
    ]
    if valences:
        yield from by_dataset(pl.concat(valences), "valence")
    similar = alone.filter(measure == "similarity", experiment.is_in(["similarity", "quality"]))
    yield from by_dataset(pl.concat([similar, reduced]), "similarity")
    yield from by_dataset(scores.filter(measure == "analogy"), "analogy")
    social = associations(scores).filter(~pl.col("dataset").is_in(HARMLESS))
    strength = social.group_by("model", maintain_order=True).agg(pl.col("value").abs().mean())
    yield Column("stereotypes, mean |d|", dict(strength.iter_rows()), "lower", "stereotypes")
    predicted = scores.filter(experiment == "prediction")
    for name in ("top-1", "top-10", "T1", "T10", "perplexity", "bits-per-character"):
        yield from by_dataset(predicted.filter(measure == name), name)
    plain = scores.filter(setting.is_null() | (setting == "original"))
    whole = plain.filter(measure == "net-neutral", ~pl.col("dataset").fill_null("").str.contains("/", literal=True))
    yield from by_dataset(whole, "net-neutral", "net neutral")
    yield from by_dataset(plain.filter(experiment == "accuracy", measure == "accuracy"), "accuracy")


@dataclass(frozen=True)
class Leading:
    """The models that lead among those that are compared."""

    models: frozenset[str] = frozenset()
    """The best one, and all that are not significantly worse."""
    test: str = ""
    """The name of the test that was made; blank where none could be."""
    untested: frozenset[str] = frozenset()
    """Models that could not be tested against the best."""


def leading(runs: Runs, scores: Sequence[Score], better: str) -> Leading:
    """Return who leads among scores that differ in their model only; p is corrected by Holm over the models.

    Nobody leads where neither end is better, or where there is one model.
    """
    measure = scores[0]["measure"] if scores else ""
    if len(scores) < 2 or better not in ("higher", "lower") or measure in GROWS_WITH_VECTORS:
        return Leading()
    sign = 1 if better == "higher" else -1
    best = max(scores, key=lambda score: sign * score["value"])
    others = {score["model"]: paired(runs, best, score) for score in scores if score is not best}
    tested = {model: found for model, found in others.items() if found is not None}
    adjusted = dict(zip(tested, holm([p for _, p in tested.values()]), strict=True)) if tested else {}
    worse = {model for model, p in adjusted.items() if p < ALPHA and sign * tested[model][0] > 0}
    how = paired_test(measure)
    name = how.name if how and tested else ""
    return Leading(frozenset({best["model"], *(adjusted.keys() - worse)}), name, frozenset(others.keys() - tested))


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
    (first, second), p = correlation_test(values, people, ranked=ranked)
    return float(first - second), float(p)


def _hits(frame: pl.DataFrame) -> Tested:
    first, second = (frame.get_column(name) > 0.5 for name in ("value", "value_second"))
    only = int((first & ~second).sum()), int((second & ~first).sum())
    return float(only[0] - only[1]), float(mcnemar(*only))


def _averaged(frame: pl.DataFrame) -> Tested:
    differences = frame.select(clusters(), apart=pl.col("value") - pl.col("value_second"))
    sums = differences.group_by("cluster", maintain_order=True).agg(pl.col("apart").sum()).get_column("apart")
    return float(sums.sum()), float(sign_flip(sums.to_numpy()).p)


WILLIAMS, MCNEMAR, FLIPPED = "Williams’ t", "McNemar’s mid-p", "sign-flip permutation"
_RATED = pl.col("value").is_not_null() & pl.col("reference").is_not_null()
_SIMILAR = PairedTest(WILLIAMS, partial(_correlated, ranked=True), _RATED & pl.col("group").is_null())
_BITS = PairedTest(FLIPPED, _averaged)
"""Of the same words, perplexity and all bits per unit order two models as the mean of their bits does."""
PAIRED_TESTS = {
    "valence": PairedTest(WILLIAMS, partial(_correlated, ranked=False), _RATED & (pl.col("group") == "lexicon")),
    "similarity": _SIMILAR,
    "similarity:best": _SIMILAR,
    "analogy": PairedTest(MCNEMAR, _hits),
    "perplexity": _BITS,
    "bits-per-word": _BITS,
    "bits-per-character": _BITS,
    "bits-per-byte": _BITS,
    "net-neutral": PairedTest(
        FLIPPED, _averaged, pl.col("value").is_not_null() & pl.col("item").str.contains(ARROW, literal=True)
    ),
    **{  # estimators that have an item for each target word
        name: PairedTest(FLIPPED, _averaged, pl.col("value").is_not_null() & (pl.col("group") == name))
        for name in ("direct-bias", "garg-cosine", "manzini")
    },
}


def paired_test(measure: str) -> PairedTest | None:
    """Return the test of a measure; None where its items allow none."""
    if top := re.fullmatch(r"top-(\d+)", measure):
        return PairedTest(MCNEMAR, _hits, pl.lit(True), (pl.col("rank") <= int(top[1])).fill_null(value=False))
    return PAIRED_TESTS.get(measure)


def paired(runs: Runs, first: Score, second: Score) -> Tested | None:
    """The paired test on the items that both have; None where there is none to make."""
    how = paired_test(first["measure"])
    if how is None:
        return None
    ours, theirs = runs.run_of(first), runs.run_of(second)
    if _other_data(ours, theirs, first["dataset"]):
        return None
    one, other = _items(ours, first, how), _items(theirs, second, how)
    both = one.join(other.select(*KEY, "value"), on=KEY, suffix="_second", nulls_equal=True).sort(KEY)
    if len(both) < FEWEST or both.select(KEY).is_duplicated().any():
        return None
    return how.test(both) if how.name != WILLIAMS or _varied(both) else None


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
