"""Relative distance to two classes' centroids (Garg et al. 2018), with absolute values as Bommasani et al. (2020)."""

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import Measure, declare

declare(
    Measure("garg-euclidean", "Mean |‖w − μ₁‖ − ‖w − μ₂‖| with μ the mean of a class.", "garg2018", "lower"),
    Measure("garg-cosine", "Mean |cos(w, μ₁) − cos(w, μ₂)| with μ the mean of a class.", "garg2018", "lower"),
)


def garg_euclidean(
    targets: NDArray[np.floating], A1: NDArray[np.floating], A2: NDArray[np.floating]
) -> NDArray[np.float64]:
    """|‖w − μ₁‖ − ‖w − μ₂‖| of each word, μ the mean of a class: (..., words, dim) → (..., words).

    It grows with the length of the vectors, so layers and models are not comparable by it.
    """
    words = np.asarray(targets, dtype=np.float64)
    first, second = (np.linalg.norm(words - mean, axis=-1) for mean in _centroids(A1, A2))
    return np.asarray(np.abs(first - second), dtype=np.float64)


def garg_cosine(
    targets: NDArray[np.floating], A1: NDArray[np.floating], A2: NDArray[np.floating]
) -> NDArray[np.float64]:
    """|cos(w, μ₁) − cos(w, μ₂)| of each word, centroids of vectors as they are: (..., words, dim) → (..., words)."""
    words = unit_rows(targets, "the targets")
    first, second = (unit_rows(mean, "the classes' means") for mean in _centroids(A1, A2))
    cosine = np.einsum("...wi,...i->...w", words, (first - second)[..., 0, :])
    return np.asarray(np.abs(cosine), dtype=np.float64)


def _centroids(A1: NDArray[np.floating], A2: NDArray[np.floating]) -> list[NDArray[np.float64]]:
    """(..., 1, dim) of each class."""
    if not (A1.shape[-2] and A2.shape[-2]):
        raise WordworthError("a class without words has no mean; give at least one word of each")
    return [np.asarray(words, dtype=np.float64).mean(axis=-2, keepdims=True) for words in (A1, A2)]
