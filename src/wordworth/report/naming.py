"""Numbers, names and sentences as a reader sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wordworth.run.flags import MARK

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


def number(value: float | None, signed: bool = False) -> str:
    """Two decimals as the papers set them: .87, −1.02, 34.8."""
    if value is None or value != value:
        return "–"
    places = 2 if abs(value) < 10 else 1
    if not signed and round(value, places) == 0:
        value = 0.0  # and not −.00
    text = f"{value:+.{places}f}" if signed else f"{value:.{places}f}"
    return text.replace("0.", ".", 1).replace("-", "−") if abs(value) < 1 else text.replace("-", "−")


def marked(score: Mapping[str, Any]) -> str:
    """A score's value, with a mark where it is to be read with care."""
    return number(score["value"]) + (MARK if score["flags"] else "")


def with_interval(score: Mapping[str, Any]) -> str:
    """Return a score's value, its mark and its interval where it has one."""
    return marked(score) + (f" [{number(score['low'])}, {number(score['high'])}]" if score["low"] is not None else "")


def percent(share: float | None) -> str:
    """A share in percent, with a decimal below ten."""
    if share is None or share != share:
        return "–"
    if 0.99 < share < 1:  # not all, and not to be rounded to it
        return f"{min(100 * share, 99.9):.1f} %"
    return f"{100 * share:.1f} %" if abs(share) < 0.1 else f"{100 * share:.0f} %"


def listed(names: list[str], most: int = 6) -> str:
    """“a, b and c”; what is beyond `most` is counted."""
    shown, rest = names[:most], len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} and {rest:,} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


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
