"""Bias by layer under every estimator, attribute and list of targets, and how far the estimators agree.

The paper finds by eye that estimators of the same bias order a model's layers differently; here that is a rank
correlation. All intervals are over resampled word lists.

The estimators are those of Bommasani et al. (2020, Tables 3 and 8) and others. The paper's tuples are 22 per layer:
gender by pairs (Bolukbasi, Garg twice, Manzini) and by sets (Garg twice, Manzini), race by sets (Manzini), religion by
sets (Garg twice, Manzini), each with professions and with adjectives.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
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
)
from wordworth.measure.centroids import ect, mean_over_targets
from wordworth.measure.directions import divergence, negative_probability, resampled_direct_bias
from wordworth.results.findings import Findings, Keys
from wordworth.statistics.bootstrap import all_counts, in_threads, percentile_interval
from wordworth.task.settings import Intervals
from wordworth.task.valence import record_slots, score_slots
from wordworth.task.words import BiasLists, WordSets, choose_spellings, keep_known_words, record_missing

PAIRS, TARGETS = "gender-pairs", "targets"
Draws = Mapping[str, NDArray[np.float64]]
"""List (targets, gender-pairs, or a class) → how often each of its words or pairs is drawn: words × resamples.

The first resample is the lists themselves."""


def draw_lists(lists: BiasLists, target_words: tuple[str, ...], settings: Intervals) -> Draws:
    """Return the resamples of all lists.

    Words are drawn in alphabetical order, so that no interval depends on how a list is sorted.
    """
    words_by_list: dict[str, Sequence[str]] = {TARGETS: target_words, PAIRS: [" ".join(pair) for pair in lists.pairs]}
    words_by_list |= {name: words for sets in lists.classes.values() for name, words in sets.items()}
    entries = enumerate(words_by_list.items(), settings.seed)
    return {name: _draw_counts(words, settings.resamples, seed) for seed, (name, words) in entries if words}


def _draw_counts(words: Sequence[str], resamples: int, seed: int) -> NDArray[np.float64]:
    place = np.argsort(np.argsort(words, kind="stable"), kind="stable")  # of each word in alphabetical order
    return np.concatenate([np.ones((len(words), 1)), all_counts(len(words), resamples, seed)[place]], axis=1)


Biases = NDArray[np.float64]
"""slots × words: the bias of each word; with resamples slots × words × resamples."""
Weights = tuple[NDArray[np.float64], ...]
GenderPairs = tuple[Biases, Biases]
"""The (male, female) vectors of the gender pairs."""


@dataclass(frozen=True)
class Estimator:
    """One definition of one bias. Nothing is computed before it is needed, so a failure costs nothing else."""

    attribute: str
    measure: str
    variant: str | None
    compute: Callable[..., Biases]
    """Return the words' values of the vectors; with `weights`, in every resample of the lists that define the bias."""
    vectors: tuple[Biases, ...]
    defined_by: tuple[str, ...]
    """The lists that define the bias."""
    averaged: tuple[str, ...] = (TARGETS,)
    """The lists whose words have values."""

    def by_word(self) -> Biases:
        """Return the words' values: slots × words."""
        return self.compute(*self.vectors, weights=None)

    def resample(self, draws: Draws) -> Biases:
        """Return the measure with all of its lists resampled: slots × resamples."""
        weights = tuple(draws[name] for name in self.defined_by)
        target_draws = np.concatenate([draws[name] for name in self.averaged])

        def one(slot: int) -> Biases:  # the values of one slot stay in the processor's cache
            values = self.compute(*(vectors[slot] for vectors in self.vectors), weights=weights)
            return mean_over_targets(values, target_draws)

        return np.stack(in_threads(one, range(len(self.vectors[0]))))


def read_words(layers: Layers, words: tuple[str, ...]) -> Biases:
    """Return the vectors of words: slots × words × dimensions."""
    return layers.select(words).vectors()


def read_pairs(layers: Layers, lists: BiasLists) -> GenderPairs:
    """Return the (male, female) vectors of the gender pairs."""
    female, male = zip(*lists.pairs, strict=True)
    return read_words(layers, male), read_words(layers, female)


def read_classes(layers: Layers, sets: WordSets) -> list[Biases]:
    """Return the vectors of each class of an attribute."""
    return [read_words(layers, words) for words in sets.values()]


def read_attributes(layers: Layers, lists: BiasLists) -> Iterator[tuple[str, list[Biases], tuple[str, ...]]]:
    """Yield (attribute, vectors of its classes, names of their draws): gender by pairs, then attributes by sets."""
    if lists.pairs:
        yield PAIRS, [*read_pairs(layers, lists)], (PAIRS, PAIRS)
    yield from ((attribute, read_classes(layers, sets), tuple(sets)) for attribute, sets in lists.classes.items())


def make_definitions(layers: Layers, lists: BiasLists, target_words: tuple[str, ...]) -> Iterator[Estimator]:
    """Yield the paper's eleven definitions for one list of targets."""
    targets = read_words(layers, target_words)
    if lists.pairs:
        ends = targets, *read_pairs(layers, lists)
        yield Estimator(PAIRS, "direct-bias", None, partial(_direct_bias, centred=False), ends, (PAIRS,))
    for attribute, classes, names in read_attributes(layers, lists):
        vectors = targets, *classes
        if len(classes) == 2:
            yield Estimator(attribute, "garg-euclidean", None, garg_euclidean, vectors, names)
            yield Estimator(attribute, "garg-cosine", None, garg_cosine, vectors, names)
        yield Estimator(attribute, "manzini", None, partial(_of_classes, manzini), vectors, names)


def make_other_estimators(layers: Layers, lists: BiasLists, target_words: tuple[str, ...]) -> Iterator[Estimator]:
    """Yield estimators that the paper does not have; the values of mac are those of the classes' words."""
    targets = read_words(layers, target_words)
    if lists.pairs:
        ends = targets, *read_pairs(layers, lists)
        yield Estimator(PAIRS, "direct-bias", "centred", partial(_direct_bias, centred=True), ends, (PAIRS,))
        yield Estimator(PAIRS, "ripa", None, _ripa, ends, (PAIRS,))
    for attribute, classes, names in read_attributes(layers, lists):
        vectors = targets, *classes
        yield Estimator(attribute, "manzini", "centroid", partial(_of_classes, manzini_centroid), vectors, names)
        if len(classes) == 2:
            euclidean = partial(garg_euclidean, normalized=True)
            yield Estimator(attribute, "garg-euclidean", "unit", euclidean, vectors, names)
        if attribute != PAIRS:
            words = np.concatenate(classes, axis=1)
            yield Estimator(attribute, "mac", None, partial(_of_classes, mac), (words, targets), (TARGETS,), names)


def _direct_bias(targets: Biases, male: Biases, female: Biases, *, centred: bool, weights: Weights | None) -> Biases:
    if weights is None:
        return direct_bias(targets, pair_direction(male, female, centred=centred).vector)
    return resampled_direct_bias(targets, pair_direction(male, female, centred=centred, weights=weights[0]))


def _ripa(targets: Biases, male: Biases, female: Biases, *, weights: Weights | None) -> Biases:
    return np.abs(ripa(targets, male, female, weights=None if weights is None else weights[0]))


def _of_classes(measure: Callable[..., Biases], targets: Biases, *classes: Biases, weights: Weights | None) -> Biases:
    return measure(targets, classes, weights=weights)


MIN_EXPLAINED = 0.35
"""Below this share of the variance the first component is not a direction (paper, §5.2; a centred PCA)."""


def select_listed_words(layers: Layers, lists: BiasLists) -> tuple[Findings, Layers, BiasLists]:
    """Return the vectors of the lists' words, read once, and the lists without missing words, which are recorded."""
    findings = Findings()
    words = layers.select(lists.words, choose_spellings("english", None)).in_memory()
    if layers.vocabulary:  # of words that were encoded, the study has recorded those that could not be
        record_missing(findings, "word_lists", {"model": layers.name}, words, list="bias")
    return findings, words, keep_known_words(findings, words, lists)


Replicates = dict[tuple[str, str, str], Biases]
"""Targets, attribute and measure of a definition of the paper → slots × resamples."""


def score_bias(layers: Layers, lists: BiasLists, settings: Intervals, replicates: Replicates | None = None) -> Findings:
    """Score every estimator in every slot, with 95 % intervals over its resampled lists; items of the paper's.

    Targets, class words and pairs are drawn together; `ect`'s are over its targets, `rnsb`'s over the class words.
    `layers` are a whole vocabulary or words that were encoded; words of the lists that have no vector are recorded.
    `replicates` receives what is resampled, so that `score_agreement` need not do it again.
    """
    full_lists = lists
    findings, words, lists = select_listed_words(layers, lists)
    where: Keys = {"model": layers.name, "language": "english"}
    for name, targets in lists.targets.items():
        draws = draw_lists(lists, targets, settings)
        for with_items, make in ((True, make_definitions), (False, make_other_estimators)):
            for estimator in make(words, lists, targets):
                place = where | {"dataset": estimator.attribute, "subset": name}
                with findings.part(model=layers.name, dataset=estimator.attribute, measure=estimator.measure):
                    coverage = {"coverage": _lowest_coverage(full_lists, lists, estimator.attribute, name)}
                    values, resamples = _score_estimator(findings, place | coverage, layers, estimator, draws)
                    if with_items and replicates is not None:
                        replicates[name, estimator.attribute, estimator.measure] = resamples
                    for slot, row in zip(layers.slots, values.tolist(), strict=True) if with_items else ():
                        columns = {"measure": estimator.measure, "word": list(targets), "value": row}
                        findings.item("bias_words", **place, **slot._asdict(), **columns)
        _score_coherence(findings, where, words, lists, name, settings)
    if lists.pairs:
        with findings.part(model=layers.name, dataset=PAIRS, measure="direct-bias"):
            _score_explained(findings, where, words, lists)
    if lists.poles and lists.classes:
        _score_sentiment(findings, where, words, lists, settings)
    return findings


def _score_estimator(
    findings: Findings, where: Keys, layers: Layers, estimator: Estimator, draws: Draws
) -> tuple[Biases, Biases]:
    values, resamples = estimator.by_word(), estimator.resample(draws)
    low, high = percentile_interval(resamples[:, 1:])
    place = where | {"measure": estimator.measure, "variant": estimator.variant, "n": values.shape[1]}
    score_slots(findings, place, layers, value=values.mean(axis=1), low=low, high=high)
    return values, resamples


def _lowest_coverage(full: BiasLists, usable: BiasLists, attribute: str, name: str) -> float:
    """Return the share of words that have vectors in the list of which most are missing."""
    lists: list[tuple[Sequence[Any], Sequence[Any]]] = [(usable.targets[name], full.targets[name])]
    lists += [(usable.pairs, full.pairs)] if attribute == PAIRS else []
    lists += [(words, full.classes[attribute][label]) for label, words in usable.classes.get(attribute, {}).items()]
    return min(len(present) / len(listed) for present, listed in lists)


def _score_coherence(
    findings: Findings, where: Keys, layers: Layers, lists: BiasLists, name: str, settings: Intervals
) -> None:
    """Score ect of the attributes that have two classes; it is a number of all targets, and has no items."""
    targets = read_words(layers, tuple(sorted(lists.targets[name])))  # resamples go by place
    for attribute, classes, _ in read_attributes(layers, lists):
        place: Keys = {"dataset": attribute, "measure": "ect"}
        if len(classes) == 2:
            with findings.part(model=layers.name, **place):
                rho = ect(targets, classes[0], classes[1], **settings.bootstrap)
                record_slots(findings, where | place | {"subset": name}, layers, rho)


def _score_explained(findings: Findings, where: Keys, layers: Layers, lists: BiasLists) -> None:
    shares = pair_direction(*read_pairs(layers, lists), centred=True).explained
    place = {"dataset": PAIRS, "measure": "direct-bias"}
    score_slots(findings, where | place | {"variant": "explained", "n": len(lists.pairs)}, layers, value=shares)
    weak = int((shares < MIN_EXPLAINED).sum())
    if weak:
        share = f"less than {MIN_EXPLAINED:.0%} of the pairs' differences (at least {shares.min():.0%})"
        reason = f"layers have a weak first component: it explains {share}"
        findings.notice("caution", reason, count=weak, total=len(shares), model=layers.name, **place)


def _score_sentiment(findings: Findings, where: Keys, layers: Layers, lists: BiasLists, settings: Intervals) -> None:
    """Score rnsb of the words of an attribute's classes; a slot in which it cannot be fitted is recorded as failed.

    Its interval is over those words, with the sentiment as it was learnt.
    """
    poles = [read_words(layers, words) for words in lists.poles.values()]
    draws = draw_lists(lists, (), settings)
    counts = {attribute: np.concatenate([draws[name] for name in sets]) for attribute, sets in lists.classes.items()}
    words = np.concatenate([one for sets in lists.classes.values() for one in read_classes(layers, sets)], axis=1)
    ends = np.cumsum([0, *map(len, counts.values())])
    chances = cache(lambda at: negative_probability(words[at], *(pole[at] for pole in poles)))  # one fit per slot
    for (attribute, drawn), start, end in zip(counts.items(), ends[:-1], ends[1:], strict=True):
        for at, slot in enumerate(layers.slots):
            place: Keys = {"dataset": attribute, "measure": "rnsb"}
            with findings.part(model=layers.name, layer=slot.layer, **place):
                divergences = divergence(chances(at)[start:end], drawn)
                low, high = percentile_interval(divergences[1:])
                interval = {"value": float(divergences[0]), "low": float(low), "high": float(high)}
                findings.score(**where, **place, **slot._asdict(), **interval, n=len(drawn))


MIN_LAYERS = 4
"""Fewer layers are not ranked."""
Definition = tuple[str, bool]
"""A measure, and whether it is defined by the gender pairs."""
Curves = dict[Definition, NDArray[np.float64]]
"""Definition → layers × resamples; the first resample is the lists themselves."""


def resample_curves(
    layers: Layers, lists: BiasLists, name: str, settings: Intervals, replicates: Replicates
) -> dict[str, Curves]:
    """Return for each attribute the estimators' values by layer, in every resample of targets, classes and pairs.

    Those in `replicates` are taken from there.
    """
    values: dict[str, Curves] = {attribute: {} for attribute in lists.classes}
    draws = cache(partial(draw_lists, lists, lists.targets[name], settings))
    for estimator in make_definitions(layers, lists, lists.targets[name]):
        by_pairs = estimator.attribute == PAIRS
        attribute = "gender" if by_pairs else estimator.attribute
        if attribute in values:
            curve = replicates.get((name, estimator.attribute, estimator.measure))
            values[attribute][estimator.measure, by_pairs] = estimator.resample(draws()) if curve is None else curve
    return values


def score_agreement(
    models: Sequence[Layers], lists: BiasLists, settings: Intervals, replicates: Sequence[Replicates] = ()
) -> Findings:
    """Score Spearman's ρ over layers between every two definitions of a bias, for each model, and over all models.

    Without a variant it is the mean over the pairs of definitions that are different estimators. So is each definition
    of one list of targets compared with itself of another. `replicates` are what `score_bias` resampled of each model.
    """
    findings = Findings()
    by_bias: dict[tuple[str, str], list[Curves]] = {}
    for layers, curves_of_bias in zip(models, replicates or [{} for _ in models], strict=True):
        if len(layers.slots) < MIN_LAYERS:
            reason = "layers were measured, too few to rank for agreement"
            findings.notice("info", reason, count=len(layers.slots), model=layers.name, measure="agreement")
            continue
        _, words, usable = select_listed_words(layers, lists)
        for name in usable.targets:
            for attribute, curves in resample_curves(words, usable, name, settings, curves_of_bias).items():
                by_bias.setdefault((attribute, name), []).append(curves)
                _score_definitions(findings, layers.name, attribute, name, curves)
        for attribute in usable.classes:
            by_target = {name: by_bias[attribute, name][-1] for name in usable.targets}
            _score_lists(findings, layers.name, attribute, by_target)
    for (attribute, name), models_curves in by_bias.items():
        if len(models_curves) > 1:
            definitions = [one for one in models_curves[0] if all(one in part for part in models_curves)]
            together = {one: np.concatenate([part[one] for part in models_curves]) for one in definitions}
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


def _score_lists(findings: Findings, model: str, attribute: str, lists: dict[str, Curves]) -> None:
    """Score how alike two lists of targets rank the layers, under each definition, and the mean over definitions."""
    for (one, first), (other, second) in combinations(lists.items(), 2):
        where = {"model": model, "language": "english", "dataset": attribute, "measure": "agreement"}
        where["subset"] = f"{one} ~ {other}"
        rhos = {definition: rank_agreement(curve, second[definition]) for definition, curve in first.items()}
        for definition, rho in rhos.items():
            _score_curve(findings, where | {"variant": _name(definition), "n": len(first[definition])}, rho)
        layers = len(next(iter(first.values())))
        _score_curve(findings, where | {"n": layers}, np.mean(list(rhos.values()), axis=0))


def _name(definition: Definition) -> str:
    measure, by_pairs = definition
    return f"{measure} by pairs" if by_pairs else measure


def _score_curve(findings: Findings, where: Keys, rho: NDArray[np.float64]) -> None:
    low, high = percentile_interval(rho[1:])
    findings.score(**where, value=float(rho[0]), low=float(low), high=float(high))
