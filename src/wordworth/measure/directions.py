"""Bias along a direction: direct bias (Bolukbasi et al. 2016), RIPA (Ethayarajh et al. 2019), and RNSB.

RNSB (Sweeney & Najafian 2019) is relative negative sentiment bias: its direction is that of a classifier.
"""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from wordworth.embedding.core import Matrix, Vectors, cosines_with, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.centroids import ListWeights, plain, products_with_means, shares
from wordworth.measure.declaration import ESTIMATOR, declare

MIN_MEAN_SQUARE = 1e-24
"""Of the differences' mean square: less than that is rounding."""
declare(
    "direct-bias",
    "Mean |cos(w, g)|, g the first principal component of the pairs' differences.",
    "bolukbasi2016",
    "lower",
    **ESTIMATOR,
)
declare(
    "direct-bias",
    "Mean |cos(w, g)|, g the first component of the differences about their mean.",
    "bommasani2020",
    "lower",
    "centred",
)
declare(
    "direct-bias",
    "Share of the differences' variance about their mean along its first component; if low, direct-bias means little.",
    "bommasani2020",
    "",
    "explained",
)


@dataclass(frozen=True)
class Direction:
    """What the differences of pairs have in common, one a layer."""

    vector: Matrix
    """(..., dim), of length one; its sign means nothing. With weights of the pairs (..., resamples, dim)."""
    mixes: Matrix
    """(..., pairs), or with weights (..., resamples, pairs): the vector is their product with `differences`."""
    differences: Matrix
    """(..., pairs, dim)."""
    explained: Matrix
    """The first component's share of the differences' variance. Where it is low there is no one direction."""


def pair_direction(
    first: Vectors, second: Vectors, *, centred: bool = False, weights: ListWeights | None = None
) -> Direction:
    """Return g = PCA([m_1 − f_1, …, m_n − f_n])[0] for pairs (..., n, dim) twice.

    Differences are taken about zero, which is Bolukbasi's PCA of the words about the middle of their pair.
    `centred` takes their mean off first, as the code of Bommasani et al. (2020) does: g is then what *varies* among
    the pairs, and what they share is gone. `weights` (pairs, resamples) count each pair.
    """
    if first.shape != second.shape or first.shape[-2] < 2:
        raise WordworthError(
            f"pairs of shape {first.shape} and {second.shape} give no direction; give two or more whole pairs"
        )
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    pairs = differences.shape[-2]
    rounding = MIN_MEAN_SQUARE * np.square(differences).sum(axis=(-2, -1)) / pairs
    share = shares(np.ones((pairs, 1)) if weights is None else weights, pairs).T
    rows = np.sqrt(share)[..., None] * np.eye(pairs)  # resamples × pairs × pairs: what makes the rows of the PCA
    if centred:
        differences = differences - differences.mean(axis=-2, keepdims=True)  # first, so that no digits are lost
        rows = rows - np.sqrt(share)[..., None] * share[:, None, :]
    # g is a sum of differences, so a matrix of pairs × pairs has all that is needed, in every resample.
    gram = rows @ (differences @ differences.swapaxes(-1, -2))[..., None, :, :] @ rows.swapaxes(-1, -2)
    total = np.trace(gram, axis1=-2, axis2=-1)
    if not (np.isfinite(total).all() and (total > rounding[..., None]).all()):
        raise WordworthError("the pairs do not differ, or not all alike, in some layer; they give no direction")
    spread, axes = np.linalg.eigh(gram)
    mixes = (axes[..., None, :, -1] @ rows)[..., 0, :]
    mixes /= np.linalg.norm(mixes @ differences, axis=-1, keepdims=True)
    vector, explained = mixes @ differences, spread[..., -1] / total
    if weights is None:
        return Direction(vector[..., 0, :], mixes[..., 0, :], differences, explained[..., 0])
    return Direction(vector, mixes, differences, explained)


def direct_bias(targets: Vectors, direction: Matrix) -> Matrix:
    """Return |cos(w, g)| of each word: (..., words, dim) and (..., dim) → (..., words). The measure is their mean."""
    units = unit_rows(direction[..., None, :], "the direction")
    return np.asarray(np.abs(cosines_with(targets, units, "the targets")[..., 0]), dtype=np.float64)


def resampled_direct_bias(targets: Vectors, direction: Direction) -> Matrix:
    """Return the same for the directions of weighted pairs → (..., words, resamples).

    The words meet each difference once, and then the resamples.
    """
    products = cosines_with(targets, direction.differences, "the targets")
    return np.asarray(np.abs(products @ direction.mixes.swapaxes(-1, -2)), dtype=np.float64)


declare(
    "ripa",
    "Mean |⟨w, (x − y) / ‖x − y‖⟩|, averaged over pairs (x, y) before the absolute value.",
    "ethayarajh2019b",
    "lower",
    **ESTIMATOR,
)


def ripa(targets: Vectors, first: Vectors, second: Vectors, *, weights: ListWeights | None = None) -> Matrix:
    """Return the mean ⟨w, (x − y) / ‖x − y‖⟩ over pairs (x, y): (..., words, dim), (..., n, dim) twice → (..., words).

    Positive towards `first`. Words keep their length, so the value grows with it. The measure is the mean of |·|. With
    `weights` of the pairs → (..., words, resamples).
    """
    if first.shape != second.shape or not first.shape[-2]:
        raise WordworthError(f"pairs of shape {first.shape} and {second.shape} do not match; give whole pairs")
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    units = unit_rows(differences, "the pairs' differences")
    return plain(products_with_means(np.asarray(targets, dtype=np.float64), units, weights), weights)


if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

TOLERANCE, ENOUGH = 1e-10, 1e-5
"""The gradient that the solver is asked for, and the largest with which a fit has converged (rnsb is then known to six
digits), as a share of what the words add to it without their signs."""
STEPS = 100

declare(
    "rnsb",
    "KL divergence from uniform of the class words' normalised probabilities of being negative.",
    "sweeney2019",
    "lower",
    is_main=True,
)


def rnsb(
    targets: Vectors, positive: Vectors, negative: Vectors, *, strength: float = 1.0, weights: ListWeights | None = None
) -> Matrix:
    """Return KL(P ‖ uniform) with P the targets' probabilities of being negative, normalised to sum to one.

    0 is no bias. The probabilities are those of a logistic regression of positive against negative words (n, dim),
    penalised by ‖β‖² / 2 with `strength` on the loss (scikit-learn's C). `targets` are the words of all classes
    (words, dim). With `weights` of the targets (words, resamples) → (resamples), else of no dimension.
    """
    return divergence(negative_probability(targets, positive, negative, strength=strength), weights)


def divergence(chance: Matrix, weights: ListWeights | None = None) -> Matrix:
    """Return the same for the targets' probabilities of being negative (words)."""
    counts = np.ones((len(chance), 1)) if weights is None else np.asarray(weights, dtype=np.float64)
    share = chance[:, None] / (chance @ counts)
    if not (np.isfinite(share).all() and (share > 0).all()):
        raise WordworthError(
            "the sentiment of some word is certain beyond rounding, so its divergence is not finite; are the vectors "
            "very long?"
        )
    divergences = np.asarray((counts * share * np.log(share * counts.sum(axis=0))).sum(axis=0), dtype=np.float64)
    return divergences if weights is not None else divergences[0]


def negative_probability(targets: Vectors, positive: Vectors, negative: Vectors, *, strength: float = 1.0) -> Matrix:
    """Return P(negative | w) for each target.

    β is a sum of the words fitted on, about their mean, so they are given by their coordinates along the axes they
    span: the fit does not depend on how the space is turned. Coordinates in units of their length s make the same fit
    with the strength times s², and the solver's tolerance then means the same for short vectors and for long ones.
    """
    words = np.concatenate([np.asarray(side, dtype=np.float64) for side in (positive, negative)])
    if not (len(positive) and len(negative)) or not np.isfinite(words).all():
        raise WordworthError("sentiment is learnt from positive and negative words with finite vectors; give both")
    middle = words.mean(axis=0)
    coordinates, spread, axes = np.linalg.svd(words - middle, full_matrices=False)
    length = spread[0] / np.sqrt(len(words))
    if not length > np.finfo(np.float64).eps * np.abs(words).max():
        raise WordworthError("the positive and negative words all have one vector, so sentiment cannot be learnt")
    truth = np.repeat([0, 1], [len(positive), len(negative)])
    model = _fit(coordinates * (spread / length), truth, strength * length**2)
    places = (np.asarray(targets, dtype=np.float64) - middle) @ axes.T / length
    return np.asarray(expit(model.decision_function(places)), dtype=np.float64)


def _fit(places: Matrix, truth: NDArray[np.integer], strength: float) -> "LogisticRegression":
    """Fit the library's Newton solver, judged by the gradient where it stops.

    Its own tolerance is absolute, so a fit that ends too early gives the next one its scale. Its warnings are passed
    over: at the optimum rounding decides whether a last step counts as one, and the gradient says what is true.
    """
    from scipy.linalg import LinAlgWarning
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=strength, solver="newton-cholesky", tol=TOLERANCE, max_iter=STEPS, warm_start=True)
    side = np.where(truth, -1, 1)
    for tolerance in (TOLERANCE, ENOUGH):
        with warnings.catch_warnings():
            for warning in (ConvergenceWarning, LinAlgWarning):
                warnings.simplefilter("ignore", warning)
            model.fit(places, truth)
        slack = side * expit(side * model.decision_function(places))  # P(negative) − truth, small ones exactly
        gradient = np.append(slack @ places + model.coef_[0] / strength, slack.sum())
        scale = max(float((np.abs(slack) @ np.abs(places)).max()), float(np.abs(slack).sum()))
        if np.abs(gradient).max() <= tolerance * scale:
            return model
        model.set_params(tol=TOLERANCE * scale / len(places))
    raise WordworthError(
        f"the sentiment of the words cannot be fitted in {STEPS} steps of Newton's; are some vectors very long?"
    )
