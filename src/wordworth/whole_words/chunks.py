"""A text in parts that are predicted one after the other, or each elsewhere: plain arrays, a few times their text.

Passages are cut into windows: what goes through the network in one piece, and which words are predicted in it.
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
"""Batches whose windows are sorted by length together, and whose predictions are kept together."""
TOKENIZED_WORDS = 8_192
"""Words that go through the tokenizer together, at the least."""
MAX_ENTRIES = 1 << 17
"""Distinct words that are remembered, so that a long text does not fill the memory; with one more, a chunk ends."""


class Window(NamedTuple):
    """The words `first` to `last` of a passage, predicted where the tokens `begin` to `end` are read (ends exclusive).

    A word that does not fit is alone, with the reason.
    """

    first: int
    last: int
    begin: int
    end: int
    reason: str = ""


def windows(starts: Sequence[int], units: int, size: int, context: int) -> Iterator[Window]:
    """Yield windows of at most `size` tokens of a passage of so many units, whose words begin at `starts`.

    The first window begins with the passage; later ones begin with a word (unless that one is too long), so that the
    first word predicted has at least `context` tokens before it. Every word is in one of them.
    """
    ends = [*starts[1:], units]
    number = 0
    while number < len(starts):
        needed = max(0, starts[number] - context) if number else 0
        begin = starts[bisect_right(starts, needed) - 1]
        if ends[number] - begin > size:
            begin = needed
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
    """Windows to be predicted together, and the words of the same lines that are skipped."""

    words: list[str]
    """The distinct ones."""
    targets: list[Target | str]
    """What each of them is to the model, or why it is skipped."""
    ids: NDArray[np.int32]
    """The windows' tokens, one window after the other, those that the model wants before a text first."""
    ends: Ints
    """Where each window ends in `ids`."""
    places: WordPlaces
    """Window by window, in the order of the text; entries are numbers of `words`."""
    skipped: WordPlaces
    lines: int
    """Lines of the text that end in it."""

    def key(self) -> str:
        """Return the sha256 of all that the predictions depend on, but for the model and the rules."""
        digest = hashlib.sha256()
        for array in (self.ids, self.ends, self.places, self.skipped):
            digest.update(f"{len(array)} ".encode() + array.tobytes())
        reasons = [target for target in self.targets if isinstance(target, str)]
        digest.update(json.dumps([self.words, reasons]).encode())
        return digest.hexdigest()


class _Windows(NamedTuple):
    """Windows, one after another, as arrays; the last three say where each begins, and where the last one ends."""

    places: WordPlaces
    ids: NDArray[np.int32]
    words: Ints
    tokens: Ints
    numbers: Ints
    """Windows without a word to predict have no tokens and no number."""


def _split(passages: Passages, tokenizer: WordTokenizer, before: tuple[int, ...], size: int, context: int) -> _Windows:
    """Cut passages into windows: every word is in one of them, and they follow one another as the words do."""
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
                at = word + first
                places["entry"][at] = tokenizer.skip(tokenizer.words[_restore_numbers(places["entry"][at])], reason)
            spans.append((word + first, word + last, unit + begin, unit + end))
    first, last, begin, end = np.array(spans).T
    is_read = np.logical_or.reduceat(places["entry"] >= 0, first)
    numbers = np.cumsum([0, *is_read])
    places["window"] = np.repeat(numbers[:-1], last - first)
    places["start"] -= np.repeat(begin - len(before), last - first)
    places["before"][1:] = _restore_numbers(places["entry"][:-1])
    places["before"][passages.words_before[:-1]] = -1
    # What is before a text, then the window's own: two runs of tokens per window.
    source = np.concatenate([np.array(before, dtype=np.int32), passages.ids])
    runs = np.stack([np.zeros_like(begin), begin + len(before)], axis=1)
    lengths = np.stack([np.full_like(begin, len(before)), end - begin], axis=1) * is_read[:, None]
    ids = source[ranges(runs.ravel(), lengths.ravel())]
    return _Windows(places, ids, np.append(first, len(places)), np.cumsum([0, *lengths.sum(axis=1)]), numbers)


class _Growing:
    """A chunk that is being filled."""

    def __init__(self, tokenizer: WordTokenizer) -> None:
        self.tokenizer = tokenizer
        self.places: list[WordPlaces] = []
        self.ids: list[NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
        self.lengths: list[Ints] = [np.zeros(0, dtype=np.int64)]
        self.windows = self.tokens = 0

    @property
    def line(self) -> int:
        """Return the last line that was begun."""
        return int(self.places[-1]["line"][-1])

    def add(self, cut: _Windows, first: int, last: int) -> None:
        """Add some windows."""
        places = cut.places[cut.words[first] : cut.words[last]]
        places["window"] += self.windows - cut.numbers[first]
        lengths = np.diff(cut.tokens[first : last + 1])
        self.places.append(places)
        self.ids.append(cut.ids[cut.tokens[first] : cut.tokens[last]])
        self.lengths.append(lengths[lengths > 0])
        self.windows += int(cut.numbers[last] - cut.numbers[first])
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
        chosen = np.flatnonzero(used).tolist()
        return Chunk(
            [self.tokenizer.words[number] for number in chosen],
            [self.tokenizer.targets[number] for number in chosen],
            np.concatenate(self.ids),
            np.cumsum(np.concatenate(self.lengths)),
            places[is_predicted],
            places[~is_predicted],
            lines,
        )


def _restore_numbers(entries: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the numbers of all words, also of those that are skipped."""
    return np.where(entries < 0, ~entries, entries)


def chunks(
    model: WordModel, lines: Iterable[Line], rules: PredictionRules, *, by_document: bool = False
) -> Iterator[Chunk]:
    """Yield the text in parts of some batches, each read as far as it is needed, in the order of the text."""
    size, context = rules.sizes(model)
    tokenizer = WordTokenizer(model.tokenizer, rules.units(model), has_first=rules.first_word)
    full = CHUNK_BATCHES * model.reader.budget.tokens
    short: list[Line] = []
    read = given = 0
    growing = _Growing(tokenizer)

    def long_lines() -> Iterator[Line]:
        nonlocal read
        for line in lines:
            read += 1
            if len(line.words) >= rules.min_words:
                yield line
            elif line.words:
                short.append(line)

    def finish(end: int) -> Chunk:
        """The short lines before line `end` are in the chunk too."""
        nonlocal short, given, growing
        growing.skip([line for line in short if line.number < end])
        short = [line for line in short if line.number >= end]
        chunk = growing.finish(end - given)
        given, growing = end, _Growing(tokenizer)
        return chunk

    for texts in _batch(group_lines(long_lines(), by_document=by_document)):
        cut = _split(tokenizer.tokenize(texts), tokenizer, model.before, size, context)
        ends = cut.tokens[1:]
        first = 0
        while first < len(ends):
            last = min(int(np.searchsorted(ends, cut.tokens[first] + full - growing.tokens)) + 1, len(ends))
            growing.add(cut, first, last)
            first = last
            if growing.tokens >= full:
                yield finish(growing.line)
        if len(tokenizer.words) > MAX_ENTRIES:
            tokenizer = WordTokenizer(tokenizer.tokenizer, tokenizer.units, has_first=rules.first_word)
            if growing.places:
                yield finish(growing.line)
            growing = _Growing(tokenizer)
    if growing.places or short:
        yield finish(read)


def _batch(texts: Iterable[list[Line]]) -> Iterator[list[list[Line]]]:
    """Yield texts that go through the tokenizer together."""
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
