"""A file as a stream of bytes, and what every reader yields of it: blocks of words and vectors, checked row by row.

Rows that cannot be used are named with their place, then stopped at or left out, and always counted.
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
"""Bytes of the (decompressed) beginning that a format is recognised by."""
OnBad = Literal["stop", "drop"]
FlawKind = Literal["number", "zero", "repeat", "fields", "field", "encoding", "word", "header"]

# How a count of rows of a kind is worded.
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
    """Open a file or the one file in a zip archive, unpacked; what is damaged is an error that says what to do."""
    with LibraryErrors(f"{path} is cut short or damaged", "fetch or copy it again"):
        if compression(path) != "zip":
            with decompress(path) as stream:
                yield stream
        else:
            with zipfile.ZipFile(path) as archive, archive.open(_only_member(path)) as member:
                yield cast(BinaryIO, member)


def inner_name(path: Path) -> str:
    """Return the name of the file without `.gz`, `.bz2` or `.xz`, or that of the zip's member."""
    kind = compression(path)
    if kind == "zip":
        return Path(_only_member(path).filename).name
    return path.stem if kind else path.name


def sample(path: Path) -> bytes:
    """Return the beginning of the decompressed file; all of it when it is shorter than `SAMPLE`."""
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
    """Collects the flaws of one file while it is read.

    With `on_bad="stop"`, `settle` raises for the flaw that comes first in the file. Kinds in `tolerated` never stop:
    they are what a format means by such a row (all zero in HistWords: a word absent in that decade).
    """

    def __init__(self, path: Path, on_bad: OnBad, place: str, tolerated: frozenset[FlawKind] = frozenset()) -> None:
        self.path = path
        self.on_bad = on_bad
        self.place = place
        """What the number of a row is called: `line` in a text file, `row` in a binary one."""
        self.tolerated = tolerated
        self.counts: Counter[FlawKind] = Counter()
        self.notes: list[str] = []
        """Sentences for `Provenance.dropped` about rows left out on purpose, which are no flaws."""
        self._quoted: list[tuple[int, FlawKind, str]] = []

    def add(self, kind: FlawKind, number: int, flaw: str) -> None:
        """Note a flaw in row `number`; `flaw` names the word and what is wrong with it."""
        self.counts[kind] += 1
        if self.counts[kind] <= _QUOTES:
            self._quoted.append((number, kind, flaw))

    def settle(self) -> None:
        """Stop at the first flaw of the rows read so far, unless flaws are to be dropped."""
        bad = sorted(one for one in self._quoted if one[1] not in self.tolerated)
        if not bad or self.on_bad == "drop":
            return
        number, first, flaw = bad[0]
        others = {kind: count - (kind == first) for kind, count in self.counts.items() if kind not in self.tolerated}
        more = ", ".join(f"{count:,} more {_PLURAL[kind]}" for kind, count in others.items() if count)
        raise WordworthError(
            f"{self.path}, {self.place} {number:,}: {flaw}{f' (up to here also {more})' if more else ''}; "
            "fix the file, or drop such rows with --on-bad drop"
        )

    def describe_cut(self, flaw: str) -> WordworthError:
        """Return the error for a file that ends too early, which no option makes usable."""
        return WordworthError(f"{self.path} is cut short: {flaw}; fetch or copy the file again")

    def describe_dropped(self) -> tuple[str, ...]:
        """Return what was left out: the first few of each kind in full, then the count of the rest."""
        full = [f"{self.place} {number:,}: {flaw}" for number, _, flaw in sorted(self._quoted)]
        rest = [
            f"{count - _QUOTES:,} more rows {_PLURAL[kind]}" for kind, count in self.counts.items() if count > _QUOTES
        ]
        return (*self.notes, *full, *rest)


BLOCK_ROWS = 1 << 14


@dataclass(frozen=True)
class RowBlock:
    """Some consecutive rows of a file."""

    words: list[str]
    vectors: NDArray[np.floating]
    numbers: Sequence[int]
    """The line (text) or row (arrays, binary) of each word, from 1."""


@dataclass(frozen=True)
class VectorFile:
    """A file that is about to be read: its blocks can be asked for once."""

    dim: int
    blocks: Iterator[RowBlock]
    language: str = ""


def slice_blocks(words: Sequence[str], matrix: NDArray[np.floating]) -> Iterator[RowBlock]:
    """Yield the blocks of a matrix that is there as a whole (in memory or mapped)."""
    for start in range(0, len(words), BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, len(words))
        yield RowBlock(list(words[start:stop]), matrix[start:stop], range(start + 1, stop + 1))


def _good_rows(block: RowBlock, vectors: NDArray[np.float32], seen: set[str], flaws: Flaws) -> list[int]:
    """Return the rows to keep: usable word, finite, not all zero, not seen before. `seen` grows by their words."""
    good: list[int] = []
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
        elif word in seen:
            flaws.add("repeat", number, f"the word {quote(word)} was there before")
        else:
            seen.add(word)
            good.append(row)
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
            words += [block.words[row] for row in good]
            sink.write((vectors if len(good) == len(vectors) else vectors[good]).tobytes())
            advance(len(block.words))
    flaws.settle()
    if not words:
        skipped = f" ({'; '.join(flaws.describe_dropped())})" if flaws.describe_dropped() else ""
        raise WordworthError(f"{flaws.path} has no rows to use{skipped}; give a file with vectors")
    return words
