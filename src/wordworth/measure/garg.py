"""Relative distance to two classes' centroids (Garg et al. 2018), with absolute values as Bommasani et al. (2020)."""

import numpy as np

from wordworth.embedding.cosine import Matrix, Vectors, cosines_with, unit_rows
from wordworth.measure.declaration import declare
from wordworth.measure.weighted import Weights, plain, weighted_mean

declare("garg-euclidean", "Mean |‖w − μ₁‖ − ‖w − μ₂‖| with μ the mean of a class.", "garg2018", "lower")
declare("garg-cosine", "Mean |cos(w, μ₁) − cos(w, μ₂)| with μ the mean of a class.", "garg2018", "lower")
GROWS_WITH_VECTORS = ("garg-euclidean",)
"""Measures in the units of a model's vectors: of one model before and after, not of two models."""


def garg_euclidean(
    targets: Vectors, A1: Vectors, A2: Vectors, *, weights: tuple[Weights, Weights] | None = None
) -> Matrix:
    """|‖w − μ₁‖ − ‖w − μ₂‖| of each word, μ the mean of a class: (..., words, dim) → (..., words).

    It grows with the length of the vectors, so layers and models are not comparable by it. With `weights` of the two
    classes' words → (..., words, resamples).
    """
    middle = np.asarray(targets, dtype=np.float64).mean(axis=-2, keepdims=True)  # close by, so that no digits are lost
    words = targets - middle
    squares = np.vecdot(words, words)[..., None]
    first, second = (_distances(words, squares, mean - middle) for mean in _centroids(A1, A2, weights))
    return plain(np.abs(first - second), weights)


def garg_cosine(
    targets: Vectors, A1: Vectors, A2: Vectors, *, weights: tuple[Weights, Weights] | None = None
) -> Matrix:
    """|cos(w, μ₁) − cos(w, μ₂)| of each word, centroids of vectors as they are; shapes as in `garg_euclidean`."""
    first, second = (unit_rows(mean, "the classes' means") for mean in _centroids(A1, A2, weights))
    return plain(np.abs(cosines_with(targets, first - second, "the targets")), weights)


def _centroids(A1: Vectors, A2: Vectors, weights: tuple[Weights, Weights] | None) -> list[Matrix]:
    """(..., resamples, dim) of each class."""
    return [weighted_mean(words, drawn) for words, drawn in zip((A1, A2), weights or (None, None), strict=True)]


def _distances(words: Matrix, squares: Matrix, means: Matrix) -> Matrix:
    """‖w − μ‖ from ‖w‖², one product for all: (..., words, dim), (..., resamples, dim) → (..., words, resamples)."""
    products = words @ means.swapaxes(-1, -2)
    return np.asarray(np.sqrt(np.maximum(squares - 2 * products + np.vecdot(means, means)[..., None, :], 0)))
