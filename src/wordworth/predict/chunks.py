"""A text in parts that are predicted one after the other, or each elsewhere: plain arrays, a few times their text."""

import hashlib
import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from wordworth.predict.model import WordModel
from wordworth.predict.windows import Window, windows
from wordworth.predict.words import SHORT, Passage, Target, Word, WordTokenizer, joined

CHUNK_BATCHES = 8
"""Batches whose windows are sorted by length together, and whose predictions are kept together."""
TEXTS = 64
"""Lines that go through the tokenizer together."""
WHERE = [(name, np.int32) for name in ("document", "line", "at", "entry")]
"""Where a word stands in the text, and which of the chunk's distinct words it is."""
PLACE = [*WHERE, *((name, np.int32) for name in ("before", "window", "start"))]
"""A word to be predicted: also the entry of the word before it, its window, and the tokens before it there."""

Records = NDArray[np.void]


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


@dataclass(eq=False)
class _Growing:
    """A chunk that is being filled."""

    before: tuple[int, ...]
    numbers: dict[tuple[str, int], int] = field(default_factory=dict)
    """Entries by word and by the identity of its target, of which there is one a word and spelling."""
    words: list[str] = field(default_factory=list)
    targets: list[Target | str] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    places: list[tuple[int, ...]] = field(default_factory=list)
    skipped: list[tuple[int, ...]] = field(default_factory=list)
    line: int = -1
    """The last line that was begun."""

    def entry(self, text: str, target: Target | str) -> int:
        key = text, id(target)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.words)
            self.words.append(text)
            self.targets.append(target)
        return number

    def skip(self, word: Word, reason: str) -> None:
        self.skipped.append((word.document, word.line, word.at, self.entry(word.text, reason)))

    def add(self, passage: Passage, window: Window) -> None:
        words, targets, spans, entry = passage.words, passage.targets, passage.spans, self.entry
        self.line = words[window.last - 1].line
        if window.reason:
            self.skip(words[window.first], window.reason)
            return
        places: list[tuple[int, ...]] = []
        shift, here = len(self.before) - window.begin, len(self.ends)
        before = entry(words[window.first - 1].text, targets[window.first - 1]) if window.first else -1
        for number in range(window.first, window.last):
            document, line, at, text = words[number]
            target = targets[number]
            this = entry(text, target)
            if isinstance(target, str):
                self.skipped.append((document, line, at, this))
            else:
                places.append((document, line, at, this, before, here, spans[number][0] + shift))
            before = this
        if places:
            self.places += places
            self.ids += self.before
            self.ids += passage.ids[window.begin : window.end]
            self.ends.append(len(self.ids))

    def done(self, lines: int) -> Chunk:
        return Chunk(
            self.words,
            self.targets,
            np.array(self.ids, dtype=np.int32),
            np.array(self.ends, dtype=np.int64),
            np.array(self.places, dtype=PLACE),
            np.array(self.skipped, dtype=WHERE),
            lines,
        )


def chunks(
    model: WordModel, lines: Iterable[tuple[list[Word], bool]], size: int, context: int, *, by_document: bool
) -> Iterator[Chunk]:
    """The text in parts of some batches, each read as far as it is needed. All words of one stand before those of the
    next in the text."""
    reading = WordTokenizer(model.tokenizer, model.units)
    full = CHUNK_BATCHES * model.reader.budget.tokens
    short: deque[list[Word]] = deque()
    read = given = 0

    def enough() -> Iterator[list[Word]]:
        nonlocal read
        for words, is_long in lines:
            read += 1
            if is_long:
                yield words
            elif words:
                short.append(words)

    def with_short_ones(chunk: _Growing, end: int) -> Chunk:
        """The short lines before line `end` are in the chunk too."""
        nonlocal given
        while short and short[0][0].line < end:
            for word in short.popleft():
                chunk.skip(word, SHORT)
        given, before = end, given
        return chunk.done(end - before)

    chunk = _Growing(model.before)
    every = joined(enough(), by_document=by_document)
    while texts := list(islice(every, TEXTS)):
        for passage in reading.passages(texts):
            for window in windows(passage, size, context):
                chunk.add(passage, window)
                if len(chunk.ids) >= full:
                    yield with_short_ones(chunk, chunk.line)
                    chunk = _Growing(model.before)
    last = with_short_ones(chunk, read)
    if len(last.places) or len(last.skipped):
        yield last
