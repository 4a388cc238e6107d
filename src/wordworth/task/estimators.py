"""The estimators of bias (Bommasani et al. 2020, Tables 3 and 8, and others), each with its resamples.

The paper's tuples are 22 per layer: gender by pairs (Bolukbasi, Garg twice, Manzini) and by sets (Garg twice, Manzini),
race by sets (Manzini), religion by sets (Garg twice, Manzini), each with professions and with adjectives.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

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
)
from wordworth.measure.directions import resampled_direct_bias
from wordworth.measure.weighted import mean_over_targets
from wordworth.statistics.bootstrap import resample_counts
from wordworth.task.settings import Intervals
from wordworth.task.words import BiasLists, Sets

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
