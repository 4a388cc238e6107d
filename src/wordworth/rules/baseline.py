"""“No worse than another run”: the paired differences of `compare`, with a margin."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.errors import WordworthError, listed
from wordworth.paired import Comparison, ComparisonSettings, Difference, Side, compare, sides
from wordworth.paired.items import LOOSE, QUESTION
from wordworth.paired.sides import equals, models_of
from wordworth.results.numbers import format_precise, state_p
from wordworth.results.run import Run, find_runs, read_run
from wordworth.results.table import Cell
from wordworth.rules.checking import Judged, explain_missing, name_runs
from wordworth.rules.rules import Interval, Rule, Verdict


class Baselines:
    """The runs of baselines and the comparisons with them, which several rules may need."""

    def __init__(self) -> None:
        self._runs: dict[Path, list[Run]] = {}
        self._comparisons: dict[tuple[Any, ...], Comparison] = {}

    def judge(self, rule: Rule, runs: Sequence[Run]) -> list[Judged]:
        """Judge the differences that a rule names between the runs and its baseline, each by its interval."""
        place = rule.baseline
        if place not in self._runs:
            self._runs[place] = [read_run(folder) for folder in find_runs([place])]
        study = rule.where.get("study")
        pairs = [(run, other) for run in runs for other in self._runs[place] if run.study == other.study]
        pairs = [pair for pair in pairs if study in (None, pair[0].study)]
        if not pairs:
            raise WordworthError(f"{name_runs(runs)} and {place} have no study in common to compare")
        where = {column: value for column, value in rule.where.items() if column in QUESTION}
        judged: list[Judged] = []
        comparisons: list[Comparison] = []
        for pair in pairs:
            both = _sides(rule, pair)
            comparisons.append(self._compare(rule, both))
            named = [one for one in comparisons[-1].differences if where.items() <= one.columns.items()]
            judged += [_judge(rule, one, both) for one in named]
        if not judged:
            every = [one.columns for comparison in comparisons for one in comparison.differences]
            missing = explain_missing(where, every, f"no task that was compared with {place}")
            refused = [f"{name}: {reason}" for comparison in comparisons for name, reason in comparison.refused]
            raise WordworthError(f"{missing}; not compared: {'; '.join(refused)}" if refused else missing)
        return judged

    def _compare(self, rule: Rule, both: tuple[Side, Side]) -> Comparison:
        layer = rule.where.get("layer")
        settings = ComparisonSettings("best" if layer is None else layer, rule.where.get("components"))
        key = (*(id(side.run) for side in both), *(side.label for side in both), settings)
        if key not in self._comparisons:
            self._comparisons[key] = compare(*both, settings)
        return self._comparisons[key]


def _sides(rule: Rule, pair: tuple[Run, Run]) -> tuple[Side, Side]:
    ours = _model(pair[0], rule.where.get("model") or "", "model")
    theirs = _model(pair[1], rule.baseline_model or (ours if ours in models_of(pair[1]) else ""), "baseline_model")
    return sides(pair, (ours, theirs))


def _model(run: Run, name: str, key: str) -> str:
    """Return the model that is named, or the only one."""
    models = [*models_of(run)]
    if not name and len(models) != 1:
        raise WordworthError(f"{run.label} has {len(models)} models ({listed(models)}); say which with {key}")
    return name or models[0]


REASONS: dict[Verdict, str] = {
    "pass": "it is not worse",
    "fail": "it is worse",
    "undecided": "the interval of the difference does not show whether it is worse",
}


def _judge(rule: Rule, one: Difference, both: tuple[Side, Side]) -> Judged:
    better, tested = one.measure.better, one.tested
    if not better:
        raise WordworthError(f"neither side of {one.measure.name} is better, so nothing is worse in it; give a limit")
    verdict = judge_magnitude(rule.margin, one, both) if better == "zero" else _judge_side(rule.margin, one, better)
    values = f"{format_precise(tested.first)} v {format_precise(tested.second)}, Δ {format_precise(tested.difference)} "
    values += f"[{format_precise(tested.low)}, {format_precise(tested.high)}], {state_p(tested.p)}, {tested.test}"
    columns = dict(one.columns) | {"study": both[0].run.study, "model": both[0].model, "step": both[0].step}
    columns["layer"] = one.layers[0]
    margin = f" by more than {rule.margin:g}" if rule.margin else ""
    return Judged(
        rule=rule.name,
        verdict=verdict,
        asked=f"no worse than {rule.baseline}{margin}",
        reason=f"{REASONS[verdict]} than {rule.baseline}{margin} ({values})",
        columns={name: value for name, value in columns.items() if value is not None},
        cell=Cell(tested.difference, tested.low, tested.high, tested.p, n=tested.n, cautions=tuple(one.cautions)),
        run=both[0].run.label,
        notes=(*one.notes, *(("nearer to 0 is better",) if better == "zero" else ())),
    )


def _judge_side(margin: float, one: Difference, better: str) -> Verdict:
    """Return whether the whole interval of the lead, or no part of it, is above minus the margin."""
    low, high = one.tested.low, one.tested.high
    if better == "lower":
        low, high = -high, -low
    if low >= -margin:
        return "pass"
    return "fail" if high < -margin else "undecided"


def judge_magnitude(margin: float, one: Difference, both: tuple[Side, Side]) -> Verdict:
    """Return whether |first| ≤ |second| + margin, where 0 is best.

    With the second's sign made positive, that is first − second ≤ margin and first + second ≥ −margin. The interval of
    the difference is the paired one; that of the sum is from end to end of the two intervals that the runs have, which
    is never too short.
    """
    own = [_interval(side, one, layer) for side, layer in zip(both, one.layers, strict=True)]
    if own[0] is None or own[1] is None:
        return "undecided"
    tested = one.tested
    difference, total = (tested.low, tested.high), (own[0][0] + own[1][0], own[0][1] + own[1][1])
    if tested.second < 0:
        difference, total = (-difference[1], -difference[0]), (-total[1], -total[0])
    if difference[1] <= margin and total[0] >= -margin:
        return "pass"
    is_above = difference[0] > margin and total[0] > margin
    is_below = total[1] < -margin and difference[1] < -margin
    return "fail" if is_above or is_below else "undecided"


def _interval(side: Side, one: Difference, layer: int | None) -> Interval | None:
    """Return the interval that a run has for one side of a difference; None where it has none, or several."""
    exact = [equals(name, one.columns.get(name)) for name in QUESTION if name not in LOOSE]
    is_finite = pl.col("low").is_finite() & pl.col("high").is_finite()
    rows = side.run.scores.filter(*side.selection, *exact, equals("layer", layer), is_finite)
    if len(rows) > 1:
        rows = rows.filter(*(equals(name, one.columns.get(name)) for name in LOOSE), equals("components", None))
    return (rows.item(0, "low"), rows.item(0, "high")) if len(rows) == 1 else None
