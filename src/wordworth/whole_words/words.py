"""Lines become words, and words the units that a model reads: where each word stands and what a path must spell."""

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
from wordworth.whole_words.parting import SPACE, UNKNOWN_WORD, Parting
from wordworth.whole_words.units import Units, add_space

MIN_LINE_WORDS = 3
FIRST = "first word, which nothing precedes"
SHORT_LINE = f"line of fewer than {MIN_LINE_WORDS} words"
NO_WORD_BEGINS = "its first unit does not begin a word"
SHARED_UNITS = "its units are also those of the word beside it"

Ints = NDArray[np.int64]
WordPlaces = NDArray[np.void]
WORD_PLACE = [(name, np.int32) for name in ("document", "line", "at", "glued", "entry", "before", "window", "start")]
"""A word of a text: its document, line and place in the line; whether no space is before it; its entry and that of the
word before it; the window that it is predicted in, and the tokens before it there."""


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
    """A line of the text, with the words of `Parted`."""

    document: int
    number: int
    words: list[str]
    glued: list[bool]
    text: str


def read_lines(lines: Iterable[str], documents: Iterable[int] | None, parting: Parting) -> Iterator[Line]:
    """Yield the words of each line. Without `documents`, each line is one of its own."""
    numbers = iter(count() if documents is None else documents)
    for number, text in enumerate(lines):
        document = next(numbers, None)
        if document is None:
            raise WordworthError(f"line {number + 1} belongs to no document; give a document for every line")
        try:
            text.encode()
            yield Line(document, number, *parting(text))
        except UnicodeEncodeError as error:
            raise WordworthError(f"line {number + 1} holds half a character (a surrogate); correct the line") from error
        except WordworthError as error:
            raise WordworthError(f"line {number + 1}: {error}") from error


def group_lines(lines: Iterable[Line], *, by_document: bool) -> Iterator[list[Line]]:
    """Yield the lines to be read in one go: one, or those of a document."""
    for _, group in groupby(lines, key=lambda line: line.document if by_document else line.number):
        yield list(group)


def locate_lines(lines: Sequence[Line]) -> WordPlaces:
    """Return where the words of some lines stand in the text; the other columns are −1."""
    counts = np.array([len(line.words) for line in lines], dtype=np.int64)
    places = np.full(counts.sum(), -1, dtype=WORD_PLACE)
    places["document"] = np.repeat([line.document for line in lines], counts)
    places["line"] = np.repeat([line.number for line in lines], counts)
    places["at"] = ranges(np.zeros_like(counts), counts)
    places["glued"] = np.fromiter(chain.from_iterable(line.glued for line in lines), dtype=np.int32)
    return places


class Passages(NamedTuple):
    """Texts that are each read in one go, as arrays over the words of all of them, skipped ones included."""

    places: WordPlaces
    """`start` is the word's first unit in `ids`; its last one is before the next word's first."""
    ids: NDArray[np.int32]
    words_before: Ints
    """Words before each passage, and all of them."""
    units_before: Ints


class WordTokenizer:
    """Turns words into units. Distinct words are numbered as they come: what one is to the model is found once.

    A word is looked up by its units, or by the reason why it is skipped; the number is then turned below 0 (~number).
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast, units: Units, *, has_first: bool = False) -> None:
        """With `has_first`, the first word of a text is a word like all others, though no space is before it."""
        self.tokenizer, self.units, self.has_first = tokenizer, units, has_first
        self.words: list[str] = []
        self.targets: list[Target | str] = []
        """What each word is to the model, or why it is skipped."""
        self.numbers: dict[tuple[str, bytes | str], int] = {}

    def add(self, word: str, by: bytes | str, target: Target | str) -> int:
        """Return the number of a new word."""
        number = ~len(self.words) if isinstance(target, str) else len(self.words)
        self.words.append(word)
        self.targets.append(target)
        self.numbers[word, by] = number
        return number

    def skip(self, word: str, reason: str) -> int:
        """Return the number of a word that is skipped in one place, whatever it is in others."""
        number = self.numbers.get((word, reason))
        return self.add(word, reason, reason) if number is None else number

    def tokenize(self, texts: Sequence[list[Line]]) -> Passages:
        """Return the units of texts, whose lines are joined by one space."""
        strings = [" ".join([line.text for line in text]) for text in texts]
        # Not by way of the tokenizer's own call, which makes lists of much that is not needed here.
        backend = self.tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        return self.find_words(texts, backend.encode_batch(strings, add_special_tokens=False))

    def find_words(self, texts: Sequence[list[Line]], encoded: Sequence[Encoding]) -> Passages:
        """Return the words among the units of texts."""
        lines = list(chain.from_iterable(texts))
        words = list(chain.from_iterable(line.words for line in lines))
        words_before = np.cumsum([0, *(sum(len(line.words) for line in text) for text in texts)])
        units = [one.ids for one in encoded]
        units_before = np.cumsum([0, *map(len, units)])
        ids = np.fromiter(chain.from_iterable(units), dtype=np.int32, count=units_before[-1])
        places = locate_lines(lines)
        glued = places["glued"]
        starts, shared = _find_spans(glued, [*map(len, words)], words_before, units_before, encoded)
        entries = self._number_words(words, starts, ids)
        is_unopened = (entries >= 0) & self._is_unopened(glued, starts, ids)
        if self.has_first:
            is_unopened[words_before[:-1]] = False
        for at in np.flatnonzero(is_unopened).tolist():
            entries[at] = self.skip(words[at], NO_WORD_BEGINS)
        for at in () if self.has_first else words_before[:-1].tolist():
            entries[at] = self.skip(words[at], FIRST)
        for at in shared - (set() if self.has_first else set(words_before.tolist())):
            entries[at] = self.skip(words[at], SHARED_UNITS)
        places["entry"], places["start"] = entries, starts
        return Passages(places, ids, words_before, units_before)

    def _is_unopened(self, glued: NDArray[np.int32], starts: Ints, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which words are behind a space that their first unit does not have."""
        if self.units.trailing or self.units.unspaced:
            return np.zeros(len(glued), dtype=bool)
        begins = self.units.begin_flags[SPACE][ids.take(starts, mode="clip")]
        return np.asarray(~begins & (glued == 0))

    def _number_words(self, words: list[str], starts: Ints, ids: NDArray[np.int32]) -> Ints:
        """Return the numbers of the words' entries. A word with the same units is the same to the model."""
        units, bounds = ids.tobytes(), (starts * ids.itemsize).tolist()
        keys = list(zip(words, [units[start:end] for start, end in pairwise([*bounds, len(units)])], strict=True))
        unknown: int | None = self.tokenizer.unk_token_id  # asked for once: the library takes its time
        numbers = self.numbers
        for word, own in dict.fromkeys(keys):
            if (word, own) not in numbers:
                self.add(word, own, self._describe(word, own, unknown))
        return np.array([numbers[key] for key in keys], dtype=np.int64)

    def _describe(self, word: str, own: bytes, unknown: int | None) -> Target | str:
        """Return what a word with these units is to the model, or why it is skipped."""
        ids = tuple(memoryview(own).cast("i"))
        if word == UNKNOWN_WORD:
            return UNKNOWN_WORD
        if not ids:
            return "the tokenizer drops all of its characters"
        if unknown in ids:
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
    glued: NDArray[np.int32],
    sizes: Sequence[int],
    words_before: Ints,
    units_before: Ints,
    encoded: Sequence[Encoding],
) -> tuple[Ints, set[int]]:
    """Return the first unit of each word, and the words that share a unit with another.

    A unit belongs to the word that its characters are of; the space before a word is the word's. Passages are one
    space apart here.
    """
    ends = np.cumsum(np.array(sizes, dtype=np.int64) + 1 - glued) - 1
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
    return np.searchsorted(word_of, np.arange(len(glued))), shared
