"""Bias by layer under every estimator, attribute and list of targets, and how far the estimators agree.

The paper finds by eye that estimators of the same bias order a model's layers differently; here that is a rank
correlation. All intervals are over resampled word lists.

The estimators are those of Bommasani et al. (2020, Tables 3 and 8) and others. The paper's tuples are 22 per layer:
gender by pairs (Bolukbasi, Garg twice, Manzini) and by sets (Garg twice, Manzini), race by sets (Manzini), religion by
sets (Garg twice, Manzini), each with professions and with adjectives.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
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
    rank_agreement,
    ripa,
    rnsb,
)
from wordworth.measure.centroids import ect, mean_over_targets
from wordworth.measure.directions import resampled_direct_bias
from wordworth.results.findings import Findings
from wordworth.statistics.bootstrap import percentile_interval, resample_counts
from wordworth.task.settings import Intervals
from wordworth.task.valence import record_slots, score_slots
from wordworth.task.words import BiasLists, Sets, choose_spellings, keep_known_words, record_missing

PAIRS, TARGETS = "gender-pairs", "targets"
BLOCK = 50
"""Resamples computed at a time."""
Draws = Mapping[str, NDArray[np.float64]]
"""List (targets, gender-pairs, or a class) → how often each of its words or pairs is drawn: words × resamples.

The first resample of the first block is the lists themselves."""


def draw_blocks(lists: BiasLists, target_words: tuple[str, ...], settings: Intervals) -> Iterator[Draws]:
    """Yield blocks of resamples of all lists.

    Words are drawn in alphabetical order, so that no interval depends on how a list is sorted.
    """
    listed: dict[str, Sequence[str]] = {TARGETS: target_words, PAIRS: [" ".join(pair) for pair in lists.pairs]}
    listed |= {name: words for sets in lists.classes.values() for name, words in sets.items()}
    streams = {
        name: _draw_counts(words, settings.resamples, settings.seed + number)
        for number, (name, words) in enumerate(listed.items())
        if words
    }
    for start in range(0, settings.resamples + 1, BLOCK):
        yield {name: counts[:, start : start + BLOCK] for name, counts in streams.items()}


def _draw_counts(words: Sequence[str], resamples: int, seed: int) -> NDArray[np.float64]:
    place = np.argsort(np.argsort(words, kind="stable"), kind="stable")  # of each word in alphabetical order
    drawn = np.concatenate(list(resample_counts(len(words), resamples, seed)), axis=1)[place]
    return np.concatenate([np.ones((len(words), 1)), drawn], axis=1)


Values = NDArray[np.float64]
"""slots × words: the bias of each word; with resamples slots × words × resamples."""
Weights = tuple[NDArray[np.float64], ...]
Pairs = tuple[Values, Values]
"""The (male, female) vectors of the gender pairs."""


@dataclass(frozen=True)
class Estimator:
    """One definition of one bias. Nothing is computed before it is needed, so a failure costs nothing else."""

    attribute: str
    measure: str
    variant: str | None
    compute: Callable[..., Values]
    """Return the words' values; with `weights`, in every resample of the lists that define the bias."""
    defined_by: tuple[str, ...]
    """The lists that define the bias."""
    averaged: tuple[str, ...] = (TARGETS,)
    """The lists whose words have values."""

    def by_word(self) -> Values:
        """Return the words' values: slots × words."""
        return self.compute(weights=None)

    def resample(self, draws: Draws) -> Values:
        """Return the measure with all of its lists resampled: slots × resamples."""
        values = self.compute(weights=tuple(draws[name] for name in self.defined_by))
        return mean_over_targets(values, np.concatenate([draws[name] for name in self.averaged]))


def read_words(layers: Layers, words: tuple[str, ...]) -> Values:
    """Return the vectors of words: slots × words × dimensions."""
    return layers.select(words).vectors()


def read_pairs(layers: Layers, lists: BiasLists) -> Pairs:
    """Return the (male, female) vectors of the gender pairs."""
    female, male = zip(*lists.pairs, strict=True)
    return read_words(layers, male), read_words(layers, female)


def read_classes(layers: Layers, sets: Sets) -> list[Values]:
    """Return the vectors of each class of an attribute."""
    return [read_words(layers, words) for words in sets.values()]


def read_attributes(layers: Layers, lists: BiasLists) -> Iterator[tuple[str, list[Values], tuple[str, ...]]]:
    """Yield (attribute, vectors of its classes, names of their draws): gender by pairs, then attributes by sets."""
    if lists.pairs:
        yield PAIRS, [*read_pairs(layers, lists)], (PAIRS, PAIRS)
    yield from ((attribute, read_classes(layers, sets), tuple(sets)) for attribute, sets in lists.classes.items())


def make_definitions(layers: Layers, lists: BiasLists, target_words: tuple[str, ...]) -> Iterator[Estimator]:
    """Yield the paper's eleven definitions for one list of targets."""
    targets = read_words(layers, target_words)
    if lists.pairs:
        direct = partial(_direct_bias, targets, read_pairs(layers, lists), False)
        yield Estimator(PAIRS, "direct-bias", None, direct, (PAIRS,))
    for attribute, classes, names in read_attributes(layers, lists):
        if len(classes) == 2:
            for measure, function in (("garg-euclidean", garg_euclidean), ("garg-cosine", garg_cosine)):
                yield Estimator(attribute, measure, None, partial(function, targets, *classes), names)
        yield Estimator(attribute, "manzini", None, partial(manzini, targets, classes), names)


def make_other_estimators(layers: Layers, lists: BiasLists, target_words: tuple[str, ...]) -> Iterator[Estimator]:
    """Yield estimators that the paper does not have; the values of mac are those of the classes' words."""
    targets = read_words(layers, target_words)
    if lists.pairs:
        pairs = read_pairs(layers, lists)
        yield Estimator(PAIRS, "direct-bias", "centred", partial(_direct_bias, targets, pairs, True), (PAIRS,))
        yield Estimator(PAIRS, "ripa", None, partial(_ripa, targets, pairs), (PAIRS,))
    for attribute, classes, names in read_attributes(layers, lists):
        centroid = partial(manzini_centroid, targets, classes)
        yield Estimator(attribute, "manzini", "centroid", centroid, names)
        if len(classes) == 2:
            euclidean = partial(garg_euclidean, targets, *classes, normalized=True)
            yield Estimator(attribute, "garg-euclidean", "unit", euclidean, names)
        if attribute != PAIRS:
            distance = partial(mac, np.concatenate(classes, axis=1), [targets])
            yield Estimator(attribute, "mac", None, distance, (TARGETS,), names)


def _direct_bias(targets: Values, pairs: Pairs, centred: bool, *, weights: Weights | None) -> Values:
    if weights is None:
        return direct_bias(targets, pair_direction(*pairs, centred=centred).vector)
    return resampled_direct_bias(targets, pair_direction(*pairs, centred=centred, weights=weights[0]).vector)


def _ripa(targets: Values, pairs: Pairs, *, weights: Weights | None) -> Values:
    return np.abs(ripa(targets, *pairs, weights=None if weights is None else weights[0]))


MIN_EXPLAINED = 0.35
"""Below this share of the variance the first component is not a direction (paper, §5.2; a centred PCA)."""


def select_listed_words(layers: Layers, lists: BiasLists) -> tuple[Findings, Layers, BiasLists]:
    """Return the vectors of the lists' words, read once, and the lists without missing words, which are recorded."""
    findings = Findings()
    words = layers.select(lists.words, choose_spellings("english", None)).in_memory()
    if layers.vocabulary:  # of words that were encoded, the study has recorded those that could not be
        record_missing(findings, "word_lists", {"model": layers.name}, words, list="bias")
    return findings, words, keep_known_words(findings, words, lists)


def score_bias(layers: Layers, lists: BiasLists, settings: Intervals) -> Findings:
    """Score every estimator in every slot, with 95 % intervals over its resampled lists; items of the paper's.

    Targets, class words and pairs are drawn together; `ect`'s are over its targets, `rnsb`'s over the class words.
    `layers` are a whole vocabulary or words that were encoded; words of the lists that have no vector are recorded.
    """
    whole = lists
    findings, words, lists = select_listed_words(layers, lists)
    where: dict[str, Any] = {"model": layers.name, "language": "english"}
    for name, targets in lists.targets.items():
        blocks = list(draw_blocks(lists, targets, settings))
        for with_items, make in ((True, make_definitions), (False, make_other_estimators)):
            for one in make(words, lists, targets):
                place = where | {"dataset": one.attribute, "subset": name}
                with findings.part(model=layers.name, dataset=one.attribute, measure=one.measure):
                    coverage = _lowest_coverage(whole, lists, one.attribute, name)
                    values = _score_estimator(findings, place | {"coverage": coverage}, layers, one, blocks)
                    for slot, row in zip(layers.slots, values.tolist(), strict=True) if with_items else ():
                        columns = {"measure": one.measure, "word": list(targets), "value": row}
                        findings.item("bias_words", **place, **slot._asdict(), **columns)
        _score_coherence(findings, where, words, lists, name, settings)
    if lists.pairs:
        with findings.part(model=layers.name, dataset=PAIRS, measure="direct-bias"):
            _score_explained(findings, where, words, lists)
    if lists.poles:
        _score_sentiment(findings, where, words, lists, settings)
    return findings


def _score_estimator(
    findings: Findings, where: dict[str, Any], layers: Layers, estimator: Estimator, blocks: Sequence[Draws]
) -> Values:
    values = estimator.by_word()
    replicates = np.concatenate([estimator.resample(draws) for draws in blocks], axis=1)[:, 1:]
    low, high = percentile_interval(replicates)
    place = where | {"measure": estimator.measure, "variant": estimator.variant, "n": values.shape[1]}
    score_slots(findings, place, layers, value=values.mean(axis=1), low=low, high=high)
    return values


def _lowest_coverage(whole: BiasLists, known: BiasLists, attribute: str, name: str) -> float:
    """Return the share of words that have vectors in the list of which most are missing."""
    lists: list[tuple[Sequence[Any], Sequence[Any]]] = [(known.targets[name], whole.targets[name])]
    lists += [(known.pairs, whole.pairs)] if attribute == PAIRS else []
    lists += [(words, whole.classes[attribute][one]) for one, words in known.classes.get(attribute, {}).items()]
    return min(len(there) / len(every) for there, every in lists)


def _score_coherence(
    findings: Findings, where: dict[str, Any], layers: Layers, lists: BiasLists, name: str, settings: Intervals
) -> None:
    """Score ect of the attributes that have two classes; it is a number of all targets, and has no items."""
    targets = read_words(layers, tuple(sorted(lists.targets[name])))  # resamples go by place
    for attribute, classes, _ in read_attributes(layers, lists):
        place: dict[str, Any] = {"dataset": attribute, "measure": "ect"}
        if len(classes) == 2:
            with findings.part(model=layers.name, **place):
                rho = ect(targets, classes[0], classes[1], **settings.bootstrap)
                record_slots(findings, where | place | {"subset": name}, layers, rho)


def _score_explained(findings: Findings, where: dict[str, Any], layers: Layers, lists: BiasLists) -> None:
    explained = pair_direction(*read_pairs(layers, lists), centred=True).explained
    place = {"dataset": PAIRS, "measure": "direct-bias"}
    score_slots(findings, where | place | {"variant": "explained", "n": len(lists.pairs)}, layers, value=explained)
    weak = int((explained < MIN_EXPLAINED).sum())
    if weak:
        reason = (
            f"layers have a first component that explains less than {MIN_EXPLAINED:.0%} of the gender pairs' "
            f"differences (the least {explained.min():.0%}), so direct-bias says little there"
        )
        findings.notice("caution", reason, count=weak, total=len(explained), model=layers.name, **place)


def _score_sentiment(
    findings: Findings, where: dict[str, Any], layers: Layers, lists: BiasLists, settings: Intervals
) -> None:
    """Score rnsb of the words of an attribute's classes; a slot in which it cannot be fitted is recorded as failed.

    Its interval is over those words, with the sentiment as it was learnt.
    """
    positive, negative = (read_words(layers, words) for words in lists.poles.values())
    blocks = list(draw_blocks(lists, (), settings))
    for attribute, sets in lists.classes.items():
        words = np.concatenate(read_classes(layers, sets), axis=1)
        counts = np.concatenate([np.concatenate([draws[name] for name in sets]) for draws in blocks], axis=1)
        for at, slot in enumerate(layers.slots):
            place: dict[str, Any] = {"dataset": attribute, "measure": "rnsb"}
            with findings.part(model=layers.name, layer=slot.layer, **place):
                divergences = rnsb(words[at], positive[at], negative[at], weights=counts)
                low, high = percentile_interval(divergences[1:])
                interval = {"value": float(divergences[0]), "low": float(low), "high": float(high)}
                findings.score(**where, **place, **slot._asdict(), **interval, n=words.shape[1])


MIN_LAYERS = 4
"""Fewer layers are not ranked."""
Definition = tuple[str, bool]
"""A measure, and whether it is defined by the gender pairs."""
Curves = dict[Definition, NDArray[np.float64]]
"""Definition → layers × resamples; the first resample is the lists themselves."""


def resample_curves(layers: Layers, lists: BiasLists, target_words: tuple[str, ...], draws: Draws) -> dict[str, Curves]:
    """Return for each attribute the estimators' values by layer, in every resample of targets, classes and pairs."""
    values: dict[str, Curves] = {attribute: {} for attribute in lists.classes}
    for one in make_definitions(layers, lists, target_words):
        by_pairs = one.attribute == PAIRS
        attribute = "gender" if by_pairs else one.attribute
        if attribute in values:
            values[attribute][one.measure, by_pairs] = one.resample(draws)
    return values


def score_agreement(models: Sequence[Layers], lists: BiasLists, settings: Intervals) -> Findings:
    """Score Spearman's ρ over layers between every two definitions of a bias, for each model, and over all models.

    Without a variant it is the mean over the pairs of definitions that are different estimators.
    """
    findings = Findings()
    by_bias: dict[tuple[str, str], list[Curves]] = {}
    for layers in models:
        if len(layers.slots) < MIN_LAYERS:
            reason = "layers were measured, too few to rank for agreement"
            findings.notice("info", reason, count=len(layers.slots), model=layers.name, measure="agreement")
            continue
        _, words, usable = select_listed_words(layers, lists)
        for name, targets in usable.targets.items():
            blocks = [resample_curves(words, usable, targets, one) for one in draw_blocks(usable, targets, settings)]
            for attribute in usable.classes:
                curves = {
                    definition: np.concatenate([block[attribute][definition] for block in blocks], axis=1)
                    for definition in blocks[0][attribute]
                }
                by_bias.setdefault((attribute, name), []).append(curves)
                _score_definitions(findings, layers.name, attribute, name, curves)
    for (attribute, name), parts in by_bias.items():
        if len(parts) > 1:
            shared = [one for one in parts[0] if all(one in part for part in parts)]
            together = {one: np.concatenate([part[one] for part in parts]) for one in shared}
            _score_definitions(findings, None, attribute, name, together)
    return findings


def _score_definitions(findings: Findings, model: str | None, attribute: str, name: str, curves: Curves) -> None:
    where = {"model": model, "language": "english", "dataset": attribute, "subset": name, "measure": "agreement"}
    layers = len(next(iter(curves.values()), ()))
    different = []
    for one, other in combinations(curves, 2):
        rho = rank_agreement(curves[one], curves[other])
        if one[0] != other[0]:
            different.append(rho)
        _score_curve(findings, where | {"variant": f"{_name(one)} ~ {_name(other)}", "n": layers}, rho)
    if different:
        _score_curve(findings, where | {"n": layers}, np.mean(different, axis=0))


def _name(definition: Definition) -> str:
    measure, by_pairs = definition
    return f"{measure} by pairs" if by_pairs else measure


def _score_curve(findings: Findings, where: dict[str, Any], rho: NDArray[np.float64]) -> None:
    low, high = percentile_interval(rho[1:])
    findings.score(**where, value=float(rho[0]), low=float(low), high=float(high))
