"""By simulation: equal models are told apart 5 % of the time (± 1.5), and a planted difference is found."""

import numpy as np
import pytest
from numpy.typing import NDArray

from wordworth.statistics.correlation import correlation_difference
from wordworth.statistics.effect_size import holm, mcnemar, sign_flip, weat_difference

NOMINAL, WITHIN, ALPHA = 0.05, 0.015, 0.05


def rate(p: NDArray[np.float64]) -> float:
    return float((p < ALPHA).mean())


def models(y: NDArray[np.float64], rho: tuple[float, float], shared: float, count: int) -> NDArray[np.float64]:
    """count × 2 × items: two models that correlate with y by rho, and err alike in part."""
    rng = np.random.default_rng(7)
    z = (y - y.mean()) / y.std()
    noise = np.sqrt(shared) * rng.normal(size=(count, 1, len(y))) + np.sqrt(1 - shared) * rng.normal(
        size=(count, 2, len(y))
    )
    share = np.array(rho)[:, None]
    return share * z + np.sqrt(1 - share**2) * noise


def ratings(n: int) -> NDArray[np.float64]:
    """Two humps, as people's valence has."""
    rng = np.random.default_rng(1)
    return np.concatenate([rng.normal(2, 1, n // 2), rng.normal(6, 1, n - n // 2)])


@pytest.mark.parametrize("rho", [0.3, 0.8])
@pytest.mark.parametrize("ranked", [False, True])
def test_correlation_rate(ranked: bool, rho: float) -> None:
    y = np.random.default_rng(2).normal(size=120) if ranked else ratings(120)
    found = correlation_difference(models(y, (rho, rho), 0.5, 3000), y, ranked=ranked, resamples=2)
    assert rate(found.p) == pytest.approx(NOMINAL, abs=WITHIN)


@pytest.mark.parametrize("ranked", [False, True])
def test_bootstrap_rate(ranked: bool) -> None:
    y = ratings(150)
    found = correlation_difference(models(y, (0.6, 0.6), 0.5, 1500), y, ranked=ranked, resamples=1000)
    covered = (found.low <= 0) & (found.high >= 0)
    assert 1 - covered.mean() == pytest.approx(NOMINAL, abs=WITHIN)


@pytest.mark.parametrize("ranked", [False, True])
def test_correlation_power(ranked: bool) -> None:
    y = ratings(300)
    found = correlation_difference(models(y, (0.7, 0.55), 0.5, 200), y, ranked=ranked, resamples=300)
    assert rate(found.p) > 0.9
    assert (found.low > 0).mean() > 0.9


def right(rates: tuple[float, float], n: int, count: int) -> NDArray[np.bool_]:
    """count × 2 × questions, answered right at two rates; half of what decides is the question itself."""
    rng = np.random.default_rng(3)
    easy = rng.uniform(size=(count, 1, n))
    luck = np.where(rng.uniform(size=(count, 2, n)) < 0.5, easy, rng.uniform(size=(count, 2, n)))
    return luck < np.array(rates)[:, None]


@pytest.mark.parametrize("n", [60, 1000])
def test_mcnemar_rate(n: int) -> None:
    hits = right((0.4, 0.4), n, 4000)
    counts = (hits[:, 0] & ~hits[:, 1]).sum(axis=1), (hits[:, 1] & ~hits[:, 0]).sum(axis=1)
    assert rate(mcnemar(*counts)) == pytest.approx(NOMINAL, abs=WITHIN)


def test_mcnemar_power() -> None:
    hits = right((0.46, 0.4), 1500, 500)
    counts = (hits[:, 0] & ~hits[:, 1]).sum(axis=1), (hits[:, 1] & ~hits[:, 0]).sum(axis=1)
    assert rate(mcnemar(*counts)) > 0.9


@pytest.mark.parametrize("n", [12, 100])
def test_sign_flip_rate_and_power(n: int) -> None:
    noise = np.random.default_rng(4).laplace(size=(3000, n))
    assert rate(sign_flip(noise, permutations=1999).p) == pytest.approx(NOMINAL, abs=WITHIN)
    assert rate(sign_flip(noise + 6 / np.sqrt(n), permutations=1999).p) > 0.9


def associations(strength: tuple[float, float], words: int, count: int) -> NDArray[np.float64]:
    """count × 2 × 2 sets of words: models of another scale and place each, that see the words alike in part."""
    rng = np.random.default_rng(5)
    sets = np.concatenate([np.full(words, 0.5), np.full(words, -0.5)])
    noise = np.sqrt(0.7) * rng.normal(size=(count, 1, 2 * words)) + np.sqrt(0.3) * rng.normal(
        size=(count, 2, 2 * words)
    )
    return (np.array(strength)[:, None] * sets + noise) * np.array([[0.03], [0.1]]) + np.array([[0.2], [0.0]])


@pytest.mark.parametrize(("strength", "words", "count"), [(0.0, 25, 3000), (2.0, 25, 3000), (1.0, 7, 1500)])
def test_weat_rate(strength: float, words: int, count: int) -> None:
    s = associations((strength, strength), words, count)
    assert rate(weat_difference(s, words, permutations=1999)[1].p) == pytest.approx(NOMINAL, abs=WITHIN)


def test_weat_power() -> None:
    s = associations((2.5, 1.0), 25, 300)
    assert rate(weat_difference(s, 25, permutations=999)[1].p) > 0.9


def test_holm_rate_of_any_false_alarm() -> None:
    p = np.random.default_rng(6).uniform(size=(2000, 12))
    alarms = np.array([holm(row).min() < ALPHA for row in p])
    assert alarms.mean() == pytest.approx(NOMINAL, abs=WITHIN)
