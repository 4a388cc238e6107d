"""Compare two models by paired tests on the items that both have, with Holm's correction."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.measure import find_measure
from wordworth.measure.declaration import Measure
from wordworth.paired.items import (
    SLOT_COLUMNS,
    LayerRule,
    NotComparableError,
    Question,
    join_items,
    key_of,
    match,
    questions,
    scored_items,
)
from wordworth.paired.sides import Side, changed_data, equals, refuse_unlike, remarks
from wordworth.results.columns import describe_score
from wordworth.results.display import ShowsTable
from wordworth.results.run import Run
from wordworth.results.table import Cell, Row, Table, legend_of
from wordworth.results.vocabulary import Caution, coverage_cautions, size_cautions
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.correlation import correlation_difference
from wordworth.statistics.effect_size import (
    holm,
    mcnemar,
    mean_interval,
    paired_proportions,
    sign_flip,
    weat_difference,
    weat_difference_interval,
)
from wordworth.statistics.permutation import PERMUTATIONS

ALPHA = 0.05
MIN_ITEMS = 4
"""Fewer items in common are not compared."""
MIN_TARGETS = 2
"""Words of each target set that an association test needs."""
MIN_SPREAD = 1e-12


@dataclass(frozen=True)
class PairedTest:
    """Hold a paired test: the values of both sides over the same items, and their difference."""

    first: float
    second: float
    low: float
    high: float
    """Ends of the 95 % interval of the difference."""
    p: float
    n: int
    """Items that both have."""
    test: str
    """williams, mcnemar (mid-p), exchange or sign-flip."""
    p_method: str | None = None
    """exact or monte-carlo, where the test permutes."""
    clusters: int | None = None
    """The number of permuted clusters, if items depend on each other."""
    sets: tuple[str, ...] = ()
    """The names of the target sets of an association test."""
    magnitude: tuple[float, float] | None = None
    """Ends of the 95 % interval of |first| − |second|, where nearer to 0 is better."""

    @property
    def difference(self) -> float:
        """Return the first side's value minus the second's."""
        return self.first - self.second


@dataclass(frozen=True)
class Difference:
    """Hold the test of the difference between two sides on one question."""

    columns: Mapping[str, Any]
    """The columns of the scores that are compared: experiment, dataset, measure, variant …"""
    test: PairedTest
    only_first: int = 0
    only_second: int = 0
    layers: tuple[int | None, int | None] = (None, None)
    notes: tuple[str, ...] = ()
    p_holm: float = 1.0
    """p corrected for all tests of the comparison."""

    @property
    def is_real(self) -> bool:
        """Return whether p stays below .05 after the correction."""
        return self.p_holm < ALPHA

    @property
    def cautions(self) -> list[Caution]:
        """Return its cautions: few items, or a small share of those that either side has."""
        n = self.test.n
        return size_cautions(n, self.measure.name) + coverage_cautions(n / (n + self.only_first + self.only_second))

    @property
    def measure(self) -> Measure:
        """Return the declaration of the measure."""
        return find_measure(self.columns["measure"], self.columns.get("variant"))

    @property
    def name(self) -> str:
        """Return the measure and the data."""
        return describe_score(self.columns)


@dataclass(frozen=True, repr=False)
class Comparison(ShowsTable):
    """Hold all tests of two sides, and the questions that could not be tested."""

    study: str
    first: str
    second: str
    differences: tuple[Difference, ...]
    refused: tuple[tuple[str, str], ...]
    """(question, reason)."""
    remarks: tuple[str, ...]

    @property
    def table(self) -> Table:
        """Return a row per difference: both values, and the difference with its interval, Holm's p and n."""
        rows = []
        for difference in self.differences:
            tested, cautions = difference.test, tuple(difference.cautions)
            lead = Cell(tested.difference, tested.low, tested.high, difference.p_holm, n=tested.n, cautions=cautions)
            rows.append(Row((difference.name,), (Cell(tested.first), Cell(tested.second), lead)))
        title, heads = f"wordworth compare · {self.study}", (self.first, self.second, "Δ")
        return Table(title, ("task",), heads, tuple(rows), note=legend_of(rows))

    def as_table(self) -> dict[str, Any]:
        """Return JSON data; the columns of a difference are those of `scores.csv` and of its test."""
        rows = []
        for one in self.differences:
            row = asdict(one)
            extra = {"difference": one.test.difference, "is_real": one.is_real, "cautions": one.cautions}
            rows.append({**row.pop("columns"), **row.pop("test"), **row, **extra})
        return asdict(self) | {"differences": rows}


@dataclass(frozen=True)
class ComparisonSettings:
    """Set the layer and the statistics of a comparison."""

    layer: LayerRule = "best"
    components: int | None = None
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS
    seed: int = 0


def compare(first: Side, second: Side, settings: ComparisonSettings | None = None) -> Comparison:
    """Compare two models on every question that both have items of.

    Raise for runs with different settings.
    """
    settings = settings or ComparisonSettings()
    refuse_unlike(first, second)
    changed_datasets = changed_data(first.run, second.run)
    differences: list[Difference] = []
    refusals: list[tuple[str, str]] = []
    for question in questions(first, second, settings.components):
        try:
            differences.append(_difference(question, first, second, changed_datasets, settings))
        except NotComparableError as error:
            refusals.append((describe_score(question.columns), str(error)))
    if not differences:
        problem = f"{first.label} and {second.label} have no task in common that can be tested"
        raise WordworthError(f"{problem} ({refusals[0][0]}: {refusals[0][1]})" if refusals else problem)
    p_values = holm([difference.test.p for difference in differences])
    results = tuple(replace(difference, p_holm=float(p)) for difference, p in zip(differences, p_values, strict=True))
    notes = tuple(remarks(first, second))
    return Comparison(first.run.study, first.label, second.label, results, tuple(refusals), notes)


def _difference(
    question: Question, first: Side, second: Side, changed_datasets: set[str], settings: ComparisonSettings
) -> Difference:
    dataset = question.columns["dataset"]
    if dataset in changed_datasets:
        raise NotComparableError(f"{dataset} is not the same data in both (its sha256 differs)")
    if question.measure.grows_with_vectors and first.model != second.model:
        raise NotComparableError(
            "it grows with the length of a model's vectors, so only versions of one model are comparable"
        )
    matched_items = match(question, first, second, settings.layer, settings.seed)
    test = paired_test(question.measure, matched_items.frame, settings)
    unshared_counts = matched_items.only_first, matched_items.only_second
    return Difference(question.columns, test, *unshared_counts, matched_items.layers, matched_items.notes)


def compare_scores(
    first: tuple[Run, Mapping[str, Any]],
    second: tuple[Run, Mapping[str, Any]],
    settings: ComparisonSettings | None = None,
) -> PairedTest:
    """Return the paired test of two scores of one measure, each with its run; raise if there is none.

    Unlike in `compare`, each score says its own layer, pooling and components.
    """
    score = first[1]
    measure = find_measure(score["measure"], score["variant"])
    if not measure.paired_test:
        raise NotComparableError(f"{score['measure']} has no paired test")
    if score["dataset"] in changed_data(first[0], second[0]):
        raise NotComparableError(f"{score['dataset']} is not the same data in both (its sha256 differs)")
    frames = [
        scored_items(run, row, measure).filter(*(equals(name, row[name]) for name in SLOT_COLUMNS)).collect()
        for run, row in (first, second)
    ]
    key = key_of(measure)
    if any(frame.select(key).is_duplicated().any() for frame in frames):
        raise NotComparableError("one model has several values for one item")
    return paired_test(measure, join_items(frames[0], frames[1], key), settings or ComparisonSettings())


def paired_test(measure: Measure, frame: pl.DataFrame, settings: ComparisonSettings) -> PairedTest:
    """Return the measure's paired test on the items that both have: columns `value` and `value_second`."""
    if len(frame) < MIN_ITEMS:
        raise NotComparableError(f"{len(frame)} items in common, and {MIN_ITEMS} are needed")
    values = frame.select("value", "value_second").to_numpy().T.astype(np.float64)
    match measure.paired_test:
        case "hits":
            return _test_hits(values)
        case "association":
            return _test_associations(frame, values, settings)
        case "mean":
            return _test_means(frame, values, settings)
        case _:
            return _test_correlations(frame, values, settings, is_ranked=measure.paired_test == "spearman")


def _result(values: Sequence[float], interval: Sequence[Any], p: Any, n: int, test: str, **fields: Any) -> PairedTest:
    (first, second), (low, high) = map(float, values), map(float, interval)
    return PairedTest(first, second, low, high, float(p), n, test, **fields)


def _test_correlations(
    frame: pl.DataFrame, values: NDArray[np.float64], settings: ComparisonSettings, *, is_ranked: bool
) -> PairedTest:
    ratings = frame.get_column("rating").to_numpy().astype(np.float64)
    for name, data in (("the ratings", ratings), ("one model's values", values[0]), ("one model's values", values[1])):
        if np.ptp(data) <= MIN_SPREAD * np.abs(data).max():
            raise NotComparableError(f"{name} are the same for all {len(ratings)} items in common")
    result = correlation_difference(values, ratings, ranked=is_ranked, resamples=settings.resamples, seed=settings.seed)
    return _result(result.values.tolist(), (float(result.low), float(result.high)), result.p, len(frame), "williams")


def _test_hits(values: NDArray[np.float64]) -> PairedTest:
    is_hit = values > 0.5
    discordant_counts = int((is_hit[0] & ~is_hit[1]).sum()), int((is_hit[1] & ~is_hit[0]).sum())
    _, low, high = paired_proportions(*discordant_counts, is_hit.shape[1])
    return _result(is_hit.mean(axis=1).tolist(), (low, high), mcnemar(*discordant_counts), is_hit.shape[1], "mcnemar")


def _test_associations(frame: pl.DataFrame, values: NDArray[np.float64], settings: ComparisonSettings) -> PairedTest:
    roles = frame.get_column("role")
    is_x, is_y = ((roles == role).to_numpy() for role in ("X", "Y"))
    if min(is_x.sum(), is_y.sum()) < MIN_TARGETS:
        counts = f"{is_x.sum()} and {is_y.sum()} targets in common"
        raise NotComparableError(f"{counts}, and {MIN_TARGETS} of each are needed")
    ordered_values, size = np.concatenate([values[:, is_x], values[:, is_y]], axis=1), int(is_x.sum())
    if min(values.std(axis=1)) <= MIN_SPREAD:
        raise NotComparableError("one model has the same association for all targets in common")
    effects, result = weat_difference(ordered_values, size, permutations=settings.permutations, seed=settings.seed)
    intervals = weat_difference_interval(ordered_values, size, resamples=settings.resamples, seed=settings.seed)
    sets = tuple(frame.sort("role").get_column("set").unique(maintain_order=True).drop_nulls())
    fields = {"p_method": result.method, "sets": sets, "magnitude": intervals[1]}
    return _result(effects.tolist(), intervals[0], result.p, len(frame), "exchange", **fields)


def _test_means(frame: pl.DataFrame, values: NDArray[np.float64], settings: ComparisonSettings) -> PairedTest:
    """Test a difference of means. The items of a cluster depend on each other, so their signs are flipped together."""
    table = (
        frame.select("cluster", difference=pl.col("value") - pl.col("value_second"))
        .group_by("cluster", maintain_order=True)
        .agg(pl.col("difference").sum(), pl.len().alias("size"))
    )
    differences = table.get_column("difference").to_numpy()
    sizes = table.get_column("size").to_numpy().astype(np.float64)
    result = sign_flip(differences, permutations=settings.permutations, seed=settings.seed)
    interval = mean_interval(differences, sizes, resamples=settings.resamples, seed=settings.seed)
    clusters = len(table) if len(table) < len(frame) else None
    fields = {"p_method": result.method, "clusters": clusters}
    return _result(values.mean(axis=1).tolist(), interval, result.p, len(frame), "sign-flip", **fields)
