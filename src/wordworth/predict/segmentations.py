"""How else than by the tokenizer's own units a word may be spelled: what a search for it needs to know beforehand."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordworth.predict.units import Units
from wordworth.predict.words import Target

Ints = NDArray[np.int64]


class Segmentations:
    """Of the distinct words of a chunk, by number; those that are left out have none."""

    def __init__(self, units: Units, targets: Sequence[Target | str]) -> None:
        self.targets = [None if isinstance(target, str) else target for target in targets]
        self.texts: list[bytes] = [target.text if target else b"" for target in self.targets]
        """What a path must spell."""
        self.parts = [len(text.split()) for text in self.texts]
        """Words that the tokenizer makes of it: `don't` is three to one that parts at punctuation."""
        self.counts: Ints = np.array([len(target.ids) if target else 0 for target in self.targets], dtype=np.int64)
        """The tokenizer's own units."""
        self.offsets = [_offsets(units, target) if target else [0] for target in self.targets]
        """Bytes spelled before each own unit, and at the end."""
        self.others = [
            _others(units, target, offsets) if target else []
            for target, offsets in zip(self.targets, self.offsets, strict=True)
        ]
        """Where another segmentation may leave the own path: after how many units, by which one, and how much of the
        word it has spelled then (−1: all, and its end)."""
        self._firsts = np.cumsum([0, *map(len, self.others)])
        flat = [(at, unit) for of_one in self.others for at, unit, _ in of_one]
        self._rows, self._units = np.array(flat, dtype=np.int64).reshape(-1, 2).T

    def leaving(self, entries: Ints, rows: Ints) -> tuple[Ints, Ints, Ints]:
        """All ways to leave the own paths of some words that begin behind `rows`: the row and the unit of each, row by
        row; and the number of the first of each word's."""
        lengths = (self._firsts[1:] - self._firsts[:-1])[entries]
        firsts = np.concatenate([[0], np.cumsum(lengths)])
        which = np.repeat(self._firsts[entries] - firsts[:-1], lengths) + np.arange(firsts[-1])
        return np.repeat(rows, lengths) + self._rows[which], self._units[which], firsts


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
