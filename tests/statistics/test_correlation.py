"""Correlations against scipy, and their bootstrap against a loop over the same resamples."""

import numpy as np
import pytest
from scipy import stats

from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import resample_counts
from wordworth.statistics.correlation import pearson, spearman

pytestmark = pytest.mark.kernels

BOTH = pytest.mark.parametrize(("ours", "scipys"), [(pearson, stats.pearsonr), (spearman, stats.spearmanr)])


def sample(ties):
    rng = np.random.default_rng(0)
    y = rng.standard_normal(40)
    x = np.stack([y + rng.standard_normal(40), rng.standard_normal(40), -(y**3)])
    return (np.round(2 * x), np.round(2 * y)) if ties else (x, y)


def test_pearson_by_hand():
    # x − mean: −1 0 1; y − mean: −1 1 0. Covariance 1, squares 2 and 2: ρ = ½.
    assert pearson(np.array([1.0, 2, 3]), np.array([1.0, 3, 2])).value == pytest.approx(0.5, rel=1e-14)


def test_spearman_by_hand():
    # Ranks 1 2.5 2.5 4 and 1 2 3 4: centred −1.5 0 0 1.5 and −1.5 −.5 .5 1.5: 4.5 / √(4.5 · 5).
    rho = spearman(np.array([0.0, 5, 5, 90]), np.array([1.0, 2, 3, 4])).value
    assert rho == pytest.approx(4.5 / np.sqrt(22.5), rel=1e-14)


@BOTH
@pytest.mark.parametrize("ties", [False, True])
def test_values_and_intervals(ours, scipys, ties):
    x, y = sample(ties)
    found = ours(x, y, resamples=200, seed=3)
    assert found.n == 40
    np.testing.assert_allclose(found.value, [scipys(column, y).statistic for column in x], rtol=1e-12)
    counts = np.concatenate(list(resample_counts(40, 200, 3)), axis=1)
    for layer, column in enumerate(x):
        loop = []
        for resample in counts.T:
            items = np.repeat(np.arange(40), resample)
            loop.append(scipys(column[items], y[items]).statistic)
        low, high = np.percentile(loop, [2.5, 97.5])
        assert found.low[layer] == pytest.approx(low, rel=1e-10)
        assert found.high[layer] == pytest.approx(high, rel=1e-10)


@BOTH
def test_columns_share_resamples_and_blocks_do_not_matter(ours, scipys, monkeypatch):
    x, y = sample(ties=True)
    whole = ours(x.reshape(3, 1, 40), y, resamples=101, seed=1)
    assert whole.low.shape == (3, 1)
    monkeypatch.setattr("wordworth.statistics.correlation.BLOCK_NUMBERS", 90)
    parts = ours(x[1], y, resamples=101, seed=1)
    assert parts.low.shape == ()
    np.testing.assert_allclose([whole.low[1, 0], whole.high[1, 0]], [parts.low, parts.high], rtol=1e-12)
    other = ours(x[1], y, resamples=101, seed=2)
    assert other.low != parts.low


def test_resamples_are_counts_of_n_draws():
    blocks = list(resample_counts(7, 50, 0, block=21))
    assert [block.shape for block in blocks] == [(7, 3)] * 16 + [(7, 2)]
    counts = np.concatenate(blocks, axis=1)
    assert (counts.sum(axis=0) == 7).all()
    np.testing.assert_array_equal(counts, np.concatenate(list(resample_counts(7, 50, 0)), axis=1))


def test_the_interval_covers_the_truth_at_its_level():
    # 200 samples of a bivariate normal with ρ = 0.6: 95 % of the intervals hold it (binomial σ is 1.5 %).
    rng = np.random.default_rng(0)
    held = 0
    for seed in range(200):
        x, e = rng.standard_normal((2, 100))
        found = pearson(x, 0.6 * x + 0.8 * e, resamples=300, seed=seed)
        held += bool(found.low <= 0.6 <= found.high)
    assert 0.89 <= held / 200 <= 0.99


@BOTH
def test_resamples_of_one_item_only_are_passed_over(ours, scipys):
    found = ours(np.array([1.0, 2, 4]), np.array([1.0, 3, 2]), resamples=500)
    assert np.isfinite([found.low, found.high]).all()


@BOTH
def test_large_offsets_lose_no_digits(ours, scipys):
    x, y = sample(ties=False)
    near, far = ours(x[0], y, resamples=50), ours(x[0] + 1e6, y - 1e6, resamples=50)
    np.testing.assert_allclose([far.value, far.low, far.high], [near.value, near.low, near.high], rtol=1e-7)


@BOTH
@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.ones(5), np.arange(5.0), "all 5 values of x are the same"),
        (np.stack([np.arange(5.0), np.zeros(5)]), np.arange(5.0), "all 5 values of x are the same"),
        (np.arange(2.0), np.arange(2.0), "at least 3 items, and there are 2"),
        (np.arange(5.0), np.arange(4.0), "cannot be correlated"),
        (np.array([1.0, np.nan, 3]), np.arange(3.0), "item 1 of x is not finite"),
    ],
)
def test_bad_input(ours, scipys, x, y, message):
    with pytest.raises(WordworthError, match=message):
        ours(x, y)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_ratings_of_any_size(scale: float) -> None:
    """A rating of 1e200 once overflowed to a correlation of 0."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(2, 30))
    y = x[0] + rng.normal(size=30)
    plain, scaled = pearson(x, y, resamples=50), pearson(x, y * scale, resamples=50)
    np.testing.assert_allclose(scaled.value, plain.value, rtol=1e-12)
    np.testing.assert_allclose([scaled.low, scaled.high], [plain.low, plain.high], rtol=1e-12)
    y[4] = 1e200
    assert pearson(x, y, resamples=50).value == pytest.approx(np.corrcoef(x, y / 1e200)[-1, :-1])
