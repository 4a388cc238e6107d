"""Accuracy of whole-word prediction: the share of words that were hit (Dudy & Bedrick 2020, 2.4.1)."""

import numpy as np
from numpy.typing import NDArray

from wordworth.measure.declaration import Measure, declare
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.clustered import Estimate, ratio

declare(
    Measure(
        "top-1",
        "Share of words that the model's first guess is.",
        "dudy2020",
        "higher",
        "predicts words better (top-1)",
    ),
    Measure(
        "top-{k}",
        "Share of words that some path of units spells, each among the model's {k} best at its step.",
        "dudy2020",
        "higher",
        "predicts words better (top-{k})",
    ),
    Measure("accuracy", "Share of labelled pairs whose most probable label is the right one.", "dev2020", "higher"),
)


def accuracy(
    hits: NDArray[np.bool_], clusters: NDArray[np.integer], *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """hits / words; given the words of one band of frequency, this is its token coverage."""
    return ratio(hits, np.ones(len(hits)), clusters, resamples=resamples, seed=seed)
