"""Vectors raw, and with the mean and ever more principal components taken out."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wordworth.transform import Components, fit_components, nullify

Version = tuple[int | None, NDArray[np.float64]]
"""Components nullified (None: untouched, 0: the mean subtracted), and the vectors."""


def fitted(vectors: NDArray[np.floating], most: int) -> Components:
    """At most `most` components, and never so many that nothing is left."""
    return fit_components(vectors, min(most, len(vectors) - 2, vectors.shape[1] - 1))


def versions(vectors: NDArray[np.floating], components: Components) -> Iterator[Version]:
    """The vectors untouched, then with 0, 1, … all of the components nullified."""
    yield None, np.asarray(vectors, dtype=np.float64)
    for k in range(len(components.directions) + 1):
        yield k, nullify(vectors, components, k)
