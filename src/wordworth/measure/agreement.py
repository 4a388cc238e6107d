"""How far estimators of one bias agree: do they order a model's layers alike?"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from wordworth.measure.declaration import Measure, declare

declare(
    Measure(
        "agreement:{one}~{other}", "Spearman's ρ over layers between {one} and {other}.", "bommasani2020", "higher"
    ),
    Measure("agreement", "Mean of those ρ over the pairs of different estimators.", "bommasani2020", "higher"),
)


def rank_agreement(one: NDArray[np.floating], other: NDArray[np.floating]) -> NDArray[np.float64]:
    """Spearman's ρ down the columns of two arrays (layers, resamples) → (resamples).

    NaN where all layers of a resample are alike: it has no order.
    """
    first, second = (rank - rank.mean(axis=0) for rank in (rankdata(values, axis=0) for values in (one, other)))
    spread = np.sqrt(np.square(first).sum(axis=0) * np.square(second).sum(axis=0))
    with np.errstate(invalid="ignore"):
        return np.asarray((first * second).sum(axis=0) / spread, dtype=np.float64)
