"""Slices of a probe's pairs that are measured beside the whole: “rude × Iraqi”, or each occupation by itself."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.infer.pairs import Indices, PairSet
from wordworth.measure.neutrality import Tally

ABSENT = -1


@dataclass(eq=False)
class Slice:
    """A part of a set of pairs, and how the set's places map to its own."""

    pairs: PairSet
    actions: NDArray[np.bool_]
    premises: NDArray[np.int64]
    """The place in the slice of each premise of the whole, or `ABSENT`."""
    hypotheses: NDArray[np.int64]

    @property
    def name(self) -> str:
        """What `dataset` calls it: `gender`, or `gender/occupation=doctor`."""
        return "/".join(filter(None, [self.pairs.probe.name, self.pairs.label]))

    def add(self, tally: Tally, places: tuple[Indices, Indices, Indices], probabilities: NDArray[np.float64]) -> None:
        """Adds those pairs of a block that are in the slice."""
        a, p, h = places
        first, second = self.premises[p], self.hypotheses[h]
        inside = self.actions[a] & (first != ABSENT) & (second != ABSENT)
        tally.add(first[inside] * tally.shape[1] + second[inside], probabilities[inside])


def whole(pairs: PairSet) -> Slice:
    """All pairs of a set."""
    return _slice(pairs, pairs)


def chosen(pairs: PairSet, slices: Sequence[str], by: Sequence[str]) -> list[Slice]:
    """Slices as they are written (`occupation=doctor,verb=ate|cooked`), then each word of the keys in `by`."""
    found = [pairs.where(parsed(text)) for text in slices]
    found += [pairs.where({key: (word,)}) for key in by for word in pairs.words_of(key)]
    return [_slice(pairs, part) for part in found]


def parsed(text: str) -> dict[str, tuple[str, ...]]:
    """`occupation=doctor,verb=ate|cooked` as words by key."""
    made: dict[str, tuple[str, ...]] = {}
    for part in text.split(","):
        key, sign, words = (one.strip() for one in part.partition("="))
        if not sign or not key or not words or key in made:
            raise WordworthError(
                f"the slice {text!r} is not KEY=WORD,KEY=WORD|WORD…, such as occupation=doctor,verb=ate"
            )
        made[key] = tuple(word.strip() for word in words.split("|"))
    return made


def _slice(pairs: PairSet, part: PairSet) -> Slice:
    def places(of: Sequence[int], among: Sequence[int]) -> NDArray[np.int64]:
        own = {at: place for place, at in enumerate(among)}
        return np.array([own.get(at, ABSENT) for at in of], dtype=np.int64)

    return Slice(
        part,
        places(pairs.actions, part.actions) != ABSENT,
        places(pairs.premises, part.premises),
        places(pairs.hypotheses, part.hypotheses),
    )
