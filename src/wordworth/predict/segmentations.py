"""How else than by the tokenizer's own units a word may be spelled: what a search for it needs to know beforehand."""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.predict.units import Units, heads
from wordworth.predict.words import Target

Ints = NDArray[np.int64]


class Ways(NamedTuple):
    """Where other segmentations may leave the own paths."""

    words: Ints
    """Of which word."""
    ats: Ints
    """After how many of its units."""
    units: Ints
    """By which one."""
    offsets: Ints
    """How much of the word is spelled then (−1: all, and its end)."""


class Segmentations:
    """Of the distinct words of a chunk, by number; those that are left out have none."""

    def __init__(self, units: Units, targets: Sequence[Target | str]) -> None:
        self.targets = [None if isinstance(target, str) else target for target in targets]
        self.texts: list[bytes] = [target.text if target else b"" for target in self.targets]
        """What a path must spell."""
        self.parts = [len(text.split()) for text in self.texts]
        """Words that the tokenizer makes of it: `don't` is three to one that parts at punctuation."""
        self.single = np.array(self.parts) == 1
        self.heads, _ = heads(self.texts)
        self.counts: Ints = np.array([len(target.ids) if target else 0 for target in self.targets], dtype=np.int64)
        """The tokenizer's own units."""
        self.offsets = [_offsets(units, target) if target else [0] for target in self.targets]
        """Bytes spelled before each own unit, and at the end."""
        others = [
            _others(units, target, offsets) if target else []
            for target, offsets in zip(self.targets, self.offsets, strict=True)
        ]
        self._firsts = np.cumsum([0, *map(len, others)])
        flat = np.array(list(chain.from_iterable(chain.from_iterable(others))), dtype=np.int64).reshape(-1, 3)
        self._ways: Ints = np.ascontiguousarray(flat.T)

    def leaving(self, entries: Ints) -> Ways:
        """All ways to leave the own paths of some words, word by word."""
        lengths = (self._firsts[1:] - self._firsts[:-1])[entries]
        firsts = np.cumsum(lengths) - lengths
        which = np.repeat(self._firsts[entries] - firsts, lengths) + np.arange(lengths.sum())
        return Ways(np.repeat(np.arange(len(entries)), lengths), *self._ways[:, which])


def _offsets(units: Units, target: Target) -> list[int]:
    offsets = [0]
    for unit in target.ids:
        offsets.append(offsets[-1] + len(units.texts[unit] or b""))
    return offsets


def _others(units: Units, target: Target, offsets: Sequence[int]) -> list[tuple[int, int, int]]:
    return [
        (at, unit, length if length < 0 else offset + length)
        for at, (offset, own) in enumerate(zip(offsets, target.ids, strict=False))
        for unit, length in units.continuations(target.text[offset:])
        if unit != own
    ]
