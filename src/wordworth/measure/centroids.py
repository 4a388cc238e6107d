"""Nearness to the words of classes: Manzini and MAC (2019), Garg (2018), and the coherence test ECT (Dev 2019).

Manzini's and Garg's take absolute values, as Bommasani et al. (2020) do. Words of a list count more than once in a
bootstrap resample: weights are (words, resamples), how often each word was drawn. An estimator with weights gives one
value per resample, in an axis of its own at the end; without them every word counts once, and there is no such axis.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from wordworth.embedding.core import Matrix, Vectors, refuse_degenerate, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import ESTIMATOR, declare
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.correlation import Correlation, spearman

ListWeights = Vectors | NDArray[np.integer]


def products_with_means(targets: Matrix, words: Matrix, weights: ListWeights | None = None) -> Matrix:
    """Return ⟨w, μ⟩, μ the mean of a list's vectors: (..., targets, dim), (..., n, dim) → (..., targets, resamples).

    Targets meet each word once, and then the resamples: words are fewer than dimensions. No mean is made.
    """
    return np.asarray(targets @ words.swapaxes(-1, -2) @ list_shares(words, weights), dtype=np.float64)


def squared_lengths_of_means(words: Matrix, weights: ListWeights | None = None) -> Matrix:
    """Return ‖μ‖² (..., resamples) of the same means, from the products of the words with each other."""
    share = list_shares(words, weights)
    return np.asarray((share * (words @ words.swapaxes(-1, -2) @ share)).sum(axis=-2), dtype=np.float64)


def list_shares(words: Matrix, weights: ListWeights | None) -> Matrix:
    """Return the share of each word of a list in every resample; without weights in the list itself."""
    count = words.shape[-2]
    if not count:
        raise WordworthError("a class without words has no mean; give at least one word of each")
    return shares(np.ones((count, 1)) if weights is None else weights, count)


def cosines_with_centroids(targets: Vectors, words: Vectors, weights: ListWeights | None = None) -> Matrix:
    """Return cos(w, μ), μ the mean of a class: (..., words, dim), (..., n, dim) → (..., words, resamples)."""
    exact = np.asarray(words, dtype=np.float64)
    lengths = np.sqrt(np.maximum(squared_lengths_of_means(exact, weights), 0))
    refuse_degenerate(lengths, "the classes' means")
    products = products_with_means(unit_rows(targets, "the targets"), exact, weights)
    return np.asarray(products / lengths[..., None, :], dtype=np.float64)


def mean_over_targets(values: Matrix, weights: ListWeights) -> Matrix:
    """Return the mean of values (..., targets, resamples) over their targets, weighted too → (..., resamples)."""
    return np.asarray(np.einsum("...tr,tr->...r", values, shares(weights, values.shape[-2])), dtype=np.float64)


def shares(weights: ListWeights, count: int) -> Matrix:
    """Return weights of `count` words that sum to one in every resample."""
    total = weights.sum(axis=0)
    if weights.ndim != 2 or len(weights) != count or not (total > 0).all():
        raise WordworthError(f"{count} words need weights (words, resamples) of positive sum, not {weights.shape}")
    return np.asarray(weights / total, dtype=np.float64)


def plain(values: Matrix, *weights: object) -> Matrix:
    """Return values without the axis of resamples where there were no weights."""
    return values if any(counts is not None for counts in weights) else values[..., 0]


declare(
    "agreement",
    "Spearman's ρ over layers between the two estimators that `variant` names, or of one estimator between the two "
    "lists that `subset` names; without a variant, the mean over pairs of different estimators, or over estimators.",
    "bommasani2020",
    "higher",
    is_main=True,
    has_open_variants=True,
)


def rank_agreement(x: Vectors, y: Vectors) -> Matrix:
    """Return Spearman's ρ down the columns of two arrays (layers, resamples) → (resamples).

    NaN where all layers of a resample are alike: it has no order.
    """
    first, second = (rank - rank.mean(axis=0) for rank in (rankdata(values, axis=0) for values in (x, y)))
    spread = np.sqrt(np.square(first).sum(axis=0) * np.square(second).sum(axis=0))
    with np.errstate(invalid="ignore"):
        return np.asarray((first * second).sum(axis=0) / spread, dtype=np.float64)


declare("manzini", "Mean |mean over classes of mean cos(w, a)|.", "bommasani2020", "lower", **ESTIMATOR)
declare(
    "manzini", "Mean |mean over classes of cos(w, μ)| with μ the mean of a class.", "bommasani2020", "lower", "centroid"
)


def manzini(targets: Vectors, classes: Sequence[Vectors], *, weights: Sequence[ListWeights] | None = None) -> Matrix:
    """Return |mean_i mean_{a ∈ A_i} cos(w, a)| of each word: (..., words, dim), classes (..., n_i, dim) → (..., words).

    With `weights` of each class's words → (..., words, resamples).
    """
    return np.asarray(np.abs(mean_cosine(targets, classes, weights)), dtype=np.float64)


def manzini_centroid(
    targets: Vectors, classes: Sequence[Vectors], *, weights: Sequence[ListWeights] | None = None
) -> Matrix:
    """Return |mean_i cos(w, μ_i)|, μ_i a class's mean, as in the tables of Bommasani et al.; shapes as in `manzini`.

    It is larger than by their formula, since a mean of vectors is shorter than the vectors are.
    """
    by_class: Sequence[ListWeights | None] = weights or [None] * len(classes)
    each = (cosines_with_centroids(targets, words, counts) for words, counts in zip(classes, by_class, strict=True))
    return plain(np.abs(sum(each) / len(classes)), weights)


def mean_cosine(targets: Vectors, sets: Sequence[Vectors], weights: Sequence[ListWeights] | None = None) -> Matrix:
    """Return mean_i mean_{a ∈ A_i} cos(w, a): the classes weigh alike, however many words they have."""
    if not sets or not all(words.shape[-2] for words in sets):
        raise WordworthError("a class without words has no cosines; give at least one word of each")
    words, units = unit_rows(targets, "the targets"), [unit_rows(one, "the classes") for one in sets]
    by_set: Sequence[ListWeights | None] = weights or [None] * len(sets)
    each = (products_with_means(words, one, counts) for one, counts in zip(units, by_set, strict=True))
    return plain(np.asarray(sum(each) / len(sets)), weights)


declare(
    "mac", "Mean cosine distance of the classes' words from the attribute words.", "manzini2019", "higher", is_main=True
)


def mac(targets: Vectors, attributes: Sequence[Vectors], *, weights: Sequence[ListWeights] | None = None) -> Matrix:
    """Return mean_j mean_{a ∈ A_j} (1 − cos(t, a)) of each t: (..., words, dim), sets (..., n_j, dim) → (..., words).

    The targets are the words of the classes and each A_j a set of attributes; the measure is the mean over targets.
    With `weights` of each set's words → (..., words, resamples).
    """
    return np.asarray(1 - mean_cosine(targets, attributes, weights), dtype=np.float64)


declare(
    "garg-euclidean",
    "Mean |‖w − μ₁‖ − ‖w − μ₂‖| with μ the mean of a class.",
    "garg2018",
    "lower",
    grows_with_vectors=True,
    **ESTIMATOR,
)
declare("garg-euclidean", "The same of vectors at length one.", "bommasani2020", "lower", "unit")
declare("garg-cosine", "Mean |cos(w, μ₁) − cos(w, μ₂)| with μ the mean of a class.", "garg2018", "lower", **ESTIMATOR)


def garg_euclidean(
    targets: Vectors,
    A1: Vectors,
    A2: Vectors,
    *,
    normalized: bool = False,
    weights: tuple[ListWeights, ListWeights] | None = None,
) -> Matrix:
    """Return |‖w − μ₁‖ − ‖w − μ₂‖| of each word, μ the mean of a class: (..., words, dim) → (..., words).

    It grows with the length of the vectors, so layers and models are not comparable by it, unless all vectors are
    `normalized` to length one first (Bommasani et al. 2020, footnote 6). With `weights` of the two classes' words →
    (..., words, resamples).
    """
    if normalized:
        targets, A1, A2 = unit_rows(targets, "the targets"), unit_rows(A1, "the classes"), unit_rows(A2, "the classes")
    middle = np.asarray(targets, dtype=np.float64).mean(axis=-2, keepdims=True)  # close by, so that no digits are lost
    words = targets - middle
    squares = np.vecdot(words, words)[..., None]
    by_class = weights or (None, None)
    first, second = (_distances(words, squares, *one) for one in zip((A1 - middle, A2 - middle), by_class, strict=True))
    return plain(np.abs(first - second), weights)


def garg_cosine(
    targets: Vectors, A1: Vectors, A2: Vectors, *, weights: tuple[ListWeights, ListWeights] | None = None
) -> Matrix:
    """Return |cos(w, μ₁) − cos(w, μ₂)| of each word, μ of vectors as they are; shapes as in `garg_euclidean`."""
    by_class = weights or (None, None)
    first, second = (cosines_with_centroids(targets, *one) for one in zip((A1, A2), by_class, strict=True))
    return plain(np.abs(first - second), weights)


def _distances(words: Matrix, squares: Matrix, class_words: Matrix, weights: ListWeights | None) -> Matrix:
    """Return ‖w − μ‖ from ‖w‖²: (..., words, dim), (..., n, dim) → (..., words, resamples)."""
    lengths = squared_lengths_of_means(class_words, weights)[..., None, :]
    products = products_with_means(words, class_words, weights)
    return np.asarray(np.sqrt(np.maximum(squares - 2 * products + lengths, 0)), dtype=np.float64)


declare(
    "ect",
    "Spearman's ρ over the targets between cos(w, μ₁) and cos(w, μ₂) with μ the mean of a class.",
    "dev2019",
    "higher",
    verdict="orders neutral words more alike for both classes",
    is_main=True,
)


def ect(targets: Vectors, A1: Vectors, A2: Vectors, *, resamples: int = RESAMPLES, seed: int = 0) -> Correlation:
    """Return Spearman's ρ of the targets' cosines with the two classes' means: (..., words, dim) → (...). 1 is no bias.

    The interval is over resampled targets, which are ranked again in each resample. The means are those of vectors as
    they are.
    """
    first, second = (cosines_with_centroids(targets, words)[..., 0] for words in (A1, A2))
    shape, count = first.shape[:-1], first.shape[-1]
    columns = zip(first.reshape(-1, count), second.reshape(-1, count), strict=True)
    layers = [spearman(one, other, resamples=resamples, seed=seed) for one, other in columns]
    names = ("value", "low", "high")
    value, low, high = (np.array([getattr(layer, name) for layer in layers]).reshape(shape) for name in names)
    return Correlation(value, low, high, count)
