from itertools import combinations

import numpy as np
import pytest

from wordworth.errors import WordworthError
from wordworth.measure.isotropy import anisotropy, neuron_share

pytestmark = pytest.mark.kernels


def test_anisotropy_is_the_mean_over_all_pairs() -> None:
    x = np.random.default_rng(0).normal(size=(30, 5)) + 1
    pairs = [x[i] @ x[j] / np.linalg.norm(x[i]) / np.linalg.norm(x[j]) for i, j in combinations(range(30), 2)]
    assert anisotropy(x) == pytest.approx(np.mean(pairs))


def test_anisotropy_by_hand() -> None:
    assert anisotropy(np.array([[1.0, 0], [0, 2]])) == pytest.approx(0)
    assert anisotropy(np.array([[1.0, 1], [3, 3], [2, 2]])) == pytest.approx(1)
    assert anisotropy(np.array([[1.0, 0], [-1, 0]])) == pytest.approx(-1)


def test_neuron_share_by_hand() -> None:
    # The second neuron is the largest: it holds 4/5 and 3/5 of the two lengths, both together all of them.
    np.testing.assert_allclose(neuron_share(np.array([[3.0, 4], [-8, 6], [0, 20]]), 2)[0], (0.8 + 0.6 + 1) / 3)
    np.testing.assert_allclose(neuron_share(np.array([[3.0, 4], [-8, 6], [0, 20]]), 2)[1], 1)


def test_bad_input() -> None:
    with pytest.raises(WordworthError, match="needs at least 2 words, and there are 1"):
        anisotropy(np.ones((1, 3)))
    with pytest.raises(WordworthError, match="vectors of 3 neurons have no 4 largest ones"):
        neuron_share(np.ones((2, 3)), 4)
