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


def _is_unicode(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def _good_rows(block: Block, vectors: NDArray[np.float32], seen: set[str], flaws: Flaws) -> list[int]:
    """Return the rows to keep: usable word, finite, not all zero, not seen before. `seen` grows by their words."""
    good: list[int] = []
    finite, zero = np.atleast_1d(np.isfinite(vectors).all(axis=1), ~vectors.any(axis=1))
    for row, (word, number) in enumerate(zip(block.words, block.numbers, strict=True)):
        if not word:
            flaws.add("word", number, "there is no word")
        elif "\n" in word:  # words are kept one per line in UTF-8
            flaws.add("word", number, f"the word {quoted(word)} has a line break in it")
        elif not word.isascii() and not _is_unicode(word):
            flaws.add("word", number, f"the word {quoted(word)} is not valid Unicode")
        elif not finite[row]:
            flaws.add("number", number, f"the vector of {quoted(word)} has NaN or infinity in it")
        elif zero[row]:
            flaws.add("zero", number, f"the vector of {quoted(word)} is all zero")
        elif word in seen:
            flaws.add("repeat", number, f"the word {quoted(word)} was there before")
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
        skipped = f" ({'; '.join(flaws.dropped())})" if flaws.dropped() else ""
        raise WordworthError(f"{flaws.path} has no rows to use{skipped}; give a file with vectors")
    return words
