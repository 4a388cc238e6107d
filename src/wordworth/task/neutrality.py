"""From tallies to rows: scores with intervals, changes against the original, items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.infer.model.nli import LABELS
from wordworth.infer.scoring.largest import Largest
from wordworth.measure.neutrality import BY_PAIR, Tally, measure_names, replicates, scores
from wordworth.run import Findings
from wordworth.statistics.bootstrap import percentile_interval
from wordworth.task.pair_slices import Slice
from wordworth.task.settings import Intervals

CHANGE = ":change"


@dataclass(frozen=True)
class Measured:
    """What one pass over the pairs leaves: a tally for each slice, the whole first, and the largest of two columns."""

    tallies: list[Tally]
    largest: tuple[Largest, ...]


def names_of(tally: Tally) -> list[str]:
    """Every measure that is recorded, plain ones first."""
    plain = measure_names(tally.thresholds)
    return [*plain, *(name + BY_PAIR for name in plain[:-2])]


def values_of(tallies: Sequence[Tally]) -> NDArray[np.float64]:
    """The measures, averaged over tallies: one, or one for each random direction."""
    every = [np.concatenate([scores(one), scores(one, by_pair=True)[:-2]]) for one in tallies]
    return np.asarray(np.mean(every, axis=0))


def resampled(tallies: Sequence[Tally], settings: Intervals) -> NDArray[np.float64] | None:
    """(measures, resamples), averaged likewise; None where there is but one pair of subjects to draw."""
    if max(tallies[0].shape) == 1:
        return None
    given = (settings.resamples, settings.seed)
    every = [np.concatenate([replicates(one, *given), replicates(one, *given, by_pair=True)[:-2]]) for one in tallies]
    return np.asarray(np.mean(every, axis=0))


def record_scores(
    findings: Findings,
    part: Slice,
    place: dict[str, Any],
    tallies: Sequence[Tally],
    original: Tally | None,
    settings: Intervals,
) -> None:
    """A row a measure, and where there is an original one for the change against it, its subjects drawn alike."""
    names, values, drawn = names_of(tallies[0]), values_of(tallies), resampled(tallies, settings)
    row = {"language": "english", "dataset": part.name, **place, "n": tallies[0].pairs}
    _rows(findings, row, names, values, drawn)
    if original is not None:
        before = resampled([original], settings)
        both = None if drawn is None or before is None else drawn - before
        _rows(findings, row, [name + CHANGE for name in names], values - values_of([original]), both)


def _rows(
    findings: Findings,
    row: dict[str, Any],
    names: Sequence[str],
    values: NDArray[np.float64],
    drawn: NDArray[np.float64] | None,
) -> None:
    for at, (name, value) in enumerate(zip(names, values.tolist(), strict=True)):
        low = high = None
        if drawn is not None:
            low, high = (float(end) for end in percentile_interval(drawn[at]))
        findings.score(**row, measure=name, value=value, low=low, high=high)


def record_items(findings: Findings, part: Slice, place: dict[str, Any], measured: Measured) -> None:
    """A row for each pair of subjects, averaged over its templates, and for the pairs farthest from neutral."""
    tally, probe, pairs = measured.tallies[0], part.pairs.probe, part.pairs
    met = np.flatnonzero(tally.counts)
    means = tally.means()[met]
    first, second = np.divmod(met, tally.shape[1])
    subjects = [
        f"{probe.premises[pairs.premises[p]]} → {probe.hypotheses[pairs.hypotheses[h]]}"
        for p, h in zip(first.tolist(), second.tolist(), strict=True)
    ]
    shared = {"language": "english", "dataset": part.name, **place}
    findings.item(**shared, item=subjects, group="subjects", **_columns(means))
    for one in measured.largest:
        if len(one.indices):
            found = [pairs.pair(index) for index in one.indices.tolist()]
            findings.item(
                **shared,
                item=[f"{pair.premise} ⇒ {pair.hypothesis}" for pair in found],
                group=f"largest {LABELS[one.column]}",
                place=[str(index) for index in one.indices.tolist()],
                **_columns(one.probabilities),
            )


def _columns(probabilities: NDArray[np.float64]) -> dict[str, list[float]]:
    entailment, neutral, contradiction = probabilities.T.tolist()
    return {"value": neutral, "entailment": entailment, "contradiction": contradiction}
