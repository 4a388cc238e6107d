"""Holm's correction (1979): many tests at once, and still at most 5 % chance of any false alarm."""

import numpy as np
from numpy.typing import ArrayLike

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Exact


def holm(p: ArrayLike) -> Exact:
    """Adjusted p, in the order given: max over j ≤ i of (m − j + 1) p₍ⱼ₎ for the i-th smallest, at most 1."""
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or not ((given >= 0) & (given <= 1)).all():
        raise WordworthError("Holm's correction takes a list of p-values between 0 and 1")
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * np.arange(len(given), 0, -1))
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
