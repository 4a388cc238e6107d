"""Valence (ValNorm): how well effect sizes of words agree with people's ratings of their pleasantness."""

import numpy as np
from numpy.typing import NDArray

from wordworth.measure.declaration import Measure, declare
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.correlation import Correlation, pearson, spearman

declare(
    Measure(
        "valence",
        "Pearson's ρ between the words' sc-weat effect sizes and their rated valence.",
        "toney2021",
        "higher",
        "knows the valence of words better",
    ),
    Measure(
        "valence:spearman",
        "Spearman's ρ between the words' sc-weat effect sizes and their rated valence.",
        "toney2021",
        "higher",
    ),
    Measure("valence:mean", "Mean of valence over the languages.", "wolfe2022", "higher"),
    Measure("valence:multiple-poles", "Valence with poles that the model splits into tokens.", "wolfe2022", "higher"),
    *(
        Measure(
            affect,
            f"Pearson's ρ between sc-weat effect sizes with poles of {affect} and the words' rated {affect}.",
            "wolfe2022",
            "higher",
        )
        for affect in ("arousal", "dominance")
    ),
)


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
