"""From a sentence to the vectors of its words, over any static embedding: lower case, `<s>` first, unknown ones too."""

import re
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.embedding import Embedding
from wordworth.engine.cache import hash_content, hash_of
from wordworth.errors import WordworthError
from wordworth.transform import Subspace, remove

UNKNOWN = 100
"""Vectors shared by all words that the embedding has not."""
SPREAD = 0.05
"""Standard deviation of those vectors."""

# As the Penn Treebank parts words, which is how GloVe's text was parted: do n't, it 's, well-known, 3.5.
_TOKEN = re.compile(r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\d+(?:[.,:]\d+)+|\w+(?:-\w+)*|[^\w\s]", re.IGNORECASE)


def words_of(sentence: str) -> list[str]:
    """Return the words and punctuation marks of a sentence."""
    return _TOKEN.findall(sentence.replace("’", "'"))


class StaticVectors:
    """An embedding's vectors, `UNKNOWN` ones for words that it lacks, and one for the start of a sentence.

    Those extra vectors are drawn once, are as frozen as the rest, and belong to the network that was trained with them.
    """

    layers = 1

    def __init__(self, embedding: Embedding, extra: NDArray[np.float32]) -> None:
        if extra.shape != (UNKNOWN + 1, embedding.dim):
            raise WordworthError(
                f"{embedding.name} has {embedding.dim} dimensions, and the model was trained on {extra.shape[1]}; "
                "give vectors of that size"
            )
        self.embedding = embedding
        self.extra = extra
        self._start = len(embedding) + UNKNOWN

    @property
    def dim(self) -> int:
        return self.embedding.dim

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        vectors = self.embedding
        held = hash_of(vectors, "vectors", lambda: hash_content(list(vectors.words), np.asarray(vectors.matrix)))
        return "static", held, hash_content(self.extra)

    def _find_row(self, word: str) -> int | None:
        """Return the row of a word: in lower case, else as it is written."""
        index = self.embedding.index
        return index.get(word.lower(), index.get(word))

    def _split(self, sentence: str) -> list[tuple[str, int | None]]:
        """Return tokens and their rows. A word with hyphens that has no vector is read as its parts."""
        tokens: list[tuple[str, int | None]] = []
        for word in words_of(sentence):
            row = self._find_row(word)
            if row is None and "-" in word.strip("-"):
                tokens += [(part, self._find_row(part)) for part in word.split("-")]
            else:
                tokens.append((word, row))
        return tokens

    def ids(self, sentence: str) -> list[int]:
        """Return a number per token."""
        known = len(self.embedding)
        unknown = [
            known + zlib.crc32(word.lower().encode()) % UNKNOWN if row is None else row
            for word, row in self._split(sentence)
        ]
        return [self._start, *unknown]

    def vectors(self, ids: NDArray[np.int64]) -> Tensor:
        """Return (sentences, tokens, dim) for (sentences, tokens)."""
        known = len(self.embedding)
        flat = ids.ravel()
        own = flat < known
        vectors = np.empty((len(flat), self.dim), dtype=np.float32)
        vectors[own] = self.embedding.matrix[flat[own]]
        vectors[~own] = self.extra[flat[~own] - known]
        return torch.from_numpy(vectors).reshape(*ids.shape, self.dim)

    def context_free(self, words: Sequence[str]) -> Embedding:
        """Return vectors that depend on the word only."""
        return self.embedding

    def without(self, subspace: Subspace) -> "StaticVectors":
        """Return the same with a subspace taken out."""
        return self.over(remove(self.embedding, subspace.basis, subspace.name))

    def over(self, embedding: Embedding) -> "StaticVectors":
        """Return the same over another file of word vectors."""
        return StaticVectors(embedding, self.extra)

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """Return words that have no vector of their own, each once, in the order they come."""
        lost = (word for sentence in sentences for word, row in self._split(sentence) if row is None)
        return tuple(dict.fromkeys(lost))


def draw_extra_vectors(dim: int, seed: int) -> NDArray[np.float32]:
    """Draw vectors for unknown words and for the start of a sentence, N(0, `SPREAD`²)."""
    return np.random.default_rng(seed).normal(0, SPREAD, (UNKNOWN + 1, dim)).astype(np.float32)
