"""Valence (ValNorm): how well effect sizes of words agree with people's ratings of their pleasantness."""

import numpy as np
from numpy.typing import NDArray

from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.correlation import Correlation, pearson, spearman


def valence(
    effect_sizes: NDArray[np.floating], ratings: NDArray[np.floating], *, resamples: int = RESAMPLES, seed: int = 0
) -> Correlation:
    """Pearson's ρ between SC-WEAT effect sizes (..., words) and ratings (words) (Toney & Caliskan 2021)."""
    return pearson(effect_sizes, ratings, resamples=resamples, seed=seed)


def valence_spearman(
    effect_sizes: NDArray[np.floating], ratings: NDArray[np.floating], *, resamples: int = RESAMPLES, seed: int = 0
) -> Correlation:
    """Spearman's ρ between SC-WEAT effect sizes (..., words) and ratings (words)."""
    return spearman(effect_sizes, ratings, resamples=resamples, seed=seed)
