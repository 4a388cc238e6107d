"""A subspace taken out of vectors: x − Σ ⟨x, v⟩ v over an orthonormal basis v (Dev et al. 2020)."""

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError


def orthonormal(directions: NDArray[np.floating]) -> NDArray[np.float64]:
    """An orthonormal basis (rows) of the span of `directions` (k, dim), which must be independent."""
    given = np.atleast_2d(np.asarray(directions, dtype=np.float64))
    scale = np.linalg.norm(given, axis=1, keepdims=True)
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise WordworthError("a direction to take out is zero or not a number")
    _, spread, basis = np.linalg.svd(given / scale, full_matrices=False)
    if spread[-1] < 1e-10 * spread[0]:
        raise WordworthError("the directions to take out are not independent; leave out the repeated one")
    return np.asarray(basis, dtype=np.float64)


def project_out(vectors: NDArray[np.floating], basis: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors (words, dim) without their part in the span of the orthonormal rows of `basis`."""
    x = np.asarray(vectors, dtype=np.float64)
    return x - (x @ basis.T) @ basis
