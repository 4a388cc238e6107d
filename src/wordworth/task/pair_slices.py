"""Slices of a probe's pairs that are measured beside the whole: “rude × Iraqi”, or each occupation by itself."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.infer.probe.pairs import Indices, PairSet
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


def chosen(sets: Sequence[PairSet], slices: Sequence[str], by: Sequence[str]) -> list[list[Slice]]:
    """For each set: slices as they are written (`occupation=doctor,verb=ate|cooked`), then each word of keys in `by`.

    Where several probes are sliced, a slice is of those that have its keys and words; one that none has is an error.
    """
    found: list[list[PairSet]] = [[] for _ in sets]
    asked = list(map(parsed, slices))
    asked += [{key: (word,)} for key in by for word in _words(sets, key)]
    for words in asked:
        able = [at for at, pairs in enumerate(sets) if pairs.knows(words)]
        keyed = [at for at, pairs in enumerate(sets) if all(map(pairs.sliced_by, words))]
        for at in able or keyed[:1] or [0]:  # one that is not able says what is wrong
            found[at].append(sets[at].where(words))
    return [[_slice(pairs, part) for part in parts] for pairs, parts in zip(sets, found, strict=True)]


def _words(sets: Sequence[PairSet], key: str) -> list[str]:
    """Each word that a key takes in any of the sets."""
    able = [pairs for pairs in sets if pairs.sliced_by(key)] or sets[:1]
    return list(dict.fromkeys(word for pairs in able for word in pairs.words_of(key)))


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
