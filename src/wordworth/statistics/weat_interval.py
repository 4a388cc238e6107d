"""How far an effect size of an association test depends on which words its four sets happen to hold.

d is a function of how often each word counts. A bootstrap resample draws the words of each set anew from that set; the
jackknife leaves one word out at a time. Both are weights of the words, and d is taken for all of them together.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from wordworth.errors import WordworthError
from wordworth.statistics.arrays import Exact, Values
from wordworth.statistics.bootstrap import BLOCK, RESAMPLES, resample_counts, told
from wordworth.statistics.choices import Way

NO_SPREAD = 1e-12
NORMAL = float(ndtri(0.975))


def weat_interval(
    cosines: Values, size_x: int, size_a: int, *, way: Way = "bootstrap", resamples: int = RESAMPLES, seed: int = 0
) -> tuple[Exact, Exact]:
    """95 % interval of d for cosines (..., words of X then Y, words of A then B) → low and high (...).

    bootstrap: percentiles of d over resamples, each of the four sets drawn from itself, corrected for bias (Efron
    1981): repeated attribute words blur the axis between A and B, so that resamples have smaller d than the sets. A
    resample in which all associations are the same has no d and is passed over. jackknife: d ± 1.96 s with s² = Σ over
    the sets of (n − 1) / n Σ (d₋ᵢ − mean of the set's d₋ᵢ)². Words go by place, so give them in a canonical order.
    """
    values = np.asarray(cosines, dtype=np.float64)
    targets, attributes = values.shape[-2:] if values.ndim > 1 else (0, 0)
    sizes = (size_x, targets - size_x, size_a, attributes - size_a)
    if min(sizes) < 2:
        raise WordworthError(f"an interval of d needs two words or more of each set, not {sizes}")
    if way == "jackknife":
        return _jackknife(values, sizes)
    if way != "bootstrap":
        raise WordworthError(f"an interval of d is by 'bootstrap' or 'jackknife', not {way!r}")
    drawn = [np.concatenate(list(resample_counts(size, resamples, seed + at)), axis=1) for at, size in enumerate(sizes)]
    whole = effects(values, [np.ones((size, 1)) for size in sizes])
    step = max(RESAMPLES, BLOCK // values[..., 0].size)  # more of them would fill the memory
    parts = [[side[:, start : start + step] for side in drawn] for start in range(0, resamples, step)]
    with told("resampling", resamples, values.size) as advance:
        found = []
        for part in parts:
            found.append(effects(values, part))
            advance(part[0].shape[1])
    low, high = np.moveaxis(_corrected(np.concatenate(found, axis=-1), whole), -1, 0)
    return low, high


def _corrected(replicates: Exact, value: Exact) -> Exact:
    """(..., 2): the percentiles Φ(2 z₀ ± 1.96), with z₀ = Φ⁻¹ of the share of replicates below the value itself."""
    known = np.isfinite(replicates)
    below = ((replicates < value) + 0.5 * (replicates == value)).sum(axis=-1, where=known)
    counted = known.sum(axis=-1)
    shift = 2 * ndtri((below + 0.5) / (counted + 1))  # never 0 or 1
    shares = ndtr(np.stack((shift - NORMAL, shift + NORMAL), axis=-1))
    rows = zip(replicates.reshape(-1, replicates.shape[-1]), shares.reshape(-1, 2), strict=True)
    return np.array([np.nanquantile(row, share) for row, share in rows]).reshape(shares.shape)


def effects(cosines: Exact, counts: Sequence[Values]) -> Exact:
    """d (..., r) where the words of X, Y, A and B count so often: cosines as in `weat_interval`, counts (size, r)."""
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


def _jackknife(cosines: Exact, sizes: Sequence[int]) -> tuple[Exact, Exact]:
    variance = np.zeros(cosines.shape[:-2])
    whole = [np.ones((size, 1)) for size in sizes]
    value = effects(cosines, whole)[..., 0]
    for at, size in enumerate(sizes):
        without: list[Values] = [np.repeat(side, size, axis=1) for side in whole]
        without[at] = 1 - np.eye(size)
        left = effects(cosines, without)
        variance += (size - 1) / size * np.square(left - left.mean(axis=-1, keepdims=True)).sum(axis=-1)
    margin = NORMAL * np.sqrt(variance)
    return value - margin, value + margin
