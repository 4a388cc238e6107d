"""Word similarity: how well cosines order pairs of words as people do."""

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import cosines
from wordworth.measure.declaration import Measure, declare
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.correlation import Correlation, spearman

declare(
    Measure(
        "similarity",
        "Spearman's ρ between the cosine of two words and their rated similarity.",
        "",
        "higher",
        "knows the similarity of words better",
    ),
    Measure("similarity:best", "The largest similarity over the layers.", "bommasani2020", "higher"),
)


def similarity(
    left: NDArray[np.floating],
    right: NDArray[np.floating],
    scores: NDArray[np.floating],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Correlation:
    """Spearman's ρ between cos(left_i, right_i) and human scores: (..., pairs, dim) twice and (pairs)."""
    return spearman(cosines(left, right), scores, resamples=resamples, seed=seed)
