"""MAC, the mean average cosine distance (Manzini et al. 2019)."""

from collections.abc import Sequence

import numpy as np

from wordworth.embedding.cosine import Matrix, Vectors
from wordworth.measure.declaration import declare
from wordworth.measure.manzini import mean_cosine
from wordworth.measure.weighted import Weights

declare("mac", "Mean cosine distance of the classes' words from the attribute words.", "manzini2019", "higher")


def mac(targets: Vectors, attributes: Sequence[Vectors], *, weights: Sequence[Weights] | None = None) -> Matrix:
    """mean_j mean_{a ∈ A_j} (1 − cos(t, a)) of each target: (..., words, dim), sets (..., n_j, dim) → (..., words).

    The targets are the words of the classes and each A_j a set of attributes; the measure is the mean over targets.
    With `weights` of each set's words → (..., words, resamples).
    """
    return np.asarray(1 - mean_cosine(targets, attributes, weights), dtype=np.float64)
