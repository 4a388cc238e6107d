"""Holm's correction (1979): many tests at once, and still at most 5 % chance of any false alarm."""

import numpy as np
from numpy.typing import ArrayLike

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Exact


def holm(p: ArrayLike) -> Exact:
    """Adjusted p, in the order of p: max over j ≤ i of (m − j + 1) p₍ⱼ₎ for the i-th smallest, at most 1."""
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise WordworthError("Holm's correction takes a list of p-values between 0 and 1")
    order = np.argsort(values, kind="stable")
    stepped = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
