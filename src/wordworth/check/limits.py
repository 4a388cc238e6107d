"""A limit, and on which side of it an interval lies."""

import re
from dataclasses import dataclass
from typing import Literal

from wordworth.errors import WordworthError

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


def by_declaration(number: float, better: str, measure: str) -> Limit:
    """The limit of a number alone: the measure's declaration says which side of it is the better one."""
    if better not in ("higher", "lower", "zero"):
        raise WordworthError(
            f"its limit is a number alone, and {measure} has no better side; write which side is meant, such as "
            f'">= {number:g}"'
        )
    return Limit(number, below=better != "higher", magnitude=better == "zero")


def against(limit: Limit, better: str) -> bool:
    """Whether a limit asks for the side that the measure declares to be the worse one."""
    return (better == "higher" and limit.below) or (better in ("lower", "zero") and not limit.below)
