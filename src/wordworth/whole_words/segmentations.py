"""How else than by the tokenizer's own units a word may be spelled: what a search for it needs to know beforehand."""

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.encode.tokens import ranges
from wordworth.whole_words.units import Units
from wordworth.whole_words.words import Target

Ints = NDArray[np.int64]


class Ways(NamedTuple):
    """Where other segmentations may leave the own paths."""

    words: Ints
    """Of which word."""
    ats: NDArray[np.integer]
    """After how many of its units."""
    units: NDArray[np.integer]
    """By which one."""
    offsets: NDArray[np.integer]
    """How much of the word is spelled then (−1: all, and its end)."""


class Spelling(NamedTuple):
    """One word's."""

    parts: int
    """Words that the tokenizer makes of it: `don't` is three to one that parts at punctuation."""
    offsets: list[int]
    """Bytes spelled before each own unit, and at the end."""
    ways: list[int]
    """Three numbers a way: after how many units, by which one, and how much is spelled then."""


NOTHING = Spelling(0, [0], [])


class Segmentations:
    """Of the distinct words of a chunk, by number; those that are left out have none."""

    def __init__(self, units: Units, targets: Sequence[Target | str]) -> None:
        self.targets = [None if isinstance(target, str) else target for target in targets]
        self.texts: list[bytes] = [target.text if target else b"" for target in self.targets]
        """What a path must spell."""
        self.counts: Ints = np.array([len(target.ids) if target else 0 for target in self.targets], dtype=np.int64)
        """The tokenizer's own units."""
        spelled = [_spelling(units, target) if target else NOTHING for target in self.targets]
        self.parts = [one.parts for one in spelled]
        self.offsets = [one.offsets for one in spelled]
        self.lone = np.array([one.offsets[1:2] == [1] for one in spelled])
        """Whether the first unit is the space before the word, and nothing more."""
        ways = [one.ways for one in spelled]
        self._firsts = np.cumsum([0, *map(len, ways)]) // 3
        flat = np.fromiter(chain.from_iterable(ways), dtype=np.int32, count=3 * int(self._firsts[-1]))
        self._ways: NDArray[np.integer] = np.ascontiguousarray(flat.reshape(-1, 3).T)

    def leaving(self, entries: Ints) -> Ways:
        """All ways to leave the own paths of some words, word by word."""
        firsts = self._firsts[entries]
        lengths = self._firsts[entries + 1] - firsts
        return Ways(np.repeat(np.arange(len(entries)), lengths), *self._ways[:, ranges(firsts, lengths)])


def _spelling(units: Units, target: Target) -> Spelling:
    lengths = [len(units.texts[unit] or b"") for unit in target.ids]
    # The space before a word may not be written; the first unit stands for it then.
    lengths[0] += len(target.text) + units.trailing - sum(lengths)
    offsets = [0, *accumulate(lengths)]
    ways: list[int] = []
    if units.glues:
        for unit, length in units.continuations(target.text[1:]):
            if unit != target.ids[0]:
                ways += (0, unit, length if length < 0 else 1 + length)
    for at, (offset, own) in enumerate(zip(offsets, target.ids, strict=False)):
        for unit, length in units.continuations(target.text[offset:]):
            if unit != own:
                ways += (at, unit, length if length < 0 else offset + length)
    return Spelling(len(target.text.split()), offsets, ways)
