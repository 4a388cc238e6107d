"""Split a text into chunks, which are predicted one after the other or in other processes.

A chunk consists of windows: tokens that the network reads at once, and the words that are predicted in them.
"""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.encode.tokens import ranges
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.rules import PredictionRules
from wordworth.whole_words.words import (
    SHORT_LINE,
    Ints,
    Line,
    Passages,
    Target,
    WordPlaces,
    WordTokenizer,
    group_lines,
    locate_lines,
)

CHUNK_BATCHES = 8
"""Batches of a chunk: its windows are sorted by length together, and its predictions saved together."""
TOKENIZED_WORDS = 8_192
"""Minimum number of words per call of the tokenizer."""
MAX_ENTRIES = 1 << 17
"""Distinct words in memory; with one more, a chunk ends, so that a long text does not fill the memory."""


class Window(NamedTuple):
    """The words `first` to `last` of a passage, predicted from the tokens `begin` to `end` (ends exclusive).

    A word that does not fit has a window of its own, with the reason.
    """

    first: int
    last: int
    begin: int
    end: int
    reason: str = ""


def windows(starts: Sequence[int], units: int, size: int, context: int) -> Iterator[Window]:
    """Yield windows of at most `size` tokens of a passage of `units` tokens, whose words begin at `starts`.

    The first window begins with the passage. Later ones begin with a word (unless it is too long), so that the first
    predicted word has at least `context` tokens before it. Every word is predicted in one window.
    """
    ends = [*starts[1:], units]
    number = 0
    while number < len(starts):
        context_start = max(0, starts[number] - context) if number else 0
        begin = starts[bisect_right(starts, context_start) - 1]
        if ends[number] - begin > size:
            begin = context_start
        if ends[number] - begin > size:
            length = ends[number] - starts[number]
            reason = f"its {length} units and {context} tokens of context do not fit {size} tokens"
            yield Window(number, number + 1, begin, begin, reason)
            number += 1
            continue
        last = bisect_right(ends, begin + size, lo=number)
        yield Window(number, last, begin, ends[last - 1])
        number = last


@dataclass(frozen=True, eq=False)
class Chunk:
    """Windows to predict together, and the skipped words of the same lines."""

    words: list[str]
    """Distinct words."""
    targets: list[Target | str]
    """The target of each word, or why it is skipped."""
    ids: NDArray[np.int32]
    """The tokens of the windows in order, each preceded by the tokens that the model needs before a text."""
    ends: Ints
    """The end of each window in `ids`."""
    places: WordPlaces
    """Places by window, in the order of the text; entries are indices of `words`."""
    skipped: WordPlaces
    lines: int
    """Lines of the text that end in the chunk."""

    def key(self) -> str:
        """Return the sha256 of all that the predictions depend on, except the model and the rules."""
        digest = hashlib.sha256()
        for array in (self.ids, self.ends, self.places, self.skipped):
            digest.update(f"{len(array)} ".encode() + array.tobytes())
        reasons = [target for target in self.targets if isinstance(target, str)]
        digest.update(json.dumps([self.words, reasons]).encode())
        return digest.hexdigest()


class _Windows(NamedTuple):
    """Consecutive windows as arrays; the last three hold the beginning of each window and the end of the last."""

    places: WordPlaces
    ids: NDArray[np.int32]
    words: Ints
    tokens: Ints
    numbers: Ints
    """Windows without a word to predict have neither tokens nor a number."""


def _split(passages: Passages, tokenizer: WordTokenizer, before: tuple[int, ...], size: int, context: int) -> _Windows:
    """Cut passages into windows in order, so that every word is in one window."""
    places = passages.places
    spans: list[tuple[int, int, int, int]] = []
    words, units = (pairwise(bounds.tolist()) for bounds in (passages.words_before, passages.units_before))
    for (word, next_word), (unit, next_unit) in zip(words, units, strict=True):
        if next_unit - unit <= size:
            spans.append((word, next_word, unit, next_unit))
            continue
        starts = (places["start"][word:next_word] - unit).tolist()
        for first, last, begin, end, reason in windows(starts, next_unit - unit, size, context):
            if reason:
                row = word + first
                places["entry"][row] = tokenizer.skip(tokenizer.words[_restore_numbers(places["entry"][row])], reason)
            spans.append((word + first, word + last, unit + begin, unit + end))
    first, last, begin, end = np.array(spans).T
    is_read = np.logical_or.reduceat(places["entry"] >= 0, first)
    numbers = np.cumsum([0, *is_read])
    places["window"] = np.repeat(numbers[:-1], last - first)
    places["start"] -= np.repeat(begin - len(before), last - first)
    places["before"][1:] = _restore_numbers(places["entry"][:-1])
    places["before"][passages.words_before[:-1]] = -1
    # Two runs of tokens per window: the tokens before a text, then its own.
    source = np.concatenate([np.array(before, dtype=np.int32), passages.ids])
    runs = np.stack([np.zeros_like(begin), begin + len(before)], axis=1)
    lengths = np.stack([np.full_like(begin, len(before)), end - begin], axis=1) * is_read[:, None]
    ids = source[ranges(runs.ravel(), lengths.ravel())]
    return _Windows(places, ids, np.append(first, len(places)), np.cumsum([0, *lengths.sum(axis=1)]), numbers)


class _ChunkBuilder:
    """Collects windows and skipped lines for a chunk."""

    def __init__(self, tokenizer: WordTokenizer) -> None:
        self.tokenizer = tokenizer
        self.places: list[WordPlaces] = []
        self.ids: list[NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
        self.lengths: list[Ints] = [np.zeros(0, dtype=np.int64)]
        self.windows = self.tokens = 0

    @property
    def line(self) -> int:
        """Return the number of the last line."""
        return int(self.places[-1]["line"][-1])

    def add(self, windows: _Windows, first: int, last: int) -> None:
        """Add some windows."""
        places = windows.places[windows.words[first] : windows.words[last]]
        places["window"] += self.windows - windows.numbers[first]
        lengths = np.diff(windows.tokens[first : last + 1])
        self.places.append(places)
        self.ids.append(windows.ids[windows.tokens[first] : windows.tokens[last]])
        self.lengths.append(lengths[lengths > 0])
        self.windows += int(windows.numbers[last] - windows.numbers[first])
        self.tokens += int(lengths.sum())

    def skip(self, lines: Sequence[Line]) -> None:
        """Add lines that are too short."""
        places = locate_lines(lines)
        places["entry"] = [self.tokenizer.skip(word, SHORT_LINE) for line in lines for word in line.words]
        self.places.append(places)

    def finish(self, lines: int) -> Chunk:
        """Return the chunk, with entries of its own."""
        places = np.concatenate(self.places)
        is_predicted = places["entry"] >= 0
        places["entry"] = _restore_numbers(places["entry"])
        for name in ("before", "window", "start"):
            places[name][~is_predicted] = -1
        used = np.zeros(len(self.tokenizer.words), dtype=bool)
        used[places["entry"]] = used[places["before"][is_predicted]] = True
        numbers = np.append(np.cumsum(used) - 1, -1)
        places["entry"], places["before"] = numbers[places["entry"]], numbers[places["before"]]
        used_numbers = np.flatnonzero(used).tolist()
        return Chunk(
            [self.tokenizer.words[number] for number in used_numbers],
            [self.tokenizer.targets[number] for number in used_numbers],
            np.concatenate(self.ids),
            np.cumsum(np.concatenate(self.lengths)),
            places[is_predicted],
            places[~is_predicted],
            lines,
        )


def _restore_numbers(entries: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the numbers of all words, including skipped ones."""
    return np.where(entries < 0, ~entries, entries)


def chunks(
    model: WordModel, lines: Iterable[Line], rules: PredictionRules, *, by_document: bool = False
) -> Iterator[Chunk]:
    """Yield the chunks of a text in order, reading only the lines that each needs."""
    size, context = rules.sizes(model)
    tokenizer = WordTokenizer(model.tokenizer, rules.units(model), has_first=rules.first_word)
    max_tokens = CHUNK_BATCHES * model.reader.budget.tokens
    short_lines: list[Line] = []
    lines_read = lines_done = 0
    builder = _ChunkBuilder(tokenizer)

    def long_lines() -> Iterator[Line]:
        nonlocal lines_read
        for line in lines:
            lines_read += 1
            if len(line.words) >= rules.min_words:
                yield line
            elif line.words:
                short_lines.append(line)

    def finish(end: int) -> Chunk:
        """Return the chunk, including the short lines before line `end`."""
        nonlocal short_lines, lines_done, builder
        builder.skip([line for line in short_lines if line.number < end])
        short_lines = [line for line in short_lines if line.number >= end]
        chunk = builder.finish(end - lines_done)
        lines_done, builder = end, _ChunkBuilder(tokenizer)
        return chunk

    for texts in _batch(group_lines(long_lines(), by_document=by_document)):
        windows = _split(tokenizer.tokenize(texts), tokenizer, model.before, size, context)
        ends = windows.tokens[1:]
        first = 0
        while first < len(ends):
            last = min(int(np.searchsorted(ends, windows.tokens[first] + max_tokens - builder.tokens)) + 1, len(ends))
            builder.add(windows, first, last)
            first = last
            if builder.tokens >= max_tokens:
                yield finish(builder.line)
        if len(tokenizer.words) > MAX_ENTRIES:
            tokenizer = WordTokenizer(tokenizer.tokenizer, tokenizer.units, has_first=rules.first_word)
            if builder.places:
                yield finish(builder.line)
            builder = _ChunkBuilder(tokenizer)
    if builder.places or short_lines:
        yield finish(lines_read)


def _batch(texts: Iterable[list[Line]]) -> Iterator[list[list[Line]]]:
    """Yield texts to tokenize together."""
    batch: list[list[Line]] = []
    words = 0
    for text in texts:
        batch.append(text)
        words += sum(len(line.words) for line in text)
        if words >= TOKENIZED_WORDS:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch
