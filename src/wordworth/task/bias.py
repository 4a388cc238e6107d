"""Bias by layer under every estimator, attribute and list of targets, and how far the estimators agree.

The paper finds by eye that estimators of the same bias order a model's layers differently; here that is a rank
correlation. All intervals are over resampled word lists.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Layers
from wordworth.measure import pair_direction, rank_agreement
from wordworth.measure.centroids import ect
from wordworth.measure.rnsb import rnsb
from wordworth.results import Findings
from wordworth.results.flags import joined, uncovered
from wordworth.statistics.bootstrap import percentile_interval
from wordworth.task.estimators import (
    PAIRS,
    Draws,
    Estimator,
    Values,
    beside,
    definitions,
    draw,
    of,
    of_classes,
    of_pairs,
    sides,
)
from wordworth.task.settings import Intervals
from wordworth.task.valence import drawn, record_slots
from wordworth.task.words import BiasLists, record_missing, restricted, spelling_of

LOW = 0.35
"""Below this share of the variance the first component is no direction to speak of (paper, §5.2; a centred PCA)."""


def list_words(layers: Layers, lists: BiasLists) -> tuple[Findings, Layers, BiasLists]:
    """The vectors of the lists' words, read once, the lists without words that have none, and what is missing."""
    findings = Findings()
    words = layers.select(lists.words, spelling_of("english", None)).in_memory()
    if layers.vocabulary:  # of words that were encoded, the study has recorded those that could not be
        record_missing(findings, {"model": layers.name}, words, "lists")
    return findings, words, restricted(findings, words, lists)


def bias(layers: Layers, lists: BiasLists, settings: Intervals) -> Findings:
    """Every estimator in every slot, with 95 % intervals over its resampled lists; items of the paper's definitions.

    Targets, class words and pairs are drawn together; `ect`'s are over its targets, `rnsb`'s over the class words.
    `layers` are a whole vocabulary or words that were encoded; words of the lists that have no vector are recorded.
    """
    whole = lists
    findings, words, lists = list_words(layers, lists)
    where: dict[str, Any] = {"model": layers.name, "language": "english"}
    for name, targets in lists.targets.items():
        blocks = list(draw(lists, targets, settings))
        for itemized, estimators in ((True, definitions), (False, beside)):
            for one in estimators(words, lists, targets):
                place = where | {"dataset": f"{one.attribute}/{name}"}
                flags = _flags(whole, lists, one.attribute, name)
                with findings.part(model=layers.name, dataset=place["dataset"], measure=one.measure):
                    values = _record(findings, place | {"flags": flags}, layers, one, blocks)
                    for slot, row in zip(layers.slots, values.tolist() if itemized else (), strict=itemized):
                        findings.item(**place, **slot._asdict(), item=list(targets), group=one.measure, value=row)
        _coherence(findings, where, words, lists, name, settings)
    if lists.pairs:
        with findings.part(model=layers.name, dataset=PAIRS, measure="direct-bias:explained"):
            _explained(findings, where, words, lists)
    if lists.poles:
        _sentiment(findings, where, words, lists, settings)
    return findings


def _record(
    findings: Findings, where: dict[str, Any], layers: Layers, estimator: Estimator, blocks: Sequence[Draws]
) -> Values:
    values = estimator.by_word(None)
    replicates = np.concatenate([estimator.resampled(draws) for draws in blocks], axis=1)[:, 1:]
    low, high = percentile_interval(replicates)
    for at, slot in enumerate(layers.slots):
        interval = {"value": float(values[at].mean()), "low": float(low[at]), "high": float(high[at])}
        findings.score(**where, **slot._asdict(), measure=estimator.measure, **interval, n=values.shape[1])
    return values


def _flags(whole: BiasLists, found: BiasLists, attribute: str, name: str) -> str | None:
    """The lists of which much is missing."""
    pairs = {"gender pairs": (found.pairs, whole.pairs)} if attribute == PAIRS else {}
    classes = {one: (words, whole.classes[attribute][one]) for one, words in found.classes.get(attribute, {}).items()}
    every: dict[str, Any] = {name: (found.targets[name], whole.targets[name]), **pairs, **classes}
    return joined(*(uncovered(len(here), len(asked), of_what) for of_what, (here, asked) in every.items()))


def _coherence(
    findings: Findings, where: dict[str, Any], layers: Layers, lists: BiasLists, name: str, settings: Intervals
) -> None:
    """ect of the attributes that have two classes; it is a number of all targets, and has no items."""
    targets = of(layers, tuple(sorted(lists.targets[name])))  # resamples go by place
    for attribute, classes, _ in sides(layers, lists):
        place: dict[str, Any] = {"dataset": f"{attribute}/{name}", "measure": "ect"}
        if len(classes) == 2:
            with findings.part(model=layers.name, **place):
                found = ect(targets, classes[0], classes[1], **drawn(settings))
                record_slots(findings, where | place, layers, found)


def _explained(findings: Findings, where: dict[str, Any], layers: Layers, lists: BiasLists) -> None:
    explained = pair_direction(*of_pairs(layers, lists), centred=True).explained
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


def _sentiment(
    findings: Findings, where: dict[str, Any], layers: Layers, lists: BiasLists, settings: Intervals
) -> None:
    """rnsb of the words of an attribute's classes; a slot in which it cannot be fitted is reported and skipped.

    Its interval is over those words, with the sentiment as it was learnt.
    """
    positive, negative = (of(layers, words) for words in lists.poles.values())
    blocks = list(draw(lists, (), settings))
    for attribute, sets in lists.classes.items():
        words = np.concatenate(of_classes(layers, sets), axis=1)
        counts = np.concatenate([np.concatenate([one.classes[name] for name in sets]) for one in blocks], axis=1)
        for at, slot in enumerate(layers.slots):
            place = {"dataset": attribute, **slot._asdict(), "measure": "rnsb"}
            with findings.part(model=layers.name, **place):
                found = rnsb(words[at], positive[at], negative[at], weights=counts)
                low, high = percentile_interval(found[1:])
                interval = {"value": float(found[0]), "low": float(low), "high": float(high)}
                findings.score(**where, **place, **interval, n=words.shape[1])


MIN_LAYERS = 4
"""Layers that can be ranked to any purpose."""
Curves = dict[str, NDArray[np.float64]]
"""Definition → layers × resamples; the first resample is the lists themselves."""


def curves(layers: Layers, lists: BiasLists, target_words: tuple[str, ...], draws: Draws) -> dict[str, Curves]:
    """Attribute → the estimators' values by layer, in every resample of targets, classes and pairs."""
    values: dict[str, Curves] = {attribute: {} for attribute in lists.classes}
    for one in definitions(layers, lists, target_words):
        attribute, label = (
            ("gender", f"{one.measure}@pairs") if one.attribute == PAIRS else (one.attribute, one.measure)
        )
        if attribute in values:
            values[attribute][label] = one.resampled(draws)
    return values


def agreement(models: Sequence[Layers], lists: BiasLists, settings: Intervals) -> Findings:
    """Spearman's ρ over layers between every two definitions of a bias, for each model, and over all models' layers.

    `agreement` is its mean over the pairs of definitions that are different estimators.
    """
    findings = Findings()
    every: dict[str, list[Curves]] = {}
    for layers in models:
        if len(layers.slots) < MIN_LAYERS:
            findings.note(f"{layers.name} was measured in {len(layers.slots)} layers, too few to rank for agreement.")
            continue
        _, words, usable = list_words(layers, lists)
        for name, targets in usable.targets.items():
            blocks = [curves(words, usable, targets, draws) for draws in draw(usable, targets, settings)]
            for attribute in usable.classes:
                joined = {
                    label: np.concatenate([block[attribute][label] for block in blocks], axis=1)
                    for label in blocks[0][attribute]
                }
                every.setdefault(f"{attribute}/{name}", []).append(joined)
                _record_agreement(findings, layers.name, f"{attribute}/{name}", joined)
    for dataset, parts in every.items():
        if len(parts) > 1:
            shared = [label for label in parts[0] if all(label in part for part in parts)]
            together = {label: np.concatenate([part[label] for part in parts]) for label in shared}
            _record_agreement(findings, None, dataset, together)
    return findings


def _record_agreement(findings: Findings, model: str | None, dataset: str, found: Curves) -> None:
    where = {"model": model, "language": "english", "dataset": dataset}
    different = []
    for one, other in combinations(found, 2):
        rho = rank_agreement(found[one], found[other])
        if one.partition("@")[0] != other.partition("@")[0]:
            different.append(rho)
        _score_agreement(findings, where, f"agreement:{one}~{other}", rho, len(found[one]))
    if different:
        _score_agreement(findings, where, "agreement", np.mean(different, axis=0), len(next(iter(found.values()))))


def _score_agreement(
    findings: Findings, where: dict[str, str | None], measure: str, rho: NDArray[np.float64], layers: int
) -> None:
    low, high = percentile_interval(rho[1:])
    findings.score(**where, measure=measure, value=float(rho[0]), low=float(low), high=float(high), n=layers)
