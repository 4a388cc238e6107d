"""Controls of contextualization: valence where there is nothing to know, or less to go by.

`untrained`: the same network with random weights, which says what the texts give away. `shuffled` and `poles-out` are
those of every lexicon (`task/control.py`).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.encode import as_read
from wordworth.encode.named import untrained
from wordworth.run import Findings
from wordworth.run.vocabulary import CONTROLS
from wordworth.statistics.correlation import pearson
from wordworth.statistics.paired_correlation import correlation_difference
from wordworth.study.vast.words import WordsInSettings
from wordworth.task.settings import Intervals
from wordworth.task.valence import ABOVE, CONTROL, EXPERIMENT, Rated, drawn, poles_out, record_slots, shuffled


def controls(findings: Findings, words: WordsInSettings, lexica: list[Lexicon]) -> None:
    """Each control in every setting; the untrained network on the first lexicon alone, since it encodes anew."""
    wanted = words.chosen.controls or CONTROLS
    blank = None
    if "untrained" in wanted:
        asked = "untrained" in words.chosen.controls
        with findings.part(asked=asked, experiment=EXPERIMENT, setting="untrained", model=words.model.name):
            blank = words.with_model(untrained(words.model, words.chosen.seed))
    for lexicon in lexica:
        for setting in words.settings:
            rated = _rated(words, lexicon, setting)
            for control in wanted:
                # A control that cannot be computed costs no more than itself.
                where: dict[str, Any] = {"model": words.model.name, "dataset": lexicon.name}
                with findings.part(experiment=EXPERIMENT, setting=f"{control}:{setting}", **where):
                    if control == "shuffled":
                        shuffled(findings, rated, words.chosen)
                    elif control == "poles-out":
                        polar = [*words.polar.pleasant, *words.polar.unpleasant]
                        poles_out(findings, rated, as_read(words.model.tokenizer, polar), words.chosen)
                    elif blank is not None and lexicon is lexica[0]:
                        _against(findings, rated, _rated(blank, lexicon, setting), words.chosen)
    if blank is not None:
        findings.note(
            f"control: the untrained {words.model.name} has {blank.model.source}; it was run on {lexica[0].name} alone."
        )


def _rated(words: WordsInSettings, lexicon: Lexicon, setting: str) -> Rated:
    rated = words.rated(lexicon, setting)
    return Rated(rated.words.layers(words.pooling), lexicon, rated.effects(words.pooling))


def _against(findings: Findings, rated: Rated, control: Rated, settings: Intervals) -> None:
    """ρ of the untrained network, and how far ρ is above it, by a paired bootstrap over words."""
    rho = pearson(control.effects, rated.people, items=rated.names, **drawn(settings))
    record_slots(findings, rated.where("untrained", CONTROL), rated.layers, rho)
    both: NDArray[np.float64] = np.stack([rated.effects, control.effects], axis=1)
    found = correlation_difference(both, rated.people, resamples=settings.resamples, seed=settings.seed)
    above = found.values[:, 0] - found.values[:, 1]
    for at, slot in enumerate(rated.layers.slots):
        value, low, high = (float(one[at]) for one in (above, found.low, found.high))
        where = {**rated.where("untrained", ABOVE), **slot._asdict(), "n": found.n}
        findings.score(**where, value=value, low=low, high=high)
