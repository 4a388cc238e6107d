"""A text in parts that are predicted one after the other, or each elsewhere: plain arrays, a few times their text.

Passages are cut into windows: what goes through the network in one piece, and which words are predicted in it.
"""

import hashlib
import json
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.encode.tokens import ranges
from wordworth.errors import WordworthError
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.units import Units
from wordworth.whole_words.words import (
    LEAST_WORDS,
    SHORT,
    Entries,
    Ints,
    Line,
    Passages,
    Target,
    WordTokenizer,
    joined,
    where_of,
)

MORE_UNITS = 8
"""No path is followed further than so many units beyond the tokenizer's own number for the word."""
WINDOW = 2048
"""Tokens in a window where the model admits more."""
CHUNK_BATCHES = 8
"""Batches whose windows are sorted by length together, and whose predictions are kept together."""
WORDS = 8_192
"""Words that go through the tokenizer together, at the least."""
KNOWN = 1 << 17
"""Distinct words that are remembered, so that a long text does not fill the memory; with one more, a chunk ends."""
WHERE = [(name, np.int32) for name in ("document", "line", "at", "glued", "entry")]
"""Where a word stands in the text, whether no space is before it, and which of the chunk's distinct words it is."""
PLACE = [*WHERE, *((name, np.int32) for name in ("before", "window", "start"))]
"""A word to be predicted: also the entry of the word before it, its window, and the tokens before it there."""

Records = NDArray[np.void]


class Window(NamedTuple):
    """The words `first` to `last` of a passage, predicted where the tokens `begin` to `end` are read (ends exclusive).

    A word that does not fit stands alone, with the reason.
    """

    first: int
    last: int
    begin: int
    end: int
    reason: str = ""


def room(limit: int | None, around: int) -> int:
    """Tokens of text in a window, where the model admits `limit` and `around` stand around the text."""
    if limit is None:
        return WINDOW
    least = limit - around - MORE_UNITS
    if least < 2:
        raise WordworthError(f"the model admits {limit} tokens, too few for a word, its context and {MORE_UNITS} more")
    return min(WINDOW, least)


def windows(starts: Sequence[int], units: int, size: int, context: int) -> Iterator[Window]:
    """Windows of at most `size` tokens of a passage of so many units, whose words begin at `starts`. Every word is in
    one of them.

    The first window begins with the passage; later ones begin with a word (unless that one is too long), so that the
    first word predicted has at least `context` tokens before it.
    """
    ends = [*starts[1:], units]
    number = 0
    while number < len(starts):
        needed = max(0, starts[number] - context) if number else 0
        begin = starts[bisect_right(starts, needed) - 1]
        if ends[number] - begin > size:
            begin = needed
        if ends[number] - begin > size:
            reason = (
                f"its {ends[number] - starts[number]} units and {context} tokens of context do not fit {size} tokens"
            )
            yield Window(number, number + 1, begin, begin, reason)
            number += 1
            continue
        last = bisect_right(ends, begin + size, lo=number)
        yield Window(number, last, begin, ends[last - 1])
        number = last


@dataclass(frozen=True, eq=False)
class Chunk:
    """Windows to be predicted together, and the words of the same lines that are skipped."""

    words: list[str]
    """The distinct ones."""
    targets: list[Target | str]
    """What each of them is to the model, or why it is left out."""
    ids: NDArray[np.int32]
    """The windows' tokens, one window after the other, those that the model wants before a text first."""
    ends: NDArray[np.int64]
    """Where each window ends in `ids`."""
    places: Records
    """Window by window, in the order of the text."""
    skipped: Records
    lines: int
    """Lines of the text that end in it."""

    def key(self) -> str:
        """Of all that the predictions depend on, but for the model and the rules."""
        digest = hashlib.sha256()
        for array in (self.ids, self.ends, self.places, self.skipped):
            digest.update(f"{len(array)} ".encode() + array.tobytes())
        reasons = [target for target in self.targets if isinstance(target, str)]
        digest.update(json.dumps([self.words, reasons]).encode())
        return digest.hexdigest()


class _Piece(NamedTuple):
    """Some words of a chunk, in their order."""

    where: NDArray[np.int32]
    entries: Ints
    before: Ints
    """The entry of the word before."""
    window: Ints
    """The window in the chunk, where the word is predicted."""
    start: Ints
    """Tokens before the word in its window."""


class _Windows:
    """Passages cut into windows. Every word is in one of them, and they follow one another as the words do."""

    def __init__(self, passages: Passages, entries: Entries, before: tuple[int, ...], size: int, context: int) -> None:
        self._passages = passages
        spans: list[tuple[int, int, int, int]] = []
        words, units = (pairwise(bounds.tolist()) for bounds in (passages.words_before, passages.units_before))
        for (word, next_word), (unit, next_unit) in zip(words, units, strict=True):
            if next_unit - unit <= size:
                spans.append((word, next_word, unit, next_unit))
                continue
            starts = (passages.starts[word:next_word] - unit).tolist()
            for first, last, begin, end, reason in windows(starts, next_unit - unit, size, context):
                if reason:
                    at = word + first
                    passages.entries[at] = entries.left_out(entries.words[_number(passages.entries[at])], reason)
                spans.append((word + first, word + last, unit + begin, unit + end))
        self._first, last, begin, end = np.array(spans).T
        self._counts = last - self._first
        self._kept = np.logical_or.reduceat(passages.entries >= 0, self._first)
        self._starts = passages.starts - np.repeat(begin - len(before), self._counts)
        self._before = np.append(-1, _number(passages.entries[:-1]))
        self._source = np.concatenate([np.array(before, dtype=np.int32), passages.ids])
        # What stands before a text, then the window's own: two runs of tokens a window.
        self._runs = np.stack([np.zeros_like(begin), begin + len(before)], axis=1)
        self._lengths = np.stack([np.full_like(begin, len(before)), end - begin], axis=1) * self._kept[:, None]
        self.tokens = np.cumsum(self._lengths.sum(axis=1))
        """Up to the end of each."""

    def piece(self, some: slice, windows_before: int) -> tuple[_Piece, NDArray[np.int32], Ints]:
        """The words of some windows, their tokens, and how many each has; windows without a word to predict have none
        and are not numbered."""
        counts, kept = self._counts[some], self._kept[some]
        words = slice(self._first[some.start], self._first[some.start] + counts.sum())
        window = np.repeat(np.cumsum(kept) - 1 + windows_before, counts)
        columns = self._passages.entries[words], self._before[words], window, self._starts[words]
        runs, lengths = self._runs[some], self._lengths[some]
        ids = self._source[ranges(runs.ravel(), lengths.ravel())]
        return _Piece(self._passages.where[:, words], *columns), ids, lengths.sum(axis=1)[kept]


@dataclass(eq=False)
class _Growing:
    """A chunk that is being filled."""

    entries: Entries
    pieces: list[_Piece] = field(default_factory=list)
    ids: list[NDArray[np.int32]] = field(default_factory=list)
    lengths: list[Ints] = field(default_factory=list)
    windows: int = 0
    tokens: int = 0

    @property
    def line(self) -> int:
        """The last line that was begun."""
        return int(self.pieces[-1].where[1, -1])

    def add(self, cut: _Windows, some: slice) -> None:
        piece, ids, lengths = cut.piece(some, self.windows)
        self.pieces.append(piece)
        self.ids.append(ids)
        self.lengths.append(lengths)
        self.windows += len(lengths)
        self.tokens += len(ids)

    def skip(self, lines: Sequence[Line]) -> None:
        """Lines that are too short."""
        entries = np.array(
            [self.entries.left_out(word, SHORT) for line in lines for word in line.words], dtype=np.int64
        )
        self.pieces.append(_Piece(where_of(lines), entries, *np.full((3, len(entries)), -1)))

    def done(self, lines: int) -> Chunk:
        where = np.concatenate([piece.where for piece in self.pieces], axis=1)
        entries, before, window, start = (np.concatenate(column) for column in list(zip(*self.pieces, strict=True))[1:])
        predicted = entries >= 0
        numbers = _number(entries)
        used = np.zeros(len(self.entries.words), dtype=bool)
        used[numbers] = used[before[predicted]] = True
        local = np.cumsum(used) - 1
        chosen = np.flatnonzero(used).tolist()
        columns = [*where, local[numbers], local[before], window, start]
        return Chunk(
            [self.entries.words[number] for number in chosen],
            [self.entries.targets[number] for number in chosen],
            np.concatenate([np.zeros(0, dtype=np.int32), *self.ids]),
            np.cumsum(np.concatenate([np.zeros(0, dtype=np.int64), *self.lengths])),
            _records(PLACE, [column[predicted] for column in columns]),
            _records(WHERE, [column[~predicted] for column in columns]),
            lines,
        )


def _number(entries: Ints) -> Ints:
    """Of all words, also of those that are left out."""
    return np.where(entries < 0, ~entries, entries)


def _records(kind: Sequence[tuple[str, type]], columns: Sequence[NDArray[Any]]) -> Records:
    table = np.empty(len(columns[0]), dtype=list(kind))
    for (name, _), column in zip(kind, columns, strict=False):
        table[name] = column
    return table


def chunks(
    model: WordModel,
    lines: Iterable[Line],
    size: int,
    context: int,
    *,
    by_document: bool,
    units: Units | None = None,
) -> Iterator[Chunk]:
    """The text in parts of some batches, each read as far as it is needed. All words of one stand before those of the
    next in the text. `units` are the model's, for the way in which the lines are parted; if not given, with punctuation
    apart."""
    reading = WordTokenizer(model.tokenizer, units or model.units.parted("apart"))
    full = CHUNK_BATCHES * model.reader.budget.tokens
    short: deque[Line] = deque()
    read = given = 0

    def enough() -> Iterator[Line]:
        nonlocal read
        for line in lines:
            read += 1
            if len(line.words) >= LEAST_WORDS:
                yield line
            elif line.words:
                short.append(line)

    def with_short_ones(chunk: _Growing, end: int) -> Chunk:
        """The short lines before line `end` are in the chunk too."""
        nonlocal given
        skipped = []
        while short and short[0].number < end:
            skipped.append(short.popleft())
        if skipped:
            chunk.skip(skipped)
        given, before = end, given
        return chunk.done(end - before)

    chunk = _Growing(reading.entries)
    for texts in _together(joined(enough(), by_document=by_document)):
        cut = _Windows(reading.passages(texts), reading.entries, model.before, size, context)
        first = 0
        while first < len(cut.tokens):
            taken = int(cut.tokens[first - 1]) if first else 0
            last = int(np.searchsorted(cut.tokens, taken + full - chunk.tokens)) + 1
            chunk.add(cut, slice(first, min(last, len(cut.tokens))))
            first = last
            if chunk.tokens >= full:
                yield with_short_ones(chunk, chunk.line)
                chunk = _Growing(reading.entries)
        if len(reading.entries.words) > KNOWN:
            if chunk.pieces:
                yield with_short_ones(chunk, chunk.line)
            reading.entries = Entries()
            chunk = _Growing(reading.entries)
    if chunk.pieces or short:
        yield with_short_ones(chunk, read)


def _together(texts: Iterable[list[Line]]) -> Iterator[list[list[Line]]]:
    """Texts that go through the tokenizer together."""
    some: list[list[Line]] = []
    words = 0
    for text in texts:
        some.append(text)
        words += sum(len(line.words) for line in text)
        if words >= WORDS:
            yield some
            some, words = [], 0
    if some:
        yield some
