"""What every reader yields: blocks of words and vectors, checked row by row and gathered as they come.

Rows that cannot be used are named with their place, then stopped at or left out, and always counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.progress import progress

OnBad = Literal["stop", "drop"]
Kind = Literal["number", "zero", "repeat", "fields", "field", "encoding", "word", "header"]

# How a count of rows of a kind is worded.
_PLURAL: dict[Kind, str] = {
    "number": "with NaN or infinity",
    "zero": "that are all zero",
    "repeat": "that repeat a word",
    "fields": "with a wrong number of fields",
    "field": "with a field that is not a number",
    "encoding": "that are not UTF-8",
    "word": "without a usable word",
    "header": "in the header",
}
_SHOWN = 3  # flaws of a kind quoted in full; the rest are counted
ROWS = 1 << 14


def quoted(word: str | bytes) -> str:
    """A word as a message shows it, cut where a file that is not what it seems has one of a million letters."""
    if isinstance(word, bytes):
        return quoted(word.decode(errors="replace"))
    return repr(word) if len(word) <= 60 else f"{word[:60]!r}…"


class Flaws:
    """Collects the flaws of one file while it is read.

    With `on_bad="stop"`, `settle` raises for the flaw that comes first in the file. Kinds in `tolerated` never stop:
    they are what a format means by such a row (all zero in HistWords: a word absent in that decade).
    """

    def __init__(self, path: Path, on_bad: OnBad, place: str, tolerated: frozenset[Kind] = frozenset()) -> None:
        self.path = path
        self.on_bad = on_bad
        self.place = place
        """What the number of a row is called: `line` in a text file, `row` in a binary one."""
        self.tolerated = tolerated
        self.counts: dict[Kind, int] = {}
        self.notes: list[str] = []
        """Sentences for `Provenance.dropped` about rows left out on purpose, which are no flaws."""
        self._first: tuple[int, Kind, str] | None = None
        self._quoted: list[tuple[int, Kind, str]] = []

    def add(self, kind: Kind, number: int, flaw: str) -> None:
        """A flaw in row `number`; `flaw` names the word and what is wrong with it."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind not in self.tolerated and (self._first is None or number < self._first[0]):
            self._first = (number, kind, flaw)
        if self.counts[kind] <= _SHOWN:
            self._quoted.append((number, kind, flaw))

    def settle(self) -> None:
        """Stops at the first flaw of the rows read so far, unless flaws are to be dropped."""
        if self._first is None or self.on_bad == "drop":
            return
        number, first, flaw = self._first
        others = {kind: count - (kind == first) for kind, count in self.counts.items() if kind not in self.tolerated}
        more = ", ".join(f"{count:,} more {_PLURAL[kind]}" for kind, count in others.items() if count)
        raise WordworthError(
            f"{self.path}, {self.place} {number:,}: {flaw}{f' (up to here also {more})' if more else ''}; "
            "mend the file, or leave such rows out with --on-bad drop"
        )

    def cut(self, flaw: str) -> WordworthError:
        """The error for a file that ends too early, which no option makes usable."""
        return WordworthError(f"{self.path} is cut short: {flaw}; fetch or copy the file again")

    def dropped(self) -> tuple[str, ...]:
        """What was left out: the first few of each kind in full, then the count of the rest."""
        full = [f"{self.place} {number:,}: {flaw}" for number, _, flaw in sorted(self._quoted)]
        rest = [
            f"{count - _SHOWN:,} more rows {_PLURAL[kind]}" for kind, count in self.counts.items() if count > _SHOWN
        ]
        return (*self.notes, *full, *rest)


@dataclass(frozen=True)
class Block:
    """Some consecutive rows of a file."""

    words: list[str]
    vectors: NDArray[np.floating]
    numbers: Sequence[int]
    """The line (text) or row (arrays, binary) of each word, from 1."""


@dataclass(frozen=True)
class VectorFile:
    """A file that is about to be read: its blocks can be asked for once."""

    dim: int
    blocks: Iterator[Block]
    language: str = ""


def slice_blocks(words: Sequence[str], matrix: NDArray[np.floating]) -> Iterator[Block]:
    """Yield the blocks of a matrix that is there as a whole (in memory or mapped)."""
    for start in range(0, len(words), ROWS):
        stop = min(start + ROWS, len(words))
        yield Block(list(words[start:stop]), matrix[start:stop], range(start + 1, stop + 1))


def _bad_words(words: list[str]) -> Iterator[tuple[int, str]]:
    """Words that cannot be kept one a line in UTF-8, and why. Most blocks have none: one test for the whole block."""
    joined = "\n".join(words)
    if joined.count("\n") == len(words) - 1 and "" not in words and _encodes(joined):
        return
    for i, word in enumerate(words):
        if not word:
            yield i, "there is no word"
        elif "\n" in word:
            yield i, f"the word {quoted(word)} has a line break in it"
        elif not _encodes(word):
            yield i, f"the word {quoted(word)} is not valid Unicode"


def _encodes(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _where(mask: NDArray[np.bool_]) -> list[int]:
    rows: list[int] = np.flatnonzero(mask).tolist()
    return rows


def _good_rows(block: Block, vectors: NDArray[np.float32], seen: set[str], flaws: Flaws) -> NDArray[np.bool_]:
    """Which rows to keep: usable word, finite, not all zero, not seen before. `seen` grows by the words kept."""
    good = np.ones(len(block.words), dtype=np.bool_)
    for i, flaw in _bad_words(block.words):
        good[i] = False
        flaws.add("word", block.numbers[i], flaw)
    finite = np.isfinite(vectors).all(axis=1)
    for i in _where(good & ~finite):
        flaws.add("number", block.numbers[i], f"the vector of {quoted(block.words[i])} has NaN or infinity in it")
    good &= finite
    zero = ~vectors.any(axis=1)
    for i in _where(good & zero):
        flaws.add("zero", block.numbers[i], f"the vector of {quoted(block.words[i])} is all zero")
    good &= ~zero
    fresh = set(block.words)
    if len(fresh) == len(block.words) and seen.isdisjoint(fresh) and good.all():
        seen |= fresh
        return good
    for i in _where(good):
        word = block.words[i]
        if word in seen:
            good[i] = False
            flaws.add("repeat", block.numbers[i], f"the word {quoted(word)} was there before")
        seen.add(word)
    return good


def gather(reading: VectorFile, flaws: Flaws, sink: BinaryIO) -> list[str]:
    """Read all blocks, write the rows kept to `sink` as little-endian float32, and return their words."""
    words: list[str] = []
    seen: set[str] = set()
    with progress(f"reading {flaws.path.name}", None) as advance:
        for block in reading.blocks:
            with np.errstate(over="ignore"):  # beyond float32: becomes infinity, and is reported as such
                vectors = np.ascontiguousarray(block.vectors, dtype="<f4")
            good = _good_rows(block, vectors, seen, flaws)
            flaws.settle()
            if good.all():
                words += block.words
            else:
                words += [block.words[i] for i in _where(good)]
                vectors = vectors[good]
            sink.write(vectors.data if vectors.size else b"")
            advance(len(block.words))
    flaws.settle()
    if not words:
        skipped = f" ({'; '.join(flaws.dropped())})" if flaws.dropped() else ""
        raise WordworthError(f"{flaws.path} has no rows to use{skipped}; give a file with vectors")
    return words
