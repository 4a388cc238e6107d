"""Experiments 1 and 7 of VAST: where a vector turns from the word to its context, and the same in seven languages.

Dominance and arousal go with valence. The control `untrained` is the same network with random weights, which shows what
the texts give away; `shuffled` and `poles-out` are those of every lexicon (`task/valence.py`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from wordworth.catalog.read.lexica import Lexicon
from wordworth.embedding import NOT_FOUND, Layers
from wordworth.encode import as_read
from wordworth.encode.named import untrained
from wordworth.measure import VALENCE
from wordworth.results.findings import Findings
from wordworth.results.notices import Caution
from wordworth.statistics.correlation import pearson
from wordworth.statistics.paired_correlation import correlation_difference
from wordworth.study.vast import CONTROLS, LANGUAGES
from wordworth.study.vast.words import EncodedWords, choose_greedy_poles, load_anew, load_words, record_lexicon
from wordworth.task.valence import (
    RatedEffects,
    compute_effect_sizes,
    get_bootstrap_options,
    record_slots,
    score_shuffled,
    score_valence,
    score_without_poles,
)
from wordworth.task.words import record_missing

AFFECTS = ("dominance", "arousal")


def score_contextualization(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score valence, dominance and arousal in every context and layer (Figures 1 and 6), and the controls."""
    anew = load_anew(words, lexica)
    scored = [
        _score_context(findings, words, lexicon, context, anew, "contextualization")
        for lexicon in lexica
        for context in words.contexts
    ]
    if "none" not in words.settings.controls:
        _score_controls(findings, words, scored)


def _score_context(
    findings: Findings, words: EncodedWords, lexicon: Lexicon, context: str, anew: Lexicon | None, experiment: str
) -> RatedEffects:
    layers, poles = words.read_rated(lexicon, context)
    effects = compute_effect_sizes(layers, poles)
    findings.add(score_valence(layers, poles, lexicon, words.settings, effects=effects), experiment=experiment)
    findings.add(score_affects(words, layers, lexicon, anew), experiment=experiment)
    return RatedEffects(layers, lexicon, effects)


def score_affects(
    words: EncodedWords,
    layers: Layers,
    lexicon: Lexicon,
    anew: Lexicon | None,
    transform: Callable[[Layers], Layers] = lambda layers: layers,
) -> Findings:
    """Score ρ for dominance and arousal, where the lexicon rates them; `layers` are its words in a context.

    The poles are the 25 highest and lowest words of ANEW, which are removed from the lexicon. `transform` changes the
    vectors of both.
    """
    findings, words_of_poles = Findings(), layers
    affects = [affect for affect in AFFECTS if affect in lexicon.ratings]
    if anew is None:
        return findings
    if affects and layers.context == "misaligned":
        words_of_poles = words.encode_as_poles(lexicon, layers.context)
    rated = transform(layers) if affects else layers
    place = {**layers.columns, "language": words.language, "dataset": lexicon.name}
    for affect in affects:
        poles = []
        sides = choose_greedy_poles(anew.words, anew.ratings[affect].tolist())
        for end, side in zip(("high", "low"), sides, strict=True):
            pole = words_of_poles.select(side)
            why = {at: f"not in {lexicon.name}" if one == NOT_FOUND else one for at, one in pole.reasons.items()}
            poles.append(transform(replace(pole, reasons=why)))
            record_missing(findings, "word_lists", place, poles[-1], list=f"{affect}: {end}")
        high, low = poles
        if min(len(high), len(low)) < 2:
            reason, where = "its poles have fewer than two words", {"model": layers.name, "dataset": lexicon.name}
            findings.notice("skipped", reason, **where, context=layers.context, measure=affect)
            continue
        polar = {*high.resolved, *low.resolved}
        rest = rated.rows(np.array([row for row, form in enumerate(rated.resolved) if form not in polar]))
        people = dict(zip(lexicon.words, lexicon.ratings[affect].tolist(), strict=True))
        ratings = np.array([people[word] for word in rest.words])
        effects = compute_effect_sizes(rest, (high, low))
        rho = pearson(effects, ratings, items=rest.words, **get_bootstrap_options(words.settings))
        record_slots(findings, {**place, "measure": affect}, rated, rho)
    return findings


def _score_controls(findings: Findings, words: EncodedWords, scored: list[RatedEffects]) -> None:
    """Score each control in every context; the untrained network only on the first lexicon, which it encodes again."""
    requested, model, seed = words.settings.controls, words.model.name, words.settings.seed
    controls, blank, first = requested or CONTROLS, None, scored[0].lexicon
    place: dict[str, Any] = {"experiment": "control", "model": model}
    if "untrained" in controls:
        with findings.part(is_requested="untrained" in requested, control="untrained", **place):
            blank = words.with_model(untrained(words.model, seed))
            reason = f"the network has {blank.model.source}, and is measured on {first.name} only"
            findings.notice("info", reason, control="untrained", **place)
    for rated in scored:
        for control in controls:
            # A control that cannot be computed costs only itself.
            place |= {"dataset": rated.lexicon.name, "context": rated.layers.context}
            with findings.part(control=control, **place):
                if control == "shuffled":
                    score_shuffled(findings, rated, words.settings)
                elif control == "poles-out":
                    polar = as_read(words.model.tokenizer, words.poles)
                    score_without_poles(findings, rated, polar, words.settings)
                elif blank is not None and rated.lexicon is first:
                    _score_untrained(findings, rated, blank)


def _score_untrained(findings: Findings, rated: RatedEffects, blank: EncodedWords) -> None:
    """Score ρ of the untrained network, and how far ρ is above it, by a paired bootstrap over words."""
    layers, poles = blank.read_rated(rated.lexicon, str(rated.layers.context))
    control = RatedEffects(layers, rated.lexicon, compute_effect_sizes(layers, poles))
    options = get_bootstrap_options(blank.settings)
    rho = pearson(control.effects, rated.people, items=rated.names, **options)
    record_slots(findings, rated.place("untrained"), rated.layers, rho)
    both = np.stack([rated.effects, control.effects], axis=1)
    difference = correlation_difference(both, rated.people, **options)
    above = difference.values[:, 0] - difference.values[:, 1]
    for at, slot in enumerate(rated.layers.slots):
        value, low, high = (float(one[at]) for one in (above, difference.low, difference.high))
        where = {**rated.place("untrained", "above-control"), **slot._asdict(), "n": len(rated.people)}
        findings.score(**where, value=value, low=low, high=high)


def score_languages(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score valence in the paper's seven languages with a multilingual model (Figures 20 to 22), and the mean ρ.

    A language that fails is recorded as failed.
    """
    model, settings = words.model, words.settings
    for language in LANGUAGES:
        with findings.part(model=model.name, experiment="languages", language=language):
            own_findings = Findings("vast")
            own = load_words(own_findings, model, settings, language)
            lexicon = record_lexicon(own_findings, own, "anew" if language == "english" else None)
            for context in own.contexts:
                _score_context(own_findings, own, lexicon, context, None, "languages")
            own_findings.add_cautions([Caution.MACHINE_TRANSLATED] if own.polar.by_machine else [])
            findings.add(own_findings)
    _score_mean(findings, model.name)


def _score_mean(findings: Findings, model: str) -> None:
    """Score the mean of ρ over the languages, by context and layer."""
    columns = {"experiment": "languages", "model": model, "measure": VALENCE}
    is_rho = [pl.col(name) == value for name, value in columns.items()]
    means = (
        findings.scores.filter(*is_rho, pl.col("variant").is_null())
        .group_by("context", "pooling", "layer", maintain_order=True)
        .agg(pl.col("value").mean(), pl.len().alias("n"))
        .filter(pl.col("n") > 1)
    )
    for row in means.iter_rows(named=True):
        findings.score(**columns, variant="mean", **row)
