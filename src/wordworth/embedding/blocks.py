"""Open a file as a stream of bytes, and check the blocks of words and vectors that every reader yields.

An unusable row stops the reading or is skipped; either way it is counted and reported with its line or row.
"""

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, cast

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import LibraryErrors, WordworthError, format_names, quote
from wordworth.files import compression, decompress
from wordworth.progress import progress

SAMPLE = 1 << 18
"""Decompressed bytes at the beginning by which a format is recognised."""
OnBad = Literal["stop", "drop"]
FlawKind = Literal["number", "zero", "repeat", "fields", "field", "encoding", "word", "header"]

# Ends the sentence “3 more rows …”.
_PLURAL: dict[FlawKind, str] = {
    "number": "with NaN or infinity",
    "zero": "that are all zero",
    "repeat": "that repeat a word",
    "fields": "with a wrong number of fields",
    "field": "with a field that is not a number",
    "encoding": "that are not UTF-8",
    "word": "without a usable word",
    "header": "in the header",
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUOTES = 3  # flaws of a kind quoted in full; the rest are counted


@contextmanager
def open_stream(path: Path) -> Iterator[BinaryIO]:
    """Open a file or the one file in a zip archive, unpacked; a damaged file raises a `WordworthError`."""
    with LibraryErrors(f"{path} is cut short or damaged", "fetch or copy it again"):
        if compression(path) != "zip":
            with decompress(path) as stream:
                yield stream
        else:
            with zipfile.ZipFile(path) as archive, archive.open(_only_member(path)) as member:
                yield cast(BinaryIO, member)


def inner_name(path: Path) -> str:
    """Return the name of the file without `.gz`, `.bz2` or `.xz`, or that of the zip's member."""
    compression_kind = compression(path)
    if compression_kind == "zip":
        return Path(_only_member(path).filename).name
    return path.stem if compression_kind else path.name


def sample(path: Path) -> bytes:
    """Return the first `SAMPLE` bytes of the decompressed file."""
    with open_stream(path) as stream:
        return stream.read(SAMPLE)


def _only_member(path: Path) -> zipfile.ZipInfo:
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        raise WordworthError(
            f"{path} is a zip archive of several files ({format_names((file.filename for file in members), 5)}); "
            "unpack it and give the path of the one to read"
        )
    return members[0]


class Flaws:
    """Collect the flaws of one file while it is read.

    With `on_bad="stop"`, `settle` raises for the first flaw of the file. Flaws in `tolerated_kinds` never raise: some
    formats use such rows on purpose (in HistWords, zeros mark a word that is absent in that decade).
    """

    def __init__(self, path: Path, on_bad: OnBad, place: str, exempt_kinds: frozenset[FlawKind] = frozenset()) -> None:
        self.path = path
        self.on_bad = on_bad
        self.place = place
        """What the number of a row is called: `line` in a text file, `row` in a binary one."""
        self.exempt_kinds = exempt_kinds
        self.counts: Counter[FlawKind] = Counter()
        self.notes: list[str] = []
        """Sentences for `Provenance.dropped` about rows that are skipped on purpose."""
        self._examples: list[tuple[int, FlawKind, str]] = []

    def add(self, kind: FlawKind, number: int, flaw: str) -> None:
        """Note a flaw in row `number`; `flaw` names the word and what is wrong with it."""
        self.counts[kind] += 1
        if self.counts[kind] <= _QUOTES:
            self._examples.append((number, kind, flaw))

    def settle(self) -> None:
        """Raise for the first flaw of the rows read so far, unless `on_bad` is "drop"."""
        flaws = sorted(entry for entry in self._examples if entry[1] not in self.exempt_kinds)
        if not flaws or self.on_bad == "drop":
            return
        number, first, flaw = flaws[0]
        counts = {kind: count - (kind == first) for kind, count in self.counts.items() if kind not in self.exempt_kinds}
        others = ", ".join(f"{count:,} more {_PLURAL[kind]}" for kind, count in counts.items() if count)
        suffix = f" (up to here also {others})" if others else ""
        raise WordworthError(
            f"{self.path}, {self.place} {number:,}: {flaw}{suffix}; "
            "fix the file, or skip such rows with --on-bad drop (on_bad='drop' in Python)"
        )

    def describe_cut(self, flaw: str) -> WordworthError:
        """Return the error for a file that ends too early, which is unusable with any option."""
        return WordworthError(f"{self.path} is cut short: {flaw}; fetch or copy the file again")

    def describe_dropped(self) -> tuple[str, ...]:
        """Describe the skipped rows: the first few of each kind in full, then the count of the others."""
        examples = [f"{self.place} {number:,}: {flaw}" for number, _, flaw in sorted(self._examples)]
        remaining_counts = [
            f"{count - _QUOTES:,} more rows {_PLURAL[kind]}" for kind, count in self.counts.items() if count > _QUOTES
        ]
        return (*self.notes, *examples, *remaining_counts)


BLOCK_ROWS = 1 << 14


@dataclass(frozen=True)
class RowBlock:
    """Hold consecutive rows of a file."""

    words: list[str]
    vectors: NDArray[np.floating]
    numbers: Sequence[int]
    """The line (text) or row (arrays, binary) of each word, from 1."""


@dataclass(frozen=True)
class VectorFile:
    """Hold a file that is about to be read; its blocks can be iterated once."""

    dim: int
    blocks: Iterator[RowBlock]
    language: str = ""


def slice_blocks(words: Sequence[str], matrix: NDArray[np.floating]) -> Iterator[RowBlock]:
    """Yield the blocks of a matrix that is in memory or mapped."""
    for start in range(0, len(words), BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, len(words))
        yield RowBlock(list(words[start:stop]), matrix[start:stop], range(start + 1, stop + 1))


def _good_rows(block: RowBlock, vectors: NDArray[np.float32], earlier_words: set[str], flaws: Flaws) -> list[int]:
    """Return the rows with a usable, new word and a finite, non-zero vector; add their words to `earlier_words`."""
    usable_rows: list[int] = []
    finite, zero = np.atleast_1d(np.isfinite(vectors).all(axis=1), ~vectors.any(axis=1))
    for row, (word, number) in enumerate(zip(block.words, block.numbers, strict=True)):
        if not word:
            flaws.add("word", number, "there is no word")
        elif "\n" in word:  # words are kept one per line in UTF-8
            flaws.add("word", number, f"the word {quote(word)} has a line break in it")
        elif _SURROGATE.search(word):
            flaws.add("word", number, f"the word {quote(word)} is not valid Unicode")
        elif not finite[row]:
            flaws.add("number", number, f"the vector of {quote(word)} has NaN or infinity in it")
        elif zero[row]:
            flaws.add("zero", number, f"the vector of {quote(word)} is all zero")
        elif word in earlier_words:
            flaws.add("repeat", number, f"the word {quote(word)} occurs in an earlier row")
        else:
            earlier_words.add(word)
            usable_rows.append(row)
    return usable_rows


def gather(file: VectorFile, flaws: Flaws, sink: BinaryIO) -> list[str]:
    """Read all blocks, write the usable rows to `sink` as little-endian float32, and return their words."""
    words: list[str] = []
    earlier_words: set[str] = set()
    with progress(f"reading {flaws.path.name}", None) as advance:
        for block in file.blocks:
            with np.errstate(over="ignore"):  # a number beyond float32 becomes infinity, and is reported
                vectors = np.ascontiguousarray(block.vectors, dtype="<f4")
            usable_rows = _good_rows(block, vectors, earlier_words, flaws)
            flaws.settle()
            words += [block.words[row] for row in usable_rows]
            sink.write((vectors if len(usable_rows) == len(vectors) else vectors[usable_rows]).tobytes())
            advance(len(block.words))
    flaws.settle()
    if not words:
        details = f" ({'; '.join(flaws.describe_dropped())})" if flaws.describe_dropped() else ""
        raise WordworthError(f"{flaws.path} has no usable rows{details}; give a file with vectors")
    return words
