"""Misses that are near: the guess is a neighbour of the target in an embedding, or similar to it by some rule."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.embedding import Embedding
from wordworth.measure import neighbour_ranks
from wordworth.predict.forms import forms
from wordworth.predict.similarity import Similarity

DEPTHS = (1, 3, 5, 10, 20, 50, 100)
"""The paper's k."""


@dataclass(frozen=True)
class SoftRanks:
    """For each predicted word, the smallest k at which its guess counts."""

    ranks: NDArray[np.intp]
    """1 for a hit; 0 where target or guess has no vector; beyond the greatest k, one more than that."""
    missing_targets: dict[str, int]
    """Targets of misses that have no vector, and how often each was missed."""
    missing_guesses: dict[str, int]

    def within(self, k: int) -> NDArray[np.bool_]:
        return (self.ranks > 0) & (self.ranks <= k)


def soft_ranks(
    predicted: pl.DataFrame, embedding: Embedding, *, language: str = "english", most: int = DEPTHS[-1]
) -> SoftRanks:
    """Ranks by cosine over the whole embedding, exact, and each distinct pair of target and guess once.

    `predicted` has the columns word, guess and hit1. The target is its own first neighbour, as in the paper, so that @1
    is the exact match. A miss that shares the target's vector (another case, other punctuation) has rank 2.
    """
    hit = predicted["hit1"].to_numpy()
    ranks = np.where(hit, 1, 0).astype(np.intp)
    misses = np.flatnonzero(~hit)
    rows, missing = [], []
    for column in ("word", "guess"):
        words = predicted[column].cast(pl.String).fill_null("").gather(misses)
        lookup = embedding.find(words.unique(maintain_order=True).to_list(), forms(language))
        row_of = dict(zip(lookup.words, lookup.rows.tolist(), strict=True))
        row_of_word = words.replace_strict(row_of, default=-1, return_dtype=pl.Int64)
        rows.append(row_of_word.to_numpy())
        lost = words.filter(row_of_word < 0).value_counts(sort=True)
        missing.append(dict(lost.iter_rows()))
    both = (rows[0] >= 0) & (rows[1] >= 0)
    found = neighbour_ranks(embedding.matrix, rows[0][both], rows[1][both], most=most)
    ranks[misses[both]] = np.maximum(found, 2)
    return SoftRanks(ranks, missing[0], missing[1])


def similar(predicted: pl.DataFrame, rule: Similarity) -> NDArray[np.bool_]:
    """Hits, and misses whose guess the rule lets pass; the rule is applied once a distinct pair."""
    passed: dict[tuple[str, str], bool] = {}

    def passes(word: str, guess: str | None) -> bool:
        if guess is None:
            return False
        if (word, guess) not in passed:
            passed[word, guess] = bool(rule(word, guess))
        return passed[word, guess]

    rows = predicted.select("word", "guess", "hit1").iter_rows()
    return np.fromiter((hit or passes(word, guess) for word, guess, hit in rows), dtype=np.bool_, count=len(predicted))
