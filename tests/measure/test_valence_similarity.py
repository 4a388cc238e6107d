"""Valence and similarity are correlations of effect sizes and pair_cosines."""

import numpy as np
import pytest
from scipy import stats

from wordworth.measure import pair_cosines, sc_weat, similarity, valence

pytestmark = pytest.mark.kernels


def test_valence_by_hand():
    # Effect sizes proportional to the ratings agree perfectly; reversed, perfectly the other way.
    ratings = np.array([1.0, 4, 2, 9])
    found = valence(np.stack([0.2 * ratings - 1, -ratings]), ratings)
    np.testing.assert_allclose(found.value, [1, -1])
    np.testing.assert_allclose(found.low, [1, -1])
    # Spearman sees order only.
    assert valence(ratings**3, ratings, ranked=True).value == pytest.approx(1)
    assert valence(ratings**3, ratings).value < 1


def test_valence_of_layers():
    rng = np.random.default_rng(0)
    targets, A, B = (rng.standard_normal((3, words, 10)) for words in (30, 4, 5))
    ratings = rng.standard_normal(30)
    d = sc_weat(targets, A, B)
    found = valence(d, ratings)
    assert found.n == 30
    np.testing.assert_allclose(found.value, [stats.pearsonr(layer, ratings).statistic for layer in d], rtol=1e-12)
    assert ((found.low < found.value) & (found.value < found.high)).all()


def test_similarity_by_hand():
    # Angles 0°, 90°, 45°, 180°; people order the first three the same way and put the last above the second.
    left = np.array([[1.0, 0], [1, 0], [1, 0], [1, 0]])
    right = np.array([[5.0, 0], [0, 1], [2, 2], [-1, 0]])
    sides, places = np.concatenate([left, right]), (np.arange(4), np.arange(4, 8))
    np.testing.assert_allclose(pair_cosines(sides, *places), [1, 0, np.sqrt(0.5), -1], atol=1e-15)
    # Ranks of pair_cosines 4 2 3 1, of scores 4 1 3 2: ρ = 1 − 6 (1 + 1) / (4 · 15) = 0.8.
    assert similarity(pair_cosines(sides, *places), np.array([9.0, 1, 5, 2])).value == pytest.approx(0.8)
    turned = np.stack([sides, np.concatenate([left, -right])])
    layers = similarity(pair_cosines(turned, *places), np.array([9.0, 1, 5, 2]))
    np.testing.assert_allclose(layers.value, [0.8, -0.8])
