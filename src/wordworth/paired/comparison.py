"""Which differences between two models are real: paired tests on the items that both have, corrected for number."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.measure.centroids import GROWS_WITH_VECTORS
from wordworth.paired.matching import ComparedTask, Family, LayerRule, Matched, NotComparableError, matched, tasks
from wordworth.paired.sides import Side, other_data, refuse_unlike, remarks
from wordworth.results.flags import few, joined, uncovered
from wordworth.results.schema import clusters
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.effect_size import weat_difference, weat_difference_interval
from wordworth.statistics.paired_correlation import correlation_difference
from wordworth.statistics.paired_tests import holm, mcnemar, mean_interval, paired_proportions, sign_flip
from wordworth.statistics.permutation import PERMUTATIONS

ALPHA = 0.05


@dataclass(frozen=True)
class Difference:
    """One task: the value of both on the shared items, and the test of their difference."""

    experiment: str
    language: str | None
    dataset: str | None
    setting: str | None
    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    test: str
    n: int
    """Items that both have."""
    only_first: int
    only_second: int
    layers: tuple[int | None, int | None]
    notes: tuple[str, ...]
    detail: str = ""
    """What the sets of an association test are."""
    p_holm: float = 1.0
    """p corrected for all tests of the comparison."""

    @property
    def real(self) -> bool:
        return self.p_holm < ALPHA

    @property
    def flags(self) -> str | None:
        """Why it is to be read with care: few items, or few of all that either has."""
        either = self.n + self.only_first + self.only_second
        return joined(few(self.n), uncovered(self.n, either, "the items of either"))

    @property
    def task(self) -> str:
        return " ".join(filter(None, (self.measure, self.dataset, self.setting)))


@dataclass(frozen=True)
class Comparison:
    """Two sides, every task that could be tested, and what could not."""

    study: str
    first: str
    second: str
    differences: tuple[Difference, ...]
    refused: tuple[tuple[str, str], ...]
    """(task, reason)."""
    remarks: tuple[str, ...]

    def as_table(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {
            "differences": [asdict(one) | {"real": one.real, "flags": one.flags} for one in self.differences]
        }


@dataclass(frozen=True)
class ComparisonSettings:
    """How the tests are done."""

    layer: LayerRule = "best"
    components: int | None = None
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS
    seed: int = 0


def compare(first: Side, second: Side, settings: ComparisonSettings | None = None) -> Comparison:
    """Every task that both sides have items of. Runs that asked different questions are refused, with the reason."""
    settings = settings or ComparisonSettings()
    refuse_unlike(first, second)
    changed = other_data(first, second)
    tested: list[Difference] = []
    refused: list[tuple[str, str]] = []
    for task in tasks(first, second, settings.components):
        try:
            _refuse_task(task, first, second, changed)
            both = matched(task, first, second, settings.layer, settings.seed)
            tested.append(_difference(task, both, settings))
        except NotComparableError as error:
            refused.append((task.name, str(error)))
    if not tested:
        nothing = f"{first.label} and {second.label} have no task in common that can be tested"
        raise WordworthError(f"{nothing} ({refused[0][0]}: {refused[0][1]})" if refused else nothing)
    adjusted = holm([one.p for one in tested])
    corrected = tuple(replace(one, p_holm=float(p)) for one, p in zip(tested, adjusted, strict=True))
    study = first.run.manifest["study"]
    return Comparison(study, first.label, second.label, corrected, tuple(refused), tuple(remarks(first, second)))


def _refuse_task(task: ComparedTask, first: Side, second: Side, changed: set[str]) -> None:
    if changed & {str(task.dataset), str(task.dataset).partition("/")[0].partition(":")[0]}:
        raise NotComparableError(f"{task.dataset} is not the same data in both (its sha256 differs)")
    if task.measure in GROWS_WITH_VECTORS and first.model != second.model:
        raise NotComparableError("it grows with the length of a model's vectors, which is not the models' bias")


def _difference(task: ComparedTask, both: Matched, settings: ComparisonSettings) -> Difference:
    if len(both.frame) < 4:
        raise NotComparableError(f"{len(both.frame)} items in common, and 4 are needed")
    values = both.frame.select("value", "value_second").to_numpy().T.astype(np.float64)
    tested = _TESTS[task.family](both.frame, values, settings)
    return Difference(
        experiment=task.experiment,
        language=task.language,
        dataset=task.dataset,
        setting=task.setting,
        measure=task.measure,
        n=values.shape[1],
        only_first=both.only_first,
        only_second=both.only_second,
        layers=both.layers,
        notes=both.notes,
        **tested,
    )


Tested = dict[str, Any]


def _columns(values: Sequence[float], interval: Sequence[float], p: float, test: str, **more: Any) -> Tested:
    (first, second), (low, high) = values, interval
    ends = {"first": first, "second": second, "difference": first - second, "low": float(low), "high": float(high)}
    return ends | {"p": float(p), "test": test, **more}


def _correlated(
    frame: pl.DataFrame, values: NDArray[np.float64], settings: ComparisonSettings, *, ranked: bool
) -> Tested:
    people = frame.get_column("reference").to_numpy().astype(np.float64)
    for name, column in (("the ratings", people), ("one model's values", values[0]), ("one model's values", values[1])):
        if np.ptp(column) <= 1e-12 * np.abs(column).max():
            raise NotComparableError(f"{name} are the same for all {len(people)} items in common")
    result = correlation_difference(values, people, ranked=ranked, resamples=settings.resamples, seed=settings.seed)
    return _columns(result.values.tolist(), (float(result.low), float(result.high)), float(result.p), "williams")


def _hit(frame: pl.DataFrame, values: NDArray[np.float64], settings: ComparisonSettings) -> Tested:
    right = values > 0.5
    only = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    _, low, high = paired_proportions(*only, right.shape[1])
    return _columns(right.mean(axis=1).tolist(), (low, high), float(mcnemar(*only)), "mcnemar:mid-p")


def _associated(frame: pl.DataFrame, values: NDArray[np.float64], settings: ComparisonSettings) -> Tested:
    groups = frame.get_column("group")
    is_x = groups.str.starts_with("X: ").to_numpy()
    if min(is_x.sum(), (~is_x).sum()) < 2:
        raise NotComparableError(f"{is_x.sum()} and {(~is_x).sum()} targets in common, and 2 of each are needed")
    ordered, size = np.concatenate([values[:, is_x], values[:, ~is_x]], axis=1), int(is_x.sum())
    if min(values.std(axis=1)) <= 1e-12:
        raise NotComparableError("one model associates all targets in common alike")
    effects, result = weat_difference(ordered, size, permutations=settings.permutations, seed=settings.seed)
    interval = weat_difference_interval(ordered, size, resamples=settings.resamples, seed=settings.seed)
    labels = sorted(groups.unique().to_list())
    detail = " v ".join(label.partition(": ")[2] for label in labels)
    return _columns(effects.tolist(), interval, float(result.p), f"exchange:{result.method}", detail=detail)


def _averaged(frame: pl.DataFrame, values: NDArray[np.float64], settings: ComparisonSettings) -> Tested:
    """What leans the same way is flipped as one."""
    sums = (
        frame.select(clusters(), difference=pl.col("value") - pl.col("value_second"))
        .group_by("cluster", maintain_order=True)
        .agg(pl.col("difference").sum(), pl.len().alias("size"))
    )
    differences, sizes = sums.get_column("difference").to_numpy(), sums.get_column("size").to_numpy().astype(np.float64)
    result = sign_flip(differences, permutations=settings.permutations, seed=settings.seed)
    interval = mean_interval(differences, sizes, resamples=settings.resamples, seed=settings.seed)
    clustered = f" over {len(sums)} clusters" if len(sums) < len(frame) else ""
    how = f"sign-flip:{result.method}{clustered}"
    return _columns(values.mean(axis=1).tolist(), interval, float(result.p), how)


_TESTS: dict[Family, Callable[[pl.DataFrame, NDArray[np.float64], ComparisonSettings], Tested]] = {
    "pearson": lambda frame, values, settings: _correlated(frame, values, settings, ranked=False),
    "spearman": lambda frame, values, settings: _correlated(frame, values, settings, ranked=True),
    "hits": _hit,
    "weat": _associated,
    "mean": _averaged,
}
