"""Turn sentences into word vectors for an NLI model: from a static embedding, or by ELMo.

A static embedding is read in lower case, with `<s>` first, and one of a hundred vectors for an unknown word. ELMo gives
three layers per token; a projection may apply to layer 1 or to all layers. `average_occurrences` returns vectors that
do not depend on a context: the mean of each word and layer over a text (Dev et al. 2020, over WikiSplit), whose
sentences are split by `words_of` like those of a probe.
"""

import hashlib
import heapq
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.contexts.sentences import LONGEST, split_sentences
from wordworth.embedding import Embedding
from wordworth.embedding.core import Provenance
from wordworth.engine.cache import hash_content, hash_of
from wordworth.errors import WordworthError
from wordworth.nli.elmo import Elmo
from wordworth.progress import progress
from wordworth.transform import Subspace, remove

UNKNOWN_VECTORS = 100
"""Vectors shared by all words that the embedding lacks."""
SPREAD = 0.05
"""Standard deviation of those vectors."""

# Tokens of the Penn Treebank, as in GloVe's text: do n't, it 's, well-known, 3.5.
_TOKEN = re.compile(r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\d+(?:[.,:]\d+)+|\w+(?:-\w+)*|[^\w\s]", re.IGNORECASE)


def words_of(sentence: str) -> list[str]:
    """Return the words and punctuation marks of a sentence."""
    return _TOKEN.findall(sentence.replace("’", "'"))


class StaticVectors:
    """The vectors of an embedding, `UNKNOWN_VECTORS` for words that it lacks, and one for the start of a sentence.

    The extra vectors are drawn once, are not trained, and belong to the network that was trained with them.
    """

    layers = 1

    def __init__(self, embedding: Embedding, extra: NDArray[np.float32]) -> None:
        if extra.shape != (UNKNOWN_VECTORS + 1, embedding.dim):
            raise WordworthError(
                f"{embedding.name} has {embedding.dim} dimensions, but the model was trained on {extra.shape[1]}; "
                "give vectors of that size"
            )
        self.embedding = embedding
        self.extra = extra
        self._start = len(embedding) + UNKNOWN_VECTORS
        self._numbers: dict[str, list[int]] = {}

    @property
    def dim(self) -> int:
        return self.embedding.dim

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        vectors = self.embedding
        digest = hash_of(vectors, "vectors", lambda: hash_content(list(vectors.words), np.asarray(vectors.matrix)))
        return "static", digest, hash_content(self.extra)

    def _find_row(self, word: str) -> int | None:
        """Return the row of a word in lower case, else as written."""
        index = self.embedding.index
        return index.get(word.lower(), index.get(word))

    def _split(self, word: str) -> list[tuple[str, int | None]]:
        """Return a word and its row. A word with hyphens and no vector is read as its parts."""
        row = self._find_row(word)
        if row is None and "-" in word.strip("-"):
            return [(part, self._find_row(part)) for part in word.split("-")]
        return [(word, row)]

    def ids(self, sentence: str) -> list[int]:
        """Return an id per token."""
        numbers = [self._start]
        for word in words_of(sentence):
            if word not in self._numbers:
                self._numbers[word] = [self._number(part, row) for part, row in self._split(word)]
            numbers += self._numbers[word]
        return numbers

    def _number(self, word: str, row: int | None) -> int:
        return len(self.embedding) + zlib.crc32(word.lower().encode()) % UNKNOWN_VECTORS if row is None else row

    def vectors(self, ids: NDArray[np.int64]) -> Tensor:
        """Return vectors (sentences, tokens, dim) of ids (sentences, tokens)."""
        vocabulary_size = len(self.embedding)
        flat_ids = ids.ravel()
        is_known = flat_ids < vocabulary_size
        vectors = np.empty((len(flat_ids), self.dim), dtype=np.float32)
        vectors[is_known] = self.embedding.matrix[flat_ids[is_known]]
        vectors[~is_known] = self.extra[flat_ids[~is_known] - vocabulary_size]
        return torch.from_numpy(vectors).reshape(*ids.shape, self.dim)

    def context_free(self, words: Sequence[str]) -> Embedding:
        """Return vectors that depend on the word only."""
        return self.embedding

    def without(self, subspace: Subspace) -> "StaticVectors":
        """Return the same without a subspace."""
        return self.over(remove(self.embedding, subspace.basis, subspace.name))

    def over(self, embedding: Embedding) -> "StaticVectors":
        """Return the same over another file of word vectors."""
        return StaticVectors(embedding, self.extra)

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """Return the distinct words without a vector, in order."""
        parts = (part for sentence in sentences for word in words_of(sentence) for part in self._split(word))
        missing_words = (word for word, row in parts if row is None)
        return tuple(dict.fromkeys(missing_words))


def draw_extra_vectors(dim: int, seed: int) -> NDArray[np.float32]:
    """Draw vectors for unknown words and for the start of a sentence, N(0, `SPREAD`²)."""
    return np.random.default_rng(seed).normal(0, SPREAD, (UNKNOWN_VECTORS + 1, dim)).astype(np.float32)


BATCH_SENTENCES = 32
"""Sentences of one length that ELMo reads at a time."""


@dataclass
class _Lexicon:
    """Words read so far, and their layer 1, which does not depend on the context."""

    index: dict[str, int] = field(default_factory=dict)
    rows: list[Tensor] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True)
class ElmoVectors:
    """Vectors of sentences by ELMo: words as written, in all three layers."""

    elmo: Elmo
    name: str = "elmo"
    removed: tuple[Mapping[int, Tensor], ...] = ()
    """Layer → the basis to remove from it, change by change. 0 is layer 1 before the LSTMs read it; from other layers
    the basis is removed after all are computed."""
    steps: tuple[str, ...] = ()
    """Descriptions of the changes, with a hash of their values."""
    _lexicon: _Lexicon = field(default_factory=_Lexicon)

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        return ("elmo", hash_of(self.elmo, "weights", lambda: hash_content(self.elmo)), *self.steps)

    @property
    def dim(self) -> int:
        return self.elmo.dim

    @property
    def layers(self) -> int:
        return self.elmo.layers

    @property
    def embedding(self) -> None:
        """Return None: contextual vectors are in no file."""

    def ids(self, sentence: str) -> list[int]:
        """Return an id per word."""
        index = self._lexicon.index
        return [index.setdefault(word, len(index)) for word in words_of(sentence)]

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """Return nothing, since characters spell every word."""
        return ()

    def vectors(self, ids: NDArray[np.int64]) -> Tensor:
        """Return vectors (sentences, tokens, layers, dim) of ids (sentences, tokens)."""
        with torch.inference_mode():
            words, marks = self._layer_one(int(ids.max(initial=-1)) + 1)[ids], self.elmo.words(self.elmo.marks())
            begin, end = (mark.expand(len(ids), 1, -1) for mark in marks)
            x = torch.cat([begin, words, end], dim=1)
            layers = self.elmo.sentences(self._project(x, 0)).unbind(dim=2)
            layers_without = [self._project(layer, number) for number, layer in enumerate(layers, start=1)]
        return torch.stack(layers_without, dim=2)  # an ordinary tensor, so that training can use it

    def _project(self, x: Tensor, layer: int) -> Tensor:
        for bases in self.removed:
            if layer in bases:
                x = x - (x @ bases[layer].T) @ bases[layer]
        return x

    def _layer_one(self, count: int) -> Tensor:
        """Return layer 1 (words, dim / 2) of the first `count` words."""
        lexicon = self._lexicon
        with lexicon.lock:
            word_count = sum(map(len, lexicon.rows))
            if word_count < count:
                new_words = list(lexicon.index)[word_count:count]
                lexicon.rows.append(self.elmo.words(self.elmo.codes(new_words)))
            if len(lexicon.rows) > 1:
                lexicon.rows[:] = [torch.cat(lexicon.rows)]
            return lexicon.rows[0] if lexicon.rows else torch.empty(0, self.dim // 2)

    def without(self, subspace: Subspace) -> "ElmoVectors":
        """Return the same with a subspace removed from layer 1 before the LSTMs read it, which changes all layers."""
        return self._remove({0: subspace}, _step(subspace))

    def without_in(self, subspaces: Mapping[int, Subspace]) -> "ElmoVectors":
        """Return the same with a subspace removed from each of these layers (from 1) after all are computed."""
        steps = (f"layer {layer}, {_step(subspace)}" for layer, subspace in sorted(subspaces.items()))
        return self._remove(subspaces, "; ".join(steps))

    def _remove(self, subspaces: Mapping[int, Subspace], step: str) -> "ElmoVectors":
        bases = {layer: torch.from_numpy(subspace.basis).float() for layer, subspace in subspaces.items()}
        return replace(self, removed=(*self.removed, bases), steps=(*self.steps, step))

    def over(self, embedding: Embedding) -> "ElmoVectors":
        """Raise, since no file of word vectors can replace ELMo."""
        raise WordworthError(f"{self.name} is ELMo, not a file of word vectors, so {embedding.name} cannot replace it")

    def context_free(self, words: Sequence[str]) -> Embedding:
        """Return layer 1 of words, as the LSTMs read it, to learn directions from."""
        with torch.inference_mode():
            matrix = self._project(self.elmo.words(self.elmo.codes(list(words))), 0).numpy()
        provenance = Provenance(name=f"{self.name} layer 1", sha256=self.elmo.sha256)
        return Embedding(list(words), matrix, provenance)


Embedder = StaticVectors | ElmoVectors
"""An object that turns sentences into vectors of their tokens."""


def _step(subspace: Subspace) -> str:
    return f"projected out: {subspace.name} {hash_content(subspace.basis)[:12]}"


@dataclass(frozen=True)
class SentenceSample:
    """Sentences of a text with some words."""

    words: dict[str, frozenset[str]]
    """Sentence → the words that it was drawn for."""
    too_long: int
    """The number of sentences with such a word that were skipped for their length."""


def draw_occurrences(lines: Iterable[str], words: Sequence[str], per_word: int, seed: int = 0) -> SentenceSample:
    """Draw for each word up to `per_word` different sentences of at most `LONGEST` tokens with it.

    A sentence gets a number from the seed and its text; those with the smallest numbers are drawn.
    """
    heaps: dict[str, list[tuple[int, str]]] = {word: [] for word in words}
    too_long = 0
    for line in lines:
        for sentence in split_sentences(line):
            tokens = words_of(sentence)
            sentence_words = heaps.keys() & set(tokens)
            if sentence_words and len(tokens) > LONGEST:
                too_long += 1
                continue
            for word in sentence_words:
                digest = hashlib.blake2b(f"{seed}:{sentence}".encode("utf-8", "replace"), digest_size=8).digest()
                entry, heap = (-int.from_bytes(digest, "little"), sentence), heaps[word]
                if (len(heap) == per_word and entry <= heap[0]) or entry in heap:
                    continue
                (heapq.heapreplace if len(heap) == per_word else heapq.heappush)(heap, entry)
    drawn_for: dict[str, set[str]] = {}
    for word, heap in heaps.items():
        for _, sentence in heap:
            drawn_for.setdefault(sentence, set()).add(word)
    return SentenceSample({sentence: frozenset(drawn_for[sentence]) for sentence in sorted(drawn_for)}, too_long)


def average_occurrences(
    vectors: ElmoVectors, words: Sequence[str], sample: SentenceSample, text: str
) -> tuple[Embedding, ...]:
    """Return an embedding per layer: the mean vector of each word over its occurrences; words without any are left out.

    `text` names the source of the sentences in the provenance.
    """
    rows = {word: row for row, word in enumerate(dict.fromkeys(words))}
    sums = np.zeros((vectors.layers, len(rows), vectors.dim))
    counts = np.zeros(len(rows), dtype=np.int64)
    by_length: dict[int, list[str]] = {}
    for sentence in sample.words:
        by_length.setdefault(len(words_of(sentence)), []).append(sentence)
    with progress(f"Averaging {vectors.name} over {text}", len(sample.words)) as advance:
        for sentences in by_length.values():
            for start in range(0, len(sentences), BATCH_SENTENCES):
                batch = sentences[start : start + BATCH_SENTENCES]
                ids = np.array([vectors.ids(sentence) for sentence in batch], dtype=np.int64)
                for sentence, vectors_of_sentence in zip(batch, vectors.vectors(ids).numpy(), strict=True):
                    for position, word in enumerate(words_of(sentence)):
                        if word in sample.words[sentence]:
                            sums[:, rows[word]] += vectors_of_sentence[position]
                            counts[rows[word]] += 1
                advance(len(batch))
    if not counts.any():
        raise WordworthError(f"{text} has none of the words {', '.join(list(rows)[:8])}; give another with --corpus")
    rows_with_occurrences = np.flatnonzero(counts)
    forms = [word for word, row in rows.items() if counts[row]]
    step = f"mean over {int(counts.sum()):,} occurrences in {len(sample.words):,} sentences of {text}"
    embeddings = []
    for layer in range(vectors.layers):
        means = (sums[layer, rows_with_occurrences] / counts[rows_with_occurrences, None]).astype(np.float32)
        provenance = Provenance(f"{vectors.name} layer {layer + 1}", sha256=vectors.elmo.sha256, steps=(step,))
        embeddings.append(Embedding(forms, means, provenance))
    return tuple(embeddings)
