"""Vectors that depend on their context, averaged over a text: one a word and layer (Dev et al. 2020, over WikiSplit).

The text's sentences are read as an NLI model reads its own: words as written, parted by `words_of`. All occurrences of
a word in the sentences drawn for it count alike.
"""

import hashlib
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.contexts.sentences import LONGEST, split_sentences
from wordworth.embedding import Embedding
from wordworth.embedding.core import Provenance
from wordworth.errors import WordworthError
from wordworth.infer.model.contextual import ElmoVectors
from wordworth.infer.model.vocabulary import words_of
from wordworth.progress import progress

BATCH = 32
"""Sentences of one length that go through ELMo at a time."""


@dataclass(frozen=True)
class DrawnSentences:
    """Sentences of a text that hold some words."""

    words: dict[str, frozenset[str]]
    """Sentence → the words that it was drawn for."""
    too_long: int
    """Sentences with such a word that were left out for their length."""


def draw_occurrences(lines: Iterable[str], words: Sequence[str], per_word: int, seed: int = 0) -> DrawnSentences:
    """For each word up to `per_word` of the different sentences of at most `LONGEST` tokens that hold it, at random.

    A sentence has a number by the seed and its text, and those with the smallest are drawn.
    """
    heaps: dict[str, list[tuple[int, str]]] = {word: [] for word in words}
    too_long = 0
    for line in lines:
        for sentence in split_sentences(line):
            tokens = words_of(sentence)
            held = heaps.keys() & set(tokens)
            if held and len(tokens) > LONGEST:
                too_long += 1
                continue
            for word in held:
                digest = hashlib.blake2b(f"{seed}:{sentence}".encode("utf-8", "replace"), digest_size=8).digest()
                entry, heap = (-int.from_bytes(digest, "little"), sentence), heaps[word]
                if (len(heap) == per_word and entry <= heap[0]) or entry in heap:
                    continue
                (heapq.heapreplace if len(heap) == per_word else heapq.heappush)(heap, entry)
    drawn: dict[str, set[str]] = {}
    for word, heap in heaps.items():
        for _, sentence in heap:
            drawn.setdefault(sentence, set()).add(word)
    return DrawnSentences({sentence: frozenset(drawn[sentence]) for sentence in sorted(drawn)}, too_long)


def averaged(vectors: ElmoVectors, words: Sequence[str], drawn: DrawnSentences, text: str) -> tuple[Embedding, ...]:
    """An embedding a layer: the mean vector of each word over its occurrences. A word that has none is not in it.

    `text` is what the sentences were drawn from, for the provenance.
    """
    rows = {word: row for row, word in enumerate(dict.fromkeys(words))}
    sums = np.zeros((vectors.layers, len(rows), vectors.dim))
    counts = np.zeros(len(rows), dtype=np.int64)
    by_length: dict[int, list[str]] = {}
    for sentence in drawn.words:
        by_length.setdefault(len(words_of(sentence)), []).append(sentence)
    with progress(f"Averaging {vectors.name} over {text}", len(drawn.words)) as advance:
        for alike in by_length.values():
            for start in range(0, len(alike), BATCH):
                batch = alike[start : start + BATCH]
                ids = np.array([vectors.ids(sentence) for sentence in batch], dtype=np.int64)
                _add(sums, counts, vectors.vectors(ids).numpy(), [_places(one, drawn, rows) for one in batch])
                advance(len(batch))
    if not counts.any():
        raise WordworthError(f"{text} has none of the words {', '.join(list(rows)[:8])}; give another with --corpus")
    kept = np.flatnonzero(counts)
    forms = [word for word, row in rows.items() if counts[row]]
    step = f"mean over {int(counts.sum()):,} occurrences in {len(drawn.words):,} sentences of {text}"
    return tuple(
        Embedding(
            forms,
            (sums[layer, kept] / counts[kept, None]).astype(np.float32),
            Provenance(f"{vectors.name} layer {layer + 1}", sha256=vectors.elmo.sha256, steps=(step,)),
        )
        for layer in range(vectors.layers)
    )


def _places(sentence: str, drawn: DrawnSentences, rows: dict[str, int]) -> list[tuple[int, int]]:
    """(token, row) of every occurrence of a word that the sentence was drawn for."""
    wanted = drawn.words[sentence]
    return [(at, rows[word]) for at, word in enumerate(words_of(sentence)) if word in wanted]


def _add(
    sums: NDArray[np.float64],
    counts: NDArray[np.int64],
    found: NDArray[np.float32],
    places: Sequence[list[tuple[int, int]]],
) -> None:
    for sentence, several in enumerate(places):
        for token, row in several:
            sums[:, row] += found[sentence, token]
            counts[row] += 1
