"""Bias along the direction of word pairs: direct bias (Bolukbasi et al. 2016) and RIPA (Ethayarajh et al. 2019)."""

from dataclasses import dataclass

import numpy as np

from wordworth.embedding.core import Matrix, Vectors, cosines_with, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import ESTIMATOR, declare
from wordworth.measure.weighted import Weights, plain, shares, weighted_mean

NOTHING = 1e-24
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
    explained: Matrix
    """The first component's share of the differences' variance. Where it is low there is no one direction."""


def pair_direction(
    first: Vectors, second: Vectors, *, centred: bool = False, weights: Weights | None = None
) -> Direction:
    """g = PCA([m_1 − f_1, …, m_n − f_n])[0] for pairs (..., n, dim) twice.

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
    rounding = NOTHING * np.square(differences).sum(axis=(-2, -1)) / pairs
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
    spread, mixes = np.linalg.eigh(gram)
    vector = (mixes[..., None, :, -1] @ rows)[..., 0, :] @ differences
    vector /= np.linalg.norm(vector, axis=-1, keepdims=True)
    if weights is None:
        return Direction(vector[..., 0, :], spread[..., 0, -1] / total[..., 0])
    return Direction(vector, spread[..., -1] / total)


def direct_bias(targets: Vectors, direction: Matrix) -> Matrix:
    """|cos(w, g)| of each word: (..., words, dim) and (..., dim) → (..., words). The measure is their mean."""
    return resampled_direct_bias(targets, direction[..., None, :])[..., 0]


def resampled_direct_bias(targets: Vectors, directions: Matrix) -> Matrix:
    """The same for the directions (..., resamples, dim) of weighted pairs → (..., words, resamples)."""
    cosine = cosines_with(targets, unit_rows(directions, "the direction"), "the targets")
    return np.asarray(np.abs(cosine), dtype=np.float64)


declare(
    "ripa",
    "Mean |⟨w, (x − y) / ‖x − y‖⟩|, averaged over pairs (x, y) before the absolute value.",
    "ethayarajh2019b",
    "lower",
    **ESTIMATOR,
)


def ripa(targets: Vectors, first: Vectors, second: Vectors, *, weights: Weights | None = None) -> Matrix:
    """⟨w, (x − y) / ‖x − y‖⟩, the mean over the pairs (x, y): (..., words, dim), (..., n, dim) twice → (..., words).

    Positive towards `first`. Words keep their length, so the value grows with it. The measure is the mean of |·|. With
    `weights` of the pairs → (..., words, resamples).
    """
    if first.shape != second.shape or not first.shape[-2]:
        raise WordworthError(f"pairs of shape {first.shape} and {second.shape} do not match; give whole pairs")
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    relation = weighted_mean(unit_rows(differences, "the pairs' differences"), weights)
    return plain(np.asarray(targets, dtype=np.float64) @ relation.swapaxes(-1, -2), weights)
