"""Mean cosine with the words of several classes (Manzini et al. 2019, as Bommasani et al. 2020 modify it)."""

from collections.abc import Sequence

import numpy as np

from wordworth.embedding.cosine import Matrix, Vectors, cosines_with, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.measure.weighted import Weights, plain, weighted_mean

declare("manzini", "Mean |mean over classes of mean cos(w, a)|.", "bommasani2020", "lower")
declare(
    "manzini:centroid", "Mean |mean over classes of cos(w, μ)| with μ the mean of a class.", "bommasani2020", "lower"
)


def manzini(targets: Vectors, classes: Sequence[Vectors], *, weights: Sequence[Weights] | None = None) -> Matrix:
    """|mean_i mean_{a ∈ A_i} cos(w, a)| of each word: (..., words, dim), classes (..., n_i, dim) → (..., words).

    With `weights` of each class's words → (..., words, resamples).
    """
    return np.asarray(np.abs(mean_cosine(targets, classes, weights)), dtype=np.float64)


def manzini_centroid(
    targets: Vectors, classes: Sequence[Vectors], *, weights: Sequence[Weights] | None = None
) -> Matrix:
    """|mean_i cos(w, μ_i)|, μ_i the mean of a class: what the tables of Bommasani et al. hold; shapes as in `manzini`.

    It is larger than by their formula, since a mean of vectors is shorter than the vectors are.
    """
    drawn: Sequence[Weights | None] = weights or [None] * len(classes)
    means = [weighted_mean(words, counts) for words, counts in zip(classes, drawn, strict=True)]
    middle = np.mean([unit_rows(mean, "the classes' means") for mean in means], axis=0)
    return plain(np.abs(cosines_with(targets, middle, "the targets")), weights)


def mean_cosine(targets: Vectors, sets: Sequence[Vectors], weights: Sequence[Weights] | None = None) -> Matrix:
    """mean_i mean_{a ∈ A_i} cos(w, a): the classes weigh alike, however many words they have."""
    if not sets or not all(words.shape[-2] for words in sets):
        raise WordworthError("a class without words has no cosines; give at least one word of each")
    # The mean of cosines is the product with the mean of unit vectors.
    units = [unit_rows(words, "the classes") for words in sets]
    drawn: Sequence[Weights | None] = weights or [None] * len(sets)
    means = [weighted_mean(words, counts) for words, counts in zip(units, drawn, strict=True)]
    return plain(cosines_with(targets, np.mean(means, axis=0), "the targets"), weights)
