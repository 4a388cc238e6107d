"""Rank near misses: the guess is a neighbour of the target in an embedding, or similar to it by a rule.

Words are looked up as written, in another case, and without the punctuation at their ends.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.catalog.read.wordnet import WordNet
from wordworth.embedding import Embedding, spellings
from wordworth.measure import neighbour_ranks

_EDGES = re.compile(r"^[^\w]+|[^\w]+$")
Similarity = Callable[[str, str], bool]
"""(target, guess) → whether the guess counts as the target."""
DEPTHS = (1, 3, 5, 10, 20, 50, 100)
"""The paper's k."""


def strip_edges(word: str) -> str:
    """Return a word without the punctuation at its ends, unless it is all punctuation."""
    return _EDGES.sub("", word) or word


def forms(language: str = "english") -> Callable[[str], Iterator[str]]:
    """Return a function that yields the spellings of a word to try in a vocabulary, best first."""
    spell = spellings(language)

    def spell_bare(word: str) -> Iterator[str]:
        yield from spell(word)
        bare_word = strip_edges(word)
        if bare_word != word:
            yield from spell(bare_word)

    return spell_bare


def _have_common(find: Callable[[str], frozenset[Any]]) -> Similarity:
    find = cache(find)
    return lambda target, guess: not find(strip_edges(target)).isdisjoint(find(strip_edges(guess)))


BUILT_IN: dict[str, Callable[[WordNet], Similarity]] = {
    "synonyms": lambda wordnet: _have_common(wordnet.synsets),
    "lemma": lambda wordnet: _have_common(wordnet.lemmas),
}
"""Similarities that need only WordNet: the words share a synset, or a base form as inflections of one word do."""


@dataclass(frozen=True)
class SoftRanks:
    """The smallest k at which the guess of each predicted word counts."""

    ranks: NDArray[np.intp]
    """1 for a hit; 0 if target or guess has no vector; the largest k plus 1 beyond that."""
    missing_targets: dict[str, int]
    """Targets of misses without a vector, and how often each was missed."""
    missing_guesses: dict[str, int]


def soft_ranks(predictions: pl.DataFrame, embedding: Embedding, *, language: str = "english") -> SoftRanks:
    """Rank guesses exactly by cosine over the whole embedding, each distinct pair of target and guess once.

    `predictions` has the columns word, guess and hit1. The target is its own first neighbour, as in the paper, so that
    @1 is the exact match. A miss with the target's vector (another case, other punctuation) has rank 2.
    """
    is_hit = predictions["hit1"].to_numpy()
    ranks = np.where(is_hit, 1, 0).astype(np.intp)
    misses = np.flatnonzero(~is_hit)
    rows, missing = [], []
    for column in ("word", "guess"):
        words = predictions[column].cast(pl.String).fill_null("").gather(misses)
        lookup = embedding.find(words.unique(maintain_order=True).to_list(), forms(language))
        row_of = dict(zip(lookup.words, lookup.rows.tolist(), strict=True))
        row_of_word = words.replace_strict(row_of, default=-1, return_dtype=pl.Int64)
        rows.append(row_of_word.to_numpy())
        missing_words = words.filter(row_of_word < 0).value_counts(sort=True)
        missing.append(dict(missing_words.iter_rows()))
    has_both = (rows[0] >= 0) & (rows[1] >= 0)
    neighbour_rank = neighbour_ranks(embedding.matrix, rows[0][has_both], rows[1][has_both], max_rank=DEPTHS[-1])
    ranks[misses[has_both]] = np.maximum(neighbour_rank, 2)
    return SoftRanks(ranks, missing[0], missing[1])


def similar(table: pl.DataFrame, rule: Similarity) -> NDArray[np.bool_]:
    """Return hits, and misses whose guess satisfies the rule, which is applied once per distinct pair."""
    passes = cache(lambda word, guess: guess is not None and bool(rule(word, guess)))
    rows = table.select("word", "guess", "hit1").iter_rows()
    return np.fromiter((hit or passes(word, guess) for word, guess, hit in rows), dtype=np.bool_, count=len(table))
