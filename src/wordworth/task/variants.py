"""The choices that a number could have been made with: which words, and which vectors of them.

Masks keep or remove words: one word at a time, a word of either side, or random halves of the sets. Vectors are taken
as they are, without their mean, or also without their first principal components.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Layers, Slot
from wordworth.embedding.core import Matrix, Vectors
from wordworth.measure.sensitivity import Masks
from wordworth.transform.components import Components, fit_components, nullify

ALL = "all words"
KINDS = (
    ALL,
    "one target out",
    "one attribute out",
    "one of each out",
    "half of targets",
    "half of attributes",
    "half of all",
)
VECTORS = ("as they are", "centred", "all but the top")
BASIS_WORDS = 50_000
"""The mean and components are those of so many words, evenly spread over the vocabulary."""
MAX_ONE_BY_ONE = 200
"""With more words on a side not each is removed once, but as many as are drawn."""
MIN_WORDS = 2
"""Words that every set keeps."""


@dataclass(frozen=True)
class WordVariants:
    """Which words each variant keeps; the first variant keeps all."""

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    """The word or words that are removed, or the number of the draw."""
    targets: Masks
    attributes: Masks

    def __len__(self) -> int:
        return len(self.kinds)


def make_word_variants(
    targets: Sequence[Sequence[str]], attributes: Sequence[Sequence[str]], draws: int, seed: int
) -> WordVariants:
    """Return the variants of a test whose targets and attributes are in one set or several each."""
    rng = np.random.default_rng(seed)
    first, second = sides = [_Side(sets) for sets in (targets, attributes)]
    single = [side.one_by_one(draws, rng) for side in sides]
    rows = [(ALL, ALL, first.all(), second.all())]
    rows += [(KINDS[1], first.words[at], first.without(at), second.all()) for at in single[0]]
    rows += [(KINDS[2], second.words[at], first.all(), second.without(at)) for at in single[1]]
    if all(single):
        for _ in range(draws):
            target, attribute = (places[rng.integers(len(places))] for places in single)
            name = f"{first.words[target]}, {second.words[attribute]}"
            rows.append((KINDS[3], name, first.without(target), second.without(attribute)))
    for kind, *halved in zip(KINDS[4:], (True, False, True), (False, True, True), strict=True):
        if any(side.divisible and half for side, half in zip(sides, halved, strict=True)):
            for number in range(1, draws + 1):
                one, other = (side.half(rng) if half else side.all() for side, half in zip(sides, halved, strict=True))
                rows.append((kind, f"draw {number}", one, other))
    kinds, names, of_targets, of_attributes = zip(*rows, strict=True)
    return WordVariants(kinds, names, np.array(of_targets), np.array(of_attributes))


class _Side:
    """Sets of words side by side, as masks over all of them."""

    def __init__(self, sets: Sequence[Sequence[str]]) -> None:
        self.words = [word for one in sets for word in one]
        ends = np.cumsum([0, *map(len, sets)])
        self.parts = [np.arange(start, stop) for start, stop in pairwise(ends)]
        self.divisible = any(len(part) > MIN_WORDS for part in self.parts)

    def all(self) -> NDArray[np.bool_]:
        return np.ones(len(self.words), dtype=np.bool_)

    def without(self, place: int) -> NDArray[np.bool_]:
        kept = self.all()
        kept[place] = False
        return kept

    def one_by_one(self, draws: int, rng: np.random.Generator) -> list[int]:
        """Return the places of words that can be removed."""
        places = np.concatenate([part for part in self.parts if len(part) > MIN_WORDS] or [np.empty(0, dtype=np.intp)])
        if len(places) > MAX_ONE_BY_ONE:
            places = np.sort(rng.choice(places, min(draws, len(places)), replace=False))
        return [int(place) for place in places]

    def half(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Keep half of every set, or two words of a small one."""
        kept = np.zeros(len(self.words), dtype=np.bool_)
        for part in self.parts:
            kept[rng.choice(part, max(MIN_WORDS, (len(part) + 1) // 2), replace=False)] = True
        return kept


VectorVariants = Callable[[Slot, Sequence[Vectors]], Iterator[list[Matrix]]]
"""Vectors of several sets of words → the same for each of `VECTORS`."""


def make_vector_variants(layers: Layers) -> VectorVariants:
    """Return what changes vectors by the mean and components of the vocabulary, or else of the words themselves.

    As many components are removed as Mu & Viswanath (2018) advise: a hundredth of the dimensions.
    """

    @cache
    def of_vocabulary(slot: Slot) -> Components:
        matrix = layers.read(slot)
        return _components(matrix[:: -(-len(matrix) // BASIS_WORDS)])

    def variants(slot: Slot, sets: Sequence[Vectors]) -> Iterator[list[Matrix]]:
        fitted = of_vocabulary(slot) if layers.vocabulary and layers.words else _components(np.concatenate(sets))
        yield [np.asarray(one, dtype=np.float64) for one in sets]
        for k in (0, len(fitted.directions)):
            yield [nullify(one, fitted, k) for one in sets]

    return variants


def _components(vectors: Vectors) -> Components:
    return fit_components(vectors, max(1, round(vectors.shape[1] / 100)))
