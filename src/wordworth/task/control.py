"""Controls of valence: ρ where chance is all there is, and where polar words are not held against themselves."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.embedding import Layers
from wordworth.measure import valence
from wordworth.run import Findings
from wordworth.statistics.correlation import shuffled_pearson
from wordworth.task.settings import Intervals
from wordworth.task.valence import RatedItems, drawn, record_slots

EXPERIMENT = "control"
CONTROL, ABOVE = "valence:control", "valence:above"


class Rated:
    """A lexicon's words with their effect sizes and ratings, in alphabetical order: draws depend on the words alone."""

    def __init__(self, layers: Layers, lexicon: Lexicon, effects: NDArray[np.float64]) -> None:
        items = RatedItems(layers.words, lexicon)
        order = np.argsort(np.array(items.names))
        ratings = dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
        self.layers, self.lexicon = layers, lexicon
        self.names = [items.names[row] for row in order.tolist()]
        resolved = dict(zip(layers.words, layers.resolved, strict=True))
        self.forms = [{resolved[word] for word in items.members[row]} for row in order.tolist()]
        """The words of each item, one or the translations of an English word, as the vocabulary has them."""
        self.effects = items.mean(effects)[:, order]
        """slots × items."""
        self.people = items.mean(np.array([ratings[word] for word in layers.words]))[order]

    def where(self, control: str, measure: str) -> dict[str, Any]:
        """The columns of a control's scores: `setting` is the control, and the setting it is a control of."""
        setting = ":".join(filter(None, (control, self.layers.setting)))
        columns = {**self.layers.columns, "setting": setting, "experiment": EXPERIMENT}
        return columns | {"language": self.lexicon.language, "dataset": self.lexicon.name, "measure": measure}


def shuffled(findings: Findings, rated: Rated, settings: Intervals) -> None:
    """Mean ρ and the range of 95 % of the shuffles; ρ above that mean, with p."""
    found = shuffled_pearson(rated.effects, rated.people, shuffles=settings.resamples, seed=settings.seed)
    rho = valence(rated.effects, rated.people, items=rated.names, **drawn(settings))
    for at, slot in enumerate(rated.layers.slots):
        row = {**slot._asdict(), "n": len(rated.people)}
        chance, low, high = (float(one[at]) for one in (found.value, found.low, found.high))
        findings.score(**rated.where("shuffled", CONTROL), **row, value=chance, low=low, high=high)
        # Over shuffles the mean is a constant, so that only ρ has an interval over words.
        value, low, high = (float(one[at]) - chance for one in (rho.value, rho.low, rho.high))
        p = float(found.p[at])
        findings.score(**rated.where("shuffled", ABOVE), **row, value=value, low=low, high=high, p=p)


def poles_out(findings: Findings, rated: Rated, polar: Collection[str], settings: Intervals) -> None:
    """Record ρ over the words that are no poles; `polar` has those as the vocabulary or the tokenizer has them."""
    poles = set(polar)
    rest = [row for row, forms in enumerate(rated.forms) if poles.isdisjoint(forms)]
    names = [rated.names[row] for row in rest]
    rho = valence(rated.effects[:, rest], rated.people[rest], items=names, **drawn(settings))
    record_slots(findings, rated.where("poles-out", CONTROL), rated.layers, rho)
    count = len(rated.names) - len(rest)
    findings.note(f"control: {count} words of {rated.lexicon.name} are polar words, and are taken out in poles-out.")
