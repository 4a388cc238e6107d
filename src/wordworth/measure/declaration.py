"""What a measure is: its name in `scores.csv`, its formula, its paper, and which way is better.

A measure is declared once, in the file of its function. A name may hold parameters, as in `top-{k}`: the declaration
then stands for the family, and its formula and verdict may use the same parameters.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from wordworth.errors import WordworthError, nearest

Better = Literal["higher", "lower", "zero", ""]

PARAMETERS = {
    "k": r"[1-9]\d*",
    "tau": r"[\d.]+(?:e-\d+)?",
    "nth": r"\d+(?:nd|rd|th)",
    "one": r"[a-z][a-z:-]*(?:@pairs)?",
    "other": r"[a-z][a-z:-]*(?:@pairs)?",
}
"""Parameter of a family's name → what may stand in its place."""


@dataclass(frozen=True)
class Measure:
    """One measure, or a family of them; `str(measure)` is what `scores.csv` holds."""

    name: str
    formula: str
    """One sentence, with a full stop."""
    paper: str = ""
    """Its key in the catalog's references; blank where it is ours."""
    better: Better = ""
    """“zero” where both signs are bias; blank where neither way is better."""
    verdict: str = ""
    """What the side that wins a comparison does, before “than”. It is the side with the larger value, or with the
    smaller one where lower is better. Without a verdict the larger side “has a larger NAME”."""
    noun: str = ""
    """What is measured, after “no difference in”; blank for the name itself."""

    def __str__(self) -> str:
        return self.name

    @property
    def larger_wins(self) -> bool:
        """Whether the verdict is about the side with the larger value."""
        return not (self.verdict and self.better == "lower")

    def at(self, **parameters: object) -> "Measure":
        """The member of a family: `TOP.at(k=10)` is `top-10`."""
        name, formula, verdict = (text.format(**parameters) for text in (self.name, self.formula, self.verdict))
        return replace(self, name=name, formula=formula, verdict=verdict)


MEASURES: dict[str, Measure] = {}
"""Every measure by its name: filled as the files of this room are imported."""


def declare(*measures: Measure) -> None:
    """Adds measures to `MEASURES`; a name that is declared twice is an error."""
    for measure in measures:
        if measure.name in MEASURES:
            raise WordworthError(f"the measure {measure.name} is declared twice; give one of them another name")
        MEASURES[measure.name] = measure


def named(name: str) -> Measure:
    """The measure that a row of `scores.csv` names."""
    if name in MEASURES and "{" not in name:
        return MEASURES[name]
    for family in MEASURES.values():
        match = _pattern(family.name).fullmatch(name)
        if match:
            return family.at(**match.groupdict())
    close = nearest(name, list(MEASURES))
    raise WordworthError(f"no measure is called {name!r}{close or '; declare it beside its function in measure/'}")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """The names that a family stands for; a measure without parameters stands for none beside its own."""
    return re.compile(re.sub(r"\\{(\w+)\\}", lambda at: f"(?P<{at[1]}>{PARAMETERS[at[1]]})", re.escape(name)))
