"""Resamples of all the lists of an estimator of bias at once: its targets, the words of its classes, its pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.statistics.bootstrap import resample_counts, told
from wordworth.task.bias_lists import BiasLists
from wordworth.task.settings import Intervals

PAIRS = "gender-pairs"
BLOCK = 50
"""Resamples at a time."""
AS_LONG_AS = 1 << 15
"""Draws that a resample of lists, which estimators are computed for, takes as long as: about a millisecond."""


@dataclass(frozen=True)
class Draws:
    """How often each word of each list is drawn: words × resamples, the first column all ones."""

    targets: NDArray[np.float64]
    classes: Mapping[str, NDArray[np.float64]]
    """By class; `gender-pairs` counts pairs."""


def draw(lists: BiasLists, target_words: tuple[str, ...], settings: Intervals) -> Iterator[Draws]:
    """Blocks of resamples; the lists themselves are the first of the first block.

    Words are drawn in alphabetical order, so that no interval depends on how a list is sorted.
    """
    listed: dict[str, Sequence[str]] = {"": target_words, PAIRS: [" ".join(pair) for pair in lists.pairs]}
    listed |= {name: words for sets in lists.classes.values() for name, words in sets.items()}
    streams = {
        name: _counts(words, settings.resamples, settings.seed + number)
        for number, (name, words) in enumerate(listed.items())
        if words
    }
    with told("resampling lists", settings.resamples + 1, AS_LONG_AS) as advance:
        for start in range(0, settings.resamples + 1, BLOCK):
            part = {name: counts[:, start : start + BLOCK] for name, counts in streams.items()}
            yield Draws(part.pop("", np.empty((0, 0))), part)
            advance(min(BLOCK, settings.resamples + 1 - start))


def _counts(words: Sequence[str], resamples: int, seed: int) -> NDArray[np.float64]:
    place = np.argsort(np.argsort(words, kind="stable"), kind="stable")  # of each word in alphabetical order
    drawn = np.concatenate(list(resample_counts(len(words), resamples, seed)), axis=1)[place]
    return np.concatenate([np.ones((len(words), 1)), drawn], axis=1)
