"""Scores, tests and sentences as a reader sees them."""

from dataclasses import dataclass

from wordworth.pages.runs import Score
from wordworth.results.notices import CAUTION_MARK
from wordworth.results.numbers import format_interval, format_number


@dataclass(frozen=True)
class NamedTest:
    """An association test of Caliskan et al. (2017)."""

    number: int
    subject: str
    """In short, for an axis."""
    meaning: str
    """What a positive effect associates."""
    edition: str = ""
    """Which of several lists of words."""

    @property
    def short(self) -> str:
        """Its number and subject."""
        return f"{self.number} {self.subject}"

    @property
    def full(self) -> str:
        """Its meaning and edition."""
        return f"{self.meaning} ({self.edition})" if self.edition else self.meaning


_NAMES = "European American names with pleasant, African American names with unpleasant"
TESTS = {
    f"weat{test.number}": test
    for test in (
        NamedTest(1, "flowers, insects", "flowers with pleasant, insects with unpleasant"),
        NamedTest(2, "instruments, weapons", "instruments with pleasant, weapons with unpleasant"),
        NamedTest(3, "names: race", _NAMES),
        NamedTest(4, "names: race, shorter", _NAMES, "shorter list"),
        NamedTest(5, "names: race, newer words", _NAMES, "newer words"),
        NamedTest(6, "names: career, family", "male names with career, female names with family"),
        NamedTest(7, "mathematics, arts: gender", "mathematics with male words, arts with female words"),
        NamedTest(8, "science, arts: gender", "science with male words, arts with female words"),
        NamedTest(9, "mental, physical disease", "mental disease with temporary, physical disease with permanent"),
        NamedTest(10, "names: young, old", "young people’s names with pleasant, old people’s names with unpleasant"),
    )
}
TESTS["vast-weat3"] = TESTS["weat3"]
SHORT = {name: test.short for name, test in TESTS.items()}
"""Test → its name on an axis."""
FULL = {name: test.full for name, test in TESTS.items()}
"""Test → what a positive effect associates."""


def show_value(score: Score) -> str:
    """Return a score's value, with a mark where it has cautions."""
    return format_number(score["value"]) + (CAUTION_MARK if score["cautions"] else "")


def with_interval(score: Score) -> str:
    """Return a score's value, its mark, and its interval where it has one."""
    interval = f" {format_interval(score['low'], score['high'])}" if score["low"] is not None else ""
    return show_value(score) + interval


@dataclass(frozen=True)
class Sentence:
    """A sentence, the figure that shows it, and the model that it is about."""

    text: str
    figure: str
    """The id of a figure or a section of the report."""
    model: str
    order: float
    """Many models are ranked by this, and only the first and the last are shown."""
    whole: bool = False
    """Whether the text is a sentence; otherwise it continues the model's name."""
    ends: tuple[str, str] = ("Highest", "Lowest")
    """What the first and the last of many are called."""
    lead: str = ""
    """“Highest of 6 models”, where it stands for many."""
