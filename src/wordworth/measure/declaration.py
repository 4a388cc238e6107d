"""What a measure is: its name in `scores.csv`, its formula, its paper, and which way is better.

A measure is declared once, in the file of its function. A name may hold parameters, as in `top-{k}`: the declaration
then stands for the family, and its formula and verdict may use the same parameters. Measures that are a count, a
library's number or a transform's have no function of ours, and are declared at the end of this file.
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


def declare(
    name: str, formula: str, paper: str = "", better: Better = "", verdict: str = "", noun: str = ""
) -> Measure:
    """Adds a measure to `MEASURES`; a name that is declared twice is an error."""
    if name in MEASURES:
        raise WordworthError(f"the measure {name} is declared twice; give one of them another name")
    MEASURES[name] = Measure(name, formula, paper, better, verdict, noun)
    return MEASURES[name]


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


declare(
    "contexts",
    "Contexts that words were aggregated over: sentences, counted once for each word in them.",
    "bommasani2020",
)
declare("coverage", "Share of a data set's items whose words all have vectors.", "", "higher")
# Prediction: what is said instead of a word, and whether paraphrases lie near.
declare("share", "Share of a band's misses that were answered by a word of the other band.", "dudy2020")
declare("types", "Share of the text's types that were never among the best guesses.", "dudy2020", "lower")
declare("hits", "Sentences that lie nearer to their paraphrase than to the other sentence.", "dudy2020", "higher")
declare("chi2", "χ² of the hits of two sets, without continuity correction.", "dudy2020")
declare("exact", "Odds ratio of the hits of two sets, with Fisher's exact p.", "dudy2020")
# Subspaces: how well-defined they are, and what a classifier still knows after each round.
declare("dimensions", "Dimensions of the subspace that is taken out.")
declare("principal:{nth}", "The {nth} principal value of a bias's words over the first.", "dev2020")
declare("cosine", "|cos| between the first component of all words of a bias and what is taken out.", "dev2020")
declare("inlp:before", "Accuracy of a linear classifier on words held out, before any projection.", "ravfogel2020")
declare("inlp:after", "Accuracy of a linear classifier on words held out, after the last one.", "ravfogel2020")
declare("inlp:chance", "Share of the largest class among the words held out.", "ravfogel2020")
