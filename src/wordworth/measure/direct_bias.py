"""Direct bias: how far words lie along the direction that tells the words of pairs apart (Bolukbasi et al. 2016)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import norms, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import Measure, declare

declare(
    Measure(
        "direct-bias",
        "Mean |cos(w, g)|, g the first principal component of the pairs' differences.",
        "bolukbasi2016",
        "lower",
    ),
    Measure(
        "direct-bias:centred",
        "Mean |cos(w, g)|, g the first component of the differences about their mean.",
        "bommasani2020",
        "lower",
    ),
    Measure(
        "direct-bias:explained",
        "Share of the differences' variance along g; where it is low, direct-bias means little.",
        "bommasani2020",
    ),
)


@dataclass(frozen=True)
class Direction:
    """What the differences of pairs have in common, one a layer."""

    vector: NDArray[np.float64]
    """(..., dim), of length one; its sign means nothing."""
    explained: NDArray[np.float64]
    """(...): the first component's share of the differences' variance. Where it is low there is no one direction."""


def pair_direction(first: NDArray[np.floating], second: NDArray[np.floating], *, centred: bool = False) -> Direction:
    """g = PCA([m_1 − f_1, …, m_n − f_n])[0] for pairs (..., n, dim) twice.

    Differences are taken about zero, which is Bolukbasi's PCA of the words about the middle of their pair.
    `centred` takes their mean off first, as the code of Bommasani et al. (2020) does: g is then what *varies* among
    the pairs, and what they share is gone.
    """
    if first.shape != second.shape or first.shape[-2] < 2:
        raise WordworthError(
            f"pairs of shape {first.shape} and {second.shape} give no direction; give two or more whole pairs"
        )
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if centred:
        differences = differences - differences.mean(axis=-2, keepdims=True)
    _, spread, directions = np.linalg.svd(differences, full_matrices=False)
    total = np.square(spread).sum(axis=-1)
    if not (np.isfinite(total).all() and (total > 0).all()):
        raise WordworthError("the pairs do not differ, or not all alike, in some layer; they give no direction")
    explained = np.square(spread[..., 0]) / total
    return Direction(np.asarray(directions[..., 0, :]), np.asarray(explained, dtype=np.float64))


def direct_bias(targets: NDArray[np.floating], direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """|cos(w, g)| of each word: (..., words, dim) and (..., dim) → (..., words). The measure is their mean."""
    length = norms(direction[..., None, :], "the direction")
    cosine = np.einsum("...wi,...i->...w", unit_rows(targets, "the targets"), direction) / length
    return np.asarray(np.abs(cosine), dtype=np.float64)
