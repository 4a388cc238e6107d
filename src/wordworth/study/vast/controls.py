"""Controls of contextualization: valence where there is nothing to know, or less to go by.

`untrained`: the same network with random weights, which says what the texts give away. `shuffled`: the ratings in
random order, which says what chance gives. `poles-out`: the lexicon without the polar words, which are held against
themselves.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.encode.untrained import untrained
from wordworth.run import Findings
from wordworth.run.vocabulary import CONTROLS
from wordworth.statistics.correlation import pearson
from wordworth.statistics.paired_correlation import correlation_difference
from wordworth.statistics.shuffled import shuffled_pearson
from wordworth.study.vast.words import WordsInSettings
from wordworth.task.valence import drawn, effect_sizes, record_slots

EXPERIMENT = "control"
CONTROL, ABOVE = "valence:control", "valence:above"


def controls(findings: Findings, words: WordsInSettings, lexica: list[Lexicon]) -> None:
    """Each control in every setting; the untrained network on the first lexicon alone, since it encodes anew."""
    wanted = words.chosen.controls or CONTROLS
    blank = words.with_model(untrained(words.model, words.chosen.seed)) if "untrained" in wanted else None
    for lexicon in lexica:
        for setting in words.settings:
            held = _Held(words, lexicon, setting)
            for control in wanted:
                # A control that cannot be computed costs no more than itself.
                where: dict[str, Any] = {"model": words.model.name, "dataset": lexicon.name}
                with findings.part(experiment=EXPERIMENT, setting=f"{control}:{setting}", **where):
                    if control == "shuffled":
                        held.shuffled(findings)
                    elif control == "poles-out":
                        held.poles_out(findings)
                    elif blank is not None and lexicon is lexica[0]:
                        held.against(findings, _Held(blank, lexicon, setting))
    if blank is not None:
        findings.note(
            f"control: the untrained {words.model.name} has {blank.model.source}; it was run on {lexica[0].name} alone."
        )


class _Held:
    """A lexicon's words in one setting: their effect sizes in every layer, and their ratings."""

    def __init__(self, words: WordsInSettings, lexicon: Lexicon, setting: str) -> None:
        self.words, self.lexicon, self.setting = words, lexicon, setting
        self.layers, poles = words.rated(lexicon, setting).layers(words.pooling)
        self.effects = effect_sizes(self.layers, poles)
        self.people = lexicon.valence[self.layers.positions]

    def _where(self, control: str, measure: str) -> dict[str, Any]:
        columns = {**self.layers.columns, "setting": f"{control}:{self.setting}", "experiment": EXPERIMENT}
        return columns | {"language": self.words.language, "dataset": self.lexicon.name, "measure": measure}

    def shuffled(self, findings: Findings) -> None:
        """Mean ρ and the range of 95 % of the shuffles; ρ above that mean, with p."""
        chosen = self.words.chosen
        found = shuffled_pearson(self.effects, self.people, shuffles=chosen.resamples, seed=chosen.seed)
        rho = pearson(self.effects, self.people, **drawn(chosen))
        for at, slot in enumerate(self.layers.slots):
            row = {**slot._asdict(), "n": len(self.people)}
            chance, low, high = (float(one[at]) for one in (found.value, found.low, found.high))
            findings.score(**self._where("shuffled", CONTROL), **row, value=chance, low=low, high=high)
            # Over shuffles the mean is a constant, so that only ρ has an interval over words.
            value, low, high = (float(one[at]) - chance for one in (rho.value, rho.low, rho.high))
            p = float(found.p[at])
            findings.score(**self._where("shuffled", ABOVE), **row, value=value, low=low, high=high, p=p)

    def poles_out(self, findings: Findings) -> None:
        """ρ over the words that are no poles."""
        polar = {*self.words.polar.pleasant, *self.words.polar.unpleasant}
        rest = np.array([row for row, word in enumerate(self.layers.words) if word not in polar], dtype=np.intp)
        rho = pearson(self.effects[:, rest], self.people[rest], **drawn(self.words.chosen))
        record_slots(findings, self._where("poles-out", CONTROL), self.layers, rho)
        count = len(polar & {*self.lexicon.words})
        findings.note(f"control: {count} words of {self.lexicon.name} are polar words, and are taken out in poles-out.")

    def against(self, findings: Findings, control: "_Held") -> None:
        """ρ of the untrained network, and how far ρ is above it, by a paired bootstrap over words."""
        chosen = self.words.chosen
        rho = pearson(control.effects, self.people, **drawn(chosen))
        record_slots(findings, self._where("untrained", CONTROL), self.layers, rho)
        both: NDArray[np.float64] = np.stack([self.effects, control.effects], axis=1)
        found = correlation_difference(both, self.people, resamples=chosen.resamples, seed=chosen.seed)
        above = found.values[:, 0] - found.values[:, 1]
        for at, slot in enumerate(self.layers.slots):
            value, low, high = (float(one[at]) for one in (above, found.low, found.high))
            where = {**self._where("untrained", ABOVE), **slot._asdict(), "n": found.n}
            findings.score(**where, value=value, low=low, high=high)
