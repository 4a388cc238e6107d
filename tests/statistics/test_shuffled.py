"""ρ with shuffled ratings: against what the theory of permutations says, and counted by hand."""

from itertools import permutations

import numpy as np
import pytest

from wordworth.statistics.correlation import shuffled_pearson


def test_mean_and_spread_are_those_of_all_orders() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 6)), rng.normal(size=6)
    found, p = shuffled_pearson(x, y, shuffles=40_000, seed=1)
    for at in range(2):
        every = np.array([np.corrcoef(x[at], order)[0, 1] for order in permutations(y)])
        assert found.value[at] == pytest.approx(every.mean(), abs=0.01)  # 0
        assert (found.low[at], found.high[at]) == pytest.approx(tuple(np.quantile(every, [0.025, 0.975])), abs=0.03)
        share = np.mean(np.abs(every) >= abs(np.corrcoef(x[at], y)[0, 1]) - 1e-12)
        assert p[at] == pytest.approx(share, abs=0.01)


def test_the_observed_order_counts() -> None:
    y = np.arange(50.0)
    assert shuffled_pearson(y, y, shuffles=99)[1] == pytest.approx(0.01)
    assert shuffled_pearson(-y, y, shuffles=99)[1] == pytest.approx(0.01)


def test_seeded_and_alike_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(2).normal(size=(3, 40))
    whole = shuffled_pearson(x, x[0] + x[1], shuffles=30, seed=4)
    monkeypatch.setattr("wordworth.statistics.correlation.BLOCK_NUMBERS", 400)
    parts = shuffled_pearson(x, x[0] + x[1], shuffles=30, seed=4)
    np.testing.assert_allclose(whole[0].value, parts[0].value)
