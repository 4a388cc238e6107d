"""What every reader yields: blocks of words and vectors, checked row by row and gathered as they come."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.streams import Flaws, quoted
from wordworth.errors import WordworthError
from wordworth.progress import progress

ROWS = 1 << 14


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
