"""The rules of a TOML file, read whole and checked: a slip in one is a sentence, never a rule that asks for nothing.

A rule has a limit, and an interval lies on one side of it or on both.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from wordworth.catalog.read.tables import read_toml
from wordworth.errors import WordworthError, listed, nearest
from wordworth.measure import MEASURES, named
from wordworth.results.schema import SCORES

Verdict = Literal["pass", "fail", "undecided"]
Interval = tuple[float, float]

EXAMPLES = '"|value| < 0.5", ">= 0.8" or a number alone'
_SIGNS = {"<": (True, True), "<=": (True, False), "≤": (True, False)}
_SIGNS |= {">": (False, True), ">=": (False, False), "≥": (False, False)}
"""Sign → whether values must lie below, and whether the limit itself is out."""
_LIMIT = re.compile(
    r"\s*(?:(?P<bars>\|\s*(?:value|d)\s*\|)|value|d)?\s*(?P<sign><=|>=|<|>|≤|≥)\s*"
    r"(?P<number>[+-]?(?:\d{1,300}\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?)\s*"
)


@dataclass(frozen=True)
class Limit:
    """`value < number`, or the same of |value|."""

    number: float
    below: bool
    strict: bool = False
    magnitude: bool = False

    def __str__(self) -> str:
        sign = {True: "<", False: ">"}[self.below] if self.strict else {True: "≤", False: "≥"}[self.below]
        return f"{'|value|' if self.magnitude else 'value'} {sign} {self.number:g}"

    def decided(self, interval: Interval) -> Verdict:
        """Pass where the whole interval keeps the limit, fail where none of it does, else undecided."""
        low, high = _magnitudes(interval) if self.magnitude else interval
        inner, outer = (high, low) if self.below else (low, high)
        if self._kept(inner):
            return "pass"
        return "undecided" if self._kept(outer) else "fail"

    def _kept(self, value: float) -> bool:
        if value == self.number:
            return not self.strict
        return (value < self.number) is self.below


def _magnitudes(interval: Interval) -> Interval:
    low, high = interval
    least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return least, max(abs(low), abs(high))


def parsed(text: str) -> Limit:
    """`|value| < 0.5` as a limit; `d` may stand for `value`. An error says how one is written."""
    found = _LIMIT.fullmatch(text)
    if found is None:
        raise WordworthError(f"its limit is {text[:60]!r}; write one like {EXAMPLES}")
    below, strict = _SIGNS[found["sign"]]
    limit = Limit(float(found["number"]), below, strict, magnitude=bool(found["bars"]))
    if limit.magnitude and limit.number < 0:
        raise WordworthError(f"its limit is {text[:60]!r}, and |value| is never below 0; give a positive number")
    return limit


def by_declaration(number: float, measure: str) -> Limit:
    """Return the limit of a number alone: the measure's declaration says which side of it is the better one."""
    better = named(measure).better
    if better not in ("higher", "lower", "zero"):
        raise WordworthError(
            f"its limit is a number alone, and {measure} has no better side; write which side is meant, such as "
            f'">= {number:g}"'
        )
    return Limit(number, below=better != "higher", magnitude=better == "zero")


Take = Literal["all", "any", "best"]
TAKES: tuple[Take, ...] = ("all", "any", "best")
NUMBERS = ("layer", "pcs")
COLUMNS = tuple(name for name in SCORES if name not in ("value", "low", "high", "p", "n", "flags"))
"""What names a score."""
LAYERS = ("best", "top")
"""Layers that a paired test can be asked for, beside a number."""
PAIRED = ("margin", "baseline_model")
KEYS = (*COLUMNS, "limit", "no_worse_than", *PAIRED, "take", "by")
TABLES = ("rules", "run")


@dataclass(frozen=True)
class Baseline:
    """Another run, that a model must not be worse than by a paired test."""

    place: Path
    margin: float = 0.0
    """So much worse is not worse."""
    model: str = ""


@dataclass(frozen=True)
class Rule:
    """One rule: which score, and what is asked of it."""

    name: str
    where: Mapping[str, str | int | None]
    """Column → what stands in it; None: it is blank."""
    limit: Limit | float | None = None
    """A number alone takes its side from the measure's declaration."""
    baseline: Baseline | None = None
    take: Take | None = None
    """Of several scores: all must pass, any, or the best one."""
    by_point: bool = False
    file: str = ""


@dataclass(frozen=True)
class Rules:
    """A file of rules."""

    path: Path
    rules: tuple[Rule, ...]
    settings: Mapping[str, Mapping[str, Any]]
    """Study → the settings that it is run with, where a model is checked rather than a run."""

    @property
    def studies(self) -> dict[str, Mapping[str, Any]]:
        """The studies that must be run for these rules, with their settings."""
        studies = [rule.where.get("study") for rule in self.rules]
        return {**{name: {} for name in studies if isinstance(name, str)}, **self.settings}


def read_rules(path: Path) -> Rules:
    """The rules of a file; whatever is wrong with one is said with the file's and its name."""
    if not path.is_file():
        raise WordworthError(f"there is no file {path}; write rules as [rules.NAME] in it")
    table = read_toml(path)
    for key in table:
        if key not in TABLES:
            raise WordworthError(f"{path} has a table {key[:60]!r}{_close(key, TABLES)}")
    rules, settings = _tables(path, table, "rules"), _tables(path, table, "run")
    if not rules:
        raise WordworthError(f"{path} has no rules; write one as [rules.NAME]")
    return Rules(path, tuple(_rule(path, name, one) for name, one in rules.items()), settings)


def _tables(path: Path, table: Mapping[str, Any], key: str) -> dict[str, dict[str, Any]]:
    found = table.get(key, {})
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise WordworthError(f"{path}: {key} is not a table of tables; write [{key}.NAME] and keys under it")
    return found


def _close(word: object, known: Collection[str]) -> str:
    return nearest(str(word)[:60], list(known)) or f"; there are {listed(known, 20)}"


def _rule(path: Path, name: str, table: Mapping[str, Any]) -> Rule:
    try:
        return _parsed(path, name, table)
    except WordworthError as error:
        raise WordworthError(f"{path}, rule {name[:60]!r}: {error}") from error


def _parsed(path: Path, name: str, table: Mapping[str, Any]) -> Rule:
    for key in table:
        if key not in KEYS:
            raise WordworthError(f"there is no column or key {key[:60]!r}{_close(key, KEYS)}")
    if ("limit" in table) == ("no_worse_than" in table):
        both = "both, and one is wanted" if "limit" in table else "neither"
        raise WordworthError(f"a rule has a limit or no_worse_than, and this has {both}")
    baseline = _baseline(path, table) if "no_worse_than" in table else None
    paired = baseline is not None
    where = {column: _column(column, table[column], paired=paired) for column in COLUMNS if column in table}
    if not where:
        raise WordworthError(f"it names no score; say which by its columns ({listed(COLUMNS)})")
    if (measure := where.get("measure")) is not None:
        _refuse_unknown(str(measure))
    return Rule(
        name=name,
        where=where,
        limit=None if baseline else _limit(table["limit"]),
        baseline=baseline,
        take=_chosen(table, "take", TAKES),
        by_point=_by_point(table, paired=paired),
        file=str(path),
    )


def _refuse_unknown(measure: str) -> None:
    try:
        named(measure)
    except WordworthError:
        plain = [name for name in MEASURES if "{" not in name]
        advice = "; `wordworth report` has those of a run"
        raise WordworthError(f"no measure is called {measure[:60]!r}{nearest(measure, plain) or advice}") from None


def _column(column: str, value: Any, *, paired: bool) -> str | int | None:
    """What must stand in a column; blank text is a blank column."""
    if value == "":
        return None
    if column in NUMBERS:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31:
            return value
        if column == "layer" and paired and value in LAYERS:
            return str(value)
        best = '; take = "best" picks the best of several' if value == "best" else ""
        raise WordworthError(f'its {column} is {str(value)[:60]!r}; it must be a whole number, or blank (""){best}')
    if not isinstance(value, str):
        raise WordworthError(f"its {column} is {str(value)[:60]}; it must be text")
    if paired and column == "pooling":
        raise WordworthError("a paired test is not told apart by pooling; leave it out")
    return value


def _limit(value: Any) -> Limit | float:
    if isinstance(value, str):
        return parsed(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise WordworthError(f"its limit is {str(value)[:60]}; write one like {EXAMPLES}")
    return float(value)


def _baseline(path: Path, table: Mapping[str, Any]) -> Baseline:
    place, model, margin = table["no_worse_than"], table.get("baseline_model", ""), table.get("margin", 0.0)
    if not (isinstance(place, str) and place and isinstance(model, str)):
        raise WordworthError("no_worse_than is the folder of a run, and baseline_model a model of it; both are text")
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not (isfinite(margin) and margin >= 0):
        raise WordworthError(f"its margin is {str(margin)[:60]}; it must be a number from 0 up")
    return Baseline(path.parent / Path(place).expanduser(), float(margin), model)


def _chosen(table: Mapping[str, Any], key: str, choices: tuple[Any, ...]) -> Any:
    value = table.get(key)
    if value is not None and value not in choices:
        raise WordworthError(f"its {key} is {str(value)[:60]!r}{_close(value, choices)}")
    return value


def _by_point(table: Mapping[str, Any], *, paired: bool) -> bool:
    by = _chosen(table, "by", ("interval", "point"))
    if paired and by == "point":
        raise WordworthError("a paired test is decided by its interval; leave by out")
    if not paired and (extra := [key for key in PAIRED if key in table]):
        raise WordworthError(f"{extra[0]} belongs to no_worse_than, which it does not have")
    return bool(by == "point")
