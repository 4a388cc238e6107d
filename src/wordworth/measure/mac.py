"""MAC, the mean average cosine distance (Manzini et al. 2019)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordworth.measure.declaration import Measure, declare
from wordworth.measure.manzini import mean_cosine

declare(Measure("mac", "Mean cosine distance of the classes' words from the attribute words.", "manzini2019", "higher"))


def mac(targets: NDArray[np.floating], attributes: Sequence[NDArray[np.floating]]) -> NDArray[np.float64]:
    """mean_j mean_{a ∈ A_j} (1 − cos(t, a)) of each target: (..., words, dim), sets (..., n_j, dim) → (..., words).

    The targets are the words of the classes and each A_j a set of attributes; the measure is the mean over targets.
    """
    return np.asarray(1 - mean_cosine(targets, attributes), dtype=np.float64)
