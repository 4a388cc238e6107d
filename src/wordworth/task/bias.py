"""Bias by layer under every estimator, attribute and list of targets (Bommasani et al. 2020, Tables 3 and 8).

The paper's tuples are 22 a layer: gender by pairs (Bolukbasi, Garg twice, Manzini) and by sets (Garg twice, Manzini),
race by sets (Manzini), religion by sets (Garg twice, Manzini), each with professions and with adjectives.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Layers
from wordworth.measure import (
    direct_bias,
    garg_cosine,
    garg_euclidean,
    mac,
    manzini,
    manzini_centroid,
    pair_direction,
    ripa,
    rnsb,
)
from wordworth.measure.ect import ect
from wordworth.run import Findings
from wordworth.statistics.bootstrap import percentile_interval, resample_counts
from wordworth.task.bias_lists import BiasLists, Sets, restricted
from wordworth.task.settings import Intervals
from wordworth.task.valence import drawn, record_slots
from wordworth.task.words import record_missing, spelling_of

PAIRS = "gender-pairs"
LOW = 0.35
"""Below this share of the variance the first component is no direction to speak of (paper, §5.2)."""

Values = NDArray[np.float64]
"""slots × words: what a word's bias is."""
Estimator = tuple[str, str, Callable[[], Values]]
"""Attribute, measure, and what computes the values: one that fails must not cost the others theirs."""


def list_words(layers: Layers, lists: BiasLists) -> tuple[Findings, Layers, BiasLists]:
    """The vectors of the lists' words, read once, the lists without words that have none, and what is missing."""
    findings = Findings()
    words = layers.select(lists.words, spelling_of("english", None)).in_memory()
    if layers.vocabulary:  # of words that were encoded, the study has recorded those that could not be
        record_missing(findings, {"model": layers.name}, words, "lists")
    return findings, words, restricted(findings, words, lists)


def of(layers: Layers, words: tuple[str, ...]) -> Values:
    """slots × words × dimensions of words that are there."""
    return layers.select(words).vectors()


def of_pairs(layers: Layers, lists: BiasLists) -> tuple[Values, Values]:
    """(male, female) vectors of the gender pairs."""
    female, male = zip(*lists.pairs, strict=True)
    return of(layers, male), of(layers, female)


def of_classes(layers: Layers, sets: Sets) -> list[Values]:
    """The vectors of each class of an attribute."""
    return [of(layers, words) for words in sets.values()]


def sides(layers: Layers, lists: BiasLists) -> Iterator[tuple[str, list[Values]]]:
    """(attribute, vectors of its classes): gender by pairs, then every attribute by sets."""
    if lists.pairs:
        yield PAIRS, [*of_pairs(layers, lists)]
    yield from ((attribute, of_classes(layers, sets)) for attribute, sets in lists.classes.items())


def definitions(layers: Layers, lists: BiasLists, target_words: tuple[str, ...]) -> Iterator[Estimator]:
    """The paper's eleven definitions for one list of targets."""
    targets = of(layers, target_words)
    if lists.pairs:
        pairs = of_pairs(layers, lists)
        yield PAIRS, "direct-bias", lambda: direct_bias(targets, pair_direction(*pairs).vector)
    for attribute, classes in sides(layers, lists):
        if len(classes) == 2:
            yield attribute, "garg-euclidean", partial(garg_euclidean, targets, *classes)
            yield attribute, "garg-cosine", partial(garg_cosine, targets, *classes)
        yield attribute, "manzini", partial(manzini, targets, classes)


def beside(layers: Layers, lists: BiasLists, target_words: tuple[str, ...]) -> Iterator[Estimator]:
    """Estimators beyond the paper's; the values of mac are those of the classes' words."""
    targets = of(layers, target_words)
    if lists.pairs:
        male, female = of_pairs(layers, lists)
        centred = partial(pair_direction, male, female, centred=True)
        yield PAIRS, "direct-bias:centred", lambda: direct_bias(targets, centred().vector)
        yield PAIRS, "manzini:centroid", partial(manzini_centroid, targets, [male, female])
        yield PAIRS, "ripa", lambda: np.abs(ripa(targets, male, female))
    for attribute, sets in lists.classes.items():
        classes = of_classes(layers, sets)
        yield attribute, "manzini:centroid", partial(manzini_centroid, targets, classes)
        yield attribute, "mac", partial(mac, np.concatenate(classes, axis=1), [targets])


def bias(layers: Layers, lists: BiasLists, settings: Intervals) -> Findings:
    """Every estimator in every slot, with 95 % intervals over resampled targets; items of the paper's definitions.

    `layers` are a whole vocabulary or words that were encoded; words of the lists that have no vector are recorded.
    """
    findings, words, lists = list_words(layers, lists)
    where: dict[str, Any] = {"model": layers.name, "language": "english"}
    for name, targets in lists.targets.items():
        for attribute, measure, computed in definitions(words, lists, targets):
            place = where | {"dataset": f"{attribute}/{name}"}
            with findings.part(model=layers.name, dataset=place["dataset"], measure=measure):
                values = computed()
                _record(findings, place, layers, measure, values, settings)
                for slot, row in zip(layers.slots, values.tolist(), strict=True):
                    findings.item(**place, **slot._asdict(), item=list(targets), group=measure, value=row)
        for attribute, measure, computed in beside(words, lists, targets):
            place = where | {"dataset": f"{attribute}/{name}"}
            with findings.part(model=layers.name, dataset=place["dataset"], measure=measure):
                _record(findings, place, layers, measure, computed(), settings)
        _coherence(findings, where, words, lists, name, settings)
    if lists.pairs:
        with findings.part(model=layers.name, dataset=PAIRS, measure="direct-bias:explained"):
            _explained(findings, where, words, lists)
    if lists.poles:
        _sentiment(findings, where, words, lists)
    return findings


def _record(
    findings: Findings, where: dict[str, Any], layers: Layers, measure: str, values: Values, settings: Intervals
) -> None:
    blocks = resample_counts(values.shape[1], settings.resamples, settings.seed)
    replicates = np.concatenate([values @ counts / values.shape[1] for counts in blocks], axis=1)
    low, high = percentile_interval(replicates)
    for at, slot in enumerate(layers.slots):
        interval = {"value": float(values[at].mean()), "low": float(low[at]), "high": float(high[at])}
        findings.score(**where, **slot._asdict(), measure=measure, **interval, n=values.shape[1])


def _coherence(
    findings: Findings, where: dict[str, Any], layers: Layers, lists: BiasLists, name: str, settings: Intervals
) -> None:
    """ect of the attributes that have two classes; it is a number of all targets, and has no items."""
    targets = of(layers, lists.targets[name])
    for attribute, classes in sides(layers, lists):
        place: dict[str, Any] = {"dataset": f"{attribute}/{name}", "measure": "ect"}
        if len(classes) == 2:
            with findings.part(model=layers.name, **place):
                found = ect(targets, classes[0], classes[1], **drawn(settings))
                record_slots(findings, where | place, layers, found)


def _explained(findings: Findings, where: dict[str, Any], layers: Layers, lists: BiasLists) -> None:
    explained = pair_direction(*of_pairs(layers, lists)).explained
    for slot, share in zip(layers.slots, explained.tolist(), strict=True):
        place = {**where, **slot._asdict(), "dataset": PAIRS, "n": len(lists.pairs)}
        findings.score(**place, measure="direct-bias:explained", value=share)
    weak = int((explained < LOW).sum())
    if weak:
        how_often = f"in {weak} of {len(explained)} layers" if len(explained) > 1 else "here"
        findings.warn(
            f"{layers.name}: the first component explains less than {LOW:.0%} of the gender pairs' differences "
            f"{how_often} (from {explained.min():.0%}), so direct-bias says little there."
        )


def _sentiment(findings: Findings, where: dict[str, Any], layers: Layers, lists: BiasLists) -> None:
    """rnsb of the words of an attribute's classes; a slot in which it cannot be fitted is reported and skipped."""
    positive, negative = (of(layers, words) for words in lists.poles.values())
    for attribute, sets in lists.classes.items():
        words = np.concatenate(of_classes(layers, sets), axis=1)
        for at, slot in enumerate(layers.slots):
            place = {"dataset": attribute, **slot._asdict(), "measure": "rnsb"}
            with findings.part(model=layers.name, **place):
                value = rnsb(words[at], positive[at], negative[at])
                findings.score(**where, **place, value=value, n=words.shape[1])
