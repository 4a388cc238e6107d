"""Whole-word prediction: its accuracy, and how surprised a model is (Dudy & Bedrick 2020, 2.4.1)."""

import numpy as np

from wordworth.embedding.cosine import Matrix
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import RESAMPLES, Estimate, Sums, ratio

declare(
    "top-1", "Share of words that the model's first guess is.", "dudy2020", "higher", "predicts words better (top-1)"
)
declare(
    "top-{k}",
    "Share of words that some path of units spells, each among the model's {k} best at its step.",
    "dudy2020",
    "higher",
    "predicts words better (top-{k})",
)
declare("accuracy", "Share of labelled pairs whose most probable label is the right one.", "dev2020", "higher")


NOT_FOUND = 100.0
"""Nats of a word that the search does not find, in the `ppx` of Dudy & Bedrick's code."""
ROUNDING = 0.01
"""A word that is all but certain may come out above ln 1 by the rounding of the model's precision."""

declare("perplexity", "exp of the mean −ln p(word), the end of the word included.", "dudy2020", "lower")
declare("perplexity:naive", "exp of the mean −ln of the plain product over the word's units.", "dudy2020", "lower")
declare(
    "ppx@{k}",
    "Mean −ln of the plain product over the word's units, with 100 for a word not found among the {k} best per unit.",
    "dudy2020",
    "lower",
)
declare("bits-per-word", "Mean −log₂ p(word).", "", "lower", "is less surprised by words")
declare("bits-per-character", "Σ −log₂ p(word) / Σ characters, the space that ends a word counted.", "", "lower")
declare("bits-per-byte", "Σ −log₂ p(word) / Σ UTF-8 bytes, the space that ends a word counted.", "", "lower")


def perplexity(sums: Sums, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return exp(mean −ln p(word)) from the sums of `nats` over words by cluster."""
    found = ratio(sums, resamples=resamples, seed=seed)
    value, low, high = (float(np.exp(end)) for end in (found.value, found.low, found.high))
    return Estimate(value, low, high, found.n)


def nats(logp: Matrix, words_before: int = 0) -> Matrix:
    """−ln p of each word; an error names the first that has none, words counted from `words_before` on."""
    bad = np.flatnonzero(~(logp <= ROUNDING) | ~np.isfinite(logp))
    if len(bad):
        word = f"word {words_before + int(bad[0])} has ln p = {logp[bad[0]]}"
        raise WordworthError(f"a log probability must be a finite number of at most 0, and {word}")
    return -logp
