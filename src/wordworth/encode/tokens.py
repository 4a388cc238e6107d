"""Texts as tokens, in arrays: an object for each word would cost more than a small network takes for it."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding
from transformers import PreTrainedTokenizerFast

Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Tokens:
    """Distinct texts and their words of interest: each text has one or more, in its order."""

    ids: Numbers
    """Those of all texts, one after another."""
    types: Numbers | None
    """Segment numbers, for the models that take them (they change XLNet's numbers)."""
    starts: Numbers
    """Where each text begins in `ids`."""
    lengths: Numbers
    text: Numbers
    """The text of each word."""
    first: Numbers
    """Where each word begins, counted from the start of its text."""
    end: Numbers
    """Where it ends, exclusive."""
    rows: Numbers
    """The context of each word."""

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def words(self) -> Numbers:
        """Return offsets: the words of text i are `words[i]:words[i + 1]`."""
        return np.searchsorted(self.text, np.arange(len(self) + 1))

    @cached_property
    def begins(self) -> Numbers:
        """Return where the first word of each text begins."""
        return _reduce(np.minimum, self.first, self.words)

    @cached_property
    def ends(self) -> Numbers:
        """Return where the last word of each text ends."""
        return _reduce(np.maximum, self.end, self.words)

    def words_of(self, texts: Numbers) -> tuple[Numbers, Numbers]:
        """Return the words of some texts, and the place of each word's text among them."""
        counts = self.words[texts + 1] - self.words[texts]
        return ranges(self.words[texts], counts), np.repeat(np.arange(len(texts)), counts)


def _reduce(function: np.ufunc, values: Numbers, bounds: Numbers) -> Numbers:
    result: Numbers = function.reduceat(values, bounds[:-1]) if len(bounds) > 1 else values[:0]
    return result


def ranges(starts: Numbers, counts: Numbers) -> Numbers:
    """`starts[0]`, `starts[0] + 1`, … so many as `counts[0]`, then those from `starts[1]` on, and so forth."""
    ends = np.cumsum(counts)
    return np.repeat(starts - (ends - counts), counts) + np.arange(ends[-1] if len(ends) else 0)


def pad(values: Numbers, starts: Numbers, lengths: Numbers, filler: int) -> NDArray[np.int64]:
    """Return a row for each run of `lengths[i]` values from `starts[i]` on, padded on the right."""
    width = int(lengths.max(initial=0))
    table = np.full((len(starts), width), filler, dtype=np.int64)
    table[np.arange(width) < lengths[:, None]] = values[ranges(starts, lengths)]
    return table


def as_read(tokenizer: PreTrainedTokenizerFast, words: Sequence[str]) -> tuple[str, ...]:
    """Return each word as the tokenizer reads it: in lower case and without accents where its tokens are the same."""
    forms = list(words)
    for plain in (str.lower, _without_accents):
        places = [at for at, form in enumerate(forms) if plain(form) != form]
        texts = [text for at in places for text in (forms[at], plain(forms[at]))]
        ids = [encoding.ids for encoding in tokenizer.backend_tokenizer.encode_batch(texts)]
        for at, one, other in zip(places, ids[::2], ids[1::2], strict=True):
            if one == other:
                forms[at] = plain(forms[at])
    return tuple(forms)


def _without_accents(word: str) -> str:
    letters = (letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", "".join(letters))


def spell(tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> list[Encoding]:
    """Return the tokens of every text, with special ones as the model expects them."""
    if not texts:
        return []
    # One text goes the library's way, which sets truncation and padding behind it; many would become lists of lists.
    one = tokenizer(texts[0], verbose=False)["input_ids"]
    encodings: list[Encoding] = tokenizer.backend_tokenizer.encode_batch(texts)
    if encodings[0].ids != one:  # a class that does something of its own before
        encodings = tokenizer(texts, verbose=False).encodings
    return encodings
