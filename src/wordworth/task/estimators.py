"""The estimators of bias (Bommasani et al. 2020, Tables 3 and 8, and others), each with its resamples.

The paper's tuples are 22 per layer: gender by pairs (Bolukbasi, Garg twice, Manzini) and by sets (Garg twice, Manzini),
race by sets (Manzini), religion by sets (Garg twice, Manzini), each with professions and with adjectives.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

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

PAIRS = "gender-pairs"
BLOCK = 50
"""Resamples computed at a time."""


@dataclass(frozen=True)
class Draws:
    """How often each word of each list is drawn: words × resamples, the first column all ones."""

    targets: NDArray[np.float64]
    classes: Mapping[str, NDArray[np.float64]]
    """By class; `gender-pairs` counts pairs."""


def draw_blocks(lists: BiasLists, target_words: tuple[str, ...], settings: Intervals) -> Iterator[Draws]:
    """Yield blocks of resamples; the lists themselves are the first of the first block.

    Words are drawn in alphabetical order, so that no interval depends on how a list is sorted.
    """
    listed: dict[str, Sequence[str]] = {"": target_words, PAIRS: [" ".join(pair) for pair in lists.pairs]}
    listed |= {name: words for sets in lists.classes.values() for name, words in sets.items()}
    streams = {
        name: _draw_counts(words, settings.resamples, settings.seed + number)
        for number, (name, words) in enumerate(listed.items())
        if words
    }
    for start in range(0, settings.resamples + 1, BLOCK):
        part = {name: counts[:, start : start + BLOCK] for name, counts in streams.items()}
        yield Draws(part.pop("", np.empty((0, 0))), part)


def _draw_counts(words: Sequence[str], resamples: int, seed: int) -> NDArray[np.float64]:
    place = np.argsort(np.argsort(words, kind="stable"), kind="stable")  # of each word in alphabetical order
    drawn = np.concatenate(list(resample_counts(len(words), resamples, seed)), axis=1)[place]
    return np.concatenate([np.ones((len(words), 1)), drawn], axis=1)


Values = NDArray[np.float64]
"""slots × words: the bias of each word; with resamples slots × words × resamples."""


@dataclass(frozen=True)
class Estimator:
    """One definition of one bias. Nothing is computed before it is needed, so a failure costs nothing else."""

    attribute: str
    measure: str
    by_word: Callable[[Draws | None], Values]
    """Return the words' values; given draws, in every resample of the lists that define the bias."""
    variant: str | None = None
    averaged: tuple[str, ...] = ()
    """The classes whose words are averaged over; the targets where there are none."""

    def resample(self, draws: Draws) -> Values:
        """Return the measure with all of its lists resampled: slots × resamples."""
        classes = [draws.classes[name] for name in self.averaged]
        counts = np.concatenate(classes) if classes else draws.targets
        return mean_over_targets(self.by_word(draws), counts)


def read_words(layers: Layers, words: tuple[str, ...]) -> Values:
    """Return the vectors of words: slots × words × dimensions."""
    return layers.select(words).vectors()


def read_pairs(layers: Layers, lists: BiasLists) -> tuple[Values, Values]:
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
        yield Estimator(PAIRS, "direct-bias", _direct(targets, *read_pairs(layers, lists)))
    for attribute, classes, names in read_attributes(layers, lists):
        if len(classes) == 2:
            yield Estimator(attribute, "garg-euclidean", _over(garg_euclidean, names, targets, *classes))
            yield Estimator(attribute, "garg-cosine", _over(garg_cosine, names, targets, *classes))
        yield Estimator(attribute, "manzini", _over(manzini, names, targets, classes))


def make_other_estimators(layers: Layers, lists: BiasLists, target_words: tuple[str, ...]) -> Iterator[Estimator]:
    """Yield estimators that the paper does not have; the values of mac are those of the classes' words."""
    targets = read_words(layers, target_words)
    if lists.pairs:
        pairs = read_pairs(layers, lists)
        yield Estimator(PAIRS, "direct-bias", _direct(targets, *pairs, centred=True), "centred")
        yield Estimator(PAIRS, "ripa", _ripa(targets, *pairs))
    for attribute, classes, names in read_attributes(layers, lists):
        yield Estimator(attribute, "manzini", _over(manzini_centroid, names, targets, classes), "centroid")
        if attribute != PAIRS:
            yield Estimator(attribute, "mac", _mac(targets, np.concatenate(classes, axis=1)), averaged=names)


def _over(
    measure: Callable[..., Values], names: tuple[str, ...], *arguments: object
) -> Callable[[Draws | None], Values]:
    """Give a measure the `weights` of the classes of these names."""

    def by_word(draws: Draws | None) -> Values:
        weights = None if draws is None else tuple(draws.classes[name] for name in names)
        return measure(*arguments, weights=weights)

    return by_word


def _direct(targets: Values, male: Values, female: Values, centred: bool = False) -> Callable[[Draws | None], Values]:
    def by_word(draws: Draws | None) -> Values:
        if draws is None:
            return direct_bias(targets, pair_direction(male, female, centred=centred).vector)
        weights = draws.classes[PAIRS]
        return resampled_direct_bias(targets, pair_direction(male, female, centred=centred, weights=weights).vector)

    return by_word


def _ripa(targets: Values, male: Values, female: Values) -> Callable[[Draws | None], Values]:
    return lambda draws: np.abs(ripa(targets, male, female, weights=None if draws is None else draws.classes[PAIRS]))


def _mac(targets: Values, words: Values) -> Callable[[Draws | None], Values]:
    return lambda draws: mac(words, [targets], weights=None if draws is None else [draws.targets])
