"""“No worse than another run”: the paired differences of `compare`, with a margin."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from wordworth.errors import WordworthError, listed, nearest
from wordworth.measure import named
from wordworth.paired import Comparison, ComparisonSettings, Difference, Side, compare, sides
from wordworth.paired.sides import models_of
from wordworth.results import Run, read_run, run_folders
from wordworth.results.numbers import format_precise, state_p
from wordworth.rules.checking import Comparisons, Judged, folders_of, named_score
from wordworth.rules.rules import Baseline, Interval, Rule, Verdict

TOLD_BY = ("experiment", "language", "dataset", "setting", "measure")
"""The columns by which one difference is told from another; the rest say which sides are compared, and how."""


def paired(rule: Rule, runs: Sequence[Run], made: Comparisons) -> list[Judged]:
    """The differences that a rule names between the runs and its baseline, each judged by its interval."""
    assert rule.baseline is not None
    if rule.take == "best":
        raise WordworthError('a paired test has no best of several; give take = "all" or "any", or say which')
    baseline = rule.baseline
    if baseline.place not in made:
        made[baseline.place] = [read_run(folder) for folder in run_folders([baseline.place])]
    study = rule.where.get("study")
    both = [
        (ours, other)
        for ours in runs
        for other in made[baseline.place]
        if ours.manifest["study"] == other.manifest["study"] == (study or ours.manifest["study"])
    ]
    if not both:
        raise WordworthError(f"{folders_of(runs)} and {baseline.place} have no study in common that it could be of")
    judged: list[Judged] = []
    every: list[Difference] = []
    refused: list[tuple[str, str]] = []
    for pair in both:
        comparison, chosen = _compared(rule, baseline, pair, made)
        every += comparison.differences
        refused += comparison.refused
        judged += [_judged(rule, baseline, one, chosen) for one in comparison.differences if _named_by(rule, one)]
    if not judged:
        raise WordworthError(_nothing(rule, baseline, every, refused))
    return judged


def _compared(
    rule: Rule, baseline: Baseline, pair: tuple[Run, Run], made: Comparisons
) -> tuple[Comparison, tuple[Side, Side]]:
    wanted = rule.where.get("model")
    ours = _model(pair[0], str(wanted or ""), "model")
    theirs = _model(pair[1], baseline.model or (ours if ours in models_of(pair[1]) else ""), "baseline_model")
    layer, pcs = rule.where.get("layer"), rule.where.get("pcs")
    settings = ComparisonSettings(layer="best" if layer is None else layer, components=pcs)  # type: ignore[arg-type]
    key = (pair[0].folder, pair[1].folder, ours, theirs, settings)
    chosen = sides(pair, (ours, theirs))
    if key not in made:
        made[key] = compare(*chosen, settings)
    return made[key], chosen


def _model(run: Run, wanted: str, key: str) -> str:
    """The model that is named, or the only one."""
    known = models_of(run)
    if not wanted and len(known) != 1:
        raise WordworthError(f"{run.folder} has {len(known)} models ({listed(known)}); say which with {key}")
    return wanted or known[0]


def _named_by(rule: Rule, one: Difference) -> bool:
    return all(getattr(one, column) == rule.where[column] for column in TOLD_BY if column in rule.where)


def _nothing(rule: Rule, baseline: Baseline, every: Sequence[Difference], refused: Sequence[tuple[str, str]]) -> str:
    for task, reason in refused:
        if all(str(value) in task.split() for name in ("measure", "dataset") if (value := rule.where.get(name))):
            return f"{task} cannot be compared with {baseline.place}: {reason}"
    for column in TOLD_BY:
        known = list(dict.fromkeys(str(getattr(one, column)) for one in every if getattr(one, column)))
        value = rule.where.get(column)
        if column in rule.where and value not in known:
            shown = "blank" if value is None else repr(value)
            have = nearest(str(value), known) or f"; there are {listed(known)}"
            return f"no task that was compared with {baseline.place} has the {column} {shown}{have}"
    return f"no task that was compared with {baseline.place} is as it names it"


def _judged(rule: Rule, baseline: Baseline, one: Difference, chosen: tuple[Side, Side]) -> Judged:
    better = named(one.measure).better
    if better not in ("higher", "lower", "zero"):
        raise WordworthError(f"{one.measure} has no better side, so nothing is worse in it; give a limit")
    verdict = _by_magnitude(baseline, one, chosen) if better == "zero" else _by_side(baseline, one, better)
    values = f"{format_precise(one.first)} v {format_precise(one.second)}, Δ {format_precise(one.difference)} "
    values += f"[{format_precise(one.low)}, {format_precise(one.high)}], {state_p(one.p)}, {one.test}"
    columns: dict[str, Any] = {name: getattr(one, name) for name in TOLD_BY}
    columns |= {"study": chosen[0].run.manifest["study"], "model": chosen[0].model, "layer": one.layers[0]}
    margin = f" by more than {baseline.margin:g}" if baseline.margin else ""
    return Judged(
        rule=rule.name,
        verdict=verdict,
        score=named_score(columns),
        asked=f"no worse than {baseline.place}{margin}",
        reason=f"{_SAID[verdict]} than {baseline.place}{margin} ({values})",
        value=one.difference,
        low=one.low,
        high=one.high,
        p=one.p,
        n=one.n,
        flags=one.flags,
        notes=(*one.notes, *(("nearer to 0 is better",) if better == "zero" else ())),
        run=str(chosen[0].run.folder),
        columns={name: value for name, value in columns.items() if value is not None},
    )


_SAID: dict[Verdict, str] = {
    "pass": "it is not worse",
    "fail": "it is worse",
    "undecided": "the interval of the difference does not say whether it is worse",
}


def _by_side(baseline: Baseline, one: Difference, better: str) -> Verdict:
    """Where one side is better: whether the whole interval of the lead, or none of it, is above minus the margin."""
    low, high = (one.low, one.high) if better == "higher" else (-one.high, -one.low)
    if low >= -baseline.margin:
        return "pass"
    return "fail" if high < -baseline.margin else "undecided"


def _by_magnitude(baseline: Baseline, one: Difference, chosen: tuple[Side, Side]) -> Verdict:
    """Where 0 is best: whether |first| ≤ |second| + margin.

    With the second's sign made positive, that is first − second ≤ margin and first + second ≥ −margin. The interval of
    the difference is the paired one; that of the sum is from end to end of the two intervals that the runs have, which
    is never too short.
    """
    own = [_interval(side, one, layer) for side, layer in zip(chosen, one.layers, strict=True)]
    if own[0] is None or own[1] is None:
        return "undecided"
    sign = -1.0 if one.second < 0 else 1.0
    less, more = _times(sign, (one.low, one.high)), _times(sign, (own[0][0] + own[1][0], own[0][1] + own[1][1]))
    margin = baseline.margin
    if less[1] <= margin and more[0] >= -margin:
        return "pass"
    above = less[0] > margin and more[0] > margin
    beneath = more[1] < -margin and less[1] < -margin
    return "fail" if above or beneath else "undecided"


def _times(sign: float, interval: Interval) -> Interval:
    return interval if sign > 0 else (-interval[1], -interval[0])


def _interval(side: Side, one: Difference, layer: int | None) -> Interval | None:
    """The interval that a run has for one side of a difference; None where it has none, or several."""
    rows = side.run.scores.filter(
        pl.col("model") == side.model,
        *(
            pl.col(name).eq_missing(pl.lit(getattr(one, name)))
            for name in ("experiment", "language", "dataset", "measure")
        ),
        pl.col("layer").eq_missing(pl.lit(layer)),
        pl.col("low").is_finite() & pl.col("high").is_finite(),
    )
    if len(rows) > 1:
        rows = rows.filter(pl.col("setting").eq_missing(pl.lit(one.setting)), pl.col("pcs").is_null())
    return (rows.item(0, "low"), rows.item(0, "high")) if len(rows) == 1 else None
