"""Mean cosine with the words of several classes (Manzini et al. 2019, as Bommasani et al. 2020 modify it)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import Measure, declare

declare(
    Measure("manzini", "Mean |mean over classes of mean cos(w, a)|.", "bommasani2020", "lower"),
    Measure(
        "manzini:centroid",
        "Mean |mean over classes of cos(w, μ)| with μ the mean of a class.",
        "bommasani2020",
        "lower",
    ),
)


def manzini(targets: NDArray[np.floating], classes: Sequence[NDArray[np.floating]]) -> NDArray[np.float64]:
    """|mean_i mean_{a ∈ A_i} cos(w, a)| of each word: (..., words, dim), classes (..., n_i, dim) → (..., words)."""
    return np.asarray(np.abs(mean_cosine(targets, classes)), dtype=np.float64)


def manzini_centroid(targets: NDArray[np.floating], classes: Sequence[NDArray[np.floating]]) -> NDArray[np.float64]:
    """|mean_i cos(w, μ_i)|, μ_i the mean of a class: what the tables of Bommasani et al. hold.

    It is larger than by their formula, since a mean of vectors is shorter than the vectors are.
    """
    if not all(words.shape[-2] for words in classes):
        raise WordworthError("a class without words has no mean; give at least one word of each")
    means = [np.asarray(words, dtype=np.float64).mean(axis=-2, keepdims=True) for words in classes]
    return manzini(targets, means)


def mean_cosine(targets: NDArray[np.floating], sets: Sequence[NDArray[np.floating]]) -> NDArray[np.float64]:
    """mean_i mean_{a ∈ A_i} cos(w, a): the classes weigh alike, however many words they have."""
    if not sets or not all(words.shape[-2] for words in sets):
        raise WordworthError("a class without words has no cosines; give at least one word of each")
    # The mean of cosines is the product with the mean of unit vectors.
    means = [unit_rows(words, "the classes").mean(axis=-2) for words in sets]
    middle = np.mean(means, axis=0)
    return np.asarray(np.einsum("...wi,...i->...w", unit_rows(targets, "the targets"), middle), dtype=np.float64)
