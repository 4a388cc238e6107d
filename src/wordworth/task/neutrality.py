"""From tallies to rows: scores with intervals, changes against the original, items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.infer.model.nli import LABELS
from wordworth.infer.scoring.largest import Largest
from wordworth.measure.neutrality import (
    BY_PAIR,
    CHANGE,
    OVER_SWAP,
    Tally,
    by_premise,
    gap_names,
    gap_replicates,
    group_means,
    measure_names,
    replicates,
    scores,
)
from wordworth.run import Findings
from wordworth.statistics.bootstrap import percentile_interval
from wordworth.statistics.paired_tests import sign_flip
from wordworth.task.pair_slices import Slice
from wordworth.task.settings import Intervals


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
    p: NDArray[np.float64] | None = None,
) -> None:
    for at, (name, value) in enumerate(zip(names, values.tolist(), strict=True)):
        low = high = None
        if drawn is not None:
            low, high = (float(end) for end in percentile_interval(drawn[at]))
        chance = None if p is None else float(p[at])
        findings.score(**row, measure=name, value=value, low=low, high=high, p=chance)


def groups_of(part: Slice) -> list[NDArray[np.intp]]:
    """The places of each group among the hypotheses of a part; without groups, each hypothesis is one."""
    probe, pairs = part.pairs.probe, part.pairs
    words = [probe.hypotheses[at] for at in pairs.hypotheses]
    if not probe.groups:
        return [np.array([at]) for at in range(len(words))]
    groups = [np.flatnonzero([word in members for word in words]) for members in probe.groups.values()]
    return [group for group in groups if len(group)]


def record_gaps(
    findings: Findings,
    part: Slice,
    place: dict[str, Any],
    tallies: Sequence[Tally],
    original: Tally | None,
    settings: Intervals,
) -> None:
    """The gaps between groups of hypotheses by premise; of a change, p is a sign-flip test over premises."""
    groups = groups_of(part)
    if len(groups) < 2 or tallies[0].shape[0] < 2:
        return

    def means(several: Sequence[Tally]) -> NDArray[np.float64]:
        return np.asarray(np.mean([by_premise(group_means(one, groups))[..., 0] for one in several], axis=0))

    def drawn(several: Sequence[Tally]) -> NDArray[np.float64]:
        given = (groups, settings.resamples, settings.seed)
        return np.asarray(np.mean([gap_replicates(one, *given) for one in several], axis=0))

    names, values, draws = gap_names(len(groups)), means(tallies), drawn(tallies)
    known = int(np.isfinite(values[0]).sum())
    if not known:
        return  # of a small sample, in which no premise meets all groups
    row = {"language": "english", "dataset": part.name, **place, "n": known}
    _rows(findings, row, names, np.nanmean(values, axis=1), draws)
    if original is not None:
        change = values - means([original])
        change = change[:, np.isfinite(change).all(axis=0)]
        p = sign_flip(change, seed=settings.seed).p
        changed = [name + CHANGE for name in names]
        _rows(findings, row, changed, change.mean(axis=1), draws - drawn([original]), p)


def record_over_swap(findings: Findings, part: Slice, place: dict[str, Any], measured: Tally, control: Tally) -> None:
    """How much more of each wrong label the probe gets than the control, whose sentences differ in a word too."""
    row = {"language": "english", "dataset": part.name, **place, "n": measured.pairs}
    both = [dict(zip(measure_names(one.thresholds), scores(one).tolist(), strict=True)) for one in (measured, control)]
    for label in ("entailment", "contradiction"):
        findings.score(**row, measure=f"{label}{OVER_SWAP}", value=both[0][label] - both[1][label])


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
