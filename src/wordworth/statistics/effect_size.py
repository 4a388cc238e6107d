"""Effect sizes of association tests: their interval over the words of the four sets, and how two models differ.

d is a function of how often each word counts. A bootstrap resample draws the words of each set from that set. The
draws are weights of the words, and d is computed for all resamples together. The paired tests compare two models on
the same items.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import binom, chi2_contingency, fisher_exact

from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import (
    BLOCK_NUMBERS,
    RESAMPLES,
    Exact,
    Floats,
    all_counts,
    percentile_interval,
    resample_counts,
)
from wordworth.statistics.permutation import PERMUTATIONS, STATISTIC_TIE, PermutationTest

NO_SPREAD = 1e-12
NORMAL_QUANTILE = float(ndtri(0.975))


def effect_size(values: Floats, size_x: int, ddof: int = 1) -> Exact:
    """Return d = (mean over X − mean over Y) / standard deviation over X ∪ Y of associations (..., words of X then Y).

    It is NaN where the spread is rounding: below 1e-12 of the largest association.
    """
    spread = values.std(axis=-1, ddof=ddof)
    difference = values[..., :size_x].mean(axis=-1) - values[..., size_x:].mean(axis=-1)
    has_spread = spread > NO_SPREAD * np.abs(values).max(axis=-1)
    return np.asarray(difference / np.where(has_spread, spread, np.nan), dtype=np.float64)


def weat_interval(
    cosines: Floats, size_x: int, size_a: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[Exact, Exact]:
    """Return the 95 % interval of d for cosines (..., words of X then Y, words of A then B) → low and high (...).

    Percentiles of d over resamples, each of the four sets drawn from itself, corrected for bias (Efron 1981): repeated
    attribute words blur the axis between A and B, so that resamples have smaller d than the sets. A resample in which
    all associations are the same has no d and is skipped. Words go by place, so give them in a canonical order.
    """
    values = np.asarray(cosines, dtype=np.float64)
    targets, attributes = values.shape[-2:] if values.ndim > 1 else (0, 0)
    sizes = (size_x, targets - size_x, size_a, attributes - size_a)
    if min(sizes) < 2:
        raise WordworthError(f"an interval of d needs two words or more of each set, not {sizes}")
    counts_by_set = [all_counts(size, resamples, seed + at) for at, size in enumerate(sizes)]
    value = _weighted_effects(values, [np.ones((size, 1)) for size in sizes])
    step = max(RESAMPLES, BLOCK_NUMBERS // values[..., 0].size)  # more of them would fill the memory
    batches = [[side[:, start : start + step] for side in counts_by_set] for start in range(0, resamples, step)]
    replicates = np.concatenate([_weighted_effects(values, batch) for batch in batches], axis=-1)
    low, high = np.moveaxis(_correct_bias(replicates, value), -1, 0)
    return low, high


def _correct_bias(replicates: Exact, value: Exact) -> Exact:
    """Return the percentiles Φ(2 z₀ ± 1.96), z₀ = Φ⁻¹ of the share of replicates below the value: (..., 2)."""
    is_defined = np.isfinite(replicates)
    below = ((replicates < value) + 0.5 * (replicates == value)).sum(axis=-1, where=is_defined)
    n = is_defined.sum(axis=-1)
    shift = 2 * ndtri((below + 0.5) / (n + 1))  # never 0 or 1
    shares = ndtr(np.stack((shift - NORMAL_QUANTILE, shift + NORMAL_QUANTILE), axis=-1))
    rows = zip(replicates.reshape(-1, replicates.shape[-1]), shares.reshape(-1, 2), strict=True)
    return np.array([np.nanquantile(row, share) for row, share in rows]).reshape(shares.shape)


def _weighted_effects(cosines: Exact, counts: Sequence[Floats]) -> Exact:
    """Return d (..., r) with counts (size, r) of the words of X, Y, A and B; cosines as in `weat_interval`."""
    X, Y, A, B = (np.asarray(side, dtype=np.float64) for side in counts)
    split = len(A)
    means = [side / side.sum(axis=0) for side in (A, B)]
    s = cosines[..., :split] @ means[0] - cosines[..., split:] @ means[1]  # (..., words, r)
    x, y = s[..., : len(X), :], s[..., len(X) :, :]
    weights = np.concatenate((X, Y))
    total = weights.sum(axis=0)
    difference = (x * X).sum(axis=-2) / X.sum(axis=0) - (y * Y).sum(axis=-2) / Y.sum(axis=0)
    middle = (s * weights).sum(axis=-2, keepdims=True) / total
    spread = np.sqrt((np.square(s - middle) * weights).sum(axis=-2) / (total - 1))
    return np.asarray(difference / np.where(spread > NO_SPREAD, spread, np.nan), dtype=np.float64)


NEAR = 1e-9  # of an effect size: closer than this is equal


def weat_difference(
    associations: Floats, size_x: int, *, permutations: int = PERMUTATIONS, seed: int = 0
) -> tuple[Exact, PermutationTest]:
    """Return d of two models (..., 2) and the two-sided test of d₁ − d₂, for s(w, A, B) (..., 2, words), X first.

    Each model's associations are brought to mean 0 and standard deviation 1, which d does not feel, so that those of a
    word can change places between the models; then both effect sizes are recomputed. p is the share of such exchanges
    with |d₁ − d₂| as large as observed. Bringing both models to one spread costs the differences a degree of freedom of
    n − 1, which is given back before they are exchanged, or few words would differ too often.
    """
    values = np.asarray(associations, dtype=np.float64)
    n = values.shape[-1] if values.ndim > 1 else 0
    if values.ndim < 2 or values.shape[-2] != 2 or not 2 <= size_x <= n - 2:
        raise WordworthError(f"associations of shape {values.shape} are not of two models and two sets of 2 words")
    spread = values.std(axis=-1, ddof=1, keepdims=True)
    if not (spread > 1e-12 * np.abs(values).max(axis=-1, keepdims=True)).all():
        raise WordworthError("a model associates all words of X and Y equally, so it has no effect size to compare")
    z = (values - values.mean(axis=-1, keepdims=True)) / spread
    first, second = (z[..., model, :].reshape(-1, n) for model in (0, 1))
    rows = len(first)
    contrast = np.concatenate([np.full(size_x, 1 / size_x), np.full(n - size_x, -1 / (n - size_x))])
    effects = np.stack([first @ contrast, second @ contrast])
    bar = np.abs(effects[0] - effects[1]) - NEAR
    middle, half = (first + second) / 2, (first - second) / 2 * np.sqrt((n - 1) / (n - 2))
    first, second = middle + half, middle - half
    # Of the first model's words, what an exchange adds to the contrast, the sum and the sum of squares: all linear in
    # who is exchanged, and taken from the second model's.
    change = second - first
    gains = np.concatenate([change * contrast, change, second**2 - first**2]).T
    begin = [_sums(values, contrast) for values in (first, second)]
    beyond = np.zeros(rows, dtype=np.int64)
    for block in swaps(n, permutations, seed):
        gain = (block @ gains).reshape(len(block), 3, rows)
        one = _effects_of_sums(*(start + gain[:, at] for at, start in enumerate(begin[0])), n=n)
        two = _effects_of_sums(*(start - gain[:, at] for at, start in enumerate(begin[1])), n=n)
        beyond += np.count_nonzero(np.abs(one - two) >= bar, axis=0)
    result = share_beyond(beyond, n, permutations)
    shape = values.shape[:-2]
    test = PermutationTest(result.p.reshape(shape), result.method, result.partitions)
    return np.moveaxis(effects, 0, -1).reshape(*shape, 2), test


def weat_difference_interval(
    associations: Floats, size_x: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the 95 % bootstrap intervals of d₁ − d₂ and of |d₁| − |d₂|, for associations (2, words).

    Words are drawn within X and within Y, alike in both models.
    """
    values = np.asarray(associations, dtype=np.float64)
    z = (values - values.mean(axis=-1, keepdims=True)) / values.std(axis=-1, ddof=1, keepdims=True)
    sizes = size_x, values.shape[1] - size_x
    means, squares = [], []
    for at, side in enumerate(np.split(z, [size_x], axis=1)):
        counts = all_counts(sizes[at], resamples, seed + at)
        means.append(side @ counts / sizes[at])
        squares.append(side**2 @ counts)
    n = sum(sizes)
    total = means[0] * sizes[0] + means[1] * sizes[1]
    with np.errstate(invalid="ignore", divide="ignore"):  # few words, all the same one: no effect size, skipped
        effects = _effects_of_sums(means[0] - means[1], total, squares[0] + squares[1], n=n)
    both = np.stack([effects[0] - effects[1], np.abs(effects[0]) - np.abs(effects[1])])
    low, high = percentile_interval(np.where(np.isfinite(both), both, np.nan))
    return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))


def _sums(values: Exact, contrast: Exact) -> list[Exact]:
    return [values @ contrast, values.sum(axis=1), np.square(values).sum(axis=1)]


def _effects_of_sums(contrast: Exact, total: Exact, squares: Exact, *, n: int) -> Exact:
    """Return d = (mean over X − mean over Y) / sample standard deviation, from sums over all words."""
    variance = (squares - total**2 / n) / (n - 1)
    return np.asarray(contrast / np.sqrt(np.where(variance > 1e-12, variance, np.nan)), dtype=np.float64)


EXACT = 16
"""Items up to which all flips are taken. Turning every sign round changes no size, so one item may stay: 2ⁿ⁻¹."""
BLOCK_FLIPS = 2_000  # flips in one block


def swaps(n: int, permutations: int, seed: int) -> Iterator[Exact]:
    """Yield blocks (m, n) of 0 and 1: the items to swap. All for few items (the last one stays), else random ones."""
    if n <= EXACT:
        for start in range(0, 1 << (n - 1), BLOCK_FLIPS):
            numbers = np.arange(start, min(start + BLOCK_FLIPS, 1 << (n - 1)))
            yield ((numbers[:, None] >> np.arange(n)) & 1).astype(np.float64)
        return
    rng = np.random.default_rng(seed)
    for start in range(0, permutations, BLOCK_FLIPS):
        yield rng.integers(2, size=(min(BLOCK_FLIPS, permutations - start), n)).astype(np.float64)


def share_beyond(beyond: NDArray[np.int64], n: int, permutations: int) -> PermutationTest:
    """Return p from the count of permuted statistics as large as the observed one, which is one of them all."""
    if n <= EXACT:
        return PermutationTest(beyond / (1 << (n - 1)), "exact", 1 << (n - 1))
    return PermutationTest((beyond + 1) / (permutations + 1), "monte-carlo", permutations)


def sign_flip(differences: Floats, *, permutations: int = PERMUTATIONS, seed: int = 0) -> PermutationTest:
    """Return the two-sided p of a mean of paired differences (..., n): how often |Σ ±dᵢ| ≥ |Σ dᵢ| (Fisher 1935)."""
    values = np.asarray(differences, dtype=np.float64)
    n = values.shape[-1] if values.ndim else 0
    if n < 1:
        raise WordworthError("a paired permutation test needs at least one pair of values")
    if not np.isfinite(values).all():
        raise WordworthError("a difference is not finite; drop that item before testing")
    columns = values.reshape(-1, n).T
    total = columns.sum(axis=0)
    bar = np.abs(total) - STATISTIC_TIE * np.abs(columns).sum(axis=0)
    beyond = np.zeros(columns.shape[1], dtype=np.int64)
    for block in swaps(n, permutations, seed):
        beyond += np.count_nonzero(np.abs(total - 2 * (block @ columns)) >= bar, axis=0)
    result = share_beyond(beyond, n, permutations)
    return PermutationTest(result.p.reshape(values.shape[:-1]), result.method, result.partitions)


def mean_interval(sums: Exact, sizes: Exact, *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of Σ sums / Σ sizes over clusters of items; clusters are drawn whole."""
    blocks = resample_counts(len(sums), resamples, seed)
    replicates = np.concatenate([(sums @ counts) / (sizes @ counts) for counts in blocks])
    low, high = percentile_interval(replicates)
    return float(low), float(high)


_Z = float(ndtri(0.975))


def mcnemar(only_first: ArrayLike, only_second: ArrayLike) -> Exact:
    """Return the two-sided mid-p of b questions that only the first got right against c that only the second did.

    It is 2 P(B ≤ min(b, c)) − P(B = min(b, c)), B binomial(b + c, ½), which keeps the nominal rate at any size
    (Fagerland, Lydersen & Laake 2013). b and c broadcast; what both or neither got right says nothing of a difference.
    """
    b, c = (np.asarray(count, dtype=np.int64) for count in (only_first, only_second))
    fewer, total = np.minimum(b, c), b + c
    p = 2 * binom.cdf(fewer, total, 0.5) - binom.pmf(fewer, total, 0.5)
    return np.asarray(np.where(b == c, 1.0, np.minimum(p, 1.0)), dtype=np.float64)


def paired_proportions(only_first: int, only_second: int, n: int) -> tuple[float, float, float]:
    """Return the difference (b − c) / n of two shares of the same n questions, with its 95 % interval.

    Bonett & Price (2012): Wald's interval after one question is added to each of b and c.
    """
    b, c = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    half = _Z * np.sqrt((b + c - (b - c) ** 2) / (n + 2))
    return (only_first - only_second) / n, max(-1.0, b - c - half), min(1.0, b - c + half)


def holm(p: ArrayLike) -> Exact:
    """Return adjusted p, in the order of p: max over j ≤ i of (m − j + 1) p₍ⱼ₎ for the i-th smallest, at most 1."""
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise WordworthError("Holm's correction takes a list of p-values between 0 and 1")
    order = np.argsort(values, kind="stable")
    running_maximum = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(running_maximum, 1.0)
    return adjusted


class TwoByTwo(NamedTuple):
    """χ² without continuity correction and its p; the sample odds ratio and Fisher's two-sided p."""

    chi2: float
    chi2_p: float
    odds: float
    exact_p: float


def two_by_two(first: tuple[int, int], second: tuple[int, int]) -> TwoByTwo:
    """Test two groups of (hits, misses). Where all are hits, or all are misses, there is no difference: χ² 0, p 1."""
    table = np.array([first, second])
    exact = fisher_exact(table)
    if not table.sum(axis=0).all():
        return TwoByTwo(0.0, 1.0, float("nan"), 1.0)
    chi = chi2_contingency(table, correction=False)
    return TwoByTwo(float(chi.statistic), float(chi.pvalue), float(exact.statistic), float(exact.pvalue))
