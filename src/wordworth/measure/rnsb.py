"""Relative negative sentiment bias (Sweeney & Najafian 2019)."""

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from wordworth.embedding.core import Matrix, Vectors
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.measure.weighted import Weights

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
    targets: Vectors, positive: Vectors, negative: Vectors, *, strength: float = 1.0, weights: Weights | None = None
) -> Matrix:
    """Return KL(P ‖ uniform) with P the targets' probabilities of being negative, normalised to sum to one.

    0 is no bias. The probabilities are those of a logistic regression of positive against negative words (n, dim),
    penalised by ‖β‖² / 2 with `strength` on the loss (scikit-learn's C). `targets` are the words of all classes
    (words, dim). With `weights` of the targets (words, resamples) → (resamples), else of no dimension.
    """
    chance = negative_probability(targets, positive, negative, strength=strength)
    counts = np.ones((len(chance), 1)) if weights is None else np.asarray(weights, dtype=np.float64)
    share = chance[:, None] / (chance @ counts)
    if not (np.isfinite(share).all() and (share > 0).all()):
        raise WordworthError(
            "the sentiment of some word is certain beyond rounding, so its divergence is not finite; are the vectors "
            "very long?"
        )
    found = np.asarray((counts * share * np.log(share * counts.sum(axis=0))).sum(axis=0), dtype=np.float64)
    return found if weights is not None else found[0]


def negative_probability(targets: Vectors, positive: Vectors, negative: Vectors, *, strength: float = 1.0) -> Matrix:
    """P(negative | w) for each target.

    β is a sum of the words fitted on, about their mean, so they are given by their coordinates along the axes they
    span: the fit does not depend on how the space is turned. Coordinates in units of their length s make the same fit
    with the strength times s², and the solver's tolerance then means the same for short vectors and for long ones.
    """
    words = np.concatenate([np.asarray(side, dtype=np.float64) for side in (positive, negative)])
    if not (len(positive) and len(negative)) or not np.isfinite(words).all():
        raise WordworthError("sentiment is learnt from positive and negative words with finite vectors; give both")
    middle = words.mean(axis=0)
    turned, spread, axes = np.linalg.svd(words - middle, full_matrices=False)
    length = spread[0] / np.sqrt(len(words))
    if not length > np.finfo(np.float64).eps * np.abs(words).max():
        raise WordworthError("the positive and negative words all have one vector, so sentiment cannot be learnt")
    truth = np.repeat([0, 1], [len(positive), len(negative)])
    model = _fitted(turned * (spread / length), truth, strength * length**2)
    places = (np.asarray(targets, dtype=np.float64) - middle) @ axes.T / length
    return np.asarray(expit(model.decision_function(places)), dtype=np.float64)


def _fitted(places: Matrix, truth: NDArray[np.integer], strength: float) -> "LogisticRegression":
    """The library's Newton solver, judged by the gradient where it stops.

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
            for expected in (ConvergenceWarning, LinAlgWarning):
                warnings.simplefilter("ignore", expected)
            model.fit(places, truth)
        slack = side * expit(side * model.decision_function(places))  # P(negative) − truth, small ones exactly
        gradient = np.append(slack @ places + model.coef_[0] / strength, slack.sum())
        parts = max(float((np.abs(slack) @ np.abs(places)).max()), float(np.abs(slack).sum()))
        if np.abs(gradient).max() <= tolerance * parts:
            return model
        model.set_params(tol=TOLERANCE * parts / len(places))
    raise WordworthError(
        f"the sentiment of the words cannot be fitted in {STEPS} steps of Newton's; are some vectors very long?"
    )
