"""Where a word stands among the tokens: from the tokenizer's character offsets, checked against its own text.

Offsets alone cannot be trusted (some include the space before the word, some the marker, some shift when the
normaliser changes lengths), so the tokens are spelled out again and must give the word and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from wordworth.contexts import Context
from wordworth.encode.tokens import Numbers, Spelled, Tokens, ranges, spell

METASPACE = "▁"
CONTINUING = "##"
MOST = 1 << 18
"""Spellings that are kept, so that a corpus does not fill the memory."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A context whose word has no vector, and why."""

    row: int
    """Its place in the list of contexts."""
    word: str
    reason: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One distinct text as tokens, and the words of interest in it."""

    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    """Token spans of the words, end exclusive."""
    rows: tuple[int, ...]
    """The contexts that the spans belong to."""


def tokenize(
    tokenizer: PreTrainedTokenizerFast, contexts: Sequence[Context], max_length: int | None
) -> tuple[list[Sentence], list[Failure]]:
    """Every distinct text once as an object of its own; and the words that were not located."""
    tokens, failures = in_tokens(tokenizer, contexts, max_length)
    sentences = []
    for at, (start, length) in enumerate(zip(tokens.starts.tolist(), tokens.lengths.tolist(), strict=True)):
        words = slice(tokens.words[at], tokens.words[at + 1])
        spans = zip(tokens.first[words].tolist(), tokens.end[words].tolist(), strict=True)
        ids = tokens.ids[start : start + length].tolist()
        sentences.append(Sentence(tuple(ids), tuple(spans), tuple(tokens.rows[words].tolist())))
    return sentences, failures


def in_tokens(
    tokenizer: PreTrainedTokenizerFast,
    contexts: Sequence[Context],
    max_length: int | None,
    *,
    with_types: bool = False,
) -> tuple[Tokens, list[Failure]]:
    """Every distinct text once, with special tokens as the model expects them; and the words that were not located."""
    by_text: dict[str, list[int]] = {}
    for row, context in enumerate(contexts):
        by_text.setdefault(context.text, []).append(row)
    none = np.empty(0, dtype=np.intp)
    if not by_text:
        return Tokens(none, none if with_types else None, none, none, none, none, none, none), []
    texts = spell(tokenizer, list(by_text))
    rows = np.fromiter(chain.from_iterable(by_text.values()), dtype=np.intp, count=len(contexts))
    text = np.repeat(np.arange(len(by_text)), [len(members) for members in by_text.values()])
    words = _Words(
        text,
        np.array([contexts[row].start for row in rows.tolist()], dtype=np.intp),
        np.array([contexts[row].end for row in rows.tolist()], dtype=np.intp),
    )
    first, end = _plainly_located(tokenizer, texts, words)
    failures: list[Failure] = []
    admitted = texts.lengths[text] <= max_length if max_length is not None else np.ones(len(text), dtype=np.bool_)
    for at in np.flatnonzero((first < 0) | ~admitted).tolist():
        if admitted[at]:
            found = _located(tokenizer, texts, text[at], words.start[at], words.end[at])
        else:
            length = texts.lengths[text[at]]
            found = f"its text has {length} tokens and the model admits {max_length}; shorten the text"
        if isinstance(found, str):
            failures.append(Failure(int(rows[at]), contexts[rows[at]].word, found))
            first[at] = -1
        else:
            first[at], end[at] = found
    failures.sort(key=lambda failure: failure.row)
    there = np.flatnonzero(first >= 0)
    kept, renumbered = np.unique(text[there], return_inverse=True)
    types = None
    if with_types:
        segments = chain.from_iterable(encoding.type_ids for encoding in texts.encodings)
        types = np.fromiter(segments, dtype=np.intp, count=len(texts.ids))
    starts, lengths = texts.starts[kept], texts.lengths[kept]
    return Tokens(texts.ids, types, starts, lengths, renumbered, first[there], end[there], rows[there]), failures


def token_counts(tokenizer: PreTrainedTokenizerFast, contexts: Sequence[Context]) -> tuple[Numbers, Numbers]:
    """Count the tokens of each context's word (0 where it is not located), and the lone markers directly before it.

    GPT-2 writes " iced" as `Ġ` and `iced`: one token of the word, behind one marker. The model is not run.
    """
    tokens, _ = in_tokens(tokenizer, contexts, None)
    counts, markers = np.zeros((2, len(contexts)), dtype=np.intp)
    counts[tokens.rows] = tokens.end - tokens.first
    before = (tokens.starts[tokens.text] + tokens.first - 1)[tokens.first > 0]
    blank = {number for number in set(tokens.ids[before].tolist()) if not spelled(tokenizer, [number])}
    markers[tokens.rows[tokens.first > 0]] = [number in blank for number in tokens.ids[before].tolist()]
    return counts, markers


@dataclass(frozen=True, eq=False)
class _Words:
    """Letters of texts."""

    text: Numbers
    start: Numbers
    end: Numbers


def _plainly_located(tokenizer: PreTrainedTokenizerFast, texts: Spelled, words: _Words) -> tuple[Numbers, Numbers]:
    """What `locate` gives, for all words at once; −1 for those that need a closer look.

    Their tokens are not one run, or begin with a marker, or hold an unknown token, or spell something else.
    """
    counts = texts.lengths[words.text]
    word = np.repeat(np.arange(len(counts)), counts)
    token = ranges(texts.starts[words.text], counts)
    left, right = texts.offsets[token].T
    touching = np.flatnonzero((left < words.end[word]) & (right > words.start[word]) & ~texts.special[token])
    bounds = np.searchsorted(word[touching], np.arange(len(counts) + 1))
    touched = np.flatnonzero(bounds[1:] > bounds[:-1])
    first, end = np.full((2, len(counts)), -1, dtype=np.intp)
    if not len(touched):
        return first, end
    one, last = token[touching[bounds[touched]]], token[touching[bounds[touched + 1] - 1]]
    token_of_unknown = -1 if tokenizer.unk_token_id is None else tokenizer.unk_token_id
    unknown = np.concatenate([[0], np.cumsum(texts.ids == token_of_unknown)])
    furthest = np.maximum.reduceat(right[touching], bounds[touched])
    leftmost = np.minimum.reduceat(left[touching], bounds[touched])
    plainly = last - one + 1 == bounds[touched + 1] - bounds[touched]
    plainly &= (unknown[last + 1] == unknown[one]) & (furthest <= words.end[touched])
    candidates, one, end_of = touched[plainly], one[plainly], last[plainly] + 1
    ids = texts.ids.tolist()
    pieces = [tuple(ids[start:stop]) for start, stop in zip(one.tolist(), end_of.tolist(), strict=True)]
    speller = _spellers.setdefault(tokenizer, _Speller(tokenizer))
    fits = speller.fit(pieces, texts, words, candidates.tolist(), leftmost[plainly].tolist())
    found = candidates[fits]
    first[found] = one[fits] - texts.starts[words.text[found]]
    end[found] = end_of[fits] - texts.starts[words.text[found]]
    return first, end


class _Speller:
    """What runs of tokens spell, and words after the normaliser, kept from one list of texts to the next."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self.backend = tokenizer.backend_tokenizer
        self.spellings: dict[tuple[int, ...], str] = {}
        self.words: dict[str, str] = {}

    def fit(
        self,
        pieces: Sequence[tuple[int, ...]],
        texts: Spelled,
        words: _Words,
        candidates: Sequence[int],
        leftmost: Sequence[int],
    ) -> NDArray[np.bool_]:
        """Whether the pieces spell the words, beginning with the first, and cover no more than a space before."""
        self._learn(pieces)
        spellings, plains = self.spellings, self.words
        fits = np.zeros(len(pieces), dtype=np.bool_)
        starts, ends, text_of = (values.tolist() for values in (words.start, words.end, words.text))
        for number, (run, at, left) in enumerate(zip(pieces, candidates, leftmost, strict=True)):
            text, start = texts.texts[text_of[at]], starts[at]
            word = text[start : ends[at]]
            normal = plains.get(word)
            if normal is None:
                normal = plains[word] = _plain(self.backend, word)
            if spellings[run] == normal and spellings[run[:1]] and (left >= start or not text[left:start].strip()):
                fits[number] = True
        return fits

    def _learn(self, pieces: Sequence[tuple[int, ...]]) -> None:
        if max(len(self.spellings), len(self.words)) > MOST:
            self.spellings.clear()
            self.words.clear()
        new = list({run for run in (*pieces, *(run[:1] for run in pieces)) if run not in self.spellings})
        decoded = self.backend.decode_batch(new, skip_special_tokens=False) if new else []
        for run, text in zip(new, decoded, strict=True):
            self.spellings[run] = _plain(self.backend, text.removeprefix(CONTINUING))


_spellers: WeakKeyDictionary[PreTrainedTokenizerFast, _Speller] = WeakKeyDictionary()


def _located(
    tokenizer: PreTrainedTokenizerFast, texts: Spelled, text: int, start: int, end: int
) -> tuple[int, int] | str:
    encoding = texts.encodings[text]
    parts = encoding.ids, encoding.offsets, encoding.special_tokens_mask
    return locate(tokenizer, texts.texts[text], start, end, *parts)


def locate(
    tokenizer: PreTrainedTokenizerFast,
    text: str,
    start: int,
    end: int,
    ids: Sequence[int],
    offsets: Sequence[tuple[int, int]],
    special: Sequence[int],
) -> tuple[int, int] | str:
    """The token span of `text[start:end]`, or the reason why there is none.

    A token that is only a word marker (a lone `▁` or `Ġ`) holds nothing of the word and is not counted to it.
    """
    touching = [
        at
        for at, ((left, right), added) in enumerate(zip(offsets, special, strict=True))
        if not added and left < end and right > start
    ]
    while touching and not spelled(tokenizer, [ids[touching[0]]]):
        touching.pop(0)
    if not touching:
        return "the tokenizer drops all of its characters"
    first, last = touching[0], touching[-1]
    if any(special[first : last + 1]):
        return "special tokens stand inside it"
    pieces = list(ids[first : last + 1])
    if tokenizer.unk_token_id in pieces and tokenizer.unk_token not in text[start:end]:
        return "the tokenizer does not know its characters"
    left = min(offsets[at][0] for at in touching)
    right = max(offsets[at][1] for at in touching)
    around = text[left:start].strip() + text[end : max(end, right)]
    if around:
        return f"its tokens also cover {around!r} beside it"
    spelling, word = spelled(tokenizer, pieces), plain(tokenizer, text[start:end])
    if spelling != word:
        return f"its tokens spell {spelling!r}, not {word!r}"
    return first, last + 1


def spelled(tokenizer: PreTrainedTokenizerFast, ids: list[int]) -> str:
    """The text of tokens, without markers and spaces, after the tokenizer's normaliser."""
    text: str = tokenizer.backend_tokenizer.decode(ids, skip_special_tokens=False)
    return plain(tokenizer, text.removeprefix(CONTINUING))


def plain(tokenizer: PreTrainedTokenizerFast, text: str) -> str:
    """A text after the tokenizer's normaliser, without markers and spaces."""
    return _plain(tokenizer.backend_tokenizer, text)


def _plain(backend: Tokenizer, text: str) -> str:
    normalizer = backend.normalizer
    if normalizer is not None:
        text = normalizer.normalize_str(text)
    return "".join(text.replace(METASPACE, " ").split())
