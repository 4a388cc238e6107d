"""How surprised a model is by whole words: perplexity, and bits per word, character or byte."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.measure.declaration import Measure, declare
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.clustered import Estimate, ratio

ROUNDING = 0.01
"""A word that is all but certain may come out above ln 1 by the rounding of the model's precision."""

declare(
    Measure("perplexity", "exp of the mean −ln p(word), the end of the word included.", "dudy2020", "lower"),
    Measure("perplexity:naive", "exp of the mean −ln of the plain product over the word's units.", "dudy2020", "lower"),
    Measure("bits-per-word", "Mean −log₂ p(word).", "", "lower", "is less surprised by words"),
    Measure("bits-per-character", "Σ −log₂ p(word) / Σ characters, the space that ends a word counted.", "", "lower"),
    Measure("bits-per-byte", "Σ −log₂ p(word) / Σ UTF-8 bytes, the space that ends a word counted.", "", "lower"),
)


def perplexity(
    logp: NDArray[np.float64], clusters: NDArray[np.integer], *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """exp(mean −ln p(word)), over words (items)."""
    nats = ratio(-_checked(logp), np.ones(len(logp)), clusters, resamples=resamples, seed=seed)
    return replace(nats, value=float(np.exp(nats.value)), low=float(np.exp(nats.low)), high=float(np.exp(nats.high)))


def bits_per(
    logp: NDArray[np.float64],
    sizes: NDArray[np.integer],
    clusters: NDArray[np.integer],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Σ −log₂ p(word) / Σ size(word): sizes of 1 give bits per word."""
    return ratio(-_checked(logp) / np.log(2), sizes, clusters, resamples=resamples, seed=seed)


def _checked(logp: NDArray[np.float64]) -> NDArray[np.float64]:
    bad = np.flatnonzero(~(logp <= ROUNDING) | ~np.isfinite(logp))
    if len(bad):
        told = f"word {int(bad[0])} has ln p = {logp[bad[0]]}"
        raise WordworthError(f"a log probability must be a finite number of at most 0, and {told}")
    return logp
