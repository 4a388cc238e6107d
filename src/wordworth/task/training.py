"""Vectors trained on a text with gensim, in one thread, so that the seed decides."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Embedding, Provenance
from wordworth.errors import require

WORD = re.compile(r"\w+(?:['’-]\w+)*")


def split_lower(line: str) -> list[str]:
    """Return the words of a line in lower case."""
    return WORD.findall(line.lower())


@dataclass(frozen=True, eq=False)
class Sentences:
    """The lines of a text, or some of them, as words; can be gone through again, as training does."""

    lines: Iterable[str]
    split: Callable[[str], Sequence[str]] = split_lower
    mask: NDArray[np.bool_] | None = None

    def __iter__(self) -> Iterator[list[str]]:
        lines = self.lines if self.mask is None else compress(self.lines, self.mask)
        return (list(self.split(line)) for line in lines)


def choose_lines(total: int, share: float, seed: int) -> NDArray[np.bool_]:
    """Return a mask of `share` percent of `total` lines, drawn without replacement."""
    mask = np.zeros(total, dtype=np.bool_)
    rng = np.random.default_rng([seed, round(share * 1e6)])
    mask[rng.choice(total, round(total * share / 100), replace=False, shuffle=False)] = True
    return mask


def train_vectors(
    model: Literal["Word2Vec", "FastText"], sentences: Sentences, provenance: Provenance, **options: Any
) -> Embedding | None:
    """Train vectors with gensim, in one thread, so that the seed decides; None where no word occurs often enough."""
    require("vectors trained on a text")
    from gensim import models

    network = getattr(models, model)(workers=1, **options)
    network.build_vocab(sentences)
    words = list(network.wv.index_to_key)
    if not words:
        return None
    network.train(sentences, total_examples=network.corpus_count, epochs=network.epochs)
    return Embedding(words, np.asarray(network.wv.vectors, dtype=np.float32), provenance)


def train_fasttext(
    sentences: Sentences, name: str, *, dim: int = 300, epochs: int = 10, min_count: int = 5, seed: int = 0
) -> Embedding | None:
    """Train vectors as subs2vec does: skip-gram, window 5, 10 negatives, subsampling 1e-4, n-grams of 3 to 6."""
    steps = (f"fastText skip-gram, {dim} dimensions, {epochs} epochs, min_count {min_count}, seed {seed}",)
    paper = {"sg": 1, "window": 5, "negative": 10, "sample": 1e-4, "min_n": 3, "max_n": 6}
    options = {"vector_size": dim, "epochs": epochs, "min_count": min_count, "seed": seed, **paper}
    return train_vectors("FastText", sentences, Provenance(name, steps=steps), **options)
