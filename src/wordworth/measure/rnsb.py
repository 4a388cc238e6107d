"""Relative negative sentiment bias (Sweeney & Najafian 2019)."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from wordworth.errors import WordworthError

STEPS = 100
TOLERANCE = 1e-12


def rnsb(
    targets: NDArray[np.floating],
    positive: NDArray[np.floating],
    negative: NDArray[np.floating],
    *,
    strength: float = 1.0,
) -> float:
    """KL(P ‖ uniform) with P the targets' probabilities of being negative, normalised to sum to one. 0 is no bias.

    The probabilities are those of a logistic regression of positive against negative words (n, dim), penalised by
    ‖β‖² / 2 with `strength` on the loss (scikit-learn's C). `targets` are the words of all classes (words, dim).
    """
    chance = negative_probability(targets, positive, negative, strength=strength)
    share = chance / chance.sum()
    if not (np.isfinite(share).all() and (share > 0).all()):
        raise WordworthError("the sentiment of some word is certain beyond rounding, so its divergence is not finite")
    return float(np.sum(share * np.log(share * len(share))))


def negative_probability(
    targets: NDArray[np.floating],
    positive: NDArray[np.floating],
    negative: NDArray[np.floating],
    *,
    strength: float = 1.0,
) -> NDArray[np.float64]:
    """P(negative | w) for each target.

    β is a sum of the words fitted on, so Newton's steps are taken in their number and not in the dimensions: the
    optimum is found to rounding, whichever way the space is turned.
    """
    words = np.concatenate([np.asarray(side, dtype=np.float64) for side in (positive, negative)])
    if not (len(positive) and len(negative)) or not np.isfinite(words).all():
        raise WordworthError("sentiment is learnt from positive and negative words with finite vectors; give both")
    truth = np.repeat([0.0, 1.0], [len(positive), len(negative)])
    gram = words @ words.T
    weights, offset = np.zeros(len(words)), 0.0  # β = Σ weights · words
    loss = _loss(gram, weights, offset, truth, strength)
    for _ in range(STEPS):
        chance = expit(gram @ weights + offset)
        slack = strength * (chance - truth)
        curve = np.maximum(strength * chance * (1 - chance), 1e-300)
        # The gradient in β is Σ (weights + slack) · words, so Newton's equations are these of size n + 1.
        system = np.zeros((len(words) + 1, len(words) + 1))
        system[:-1, :-1] = curve[:, None] * gram
        system[np.arange(len(words)), np.arange(len(words))] += 1
        system[:-1, -1] = curve
        system[-1, :-1] = curve @ gram
        system[-1, -1] = curve.sum()
        step = np.linalg.solve(system, -np.append(weights + slack, slack.sum()))
        size = 1.0
        while True:
            trial = weights + size * step[:-1], offset + size * step[-1]
            after = _loss(gram, *trial, truth, strength)
            if after <= loss or size < 1e-6:
                break
            size /= 2
        (weights, offset), before, loss = trial, loss, after
        if abs(before - loss) <= TOLERANCE * max(1.0, abs(loss)) and np.abs(step).max() <= 1e-10:
            break
    else:
        raise WordworthError(f"the sentiment of the words cannot be fitted in {STEPS} steps; is a vector enormous?")
    beta = weights @ words
    return np.asarray(expit(np.asarray(targets, dtype=np.float64) @ beta + offset), dtype=np.float64)


def _loss(
    gram: NDArray[np.float64], weights: NDArray[np.float64], offset: float, truth: NDArray[np.float64], strength: float
) -> float:
    score = gram @ weights + offset
    fit = np.logaddexp(0, np.where(truth > 0, -score, score)).sum()
    return float(strength * fit + weights @ gram @ weights / 2)
