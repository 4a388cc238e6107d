"""Split lines into words, and words into the units that a model reads."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding
from transformers import PreTrainedTokenizerFast

from wordworth.encode.spans import plain
from wordworth.encode.tokens import ranges
from wordworth.errors import WordworthError
from wordworth.whole_words.splitting import SPACE, UNKNOWN_WORD, WordSplitter
from wordworth.whole_words.units import Units, add_space

MIN_LINE_WORDS = 3
FIRST = "first word, which nothing precedes"
SHORT_LINE = f"line of fewer than {MIN_LINE_WORDS} words"
NO_WORD_BEGINS = "its first unit does not begin a word"
SHARED_UNITS = "it shares units with the word next to it"

Ints = NDArray[np.int64]
WordPlaces = NDArray[np.void]
WORD_PLACE = [(name, np.int32) for name in ("document", "line", "at", "glued", "entry", "before", "window", "start")]
"""The columns of a word: its document, line and position in the line; whether it follows without a space; its entry and
that of the word before; the window that predicts it, and the tokens before it there."""


class Target(NamedTuple):
    """A word as the model reads it."""

    form: str
    """The word normalised as the tokenizer does, without white space."""
    text: bytes
    """The text that a path of units must spell: a space and the word, or a space before each of its parts. The first
    space is there even if none is written, as before a comma."""
    ids: tuple[int, ...]
    """The tokenizer's own units."""


class Line(NamedTuple):
    """A line of the text, with its `LineWords`."""

    document: int
    number: int
    words: list[str]
    is_glued: list[bool]
    text: str


def read_lines(lines: Iterable[str], documents: Iterable[int] | None, splitter: WordSplitter) -> Iterator[Line]:
    """Yield the words of each line. Without `documents`, each line is a document."""
    numbers = iter(count() if documents is None else documents)
    for number, text in enumerate(lines):
        document = next(numbers, None)
        if document is None:
            raise WordworthError(f"line {number + 1} has no document; give the document number of every line")
        try:
            text.encode()
            yield Line(document, number, *splitter(text))
        except UnicodeEncodeError as error:
            raise WordworthError(f"line {number + 1} contains half a character (a surrogate); correct it") from error
        except WordworthError as error:
            raise WordworthError(f"line {number + 1}: {error}") from error


def group_lines(lines: Iterable[Line], *, by_document: bool) -> Iterator[list[Line]]:
    """Yield the lines to read together: one, or those of a document."""
    for _, group in groupby(lines, key=lambda line: line.document if by_document else line.number):
        yield list(group)


def locate_lines(lines: Sequence[Line]) -> WordPlaces:
    """Return the places of the words of some lines in the text; the other columns are −1."""
    counts = np.array([len(line.words) for line in lines], dtype=np.int64)
    places = np.full(counts.sum(), -1, dtype=WORD_PLACE)
    places["document"] = np.repeat([line.document for line in lines], counts)
    places["line"] = np.repeat([line.number for line in lines], counts)
    places["at"] = ranges(np.zeros_like(counts), counts)
    places["glued"] = np.fromiter(chain.from_iterable(line.is_glued for line in lines), dtype=np.int32)
    return places


class Passages(NamedTuple):
    """Texts that are each read at once, as arrays over all their words, including skipped ones."""

    places: WordPlaces
    """`start` is the index of the word's first unit in `ids`; the word ends where the next one begins."""
    ids: NDArray[np.int32]
    words_before: Ints
    """The number of words before each passage, and of all words."""
    units_before: Ints


class WordTokenizer:
    """Turns words into units. Distinct words are numbered in order, and each is examined once.

    A word is looked up by its units, or by the reason why it is skipped; then its number is negative (~number).
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, units: Units, *, has_first: bool = False) -> None:
        """Store the options. With `has_first`, the first word of a text counts, although no space precedes it."""
        self.tokenizer, self.units, self.has_first = tokenizer, units, has_first
        self.words: list[str] = []
        self.targets: list[Target | str] = []
        """The target of each word, or why it is skipped."""
        self.numbers: dict[tuple[str, bytes | str], int] = {}

    def add(self, word: str, by: bytes | str, target: Target | str) -> int:
        """Return the number of a new word."""
        number = ~len(self.words) if isinstance(target, str) else len(self.words)
        self.words.append(word)
        self.targets.append(target)
        self.numbers[word, by] = number
        return number

    def skip(self, word: str, reason: str) -> int:
        """Return the number of a word that is skipped here, even if it is predicted elsewhere."""
        number = self.numbers.get((word, reason))
        return self.add(word, reason, reason) if number is None else number

    def tokenize(self, texts: Sequence[list[Line]]) -> Passages:
        """Return the units of texts, whose lines are joined by one space."""
        strings = [" ".join([line.text for line in text]) for text in texts]
        # Call the backend: the tokenizer's own call makes many lists that are not needed here.
        backend = self.tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        return self.find_words(texts, backend.encode_batch(strings, add_special_tokens=False))

    def find_words(self, texts: Sequence[list[Line]], encodings: Sequence[Encoding]) -> Passages:
        """Return the words among the units of texts."""
        lines = list(chain.from_iterable(texts))
        words = list(chain.from_iterable(line.words for line in lines))
        words_before = np.cumsum([0, *(sum(len(line.words) for line in text) for text in texts)])
        units = [encoding.ids for encoding in encodings]
        units_before = np.cumsum([0, *map(len, units)])
        ids = np.fromiter(chain.from_iterable(units), dtype=np.int32, count=units_before[-1])
        places = locate_lines(lines)
        is_glued = places["glued"]
        starts, shared_words = _find_spans(is_glued, [*map(len, words)], words_before, units_before, encodings)
        entries = self._number_words(words, starts, ids)
        is_unopened = (entries >= 0) & self._is_unopened(is_glued, starts, ids)
        if self.has_first:
            is_unopened[words_before[:-1]] = False
        for index in np.flatnonzero(is_unopened).tolist():
            entries[index] = self.skip(words[index], NO_WORD_BEGINS)
        for index in () if self.has_first else words_before[:-1].tolist():
            entries[index] = self.skip(words[index], FIRST)
        for index in shared_words - (set() if self.has_first else set(words_before.tolist())):
            entries[index] = self.skip(words[index], SHARED_UNITS)
        places["entry"], places["start"] = entries, starts
        return Passages(places, ids, words_before, units_before)

    def _is_unopened(self, is_glued: NDArray[np.int32], starts: Ints, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return whether each word follows a space that its first unit lacks."""
        if self.units.trailing or self.units.unspaced:
            return np.zeros(len(is_glued), dtype=bool)
        begins = self.units.begin_flags[SPACE][ids.take(starts, mode="clip")]
        return np.asarray(~begins & (is_glued == 0))

    def _number_words(self, words: list[str], starts: Ints, ids: NDArray[np.int32]) -> Ints:
        """Return the numbers of the words' entries; equal words with equal units share one."""
        units, bounds = ids.tobytes(), (starts * ids.itemsize).tolist()
        keys = list(zip(words, [units[start:end] for start, end in pairwise([*bounds, len(units)])], strict=True))
        unknown_id: int | None = self.tokenizer.unk_token_id  # slow in the library, so read once
        numbers = self.numbers
        for word, units_of_word in dict.fromkeys(keys):
            if (word, units_of_word) not in numbers:
                self.add(word, units_of_word, self._describe(word, units_of_word, unknown_id))
        return np.array([numbers[key] for key in keys], dtype=np.int64)

    def _describe(self, word: str, units: bytes, unknown_id: int | None) -> Target | str:
        """Return the target of a word with these units, or why it is skipped."""
        ids = tuple(memoryview(units).cast("i"))
        if word == UNKNOWN_WORD:
            return UNKNOWN_WORD
        if not ids:
            return "the tokenizer drops all of its characters"
        if unknown_id in ids:
            return "the tokenizer does not know its characters"
        pieces = [self.units.texts[unit] for unit in ids]
        if None in pieces:
            return "it holds a special token of the model"
        text = b"".join(piece for piece in pieces if piece)
        form = plain(self.tokenizer, word)
        if b"".join(text.split()) != form.encode():
            return f"its units spell {text.decode(errors='replace')!r}, not {form!r}"
        if not self.units.trailing:
            return Target(form, add_space(text), ids)
        return Target(form, text[:-1], ids) if text.endswith(b" ") else "its last unit does not end a word"


def _find_spans(
    is_glued: NDArray[np.int32],
    sizes: Sequence[int],
    words_before: Ints,
    units_before: Ints,
    encodings: Sequence[Encoding],
) -> tuple[Ints, set[int]]:
    """Return the first unit of each word, and the words that share a unit with another.

    A unit belongs to the word of its characters; the space before a word belongs to the word. Passages are separated by
    one space here.
    """
    ends = np.cumsum(np.array(sizes, dtype=np.int64) + 1 - is_glued) - 1
    begins, last = np.append(0, ends[words_before[1:-1] - 1] + 1), words_before[1:] - 1
    of_units = np.diff(units_before)
    flat_offsets = chain.from_iterable(chain.from_iterable(encoding.offsets for encoding in encodings))
    offsets = np.fromiter(flat_offsets, dtype=np.int64, count=2 * units_before[-1]).reshape(-1, 2)
    unit_starts, unit_ends = (offsets + np.repeat(begins, of_units)[:, None]).T
    last_of_units = np.repeat(last, of_units)
    # In half characters: a word without a space before it begins half a character before its first.
    halves = 2 * ends - np.append(is_glued[1:], 0)
    word_of = np.maximum.accumulate(np.minimum(np.searchsorted(halves, 2 * unit_starts, side="right"), last_of_units))
    # The space after a word belongs to the next one, so a unit reaches too far if it covers more than that space.
    reach = np.minimum(np.searchsorted(halves, 2 * unit_ends - 2), last_of_units)
    shared_words: set[int] = set()
    for unit in np.flatnonzero(reach > word_of).tolist():
        shared_words.update(range(int(word_of[unit]), int(reach[unit]) + 1))
    return np.searchsorted(word_of, np.arange(len(is_glued))), shared_words
