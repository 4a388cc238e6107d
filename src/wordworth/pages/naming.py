"""Scores, tests and sentences as a reader sees them."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from wordworth.pages.runs import Score
from wordworth.results.notices import CAUTION_MARK
from wordworth.results.numbers import format_interval, format_number

TESTS = tomllib.loads((files("wordworth.pages") / "data" / "tests.toml").read_text(encoding="utf-8"))
"""Association test → its number, subject and meaning."""
SHORT = {name: f"{test['number']} {test['subject']}" for name, test in TESTS.items()}
"""Test → its name on an axis."""
FULL = {
    name: f"{test['meaning']} ({test['edition']})" if "edition" in test else test["meaning"]
    for name, test in TESTS.items()
}
"""Test → what a positive effect associates, and with which list of words."""


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

    def __str__(self) -> str:
        lead = f"{self.lead}: " if self.lead else ""
        subject = f"{self.model}{'. ' if self.whole else ' '}" if self.model else ""
        return f"{lead}{subject}{self.text}"
