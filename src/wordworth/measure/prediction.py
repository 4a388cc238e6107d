"""Whole-word prediction: its accuracy, and how surprised a model is (Dudy & Bedrick 2020, 2.4.1)."""

import numpy as np

from wordworth.embedding.core import Matrix
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import RESAMPLES, Estimate, Summable, ratio

declare(
    "top",
    "Share of words that some path of units spells, each among the model's {k} best at its step.",
    "dudy2020",
    "higher",
    verdict="predicts words better",
    items="predictions",
    item_value="rank",
    paired_test="hits",
    is_main=True,
)
declare(
    "accuracy",
    "Share of labelled pairs whose most probable label is the right one; `variant` names the bias removed before.",
    "dev2020",
    "higher",
    items="labelled_pairs",
    item_value="is_correct",
    paired_test="hits",
    is_main=True,
    has_open_variants=True,
)


NOT_FOUND_NATS = 100.0
"""Nats of a word that the search does not find, in the `ppx` of Dudy & Bedrick's code."""
ROUNDING_NATS = 0.01
"""A word that is all but certain may come out above ln 1 by the rounding of the model's precision."""

declare("perplexity", "exp of the mean −ln p(word), the end of the word included.", "dudy2020", "lower", is_main=True)
declare("perplexity", "exp of the mean −ln of the plain product over the word's units.", "dudy2020", "lower", "naive")
declare(
    "ppx",
    "Mean −ln of the plain product over the word's units, with 100 for a word not found among the {k} best per unit.",
    "dudy2020",
    "lower",
    is_main=True,
)
declare(
    "bits-per-word",
    "Mean −log₂ p(word).",
    "",
    "lower",
    verdict="is less surprised by words",
    items="predictions",
    item_value="bits",
    paired_test="mean",
    is_main=True,
)
for _unit, _count in (("character", "characters"), ("byte", "UTF-8 bytes")):
    _formula = f"Σ −log₂ p(word) / Σ {_count}, the space that ends a word counted."
    declare(f"bits-per-{_unit}", _formula, "", "lower", is_main=True)


def perplexity(sums: Summable, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return exp(mean −ln p(word)) from the sums of `nats` over words by cluster."""
    mean_nats = ratio(sums, resamples=resamples, seed=seed)
    value, low, high = (float(np.exp(end)) for end in (mean_nats.value, mean_nats.low, mean_nats.high))
    return Estimate(value, low, high, mean_nats.n)


def nats(logp: Matrix, words_before: int = 0) -> Matrix:
    """Return −ln p of each word; an error names the first that has none, words counted from `words_before` on."""
    bad = np.flatnonzero(~(logp <= ROUNDING_NATS) | ~np.isfinite(logp))
    if len(bad):
        word = f"word {words_before + int(bad[0])} has ln p = {logp[bad[0]]}"
        raise WordworthError(f"a log probability must be a finite number of at most 0, and {word}")
    return -logp
