"""Apply rules to runs: find the scores, or the differences from a baseline, that each names, and judge them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from wordworth.errors import WordworthError, format_names, nearest
from wordworth.measure import find_measure
from wordworth.measure.declaration import Better
from wordworth.paired import Comparison, ComparisonSettings, Difference, PairedTest, Side, compare, sides
from wordworth.paired.items import QUESTION
from wordworth.paired.sides import equals, models_of
from wordworth.results.columns import KEY, describe_score
from wordworth.results.display import ShowsTable
from wordworth.results.run import Run, find_runs, read_run
from wordworth.results.table import Cell, Row, Table, format_precise, state_p
from wordworth.results.vocabulary import caution_legend
from wordworth.rules.rules import Limit, Rule, Rules, Verdict

EXIT_CODES: dict[Verdict, int] = {"pass": 0, "fail": 1, "undecided": 3}
"""The exit code of the worst verdict; 2 is a mistake in the rules."""
BY_SEVERITY: tuple[Verdict, ...] = ("fail", "undecided", "pass")
VERDICTS_IN_WORDS: dict[Verdict, str] = {"pass": "passed", "fail": "failed", "undecided": "undecided"}


@dataclass(frozen=True)
class RuleResult:
    """Hold a rule, the score that decides it, and the verdict."""

    rule: str
    verdict: Verdict
    asked: str
    reason: str
    columns: Mapping[str, Any]
    """The columns of the score, without those that are blank."""
    cell: Cell
    """The numbers of the score, or of the difference of a paired test."""
    run: str = ""
    notes: tuple[str, ...] = ()
    matched: int = 1
    """How many scores the rule names."""

    @property
    def score(self) -> str:
        """Return the score in words: its model, measure, data …"""
        count = f" (1 of {self.matched:,})" if self.matched > 1 else ""
        return f"{describe_score(self.columns)}{count}"

    def __str__(self) -> str:
        return "; ".join([f"{self.score}: {self.reason}", *self.notes])


@dataclass(frozen=True, repr=False)
class CheckResult(ShowsTable):
    """Hold the results of all rules of a file."""

    rules: str
    runs: tuple[str, ...]
    judged: tuple[RuleResult, ...]

    @property
    def table(self) -> Table:
        """Return a row per rule."""
        rows = tuple(Row((line.rule, line.score, line.asked, line.verdict), (line.cell,)) for line in self.judged)
        legend = caution_legend((line.rule, line.cell.cautions) for line in self.judged)
        return Table("wordworth check", ("rule", "score", "asked", "verdict"), ("value or Δ",), rows, note=legend)

    @property
    def verdict(self) -> Verdict:
        """Return fail if any rule failed, undecided if none failed and one is undecided, else pass."""
        return next(verdict for verdict in BY_SEVERITY if any(result.verdict == verdict for result in self.judged))

    @property
    def code(self) -> int:
        """Return the exit code: 0 all pass, 1 one failed, 3 none failed and one is undecided."""
        return EXIT_CODES[self.verdict]

    @property
    def summary(self) -> str:
        """Return how many rules passed, failed and are undecided."""
        return _count_verdicts(self.judged)

    def as_table(self) -> dict[str, Any]:
        """Return JSON data."""
        results = [{**asdict(result), **asdict(result.cell), "score": result.score} for result in self.judged]
        for result in results:
            del result["cell"]
        return {**asdict(self), "judged": results, "verdict": self.verdict, "code": self.code}


def check(runs: Sequence[Run], rules: Rules) -> CheckResult:
    """Apply every rule to the runs; raise for a rule that names no score."""
    baselines = Baselines()
    results = tuple(_judge(rule, runs, baselines) for rule in rules.rules)
    return CheckResult(str(rules.path), tuple(run.label for run in runs), results)


def _judge(rule: Rule, runs: Sequence[Run], baselines: "Baselines") -> RuleResult:
    try:
        return _combine(_judge_scores(rule, runs) if rule.no_worse_than is None else baselines.judge(rule, runs))
    except WordworthError as error:
        raise WordworthError(f"{rule.file}, rule {rule.name[:60]!r}: {error}") from error


def _combine(results: Sequence[RuleResult]) -> RuleResult:
    """Return the worst verdict over all scores that a rule names."""
    if len(results) == 1:
        return results[0]
    worst_result = min(results, key=lambda result: BY_SEVERITY.index(result.verdict))
    reason = f"of {len(results):,} scores {_count_verdicts(results)}; {worst_result.reason}"
    return replace(worst_result, matched=len(results), reason=reason)


def _count_verdicts(results: Sequence[RuleResult]) -> str:
    verdicts = [result.verdict for result in results]
    return ", ".join(f"{verdicts.count(key):,} {word}" for key, word in VERDICTS_IN_WORDS.items() if key in verdicts)


def _explain_missing(conditions: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], subject: str) -> str:
    """Return why no row has these columns: the first column whose value no row has, with the nearest value."""
    rows = list(rows)
    for column, value in conditions.items():
        present_values = dict.fromkeys(row.get(column) for row in rows)
        if value not in present_values:
            names = [str(one) for one in present_values if one is not None]
            alternatives = f"; there are {format_names(names)}" if names else "; that column is blank in all"
            shown_value = "blank" if value is None else repr(value)
            return f"{subject} has the {column} {shown_value}{nearest(str(value), names) or alternatives}"
    columns = ", ".join(f"{column} {'blank' if value is None else value}" for column, value in conditions.items())
    return f"{subject} has all of these: {columns}"


def _name_runs(runs: Iterable[Run]) -> str:
    return format_names((run.label for run in runs), 3)


def _judge_scores(rule: Rule, runs: Sequence[Run]) -> list[RuleResult]:
    conditions = [equals(column, value) for column, value in rule.where.items()]
    rows = [(run, row) for run in runs for row in run.scores.filter(*conditions).iter_rows(named=True)]
    if not rows:
        places = [row for run in runs for row in run.scores.select(list(rule.where)).unique().iter_rows(named=True)]
        raise WordworthError(_explain_missing(rule.where, places, f"no score in {_name_runs(runs)}"))
    return [_judge_score(rule, run, row) for run, row in rows]


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _judge_score(rule: Rule, run: Run, row: Mapping[str, Any]) -> RuleResult:
    limit = rule.limit_of(find_measure(row["measure"], row["variant"]))
    cell = Cell.of_score({**row, **{name: _finite(row[name]) for name in ("value", "low", "high")}})
    verdict, reason = _apply(rule, limit, cell)
    columns = {column: row[column] for column in KEY if row[column] is not None}
    return RuleResult(rule.name, verdict, str(limit), reason, columns, cell, run.label)


def _apply(rule: Rule, limit: Limit, cell: Cell) -> tuple[Verdict, str]:
    if cell.value is None:
        return "undecided", f"there is no value to compare with {limit}"
    if rule.by == "point":
        verdict = limit.judge((cell.value, cell.value))
        meets = "meets" if verdict == "pass" else "does not meet"
        return verdict, f"the point {format_precise(cell.value)} {meets} {limit}"
    if cell.low is None or cell.high is None:
        return "undecided", f'there is no interval to compare with {limit}; by = "point" lets the value decide'
    portions: dict[Verdict, str] = {"pass": "the whole", "fail": "no part of the", "undecided": "only a part of the"}
    verdict = limit.judge((cell.low, cell.high))
    interval = f"[{format_precise(cell.low)}, {format_precise(cell.high)}]"
    return verdict, f"{portions[verdict]} interval {interval} meets {limit}"


@dataclass
class Baselines:
    """Keep the runs of baselines and the comparisons with them, which several rules may need."""

    runs: dict[Path, list[Run]] = field(default_factory=dict)
    comparisons: dict[tuple[Any, ...], Comparison] = field(default_factory=dict)

    def judge(self, rule: Rule, runs: Sequence[Run]) -> list[RuleResult]:
        """Judge the differences that a rule names between the runs and its baseline, each by its interval."""
        place, study = rule.baseline, rule.where.get("study")
        if place not in self.runs:
            self.runs[place] = [read_run(folder) for folder in find_runs([place])]
        own_runs = [run for run in runs if study in (None, run.study)]
        pairs = [(run, baseline) for run in own_runs for baseline in self.runs[place] if run.study == baseline.study]
        if not pairs:
            raise WordworthError(f"{_name_runs(runs)} and {place} have no study in common to compare")
        conditions = {column: value for column, value in rule.where.items() if column in QUESTION}
        results: list[RuleResult] = []
        comparisons: list[Comparison] = []
        for pair in pairs:
            pair_sides = _sides(rule, pair)
            comparisons.append(self._compare(rule, pair_sides))
            matches = [match for match in comparisons[-1].differences if conditions.items() <= match.columns.items()]
            results += [_judge_difference(rule, match, pair_sides[0]) for match in matches]
        if not results:
            rows = [match.columns for comparison in comparisons for match in comparison.differences]
            problem = _explain_missing(conditions, rows, f"no task that was compared with {place}")
            refusals = [f"{name}: {reason}" for comparison in comparisons for name, reason in comparison.refused]
            raise WordworthError(f"{problem}; not compared: {'; '.join(refusals)}" if refusals else problem)
        return results

    def _compare(self, rule: Rule, both_sides: tuple[Side, Side]) -> Comparison:
        layer = rule.where.get("layer")
        settings = ComparisonSettings("best" if layer is None else layer, rule.where.get("components"))
        key = (*(id(side.run) for side in both_sides), *(side.label for side in both_sides), settings)
        if key not in self.comparisons:
            self.comparisons[key] = compare(*both_sides, settings)
        return self.comparisons[key]


def _sides(rule: Rule, pair: tuple[Run, Run]) -> tuple[Side, Side]:
    model = rule.where.get("model") or _only_model(pair[0], "model")
    baseline = rule.baseline_model or (model if model in models_of(pair[1]) else _only_model(pair[1], "baseline_model"))
    return sides(pair, (model, baseline))


def _only_model(run: Run, key: str) -> str:
    models = [*models_of(run)]
    if len(models) != 1:
        raise WordworthError(f"{run.label} has {len(models)} models ({format_names(models)}); say which with {key}")
    return models[0]


REASONS: dict[Verdict, str] = {
    "pass": "it is not worse",
    "fail": "it is worse",
    "undecided": "the interval of the difference does not show whether it is worse",
}


def _judge_difference(rule: Rule, difference: Difference, side: Side) -> RuleResult:
    measure, test = difference.measure, difference.test
    if not measure.better:
        raise WordworthError(f"neither side of {measure.name} is better, so nothing is worse in it; give a limit")
    verdict = judge_lead(rule.margin, test, measure.better)
    values = f"{format_precise(test.first)} v {format_precise(test.second)}, Δ {format_precise(test.difference)} "
    values += f"[{format_precise(test.low)}, {format_precise(test.high)}], {state_p(test.p)}, {test.test}"
    own_columns = {"study": side.run.study, "model": side.model, "step": side.step, "layer": difference.layers[0]}
    margin = f" by more than {rule.margin:g}" if rule.margin else ""
    return RuleResult(
        rule=rule.name,
        verdict=verdict,
        asked=f"no worse than {rule.baseline}{margin}",
        reason=f"{REASONS[verdict]} than {rule.baseline}{margin} ({values})",
        columns={name: value for name, value in {**difference.columns, **own_columns}.items() if value is not None},
        cell=Cell(test.difference, test.low, test.high, test.p, n=test.n, cautions=tuple(difference.cautions)),
        run=side.run.label,
        notes=(*difference.notes, *(("nearer to 0 is better",) if measure.better == "zero" else ())),
    )


def judge_lead(margin: float, test: PairedTest, better: Better) -> Verdict:
    """Judge whether a model is worse by at most the margin, by the whole interval of the difference."""
    if better == "higher":
        return Limit(">=", -margin).judge((test.low, test.high))
    interval = (test.low, test.high) if better == "lower" else test.magnitude
    return Limit("<=", margin).judge(interval) if interval else "undecided"
