"""The embedding coherence test: by hand, against a slow version, and in the task that records it."""

from math import cos, radians, sin

import numpy as np
import pytest
from scipy.stats import spearmanr

from wordworth.errors import WordworthError
from wordworth.measure.centroids import ect

pytestmark = pytest.mark.kernels
FEW = {"resamples": 20}


def at(*degrees: float) -> np.ndarray:
    return np.array([[cos(radians(angle)), sin(radians(angle))] for angle in degrees])


def test_by_hand():
    # Means at 0° and 90°. Words at 10°, 40°, 80° are ranked 3, 2, 1 by the first and 1, 2, 3 by the second: ρ = −1.
    first, second = np.array([[1.0, 1], [3, -1]]), np.array([[0.0, 2]])
    assert ect(at(10, 40, 80), first, second, **FEW).value == pytest.approx(-1)
    # At 10°, 40°, 300° (cosines .98, .77, .5 and .17, .64, −.87): ranks 3, 2, 1 and 2, 3, 1, Σd² = 2, ρ = 1 − 12 / 24.
    found = ect(at(10, 40, 300), first, second, **FEW)
    assert (float(found.value), found.n) == (pytest.approx(0.5), 3)


def test_layers_against_a_slow_version():
    space = np.random.default_rng(1).normal(size=(2, 3, 40, 6)) + 0.2
    words, first, second = space[..., :25, :], space[..., 25:34, :], space[..., 34:, :]
    found = ect(words, first, second, resamples=50, seed=3)
    assert found.value.shape == found.low.shape == (2, 3)
    for place in np.ndindex(2, 3):
        means = [side[place].mean(axis=0) for side in (first, second)]
        cosines = [[float(w @ mean / np.sqrt((w @ w) * (mean @ mean))) for w in words[place]] for mean in means]
        assert found.value[place] == pytest.approx(spearmanr(*cosines).statistic)
        alone = ect(words[place], first[place], second[place], resamples=50, seed=3)
        assert (found.low[place], found.high[place]) == (alone.low, alone.high)
        assert found.low[place] < found.value[place] < found.high[place]


def test_what_cannot_be_measured():
    words = np.random.default_rng(2).normal(size=(5, 3))
    with pytest.raises(WordworthError, match="a class without words has no mean"):
        ect(words, words[:0], words)
    with pytest.raises(WordworthError, match="needs at least 3 items"):
        ect(words[:2], words, words)
    with pytest.raises(WordworthError, match="row 0 of the classes' means is zero"):
        ect(words, np.array([[1.0, 0, 0], [-1, 0, 0]]), words)
