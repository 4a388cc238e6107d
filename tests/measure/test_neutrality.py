"""Neutrality measures, against hand calculations and a slow version over every pair."""

import numpy as np
import pytest

from wordworth.errors import WordworthError
from wordworth.measure.neutrality import Tally, is_neutral, measure_columns, replicates, scores
from wordworth.statistics.bootstrap import percentile_interval

pytestmark = pytest.mark.kernels

# By hand: n = .5, .4, .2, .8; neutral where it is the largest, the tie of the second included: 3 of 4.
FOUR = np.array([[0.3, 0.5, 0.2], [0.4, 0.4, 0.2], [0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])


def _tally(probabilities: np.ndarray, cells: list[int], shape: tuple[int, int], **more: object) -> Tally:
    tally = Tally.empty(shape, **more)
    tally.add(np.array(cells), probabilities)
    return tally


def test_by_hand() -> None:
    tally = _tally(FOUR, [0, 0, 1, 1], (2, 1))
    names = [(columns["measure"], columns.get("threshold")) for columns in measure_columns()]
    assert dict(zip(names, scores(tally), strict=True)) == pytest.approx(
        {
            ("net-neutral", None): 0.475,
            ("fraction-neutral", None): 0.75,
            ("threshold", 0.5): 0.25,  # 0.5 itself is not above
            ("threshold", 0.7): 0.25,
            ("entailment", None): 0.375,
            ("contradiction", None): 0.15,
        }
    )


def test_by_pair_by_hand() -> None:
    """Cell 0 averages to (.35, .45, .2), neutral; cell 1 to (.4, .5, .1), neutral, not above .5."""
    tally = _tally(FOUR, [0, 0, 1, 1], (2, 1))
    assert scores(tally, by_pair=True)[:4] == pytest.approx([0.475, 1, 0, 0])
    assert tally.means() == pytest.approx(np.array([[0.35, 0.45, 0.2], [0.4, 0.5, 0.1]]))


@pytest.mark.parametrize("thresholds", [(0.5, 0.7), (0.0, 0.33, 0.9)])
def test_blocks_in_any_order_give_the_slow_numbers(thresholds: tuple[float, ...]) -> None:
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet([1, 1, 1], size=3000)
    cells = rng.integers(12, size=3000)
    tally = Tally.empty((4, 3), thresholds)
    for part in np.split(rng.permutation(3000), [100, 101, 2500]):
        tally.add(cells[part], probabilities[part])
    slow = [np.mean([p[1] for p in probabilities]), np.mean([p[1] == max(p) for p in probabilities])]
    slow += [np.mean([p[1] > tau for p in probabilities]) for tau in thresholds]
    slow += [np.mean([p[0] for p in probabilities]), np.mean([p[2] for p in probabilities])]
    assert scores(tally) == pytest.approx(slow, abs=1e-12)
    averaged = [probabilities[cells == cell].mean(axis=0) for cell in range(12)]
    by_pair = [np.mean([p[1] for p in averaged]), np.mean([p[1] == max(p) for p in averaged])]
    by_pair += [np.mean([p[1] > tau for p in averaged]) for tau in thresholds]
    assert scores(tally, by_pair=True)[:-2] == pytest.approx(by_pair, abs=1e-12)


def test_replicates_are_those_of_drawn_subjects() -> None:
    """The slow way: subjects of both sides drawn by index, and the pairs of every two of them put together."""
    rng = np.random.default_rng(1)
    probabilities = rng.dirichlet([1, 2, 1], size=(5, 4, 7))
    cells = np.repeat(np.arange(20), 7)
    tally = _tally(probabilities.reshape(-1, 3), cells.tolist(), (5, 4))
    found = replicates(tally, 30, seed=9)
    assert found.shape == (6, 30)
    first = np.random.default_rng(9).integers(5, size=(30, 5))
    second = np.random.default_rng(10).integers(4, size=(30, 4))
    for r in range(30):
        drawn = probabilities[np.ix_(first[r], second[r])].reshape(-1, 3)
        assert found[0, r] == pytest.approx(drawn[:, 1].mean())
        assert found[2, r] == pytest.approx((drawn[:, 1] > 0.5).mean())
    by_pair = replicates(tally, 30, seed=9, by_pair=True)
    drawn = probabilities.mean(axis=2)[np.ix_(first[3], second[3])].reshape(-1, 3)
    assert by_pair[1, 3] == pytest.approx(is_neutral(drawn).mean())


def test_intervals_cover() -> None:
    """Subjects that differ widen the interval; it holds their mean in about 19 of 20 worlds."""
    hits = 0
    for world in range(100):
        rng = np.random.default_rng(world)
        own = np.clip(0.5 + 0.1 * rng.normal(size=(40, 1)) + 0.02 * rng.normal(size=(40, 30)), 0, 1).ravel()
        probabilities = np.stack([(1 - own) / 2, own, (1 - own) / 2], axis=1)
        low, high = percentile_interval(replicates(_tally(probabilities, list(range(1200)), (40, 30)), 300, seed=0)[0])
        hits += low <= 0.5 <= high
    assert 88 <= hits <= 100


def test_sparse_cells_and_bad_input() -> None:
    tally = _tally(FOUR, [0, 0, 3, 3], (2, 2))
    assert scores(tally)[0] == pytest.approx(0.475)
    assert np.isnan(tally.means()[1]).all()
    assert np.isfinite(replicates(tally, 50, seed=0)).any()
    with pytest.raises(WordworthError, match="no pairs to measure"):
        scores(Tally.empty((2, 2)))
    with pytest.raises(WordworthError, match=r"threshold 1.5 is not between"):
        Tally.empty((1, 1), (1.5,))


def test_ties_are_neutral() -> None:
    assert is_neutral(np.array([[0.4, 0.4, 0.2], [1 / 3, 1 / 3, 1 / 3], [0.4, 0.3, 0.3]])).tolist() == [
        True,
        True,
        False,
    ]
