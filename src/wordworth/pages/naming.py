"""Scores, tests and sentences as a reader sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wordworth.results.flags import MARK
from wordworth.results.numbers import format_interval, format_number

TESTS = {
    "weat1": "flowers with pleasant, insects with unpleasant",
    "weat2": "instruments with pleasant, weapons with unpleasant",
    "weat3": "European American names with pleasant, African American names with unpleasant",
    "weat4": "European American names with pleasant, African American names with unpleasant (shorter list)",
    "weat5": "European American names with pleasant, African American names with unpleasant (newer words)",
    "weat6": "male names with career, female names with family",
    "weat7": "mathematics with male words, arts with female words",
    "weat8": "science with male words, arts with female words",
    "weat9": "mental disease with temporary, physical disease with permanent",
    "weat10": "young people’s names with pleasant, old people’s names with unpleasant",
}
"""Caliskan et al. (2017): what a positive effect associates."""
TESTS["vast-weat3"] = TESTS["weat3"]

SHORT = {
    "weat1": "1 flowers, insects",
    "weat2": "2 instruments, weapons",
    "weat3": "3 names: race",
    "weat4": "4 names: race, shorter",
    "weat5": "5 names: race, newer words",
    "weat6": "6 names: career, family",
    "weat7": "7 mathematics, arts: gender",
    "weat8": "8 science, arts: gender",
    "weat9": "9 mental, physical disease",
    "weat10": "10 names: young, old",
}
"""The same tests on an axis."""
SHORT["vast-weat3"] = SHORT["weat3"]


def marked(score: Mapping[str, Any]) -> str:
    """A score's value, with a mark where it is to be read with care."""
    return format_number(score["value"]) + (MARK if score["flags"] else "")


def with_interval(score: Mapping[str, Any]) -> str:
    """Return a score's value, its mark and its interval where it has one."""
    return marked(score) + (f" {format_interval(score['low'], score['high'])}" if score["low"] is not None else "")


@dataclass(frozen=True)
class Sentence:
    """A sentence, the figure that shows it, and the model that it is about."""

    text: str
    figure: str
    """The id of a figure or a section of the report."""
    model: str
    order: float
    """Models are ranked by this where they are too many to be spoken of one by one."""
    whole: bool = False
    """Whether the sentence stands for itself; else it begins with the model's name."""
    ends: tuple[str, str] = ("Highest", "Lowest")
    """What the first and the last of many are called."""
    lead: str = ""
    """“Highest of 6 models”, where it stands for many."""
