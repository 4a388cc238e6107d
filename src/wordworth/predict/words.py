"""Lines become words, and words the units that a model reads: where each word stands and what a path must spell."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import numpy as np
from transformers import PreTrainedTokenizerFast

from wordworth.encode.spans import plain
from wordworth.errors import WordworthError
from wordworth.predict.units import Units

LEAST_WORDS = 3
UNKNOWN = "<unk>"
FIRST = "first word, which nothing precedes"
SHORT = f"line of fewer than {LEAST_WORDS} words"

Splitter = Callable[[str], list[str]]


class Target(NamedTuple):
    """A word as the model reads it: plain, so that it travels."""

    form: str
    """Normalised as the tokenizer does, without white space."""
    text: bytes
    """What a path of units must spell: the space before the word and the word, or its parts, each with its space."""
    ids: tuple[int, ...]
    """The tokenizer's own units."""


class Word(NamedTuple):
    """A word of the text."""

    document: int
    line: int
    at: int
    text: str


@dataclass(frozen=True)
class Passage:
    """Words that are read one after the other, as units; and of each word, its span of units and its target.

    Where there is a reason instead of a target, the word cannot be predicted, but is read all the same.
    """

    words: list[Word]
    ids: list[int]
    spans: list[tuple[int, int]]
    targets: list[Target | str]


def numbered(
    lines: Iterable[str], documents: Iterable[int] | None, split: Splitter
) -> Iterator[tuple[list[Word], bool]]:
    """The words of each line, and whether they are enough. Without `documents`, each line is one of its own."""
    numbers = iter(documents) if documents is not None else None
    for line, text in enumerate(lines):
        document = line
        if numbers is not None:
            following = next(numbers, None)
            if following is None:
                raise WordworthError(f"line {line + 1} belongs to no document; give a document for every line")
            document = following
        words = split(text)
        broken = [] if split is str.split else [word for word in words if word.split() != [word]]
        if broken:
            raise WordworthError(f"line {line + 1}: the splitter gave {broken[0]!r}, and a word holds no white space")
        yield [Word(document, line, at, word) for at, word in enumerate(words)], len(words) >= LEAST_WORDS


def joined(lines: Iterable[list[Word]], *, by_document: bool) -> Iterator[list[Word]]:
    """The words to be read in one go: those of a line, or of a document."""
    if not by_document:
        yield from lines
        return
    for _, of_one in groupby(lines, key=lambda words: words[0].document):
        yield [word for words in of_one for word in words]


@dataclass(eq=False)
class WordTokenizer:
    """Turns words into units. What a word is to the model depends on the word alone, so it is found once a word."""

    tokenizer: PreTrainedTokenizerFast
    units: Units
    known: dict[tuple[str, tuple[int, ...]], Target | str] = field(default_factory=dict)

    def passages(self, texts: Sequence[list[Word]]) -> list[Passage]:
        """Words are joined by one space, whatever stood between them."""
        joined_words = [" ".join(word.text for word in words) for words in texts]
        for words, text in zip(texts, joined_words, strict=True):
            if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
                raise WordworthError(f"line {words[0].line + 1} holds half a character (a surrogate); correct the line")
        # Not by way of the tokenizer's own call, which makes lists of much that is not needed here.
        backend = self.tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        return [
            self._passage(words, one.ids, one.offsets)
            for words, one in zip(texts, backend.encode_batch(joined_words, add_special_tokens=False), strict=True)
        ]

    def _passage(self, words: list[Word], ids: list[int], offsets: list[tuple[int, int]]) -> Passage:
        """A unit belongs to the word that its characters are of; the space before a word is the word's."""
        count = len(words)
        ends = np.cumsum([len(word.text) + 1 for word in words]) - 1
        left, right = np.array(offsets, dtype=np.int64).reshape(-1, 2).T
        last = count - 1
        word_of = np.maximum.accumulate(np.minimum(np.searchsorted(ends, left, side="right"), last))
        firsts = np.searchsorted(word_of, np.arange(count)).tolist()
        # The space behind a word is the next one's, so a unit goes too far where it covers more than that space.
        reach = np.minimum(np.searchsorted(ends, right - 1), last)
        shared = {
            word
            for unit in np.flatnonzero(reach > word_of).tolist()
            for word in range(int(word_of[unit]), int(reach[unit]) + 1)
        }
        spans = list(zip(firsts, [*firsts[1:], len(ids)], strict=True))
        targets = [
            "its units are also those of the word beside it"
            if number in shared
            else self._target(word.text, tuple(ids[start:end]))
            for number, (word, (start, end)) in enumerate(zip(words, spans, strict=True))
        ]
        targets[0] = FIRST
        return Passage(words, ids, spans, targets)

    def _target(self, word: str, ids: tuple[int, ...]) -> Target | str:
        known = self.known.get((word, ids))
        if known is None:
            known = self.known[word, ids] = self._described(word, ids)
        return known

    def _described(self, word: str, ids: tuple[int, ...]) -> Target | str:
        if word == UNKNOWN:
            return UNKNOWN
        if not ids:
            return "the tokenizer drops all of its characters"
        if self.tokenizer.unk_token_id in ids:
            return "the tokenizer does not know its characters"
        pieces = [self.units.texts[unit] for unit in ids]
        if any(piece is None for piece in pieces):
            return "it holds a special token of the model"
        text = b"".join(piece or b"" for piece in pieces)
        form = plain(self.tokenizer, word)
        if b"".join(text.split()) != form.encode():
            return f"its units spell {text.decode(errors='replace')!r}, not {form!r}"
        if self.units.trailing:
            if not text.endswith(b" "):
                return "its last unit does not end a word"
            text = text[:-1]
        elif not text.startswith(b" "):
            return "its first unit does not begin a word"
        return Target(form, text, ids)
