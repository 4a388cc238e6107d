"""Intervals of WEAT's d against the formula on word lists with the words repeated."""

import numpy as np
import pytest
from scipy.stats import norm

from wordworth.measure import weat, weat_interval
from wordworth.statistics.bootstrap import resample_counts

SIZES = (6, 5, 4, 7)
RNG = np.random.default_rng(3)
SETS = [RNG.standard_normal((2, size, 8)) for size in SIZES]  # two layers


def slow(X, Y, A, B):
    """d of one layer, a word at a time."""

    def cosine(u, v):
        return u @ v / np.sqrt((u @ u) * (v @ v))

    s = [np.mean([cosine(w, a) for a in A]) - np.mean([cosine(w, b) for b in B]) for w in (*X, *Y)]
    return (np.mean(s[: len(X)]) - np.mean(s[len(X) :])) / np.std(s, ddof=1)


@pytest.mark.parametrize("layer", [0, 1])
def test_the_bootstrap_draws_each_set_from_itself(layer):
    drawn = [next(iter(resample_counts(size, 40, 5 + at))) for at, size in enumerate(SIZES)]
    expected = [
        slow(*(np.repeat(words[layer], counts[:, r], axis=0) for words, counts in zip(SETS, drawn, strict=True)))
        for r in range(40)
    ]
    low, high = weat_interval(*SETS, resamples=40, seed=5)
    below = sum(one < slow(*(words[layer] for words in SETS)) for one in expected)
    shift = 2 * norm.ppf((below + 0.5) / 41)
    shares = norm.cdf([shift - 1.959964, shift + 1.959964])
    assert (low[layer], high[layer]) == pytest.approx(tuple(np.quantile(expected, shares)), rel=1e-6)


@pytest.mark.parametrize("apart", [0.0, 1.0])
def test_the_interval_holds_the_effect_of_endless_sets(apart):
    """Words of a population whose d is known from many: 95 % of the intervals on 16 words a set hold it."""
    rng = np.random.default_rng(0)

    def draw_words(size):
        return [rng.standard_normal((size, 20)) + shift * np.eye(20)[0] for shift in (apart, -apart, 1, -1)]

    truth, held = float(weat(*draw_words(20_000))), 0
    for _ in range(200):
        low, high = weat_interval(*draw_words(16), resamples=300)
        held += bool(low <= truth <= high)
    assert 0.9 <= held / 200 <= 0.995


def test_a_resample_without_spread_is_passed_over():
    X, Y, A, B = (words[0][:2] for words in SETS)
    low, high = weat_interval(X, Y, A, B, resamples=300)
    assert np.isfinite([low, high]).all()
