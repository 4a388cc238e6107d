"""Rules held against runs: which score each of them names, and whether it passes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.errors import WordworthError, listed, nearest
from wordworth.measure import named
from wordworth.results import Run, read_run, run_folders
from wordworth.results.numbers import format_precise
from wordworth.rules.rules import COLUMNS, Limit, Rule, Rules, Verdict, by_declaration

CODES: dict[Verdict, int] = {"pass": 0, "fail": 1, "undecided": 3}
"""What the command ends with: that of the gravest verdict; 2 is a mistake in what was asked."""
GRAVEST: tuple[Verdict, ...] = ("fail", "undecided", "pass")


@dataclass(frozen=True)
class Judged:
    """A rule, the score that decides it, and the verdict."""

    rule: str
    verdict: Verdict
    score: str
    """The score in words: its model, measure, data set …"""
    asked: str
    reason: str
    """Why, in a sentence."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int | None = None
    flags: str | None = None
    """Why the number is to be read with care."""
    notes: tuple[str, ...] = ()
    """What a reader should know of the rule."""
    matched: int = 1
    """Scores that the rule names."""
    run: str = ""
    """The folder of the run."""
    columns: Mapping[str, Any] = field(default_factory=dict)
    """The columns of the score."""


@dataclass(frozen=True)
class Checked:
    """Every rule of a file, judged."""

    rules: str
    runs: tuple[str, ...]
    judged: tuple[Judged, ...]

    @property
    def verdict(self) -> Verdict:
        """Fail where any rule failed, undecided where none failed and one is undecided."""
        return next(one for one in GRAVEST if any(judged.verdict == one for judged in self.judged))

    @property
    def code(self) -> int:
        """What the command ends with: 0 all pass, 1 one failed, 3 none failed and one is undecided."""
        return CODES[self.verdict]

    def as_table(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "verdict": self.verdict, "code": self.code}


Comparisons = dict[Any, Any]
"""What several rules may need: the runs of a baseline, and the comparisons with them."""


def check(places: Sequence[Path], rules: Rules) -> Checked:
    """Hold every rule against the runs in these folders. A rule that names no score, or several, is an error."""
    runs = [read_run(folder) for folder in run_folders(places)]
    made: Comparisons = {}
    judged = tuple(judge(rule, runs, made) for rule in rules.rules)
    return Checked(str(rules.path), tuple(str(run.folder) for run in runs), judged)


def judge(rule: Rule, runs: Sequence[Run], made: Comparisons) -> Judged:
    """Hold one rule against runs; what is wrong with it is said with its file and name."""
    from wordworth.rules.paired import paired

    try:
        return together(rule, _scored(rule, runs) if rule.baseline is None else paired(rule, runs, made))
    except WordworthError as error:
        raise WordworthError(f"{rule.file}, rule {rule.name[:60]!r}: {error}") from error


def folders_of(runs: Sequence[Run]) -> str:
    """Return the folders of runs, in a sentence."""
    return listed((run.folder for run in runs), 3)


def together(rule: Rule, found: Sequence[Judged]) -> Judged:
    """The verdict over the scores that a rule names: of several, the rule says how they are taken together."""
    if len(found) == 1:
        return found[0]
    if rule.take is None:
        raise WordworthError(f"it names {len(found):,} scores, {_differ(rule, found)}")
    verdicts = [one.verdict for one in found]
    # Of all, one that fails decides; of any, one that passes; else one that is undecided.
    order = GRAVEST if rule.take == "all" else GRAVEST[::-1]
    verdict = next(one for one in order if one in verdicts)
    chosen = found[verdicts.index(verdict)]
    counts = ", ".join(f"{verdicts.count(one):,} {word}" for one, word in COUNTED.items() if one in verdicts)
    many = f"{len(found):,}"
    reason = f"{rule.take} of {many}: {counts}; {chosen.reason}"
    return replace(chosen, matched=len(found), score=f"{chosen.score} (1 of {many})", reason=reason)


COUNTED: dict[Verdict, str] = {"pass": "passed", "fail": "failed", "undecided": "undecided"}


def _differ(rule: Rule, found: Sequence[Judged]) -> str:
    """In which columns several scores differ, and what to do."""
    ways = 'take = "all", "any" or "best"' if rule.baseline is None else 'take = "all" or "any"'
    for column in ("model", "measure", *COLUMNS):
        values = list(dict.fromkeys(str(one.columns.get(column) or "blank") for one in found))
        if len(values) > 1:
            return f"which differ in {column} ({listed(values, 5)}); say which, or give {ways}"
    folders = dict.fromkeys(one.run for one in found)
    return f"which no column tells apart (in {listed(folders, 3)}); check one run, or give {ways}"


def _scored(rule: Rule, runs: Sequence[Run]) -> list[Judged]:
    """The scores that a rule names, each judged; of the best, that one alone."""
    rows = [(run, row) for run in runs for row in _matching(run, rule).iter_rows(named=True)]
    if not rows:
        raise WordworthError(_nothing(rule, runs))
    if rule.take != "best" or len(rows) == 1:
        return [_judged(rule, run, row) for run, row in rows]
    run, row = _best(rows)
    picked = f"the best of {len(rows):,}, picked on the same data, which flatters it"
    judged = _judged(rule, run, row)
    return [replace(judged, matched=len(rows), notes=(*judged.notes, picked))]


def _matching(run: Run, rule: Rule) -> pl.DataFrame:
    return run.scores.filter(pl.col(column).eq_missing(pl.lit(value)) for column, value in rule.where.items())


def _nothing(rule: Rule, runs: Sequence[Run]) -> str:
    """Why no score is as a rule names it: the first column whose value no score has, with the nearest that there is."""
    scores, place = pl.concat([run.scores for run in runs]), folders_of(runs)
    for column, value in rule.where.items():
        known = scores.get_column(column).unique(maintain_order=True).to_list()
        if value not in known:
            names = [str(one) for one in known if one is not None]
            have = f"; there are {listed(names)}" if names else "; that column is blank in all scores"
            shown = "blank" if value is None else repr(value)
            return f"no score in {place} has the {column} {shown}{nearest(str(value), names) or have}"
    columns = ", ".join(f"{column} {'blank' if value is None else value}" for column, value in rule.where.items())
    return f"no score in {place} has all of these: {columns}"


def _best(rows: Sequence[tuple[Run, dict[str, Any]]]) -> tuple[Run, dict[str, Any]]:
    measures = list(dict.fromkeys(row["measure"] for _, row in rows))
    if len(measures) > 1:
        raise WordworthError(f"no best can be taken of several measures ({listed(measures, 5)}); say which")
    better = named(measures[0]).better
    order: dict[str, Callable[[float], float]] = {"higher": lambda value: -value, "lower": float, "zero": abs}
    if better not in order:
        raise WordworthError(f"no best can be taken of {measures[0]}, which has no better side")
    known = [one for one in rows if _number(one[1]["value"]) is not None]
    return min(known or rows[:1], key=lambda one: order[better](float(one[1]["value"] or 0.0)))


def _number(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _judged(rule: Rule, run: Run, row: Mapping[str, Any]) -> Judged:
    assert rule.limit is not None
    limit = rule.limit if isinstance(rule.limit, Limit) else by_declaration(rule.limit, row["measure"])
    value, low, high = (_number(row[name]) for name in ("value", "low", "high"))
    verdict, reason = _verdict(rule, limit, value, None if low is None or high is None else (low, high))
    return Judged(
        rule=rule.name,
        verdict=verdict,
        score=named_score(row),
        asked=str(limit),
        reason=reason,
        value=value,
        low=low,
        high=high,
        **{name: row[name] for name in ("p", "n", "flags")},
        run=str(run.folder),
        columns={column: row[column] for column in COLUMNS if row[column] is not None},
    )


def _verdict(
    rule: Rule, limit: Limit, value: float | None, interval: tuple[float, float] | None
) -> tuple[Verdict, str]:
    if value is None:
        return "undecided", f"it has no value to hold against {limit}"
    if rule.by_point:
        verdict = limit.decided((value, value))
        return (
            verdict,
            f"its point {format_precise(value)}, by which the rule says to decide, {_KEEPS[verdict]} {limit}",
        )
    if interval is None:
        return "undecided", f'it has no interval to hold against {limit}; by = "point" would let its value decide'
    verdict = limit.decided(interval)
    low, high = map(format_precise, interval)
    if verdict == "undecided":
        return verdict, f"a part of its interval [{low}, {high}] keeps {limit}, and a part does not"
    whole = "all" if verdict == "pass" else "none"
    return verdict, f"{whole} of its interval [{low}, {high}] keeps {limit}"


_KEEPS: dict[Verdict, str] = {"pass": "keeps", "fail": "does not keep"}


def named_score(columns: Mapping[str, Any]) -> str:
    """A score in words, by its columns."""
    words = [columns.get(name) for name in ("model", "measure", "dataset", "setting", "pooling")]
    words += [f"{name} {columns[name]}" for name in ("layer", "pcs") if columns.get(name) is not None]
    return " ".join(str(word) for word in words if word)
