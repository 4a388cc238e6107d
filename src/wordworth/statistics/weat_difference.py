"""Does one model associate two sets of targets more strongly than another? Paired by word."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import RESAMPLES, percentile_interval, resample_counts
from wordworth.statistics.permutation import PERMUTATIONS, PermutationTest
from wordworth.statistics.sign_flip import share_beyond, swaps

NEAR = 1e-9  # of an effect size: closer than this is equal


@dataclass(frozen=True)
class WeatDifference:
    """Effect sizes of two models (..., 2) on the same targets, and the test of their difference."""

    effects: NDArray[np.float64]
    test: PermutationTest


def weat_difference(
    associations: NDArray[np.floating], size_x: int, *, permutations: int = PERMUTATIONS, seed: int = 0
) -> WeatDifference:
    """Two-sided p of d₁ − d₂ for s(w, A, B) of two models, (..., 2, words) with the words of X first.

    Each model's associations are brought to mean 0 and standard deviation 1, which d does not feel, so that those of a
    word can change places between the models; then both effect sizes are taken anew. p is the share of such exchanges
    with |d₁ − d₂| as large as observed. Bringing both models to one spread costs the differences a degree of freedom of
    n − 1, which is given back before they are exchanged, or few words would be told apart too often.
    """
    given = np.asarray(associations, dtype=np.float64)
    n = given.shape[-1] if given.ndim > 1 else 0
    if given.ndim < 2 or given.shape[-2] != 2 or not 2 <= size_x <= n - 2:
        raise WordworthError(f"associations of shape {given.shape} are not of two models and two sets of 2 words")
    spread = given.std(axis=-1, ddof=1, keepdims=True)
    if not (spread > 1e-12 * np.abs(given).max(axis=-1, keepdims=True)).all():
        raise WordworthError("a model associates all words of X and Y equally, so it has no effect size to compare")
    z = (given - given.mean(axis=-1, keepdims=True)) / spread
    first, second = (z[..., model, :].reshape(-1, n) for model in (0, 1))
    rows = len(first)
    contrast = np.concatenate([np.full(size_x, 1 / size_x), np.full(n - size_x, -1 / (n - size_x))])
    effects = np.stack([first @ contrast, second @ contrast])
    bar = np.abs(effects[0] - effects[1]) - NEAR
    middle, half = (first + second) / 2, (first - second) / 2 * np.sqrt((n - 1) / (n - 2))
    first, second = middle + half, middle - half
    # Of the first model's words, what an exchange adds to the contrast, the sum and the sum of squares: all linear in
    # who is exchanged, and taken from the second model's.
    moved = second - first
    gains = np.concatenate([moved * contrast, moved, second**2 - first**2]).T
    begin = [_sums(values, contrast) for values in (first, second)]
    beyond = np.zeros(rows, dtype=np.int64)
    for block in swaps(n, permutations, seed):
        gained = (block @ gains).reshape(len(block), 3, rows)
        one = _effects(*(start + gained[:, at] for at, start in enumerate(begin[0])), n=n)
        two = _effects(*(start - gained[:, at] for at, start in enumerate(begin[1])), n=n)
        beyond += np.count_nonzero(np.abs(one - two) >= bar, axis=0)
    found = share_beyond(beyond, n, permutations)
    shape = given.shape[:-2]
    test = PermutationTest(found.p.reshape(shape), found.method, found.partitions)
    return WeatDifference(np.moveaxis(effects, 0, -1).reshape(*shape, 2), test)


def weat_difference_interval(
    associations: NDArray[np.floating], size_x: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float]:
    """95 % bootstrap interval of d₁ − d₂ for (2, words): words are drawn within X and within Y, alike in both."""
    given = np.asarray(associations, dtype=np.float64)
    z = (given - given.mean(axis=-1, keepdims=True)) / given.std(axis=-1, ddof=1, keepdims=True)
    sizes = size_x, given.shape[1] - size_x
    means, squares = [], []
    for at, side in enumerate(np.split(z, [size_x], axis=1)):
        counts = np.concatenate(list(resample_counts(sizes[at], resamples, seed + at)), axis=1)
        means.append(side @ counts / sizes[at])
        squares.append(side**2 @ counts)
    n = sum(sizes)
    total = means[0] * sizes[0] + means[1] * sizes[1]
    with np.errstate(invalid="ignore", divide="ignore"):  # few words, all the same one: no effect size, passed over
        effects = _effects(means[0] - means[1], total, squares[0] + squares[1], n=n)
    low, high = percentile_interval(np.where(np.isfinite(effects[0] - effects[1]), effects[0] - effects[1], np.nan))
    return float(low), float(high)


def _sums(values: NDArray[np.float64], contrast: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    return [values @ contrast, values.sum(axis=1), np.square(values).sum(axis=1)]


def _effects(
    contrast: NDArray[np.float64], total: NDArray[np.float64], squares: NDArray[np.float64], *, n: int
) -> NDArray[np.float64]:
    """d = (mean over X − mean over Y) / sample standard deviation, from sums over all words."""
    variance = (squares - total**2 / n) / (n - 1)
    return np.asarray(contrast / np.sqrt(np.where(variance > 1e-12, variance, np.nan)), dtype=np.float64)
