"""Accuracy of whole-word prediction: the share of words that were hit (Dudy & Bedrick 2020, 2.4.1)."""

import numpy as np
from numpy.typing import NDArray

from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.clustered import Estimate, ratio


def accuracy(
    hits: NDArray[np.bool_], clusters: NDArray[np.integer], *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """hits / words; given the words of one band of frequency, this is its token coverage."""
    return ratio(hits, np.ones(len(hits)), clusters, resamples=resamples, seed=seed)
