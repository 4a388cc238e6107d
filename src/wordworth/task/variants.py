"""The choices that a number could have been made with: which words, which vectors of them.

Words are kept or left out by masks: one word at a time, a word of either side, or random halves of the sets. Vectors
are taken as they are, less their mean, or less their first principal components too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Layers, Slot
from wordworth.embedding.cosine import Matrix, Vectors
from wordworth.measure.sensitivity import Masks
from wordworth.results import Findings
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
BASIS = 50_000
"""Words of a vocabulary, evenly spread over it, that its mean and components are of."""
ONE_BY_ONE = 200
"""Words of a side up to which each is left out once; of more, as many as are drawn."""
LEAST = 2
"""Words that every set keeps."""
AND = " · "
"""Between the choices of a variant."""


@dataclass(frozen=True)
class Words:
    """Which words each variant keeps; the first variant keeps all."""

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    """The word or words left out, or the number of the draw."""
    targets: Masks
    attributes: Masks

    def __len__(self) -> int:
        return len(self.kinds)


def word_variants(
    targets: Sequence[Sequence[str]], attributes: Sequence[Sequence[str]], draws: int, seed: int
) -> Words:
    """The variants of a test whose targets and attributes are in one set or several each."""
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
    return Words(kinds, names, np.array(of_targets), np.array(of_attributes))


class _Side:
    """Sets of words side by side, as masks over all of them."""

    def __init__(self, sets: Sequence[Sequence[str]]) -> None:
        self.words = [word for one in sets for word in one]
        ends = np.cumsum([0, *map(len, sets)])
        self.parts = [np.arange(start, stop) for start, stop in pairwise(ends)]
        self.divisible = any(len(part) > LEAST for part in self.parts)

    def all(self) -> NDArray[np.bool_]:
        return np.ones(len(self.words), dtype=np.bool_)

    def without(self, place: int) -> NDArray[np.bool_]:
        kept = self.all()
        kept[place] = False
        return kept

    def one_by_one(self, draws: int, rng: np.random.Generator) -> list[int]:
        """The places of words that can be left out."""
        places = np.concatenate([part for part in self.parts if len(part) > LEAST] or [np.empty(0, dtype=np.intp)])
        if len(places) > ONE_BY_ONE:
            places = np.sort(rng.choice(places, min(draws, len(places)), replace=False))
        return [int(place) for place in places]

    def half(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Half of every set, or two words of a small one."""
        kept = np.zeros(len(self.words), dtype=np.bool_)
        for part in self.parts:
            kept[rng.choice(part, max(LEAST, (len(part) + 1) // 2), replace=False)] = True
        return kept


Versions = Callable[[Slot, Sequence[Vectors]], Iterator[list[Matrix]]]
"""Vectors of several sets of words → the same for each of `VECTORS`."""


def vector_versions(layers: Layers) -> Versions:
    """Mean and components are those of the vocabulary; of words that were encoded, of the words themselves.

    As many components are taken out as Mu & Viswanath (2018) advise: a hundredth of the dimensions.
    """

    @cache
    def of_vocabulary(slot: Slot) -> Components:
        matrix = layers.read(slot)
        return _components(matrix[:: -(-len(matrix) // BASIS)])

    def versions(slot: Slot, sets: Sequence[Vectors]) -> Iterator[list[Matrix]]:
        fitted = of_vocabulary(slot) if layers.vocabulary and layers.words else _components(np.concatenate(sets))
        yield [np.asarray(one, dtype=np.float64) for one in sets]
        for k in (0, len(fitted.directions)):
            yield [nullify(one, fitted, k) for one in sets]

    return versions


def _components(vectors: Vectors) -> Components:
    return fit_components(vectors, max(1, round(vectors.shape[1] / 100)))


def record_options(
    findings: Findings, where: dict[str, object], shares: dict[str, dict[str, tuple[float, int]]], flags: str | None
) -> None:
    """How often each option of each choice flips the conclusion; a contextual setting stands behind a colon."""
    context = f":{where['setting']}" if where.get("setting") else ""
    for choice, options in shares.items():
        for option, (share, n) in options.items():
            told = {**where, "setting": f"{choice}: {option}{context}"}
            findings.score(**told, measure="sensitivity:flipped", value=share, n=n, flags=flags)
