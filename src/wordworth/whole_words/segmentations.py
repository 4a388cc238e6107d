"""What a search needs to know of a chunk beforehand: how else than by the tokenizer's own units words are spelled."""

from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.encode.tokens import ranges
from wordworth.whole_words.chunks import Chunk
from wordworth.whole_words.parting import WORD, Punctuation, kind_of
from wordworth.whole_words.units import Units
from wordworth.whole_words.words import Ints, Target


class Ways(NamedTuple):
    """Where other segmentations may leave the own paths: of which word, and as `spell_otherwise` says."""

    words: Ints
    ats: NDArray[np.integer]
    units: NDArray[np.integer]
    offsets: NDArray[np.integer]


class PreparedChunk:
    """A chunk made ready for a device. Distinct words are called by number; those that are skipped spell nothing."""

    def __init__(self, chunk: Chunk, units: Units, punctuation: Punctuation) -> None:
        self.chunk = chunk
        self.lengths = np.diff(chunk.ends, prepend=0)
        """Tokens of each window."""
        self.entries, self.starts = (chunk.places[name].astype(np.int64) for name in ("entry", "start"))
        self.bounds = np.searchsorted(chunk.places["window"], np.arange(len(chunk.ends) + 1))
        """The first word of each window."""
        targets = [target if isinstance(target, Target) else None for target in chunk.targets]
        self.forms = [target and target.form for target in targets]
        self.texts = [target.text if target else b"" for target in targets]
        """What a path must spell."""
        self.parts = [len(text.split()) for text in self.texts]
        """Words that the tokenizer makes of each: `don't` is three to one that parts at punctuation."""
        self.counts: Ints = np.array([len(target.ids) if target else 0 for target in targets], dtype=np.int64)
        """The tokenizer's own units."""
        self.kinds = np.array([kind_of(word) if punctuation == "apart" else WORD for word in chunk.words])
        """Whether they are of letters or of marks."""
        self.offsets = [list_offsets(units, target) if target else [0] for target in targets]
        self.lone = np.array([offsets[1:2] == [1] for offsets in self.offsets])
        """Whether the first unit is the space before the word, and nothing more."""
        ways = [
            spell_otherwise(units, target, offsets) if target else []
            for target, offsets in zip(targets, self.offsets, strict=True)
        ]
        self._firsts = np.cumsum([0, *map(len, ways)]) // 3
        flat = np.fromiter(chain.from_iterable(ways), dtype=np.int32, count=3 * int(self._firsts[-1]))
        self._ways: NDArray[np.integer] = np.ascontiguousarray(flat.reshape(-1, 3).T)

    def leave(self, entries: Ints) -> Ways:
        """Return all ways to leave the own paths of some words, word by word."""
        firsts = self._firsts[entries]
        lengths = self._firsts[entries + 1] - firsts
        return Ways(np.repeat(np.arange(len(entries)), lengths), *self._ways[:, ranges(firsts, lengths)])


def list_offsets(units: Units, target: Target) -> list[int]:
    """Return the bytes of a word that are spelled before each of its own units, and at the end."""
    lengths = [len(units.texts[unit] or b"") for unit in target.ids]
    # The space before a word may not be written; the first unit spells it then.
    lengths[0] += len(target.text) + units.trailing - sum(lengths)
    return [0, *accumulate(lengths)]


def spell_otherwise(units: Units, target: Target, offsets: list[int]) -> list[int]:
    """Return three numbers per way: after how many of its own units another may follow, which one, and the bytes that
    are spelled then (−1: all of the word, and its end)."""
    ways: list[int] = []
    if units.glues:
        for unit, length in units.continuations(target.text[1:]):
            if unit != target.ids[0]:
                ways += (0, unit, length if length < 0 else 1 + length)
    for at, (offset, own) in enumerate(zip(offsets, target.ids, strict=False)):
        for unit, length in units.continuations(target.text[offset:]):
            if unit != own:
                ways += (at, unit, length if length < 0 else offset + length)
    return ways
