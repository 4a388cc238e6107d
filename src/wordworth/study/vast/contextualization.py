"""Experiment 1 of VAST: where a vector turns from the word to its context; its controls, and several draws of contexts.

The control `untrained` is the same network with random weights, which says what the texts give away. `shuffled` and
`poles-out` are those of every lexicon (`task/control.py`).
"""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.embedding import NOT_FOUND, Layers
from wordworth.encode import as_read
from wordworth.encode.named import untrained
from wordworth.results import Findings
from wordworth.results.vocabulary import CONTROLS
from wordworth.statistics.correlation import pearson
from wordworth.statistics.paired_correlation import correlation_difference
from wordworth.study.vast.words import WordsInSettings, greedy_poles
from wordworth.task.settings import Intervals
from wordworth.task.valence import (
    ABOVE,
    CONTROL,
    EXPERIMENT,
    Rated,
    drawn,
    effect_sizes,
    poles_out,
    record_slots,
    shuffled,
    valence,
)
from wordworth.task.words import Poles, record_missing

AFFECTS = ("dominance", "arousal")


def contextualization(
    findings: Findings,
    words: WordsInSettings,
    lexica: list[Lexicon],
    anew: Lexicon | None,
    experiment: str = "contextualization",
) -> None:
    """Experiment 1: where a vector turns from the word to its context (Figure 1); dominance and arousal (Figure 6)."""
    for lexicon in lexica:
        for setting in words.settings:
            rated = words.rated(lexicon, setting)
            layers, poles = rated.layers(words.pooling)
            effects = rated.effects(words.pooling)
            findings.add(valence(layers, poles, lexicon, words.chosen, effects=effects), experiment=experiment)
            for affect in affects_of(lexicon, anew):
                held = affect_poles(words.pole_words(lexicon, setting), lexicon, anew, affect)
                findings.add(affective(words, layers, held, lexicon, affect), experiment=experiment)


def affects_of(lexicon: Lexicon, anew: Lexicon | None) -> tuple[str, ...]:
    """Dominance and arousal where the lexicon rates them, and ANEW is there to pick their poles."""
    return tuple(affect for affect in AFFECTS if anew is not None and affect in lexicon.ratings)


def affect_poles(words: Layers, lexicon: Lexicon, anew: Lexicon | None, affect: str) -> Poles:
    """The 25 highest and the 25 lowest words of ANEW, in the text that poles stand in."""
    if anew is None:
        raise TypeError(f"the poles of {affect} are words of ANEW")
    high, low = (words.select(side) for side in greedy_poles(anew.words, anew.ratings[affect].tolist()))
    return _named_missing(high, lexicon), _named_missing(low, lexicon)


def _named_missing(pole: Layers, lexicon: Lexicon) -> Layers:
    why = {at: f"not in {lexicon.name}" if reason == NOT_FOUND else reason for at, reason in pole.reasons.items()}
    return replace(pole, reasons=why)


def affective(words: WordsInSettings, layers: Layers, poles: Poles, lexicon: Lexicon, affect: str) -> Findings:
    """ρ for dominance or arousal: the poles are taken out of the lexicon."""
    findings = Findings()
    where = {**layers.columns, "language": words.language, "dataset": lexicon.name}
    for end, pole in zip(("high", "low"), poles, strict=True):
        record_missing(findings, where, pole, f"{affect}: {end}")
    if min(map(len, poles)) < 2:
        findings.warn(f"{affect} has no score on {lexicon.name} {layers.setting}: its poles are not there.")
        return findings
    polar = {form for pole in poles for form in pole.resolved}
    rest = np.array([row for row, form in enumerate(layers.resolved) if form not in polar])
    rated = layers.rows(rest)
    effects = effect_sizes(rated, poles)
    people = dict(zip(lexicon.words, lexicon.ratings[affect].tolist(), strict=True))
    ratings = np.array([people[word] for word in rated.words])
    rho = pearson(effects, ratings, items=rated.words, **drawn(words.chosen))
    record_slots(findings, {**where, "measure": affect}, layers, rho)
    return findings


def languages_mean(findings: Findings, model: str) -> None:
    """The mean of ρ over the languages, by setting and layer (Figure 20)."""
    mine = (pl.col("experiment") == "languages") & (pl.col("model") == model) & (pl.col("measure") == "valence")
    means = (
        findings.scores.filter(mine)
        .group_by("setting", "pooling", "layer", maintain_order=True)
        .agg(pl.col("value").mean(), pl.len().alias("n"))
        .filter(pl.col("n") > 1)
    )
    for row in means.iter_rows(named=True):
        findings.score(experiment="languages", model=model, measure="valence:mean", **row)


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
        where = {**rated.where("untrained", ABOVE), **slot._asdict(), "n": len(rated.people)}
        findings.score(**where, value=value, low=low, high=high)
