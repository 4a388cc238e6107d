"""Rules applied to runs: which score, or which difference from a baseline, each names, and whether it passes."""

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
    """A rule, the score that decides it, and the verdict."""

    rule: str
    verdict: Verdict
    asked: str
    reason: str
    """Why, in a clause."""
    columns: Mapping[str, Any]
    """The columns of the score, without those that are blank."""
    cell: Cell
    """Its numbers; of a paired test, those of the difference."""
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
    """Every rule of a file, judged."""

    rules: str
    runs: tuple[str, ...]
    judged: tuple[RuleResult, ...]

    @property
    def table(self) -> Table:
        """Return a row per rule."""
        rows = tuple(Row((one.rule, one.score, one.asked, one.verdict), (one.cell,)) for one in self.judged)
        legend = caution_legend((one.rule, one.cell.cautions) for one in self.judged)
        return Table("wordworth check", ("rule", "score", "asked", "verdict"), ("value or Δ",), rows, note=legend)

    @property
    def verdict(self) -> Verdict:
        """Return fail where any rule failed, undecided where none failed and one is undecided."""
        return next(verdict for verdict in BY_SEVERITY if any(one.verdict == verdict for one in self.judged))

    @property
    def code(self) -> int:
        """Return the exit code: 0 all pass, 1 one failed, 3 none failed and one is undecided."""
        return EXIT_CODES[self.verdict]

    @property
    def summary(self) -> str:
        """Return how many rules passed, failed and are undecided."""
        return _count_verdicts(self.judged)

    def as_table(self) -> dict[str, Any]:
        """Return it for JSON."""
        judged = [{**asdict(one), **asdict(one.cell), "score": one.score} for one in self.judged]
        for one in judged:
            del one["cell"]
        return {**asdict(self), "judged": judged, "verdict": self.verdict, "code": self.code}


def check(runs: Sequence[Run], rules: Rules) -> CheckResult:
    """Apply every rule to the runs. A rule that names no score is an error."""
    baselines = Baselines()
    judged = tuple(_judge(rule, runs, baselines) for rule in rules.rules)
    return CheckResult(str(rules.path), tuple(run.label for run in runs), judged)


def _judge(rule: Rule, runs: Sequence[Run], baselines: "Baselines") -> RuleResult:
    try:
        return _combine(_judge_scores(rule, runs) if rule.no_worse_than is None else baselines.judge(rule, runs))
    except WordworthError as error:
        raise WordworthError(f"{rule.file}, rule {rule.name[:60]!r}: {error}") from error


def _combine(judged: Sequence[RuleResult]) -> RuleResult:
    """Return the verdict over all scores that a rule names: that of the worst."""
    if len(judged) == 1:
        return judged[0]
    worst = min(judged, key=lambda one: BY_SEVERITY.index(one.verdict))
    reason = f"of {len(judged):,} scores {_count_verdicts(judged)}; {worst.reason}"
    return replace(worst, matched=len(judged), reason=reason)


def _count_verdicts(judged: Sequence[RuleResult]) -> str:
    verdicts = [one.verdict for one in judged]
    return ", ".join(f"{verdicts.count(one):,} {word}" for one, word in VERDICTS_IN_WORDS.items() if one in verdicts)


def _explain_missing(where: Mapping[str, Any], rows: Iterable[Mapping[str, Any]], nothing: str) -> str:
    """Return why no row has these columns: the first column whose value is in none, with the nearest value."""
    rows = list(rows)
    for column, value in where.items():
        known = dict.fromkeys(row.get(column) for row in rows)
        if value not in known:
            names = [str(one) for one in known if one is not None]
            have = f"; there are {format_names(names)}" if names else "; that column is blank in all"
            shown = "blank" if value is None else repr(value)
            return f"{nothing} has the {column} {shown}{nearest(str(value), names) or have}"
    columns = ", ".join(f"{column} {'blank' if value is None else value}" for column, value in where.items())
    return f"{nothing} has all of these: {columns}"


def _name_runs(runs: Iterable[Run]) -> str:
    return format_names((run.label for run in runs), 3)


def _judge_scores(rule: Rule, runs: Sequence[Run]) -> list[RuleResult]:
    conditions = [equals(column, value) for column, value in rule.where.items()]
    rows = [(run, row) for run in runs for row in run.scores.filter(*conditions).iter_rows(named=True)]
    if not rows:
        every = [row for run in runs for row in run.scores.select(list(rule.where)).unique().iter_rows(named=True)]
        raise WordworthError(_explain_missing(rule.where, every, f"no score in {_name_runs(runs)}"))
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
    parts: dict[Verdict, str] = {"pass": "the whole", "fail": "no part of the", "undecided": "only a part of the"}
    verdict = limit.judge((cell.low, cell.high))
    interval = f"[{format_precise(cell.low)}, {format_precise(cell.high)}]"
    return verdict, f"{parts[verdict]} interval {interval} meets {limit}"


@dataclass
class Baselines:
    """The runs of baselines and the comparisons with them, which several rules may need."""

    runs: dict[Path, list[Run]] = field(default_factory=dict)
    comparisons: dict[tuple[Any, ...], Comparison] = field(default_factory=dict)

    def judge(self, rule: Rule, runs: Sequence[Run]) -> list[RuleResult]:
        """Judge the differences that a rule names between the runs and its baseline, each by its interval."""
        place, study = rule.baseline, rule.where.get("study")
        if place not in self.runs:
            self.runs[place] = [read_run(folder) for folder in find_runs([place])]
        mine = [run for run in runs if study in (None, run.study)]
        pairs = [(run, other) for run in mine for other in self.runs[place] if run.study == other.study]
        if not pairs:
            raise WordworthError(f"{_name_runs(runs)} and {place} have no study in common to compare")
        where = {column: value for column, value in rule.where.items() if column in QUESTION}
        judged: list[RuleResult] = []
        comparisons: list[Comparison] = []
        for pair in pairs:
            both = _sides(rule, pair)
            comparisons.append(self._compare(rule, both))
            named = [one for one in comparisons[-1].differences if where.items() <= one.columns.items()]
            judged += [_judge_difference(rule, one, both[0]) for one in named]
        if not judged:
            every = [one.columns for comparison in comparisons for one in comparison.differences]
            missing = _explain_missing(where, every, f"no task that was compared with {place}")
            refused = [f"{name}: {reason}" for comparison in comparisons for name, reason in comparison.refused]
            raise WordworthError(f"{missing}; not compared: {'; '.join(refused)}" if refused else missing)
        return judged

    def _compare(self, rule: Rule, both: tuple[Side, Side]) -> Comparison:
        layer = rule.where.get("layer")
        settings = ComparisonSettings("best" if layer is None else layer, rule.where.get("components"))
        key = (*(id(side.run) for side in both), *(side.label for side in both), settings)
        if key not in self.comparisons:
            self.comparisons[key] = compare(*both, settings)
        return self.comparisons[key]


def _sides(rule: Rule, pair: tuple[Run, Run]) -> tuple[Side, Side]:
    ours = rule.where.get("model") or _only_model(pair[0], "model")
    theirs = rule.baseline_model or (ours if ours in models_of(pair[1]) else _only_model(pair[1], "baseline_model"))
    return sides(pair, (ours, theirs))


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


def _judge_difference(rule: Rule, one: Difference, side: Side) -> RuleResult:
    better, tested = one.measure.better, one.tested
    if not better:
        raise WordworthError(f"neither side of {one.measure.name} is better, so nothing is worse in it; give a limit")
    verdict = judge_lead(rule.margin, tested, better)
    values = f"{format_precise(tested.first)} v {format_precise(tested.second)}, Δ {format_precise(tested.difference)} "
    values += f"[{format_precise(tested.low)}, {format_precise(tested.high)}], {state_p(tested.p)}, {tested.test}"
    own = {"study": side.run.study, "model": side.model, "step": side.step, "layer": one.layers[0]}
    margin = f" by more than {rule.margin:g}" if rule.margin else ""
    return RuleResult(
        rule=rule.name,
        verdict=verdict,
        asked=f"no worse than {rule.baseline}{margin}",
        reason=f"{REASONS[verdict]} than {rule.baseline}{margin} ({values})",
        columns={name: value for name, value in {**one.columns, **own}.items() if value is not None},
        cell=Cell(tested.difference, tested.low, tested.high, tested.p, n=tested.n, cautions=tuple(one.cautions)),
        run=side.run.label,
        notes=(*one.notes, *(("nearer to 0 is better",) if better == "zero" else ())),
    )


def judge_lead(margin: float, tested: PairedTest, better: Better) -> Verdict:
    """Return whether the whole interval of the difference, or no part of it, is worse by at most the margin."""
    if better == "higher":
        return Limit(">=", -margin).judge((tested.low, tested.high))
    interval = (tested.low, tested.high) if better == "lower" else tested.magnitude
    return Limit("<=", margin).judge(interval) if interval else "undecided"
