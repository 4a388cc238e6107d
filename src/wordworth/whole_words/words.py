"""Lines become words, and words the units that a model reads: where each word stands and what a path must spell."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding
from transformers import PreTrainedTokenizerFast

from wordworth.encode.spans import plain
from wordworth.errors import WordworthError
from wordworth.whole_words.parting import SPACE, UNKNOWN, Parting
from wordworth.whole_words.units import Units, opened

LEAST_WORDS = 3
FIRST = "first word, which nothing precedes"
SHORT = f"line of fewer than {LEAST_WORDS} words"
UNOPENED = "its first unit does not begin a word"
SHARED = "its units are also those of the word beside it"

Ints = NDArray[np.int64]


class Target(NamedTuple):
    """A word as the model reads it: plain, so that it travels."""

    form: str
    """Normalised as the tokenizer does, without white space."""
    text: bytes
    """What a path of units must spell: a space and the word, or its parts, each with its space. The first one stands
    there also where none is written, as before a comma."""
    ids: tuple[int, ...]
    """The tokenizer's own units."""


class Line(NamedTuple):
    """A line of the text."""

    document: int
    number: int
    words: list[str]
    glued: list[bool]
    """Whether no white space stands before the word."""
    text: str
    """What is read: what stood apart is one space apart, whatever stood between."""


def numbered(lines: Iterable[str], documents: Iterable[int] | None, parting: Parting) -> Iterator[Line]:
    """The words of each line. Without `documents`, each line is one of its own."""
    numbers = iter(documents) if documents is not None else None
    for line, text in enumerate(lines):
        document = line
        if numbers is not None:
            following = next(numbers, None)
            if following is None:
                raise WordworthError(f"line {line + 1} belongs to no document; give a document for every line")
            document = following
        try:
            found = parting(text)
        except WordworthError as error:
            raise WordworthError(f"line {line + 1}: {error}") from error
        yield Line(document, line, *found)


def joined(lines: Iterable[Line], *, by_document: bool) -> Iterator[list[Line]]:
    """The lines to be read in one go: one, or those of a document."""
    if not by_document:
        yield from ([line] for line in lines)
        return
    for _, of_one in groupby(lines, key=lambda line: line.document):
        yield list(of_one)


@dataclass(eq=False)
class Entries:
    """The distinct words of a text, numbered as they come: each with what it is to the model, or why it is left out.

    A word is looked up by its units, or by the reason. The number of one that is left out is turned below 0 (~number).
    """

    words: list[str] = field(default_factory=list)
    targets: list[Target | str] = field(default_factory=list)
    numbers: dict[tuple[str, bytes | str], int] = field(default_factory=dict)

    def add(self, word: str, by: bytes | str, target: Target | str) -> int:
        """The number of a new one."""
        number = ~len(self.words) if isinstance(target, str) else len(self.words)
        self.words.append(word)
        self.targets.append(target)
        self.numbers[word, by] = number
        return number

    def left_out(self, word: str, reason: str) -> int:
        """The number of a word that is left out where it stands, whatever it is elsewhere."""
        known = self.numbers.get((word, reason))
        return self.add(word, reason, reason) if known is None else known


@dataclass(frozen=True, eq=False)
class Passages:
    """Texts that are each read in one go, as arrays over the words of all of them.

    Words that are left out are read all the same.
    """

    where: NDArray[np.int32]
    """Document, line, place in the line, and whether no space stands before it: 4 × words."""
    entries: Ints
    """The number of each word among the `Entries`."""
    starts: Ints
    """The first unit of each word; its last one stands before the next word's first."""
    ids: NDArray[np.int32]
    words_before: Ints
    """Words before each passage, and all of them."""
    units_before: Ints


def where_of(lines: Sequence[Line]) -> NDArray[np.int32]:
    """Document, line, place in the line and whether it is glued, of all words of some lines."""
    counts = np.array([len(line.words) for line in lines], dtype=np.int32)
    documents, numbers = (np.array([line[side] for line in lines], dtype=np.int32) for side in (0, 1))
    firsts = np.cumsum(counts, dtype=np.int32) - counts
    ats = np.arange(counts.sum(), dtype=np.int32) - np.repeat(firsts, counts)
    return np.stack([np.repeat(documents, counts), np.repeat(numbers, counts), ats, glued_of(lines)])


def glued_of(lines: Sequence[Line]) -> NDArray[np.int32]:
    """1 where no space stands before a word."""
    return np.fromiter(chain.from_iterable(line.glued for line in lines), dtype=np.int32)


@dataclass(eq=False)
class WordTokenizer:
    """Turns words into units. What a word is to the model depends on the word alone, so it is found once a word."""

    tokenizer: PreTrainedTokenizerFast
    units: Units
    entries: Entries = field(default_factory=Entries)

    @cached_property
    def _unknown(self) -> int | None:
        """Asked for once: the library takes its time."""
        unknown: int | None = self.tokenizer.unk_token_id
        return unknown

    def passages(self, texts: Sequence[list[Line]]) -> Passages:
        """Lines are joined by one space."""
        strings = [" ".join([line.text for line in text]) for text in texts]
        for text, string in zip(texts, strings, strict=True):
            try:
                string.encode()
            except UnicodeEncodeError as error:
                where = f"line {text[0].number + 1}"
                raise WordworthError(f"{where} holds half a character (a surrogate); correct the line") from error
        # Not by way of the tokenizer's own call, which makes lists of much that is not needed here.
        backend = self.tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        return self.found(texts, backend.encode_batch(strings, add_special_tokens=False))

    def found(self, texts: Sequence[list[Line]], encoded: Sequence[Encoding]) -> Passages:
        """The words among the units of texts."""
        lines = list(chain.from_iterable(texts))
        words = list(chain.from_iterable(line.words for line in lines))
        words_before = np.cumsum([0, *(sum(len(line.words) for line in text) for text in texts)])
        units = [one.ids for one in encoded]
        units_before = np.cumsum([0, *map(len, units)])
        ids = np.fromiter(chain.from_iterable(units), dtype=np.int32, count=units_before[-1])
        glued = glued_of(lines)
        starts, shared = _spans(words, glued, words_before, units_before, encoded)
        entries = self._entries(words, starts, ids)
        for at in np.flatnonzero((entries >= 0) & self._unopened(glued, starts, ids)).tolist():
            entries[at] = self.entries.left_out(words[at], UNOPENED)
        for at in words_before[:-1].tolist():
            entries[at] = self.entries.left_out(words[at], FIRST)
        for at in shared - set(words_before.tolist()):
            entries[at] = self.entries.left_out(words[at], SHARED)
        return Passages(where_of(lines), entries, starts, ids, words_before, units_before)

    def _unopened(self, glued: NDArray[np.int32], starts: Ints, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which words stand behind a space that their first unit does not have."""
        if self.units.trailing or self.units.unspaced:
            return np.zeros(len(glued), dtype=bool)
        spaced = self.units.begin_flags[SPACE][ids.take(starts, mode="clip")]
        unopened: NDArray[np.bool_] = np.logical_not(spaced | (glued > 0))
        return unopened

    def _entries(self, words: list[str], starts: Ints, ids: NDArray[np.int32]) -> Ints:
        """A word with the same units is the same to the model."""
        units, bounds = ids.tobytes(), (starts * ids.itemsize).tolist()
        keys = list(zip(words, [units[start:end] for start, end in pairwise([*bounds, len(units)])], strict=True))
        known = self.entries.numbers
        found = [known.get(key) for key in keys]
        for at, number in enumerate(found):
            if number is None:
                word, own = keys[at]
                again = known.get((word, own))
                found[at] = again if again is not None else self.entries.add(word, own, self._described(word, own))
        return np.array(found, dtype=np.int64)

    def _described(self, word: str, own: bytes) -> Target | str:
        ids = tuple(memoryview(own).cast("i"))
        if word == UNKNOWN:
            return UNKNOWN
        if not ids:
            return "the tokenizer drops all of its characters"
        if self._unknown in ids:
            return "the tokenizer does not know its characters"
        pieces = [self.units.texts[unit] for unit in ids]
        if None in pieces:
            return "it holds a special token of the model"
        text = b"".join(piece for piece in pieces if piece)
        form = plain(self.tokenizer, word)
        if b"".join(text.split()) != form.encode():
            return f"its units spell {text.decode(errors='replace')!r}, not {form!r}"
        if self.units.trailing:
            if not text.endswith(b" "):
                return "its last unit does not end a word"
            text = text[:-1]
        else:
            text = opened(text)
        return Target(form, text, ids)


def _spans(
    words: Sequence[str],
    glued: NDArray[np.int32],
    words_before: Ints,
    units_before: Ints,
    encoded: Sequence[Encoding],
) -> tuple[Ints, set[int]]:
    """The first unit of each word, and the words that share a unit with another.

    A unit belongs to the word that its characters are of; the space before a word is the word's. Passages stand one
    space apart here.
    """
    ends = np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words)) + 1 - glued) - 1
    begins, last = np.append(0, ends[words_before[1:-1] - 1] + 1), words_before[1:] - 1
    of_units = np.diff(units_before)
    flat = chain.from_iterable(chain.from_iterable(one.offsets for one in encoded))
    offsets = np.fromiter(flat, dtype=np.int64, count=2 * units_before[-1]).reshape(-1, 2)
    left, right = (offsets + np.repeat(begins, of_units)[:, None]).T
    last_of_units = np.repeat(last, of_units)
    # In half characters: a word that is glued to the last begins half a character before its first.
    halves = 2 * ends - np.append(glued[1:], 0)
    word_of = np.maximum.accumulate(np.minimum(np.searchsorted(halves, 2 * left, side="right"), last_of_units))
    # The space behind a word is the next one's, so a unit goes too far where it covers more than that space.
    reach = np.minimum(np.searchsorted(halves, 2 * right - 2), last_of_units)
    shared = {
        word
        for unit in np.flatnonzero(reach > word_of).tolist()
        for word in range(int(word_of[unit]), int(reach[unit]) + 1)
    }
    return np.searchsorted(word_of, np.arange(len(words))), shared
