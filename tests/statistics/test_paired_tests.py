"""The paired tests against examples of the literature, hand calculations and plain slow versions."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from wordworth.errors import WordworthError
from wordworth.statistics.correlation import correlation_difference, williams
from wordworth.statistics.effect_size import (
    holm,
    mcnemar,
    mean_interval,
    paired_proportions,
    sign_flip,
    weat_difference,
    weat_difference_interval,
)

pytestmark = pytest.mark.kernels

RNG = np.random.default_rng(0)


def test_williams_example() -> None:
    """Steiger's (1980) example of overlapping correlations, .4 v .5 with .1 between, n 103: t = −.89, p = .37."""
    t, p = williams(0.4, 0.5, 0.1, 103)
    assert t == pytest.approx(-0.89, abs=0.005)
    assert p == pytest.approx(0.37, abs=0.005)


def test_williams_by_hand() -> None:
    """r .5 v .32, .65 between, n 50: |R| = .4329; t = .18 √(49 · 1.65) / √(2 · 49/47 · .4329 + .41² · .35³)."""
    determinant = 1 - 0.25 - 0.1024 - 0.4225 + 2 * 0.5 * 0.32 * 0.65
    by_hand = 0.18 * np.sqrt(49 * 1.65) / np.sqrt(2 * 49 / 47 * determinant + 0.41**2 * 0.35**3)
    assert williams(0.5, 0.32, 0.65, 50)[0] == pytest.approx(by_hand)


def test_williams_is_symmetric_and_equal_models_do_not_differ() -> None:
    forth, back = williams(0.3, 0.6, 0.2, 50), williams(0.6, 0.3, 0.2, 50)
    assert forth[0] == -back[0]
    assert forth[1] == back[1]
    assert williams(0.5, 0.5, 1.0, 50)[1] == williams(0.5, 0.5, 0.3, 50)[1] == 1
    assert williams(0.3, 0.6, 0.2, 50, ranked=True)[1] > forth[1]  # ranks are less sure
    with pytest.raises(WordworthError, match="4 items or more"):
        williams(0.5, 0.5, 0.3, 3)


@pytest.mark.parametrize("ranked", [False, True])
def test_correlation_difference_against_scipy(ranked: bool) -> None:
    y = RNG.integers(1, 7, 80).astype(float)  # with ties
    x = np.stack([y + RNG.normal(size=80), y + 3 * RNG.normal(size=80)])
    found = correlation_difference(x, y, ranked=ranked, resamples=300, seed=1)
    rho = spearmanr if ranked else pearsonr
    assert found.values == pytest.approx([rho(x[0], y).statistic, rho(x[1], y).statistic])
    between = rho(x[0], x[1]).statistic
    assert found.p == pytest.approx(williams(*found.values, between, 80, ranked=ranked)[1])
    # The bootstrap, resample by resample.
    drawn = np.random.default_rng(1).integers(80, size=(300, 80))
    slow = [rho(x[0, at], y[at]).statistic - rho(x[1, at], y[at]).statistic for at in drawn]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(slow, [0.025, 0.975])))


def test_mcnemar_by_hand() -> None:
    """b = 2, c = 9: P(B ≤ 2) = (1 + 11 + 55) / 2048; mid-p p = (2 · 67 − 55) / 2048 = .0386."""
    assert mcnemar(2, 9) == mcnemar(9, 2) == pytest.approx((134 - 55) / 2048)
    assert mcnemar([0, 4], [0, 4]).tolist() == [1, 1]
    assert mcnemar(30_000, 31_000) < 1e-4


def test_paired_proportions_by_hand() -> None:
    """Bonett & Price with b 2, c 9, n 50: (3 − 10) / 52 ± 1.96 √((13/52 − (7/52)²) / 52)."""
    difference, low, high = paired_proportions(2, 9, 50)
    half = 1.959964 * np.sqrt((13 / 52 - (7 / 52) ** 2) / 52)
    assert difference == -0.14
    assert (low, high) == pytest.approx((-7 / 52 - half, -7 / 52 + half))


def test_holm_by_hand() -> None:
    """Of .01 .04 .03 .005 (m 4): .005 · 4, .01 · 3, .03 · 2, and .04 · 1 lifted to the one before it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]).tolist() == [1, 1]
    assert holm([]).tolist() == []
    with pytest.raises(WordworthError, match="between 0 and 1"):
        holm([1.5])


def test_sign_flip_counts_all_signs() -> None:
    values = RNG.normal(0.4, 1, size=(3, 9))
    every = np.array(list(product([1, -1], repeat=9)))
    slow = [np.mean(np.abs(every @ row) >= abs(row.sum()) - 1e-12) for row in values]
    found = sign_flip(values)
    assert found.method == "exact"
    assert found.p == pytest.approx(slow)
    assert sign_flip(np.zeros(5)).p == 1
    assert sign_flip(np.ones(5)).p == 2 / 32  # both all-plus and all-minus
    many = sign_flip(np.full(30, 0.5), permutations=999)
    assert many.method == "monte-carlo"
    assert many.p == 1 / 1000
    with pytest.raises(WordworthError, match="not finite"):
        sign_flip(np.array([1, np.nan]))


def test_clusters_are_drawn_whole() -> None:
    sums, sizes = RNG.normal(size=12), RNG.integers(1, 6, 12).astype(float)
    drawn = np.random.default_rng(3).integers(12, size=(200, 12))
    slow = np.quantile([sums[at].sum() / sizes[at].sum() for at in drawn], [0.025, 0.975])
    assert mean_interval(sums, sizes, resamples=200, seed=3) == pytest.approx(tuple(slow))


def effect(values: np.ndarray, size: int) -> float:
    return float((values[:size].mean() - values[size:].mean()) / values.std(ddof=1))


def test_weat_difference_exchanges_words() -> None:
    s = RNG.normal(size=(2, 7)) * np.array([[0.1], [3.0]]) + 0.2
    s[0, :3] += 0.2
    effects, test = weat_difference(s, 3)
    assert effects == pytest.approx([effect(s[0], 3), effect(s[1], 3)])
    z = (s - s.mean(axis=1, keepdims=True)) / s.std(axis=1, ddof=1, keepdims=True)
    middle, half = z.mean(axis=0), (z[0] - z[1]) / 2 * np.sqrt(6 / 5)
    observed = abs(effect(s[0], 3) - effect(s[1], 3))
    beyond = [
        abs(effect(middle + np.array(sign) * half, 3) - effect(middle - np.array(sign) * half, 3)) >= observed - 1e-9
        for sign in product([1, -1], repeat=7)
    ]
    assert test.method == "exact"
    assert test.p == pytest.approx(np.mean(beyond))
    assert weat_difference(np.stack([s[0], s[0] * 5 + 2]), 3)[1].p == 1  # d feels neither scale nor place


def test_weat_difference_interval_against_a_loop() -> None:
    s = RNG.normal(size=(2, 20)) * np.array([[0.1], [3.0]])
    s[0, :8] += 0.2
    draws = [np.random.default_rng(5 + at).integers(size, size=(100, size)) for at, size in enumerate((8, 12))]
    slow = []
    for x, y in zip(*draws, strict=True):
        drawn = s[:, np.concatenate([x, 8 + y])]
        first, second = effect(drawn[0], 8), effect(drawn[1], 8)
        slow.append((first - second, abs(first) - abs(second)))
    found = weat_difference_interval(s, 8, resamples=100, seed=5)
    assert found == tuple(pytest.approx(tuple(ends)) for ends in np.quantile(slow, [0.025, 0.975], axis=0).T)
