"""Read and check the rules of a TOML file; an error names the file and the rule."""

import operator
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, nan
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from wordworth.catalog.read.tables import read_toml
from wordworth.errors import WordworthError, format_names, nearest
from wordworth.measure import MEASURES, Measure, find_measure
from wordworth.results.columns import KEY, SCORES

Verdict = Literal["pass", "fail", "undecided"]
Interval = tuple[float, float]

EXAMPLES = '"|value| < 0.5", ">= 0.8" or only a number'
_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_LIMIT = re.compile(r"\s*(?P<of>\|\s*value\s*\||value)?\s*(?P<sign>[<>]=?)\s*(?P<number>[-+.\de]{1,300})\s*")


@dataclass(frozen=True)
class Limit:
    """Compare `value`, or |value|, with a number."""

    sign: str
    number: float
    magnitude: bool = False

    def __str__(self) -> str:
        sign = self.sign.replace("<=", "≤").replace(">=", "≥")
        return f"{'|value|' if self.magnitude else 'value'} {sign} {self.number:g}"

    def judge(self, interval: Interval) -> Verdict:
        """Return pass if the whole interval meets the limit, fail if no part of it does, else undecided."""
        low, high = interval
        if self.magnitude:
            smallest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
            low, high = smallest, max(abs(low), abs(high))
        meets = {_SIGNS[self.sign](end, self.number) for end in (low, high)}
        return "undecided" if len(meets) == 2 else "pass" if True in meets else "fail"


def parse_limit(text: str) -> Limit:
    """Return `|value| < 0.5` as a limit."""
    match = _LIMIT.fullmatch(text)
    try:
        number = float(match["number"]) if match else nan
    except ValueError:
        number = nan
    if match is None or not isfinite(number):
        raise WordworthError(f"its limit is {text[:60]!r}; write one like {EXAMPLES}")
    limit = Limit(match["sign"], number, magnitude="|" in (match["of"] or ""))
    if limit.magnitude and number < 0:
        raise WordworthError(f"its limit is {text[:60]!r}, and |value| is never below 0; give a positive number")
    return limit


class Rule(BaseModel):
    """Hold a rule: which scores, and their limit. Its other keys are the columns of `scores.csv`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    file: str = ""
    limit: str | float | None = None
    """A bare number takes its side from the measure's declaration."""
    no_worse_than: Annotated[str, Field(min_length=1)] | None = None
    """The folder of another run: a paired test must not show that the model is worse."""
    margin: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """A model that is worse by less than this passes."""
    baseline_model: str = ""
    by: Literal["interval", "point"] = "interval"

    @cached_property
    def where(self) -> dict[str, Any]:
        """Return column of `scores.csv` → value; None: blank, as are variant and control of a measure unless given."""
        conditions = {column: getattr(self, column) for column in KEY if column in self.model_fields_set}
        if "measure" in conditions:
            conditions |= {column: "" for column in ("variant", "control") if column not in conditions}
        return {column: None if value == "" else value for column, value in conditions.items()}

    @property
    def baseline(self) -> Path:
        """Return the folder of the other run."""
        return Path(self.file).parent / Path(self.no_worse_than or "").expanduser()

    def limit_of(self, measure: Measure) -> Limit:
        """Return the limit for a measure."""
        if isinstance(self.limit, str):
            return parse_limit(self.limit)
        number = self.limit or 0.0
        if not measure.better:
            reason = f"its limit is only a number, and {measure.name} has no better side"
            raise WordworthError(f'{reason}; write which side is meant, such as ">= {number:g}"')
        return Limit(">=" if measure.better == "higher" else "<=", number, magnitude=measure.better == "zero")


_TYPES: dict[Any, Any] = {pl.String: str, pl.Float64: float, pl.Int64: Annotated[int, Field(ge=0, lt=1 << 31)]}
_COLUMNS: dict[str, Any] = {name: (_TYPES[SCORES[name]] | Literal[""], "") for name in KEY}
_COLUMNS["layer"] = (_TYPES[pl.Int64] | Literal["", "best", "top"], "")
_RuleOfFile: type[Rule] = create_model("_RuleOfFile", __base__=Rule, **_COLUMNS)
"""Blank text is a blank column."""


@dataclass(frozen=True)
class Rules:
    """Hold the rules of a file."""

    path: Path
    rules: tuple[Rule, ...]


def read_rules(path: Path) -> Rules:
    """Read a file of rules."""
    table = read_toml(path)
    unknown_key = next((key for key in table if key != "rules"), None)
    if unknown_key is not None:
        raise WordworthError(f"{path} has a table {unknown_key[:60]!r}{_suggest(unknown_key, ['rules'])}")
    rules = table.get("rules")
    if not rules or not isinstance(rules, dict) or not all(isinstance(item, dict) for item in rules.values()):
        raise WordworthError(f"{path} has no rules; write each as [rules.NAME] and keys under it")
    return Rules(path, tuple(_read_rule(path, *item) for item in rules.items()))


def _suggest(word: str, known_names: Collection[str]) -> str:
    return nearest(word[:60], list(known_names)) or f"; there are {format_names(known_names, 20)}"


def _read_rule(path: Path, name: str, table: Mapping[str, Any]) -> Rule:
    try:
        rule = _RuleOfFile.model_validate({**table, "name": name, "file": str(path)})
        _check_rule(rule)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        key = str(problem["loc"][0])
        if problem["type"] == "extra_forbidden":
            reason = f"no column or key is called {key[:60]!r}{_suggest(key, _RuleOfFile.model_fields)}"
        else:
            advice = f"write one like {EXAMPLES}" if key == "limit" else problem["msg"].lower()
            reason = f"its {key} is {str(table[key])[:60]!r}; {advice}"
        raise WordworthError(f"{path}, rule {name[:60]!r}: {reason}") from error
    except WordworthError as error:
        raise WordworthError(f"{path}, rule {name[:60]!r}: {error}") from error
    return rule


def _check_rule(rule: Rule) -> None:
    """Check what the types of the keys do not."""
    if (rule.limit is None) == (rule.no_worse_than is None):
        raise WordworthError("a rule has either a limit or no_worse_than; give one of the two")
    if isinstance(rule.limit, str):
        parse_limit(rule.limit)
    elif not isfinite(rule.limit or 0.0):
        raise WordworthError(f"its limit is {rule.limit}; write one like {EXAMPLES}")
    if not rule.where:
        raise WordworthError(f"it names no score; say which by its columns ({format_names(KEY, 20)})")
    measure, names = rule.where.get("measure"), sorted({name for name, _ in MEASURES})
    if measure and measure not in names:
        raise WordworthError(f"no measure is called {measure[:60]!r}{nearest(measure, names)}")
    if measure and rule.where.get("variant"):
        find_measure(measure, rule.where["variant"])
    baseline_keys = rule.model_fields_set & {"margin", "baseline_model"}
    if rule.no_worse_than and (rule.by == "point" or "pooling" in rule.where):
        raise WordworthError("a paired test takes no pooling, and is decided by its interval; remove pooling or by")
    if not rule.no_worse_than and baseline_keys:
        raise WordworthError(f"{min(baseline_keys)} belongs to no_worse_than, which it does not have")
    if not rule.no_worse_than and rule.where.get("layer") in ("best", "top"):
        raise WordworthError("its layer must be a whole number; best and top belong to no_worse_than")
