"""The bias estimators on 2-D embeddings whose answers are worked out by hand, and on slow versions."""

from math import cos, log, pi, sin, sqrt

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from wordworth.errors import WordworthError
from wordworth.measure import (
    direct_bias,
    garg_cosine,
    garg_euclidean,
    mac,
    manzini,
    manzini_centroid,
    pair_direction,
    ripa,
    rnsb,
)
from wordworth.measure.directions import negative_probability

pytestmark = pytest.mark.kernels

HALF = sqrt(0.5)


def test_direction_of_pairs():
    # Differences (2, 0), (4, 0), (0, 1): along x lie 4 + 16 of 4 + 16 + 1.
    first, second = np.array([[1.0, 5], [4, 0], [7, 1]]), np.array([[-1.0, 5], [0, 0], [7, 0]])
    found = pair_direction(first, second)
    np.testing.assert_allclose(np.abs(found.vector), [1, 0], atol=1e-12)
    assert found.explained == pytest.approx(20 / 21)


def test_direction_about_the_mean():
    # (3, −1), (3, 1): they share x and vary in y; the mean takes x away.
    first, second = np.array([[3.0, -1], [3, 1]]), np.zeros((2, 2))
    shared, varying = pair_direction(first, second), pair_direction(first, second, centred=True)
    np.testing.assert_allclose(np.abs(shared.vector), [1, 0], atol=1e-12)
    assert shared.explained == pytest.approx(18 / 20)
    np.testing.assert_allclose(np.abs(varying.vector), [0, 1], atol=1e-12)
    assert varying.explained == pytest.approx(1)


def test_bolukbasi_centres_words_on_their_pair():
    """Their own code: PCA of m − (m + f)/2 and f − (m + f)/2 over all pairs."""
    first, second = np.random.default_rng(0).normal(size=(2, 10, 6))
    middle = (first + second) / 2
    _, _, directions = np.linalg.svd(np.concatenate([first - middle, second - middle]))
    found = pair_direction(first, second).vector
    assert abs(found @ directions[0]) == pytest.approx(1)


def test_direct_bias():
    words = np.array([[2.0, 0], [-3, 0], [0, 1], [1, 1]])
    np.testing.assert_allclose(direct_bias(words, np.array([5.0, 0])), [1, 1, 0, HALF], atol=1e-12)


def test_garg():
    # Centroids (2, 0) and (0, 2).
    first, second = np.array([[1.0, 0], [3, 0]]), np.array([[0.0, 2]])
    words = np.array([[2.0, 0], [1, 1], [0, 6], [4, 3]])
    np.testing.assert_allclose(garg_euclidean(words, first, second), [sqrt(8), 0, sqrt(40) - 4, sqrt(17) - sqrt(13)])
    np.testing.assert_allclose(garg_cosine(words, first, second), [1, 0, 1, 0.8 - 0.6], atol=1e-12)


def test_garg_euclidean_of_vectors_at_length_one():
    """Bommasani et al., footnote 6. Classes (1, 0), (0, 1), with the mean (.5, .5), and (−1, 0)."""
    first, second = np.array([[4.0, 0], [0, 2]]), np.array([[-3.0, 0]])
    words = np.array([[5.0, 0], [-2, 0], [3, 4]])
    # (1, 0): √.5 and 2. (−1, 0): √2.5 and 0. (.6, .8): √(.1² + .3²) and √(1.6² + .8²).
    expected = [2 - HALF, sqrt(2.5), sqrt(3.2) - sqrt(0.1)]
    np.testing.assert_allclose(garg_euclidean(words, first, second, normalized=True), expected)


def test_garg_centroids_keep_the_words_lengths():
    first, second = np.array([[4.0, 0], [0, 1]]), np.array([[0.0, 1]])
    expected = 4 / sqrt(17)  # cos((1, 0), (4, 1)) − 0; of unit vectors it would be cos((1, 0), (1, 1))
    assert garg_cosine(np.array([[1.0, 0]]), first, second)[0] == pytest.approx(expected)


def test_manzini_and_mac():
    # cos with class 1: 1 and −1 (mean 0); with class 2: 0, cos 60° = .5. Mean over classes, not over words.
    classes = [np.array([[2.0, 0], [-1, 0]]), np.array([[0.0, 3]]), np.array([[cos(pi / 3), sin(pi / 3)]])]
    words = np.array([[5.0, 0], [-1, 0]])
    np.testing.assert_allclose(manzini(words, classes), [0.5 / 3, 0.5 / 3], atol=1e-12)
    np.testing.assert_allclose(mac(words, classes), [1 - 0.5 / 3, 1 + 0.5 / 3], atol=1e-12)


def test_manzini_by_centroids():
    # Class means (1, 1) and (0, 2): cosines with (1, 0) are cos 45° and 0; the formula's are ½ and 0.
    classes = [np.array([[2.0, 0], [0, 2]]), np.array([[0.0, 2]])]
    assert manzini_centroid(np.array([[1.0, 0]]), classes)[0] == pytest.approx(HALF / 2)
    assert manzini(np.array([[1.0, 0]]), classes)[0] == pytest.approx(0.5 / 2)


def test_ripa():
    # Differences (2, 0) and (0, 5) as unit vectors have the mean (½, ½); the words keep their length.
    first, second = np.array([[1.0, 1], [3, 5]]), np.array([[-1.0, 1], [3, 0]])
    words = np.array([[2.0, 0], [-4, -4], [1, -1]])
    np.testing.assert_allclose(ripa(words, first, second), [1, -4, 0], atol=1e-12)


def test_rnsb_by_hand():
    # One positive word at −1 and one negative at 1, on a line: β solves β = 2 C / (1 + e^β) with offset 0.
    positive, negative = np.array([[-1.0, 0]]), np.array([[1.0, 0]])
    beta = 0.0
    for _ in range(200):
        beta = (beta + 2 / (1 + np.exp(beta))) / 2
    chance = negative_probability(np.array([[0.0, 7], [1, 0]]), positive, negative)
    np.testing.assert_allclose(chance, [0.5, 1 / (1 + np.exp(-beta))])
    share = chance / chance.sum()
    expected = sum(p * log(2 * p) for p in share)
    assert rnsb(np.array([[0.0, 7], [1, 0]]), positive, negative) == pytest.approx(expected)
    assert rnsb(np.array([[0.0, 7], [0, 1]]), positive, negative) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("scale", [0.01, 1, 30])
def test_rnsb_is_the_library_s_logistic_regression(scale):
    positive, negative, targets = np.random.default_rng(1).normal(size=(3, 25, 40)) * scale
    model = LogisticRegression(C=2.0, tol=1e-12, max_iter=100_000)
    model.fit(np.concatenate([positive, negative]), [0] * 25 + [1] * 25)
    expected = model.predict_proba(targets)[:, 1]
    found = negative_probability(targets, positive, negative, strength=2.0)
    np.testing.assert_allclose(found, expected, atol=2e-4)


@pytest.mark.parametrize("scale", [1e-4, 1e-2, 1, 1e2, 1e4])
@pytest.mark.parametrize("kind", ["round", "long mean", "nearly collinear"])
def test_rnsb_does_not_depend_on_scale_or_rotation(kind, scale):
    rng = np.random.default_rng(4)
    words = rng.normal(size=(80, 40))
    if kind == "long mean":  # as in a language model: one direction for all, and axes of very different width
        words = 50 + words * np.logspace(0, -4, 40)
    if kind == "nearly collinear":
        words = words[:, :1] + 1e-6 * words
    turned = words @ np.linalg.qr(rng.normal(size=(40, 40)))[0]
    one, other = (rnsb(*np.split(space * scale, [30, 55])) for space in (words, turned))
    assert one == pytest.approx(other, rel=1e-6, abs=1e-12)


def test_rnsb_that_cannot_be_fitted():
    words = np.random.default_rng(5).normal(size=(30, 6))
    with pytest.raises(WordworthError, match="certain beyond rounding"):
        rnsb(words[:10] * 1e6, words[10:20], words[20:])
    with pytest.raises(WordworthError, match="all have one vector"):
        rnsb(words, np.ones((3, 6)), np.ones((4, 6)))


def test_bad_input():
    words, none = np.ones((2, 3)), np.ones((0, 3))
    with pytest.raises(WordworthError, match="give no direction; give two or more whole pairs"):
        pair_direction(words, np.ones((3, 3)))
    with pytest.raises(WordworthError, match="the pairs do not differ"):
        pair_direction(words, words)
    with pytest.raises(WordworthError, match="a class without words has no mean"):
        garg_cosine(words, words, none)
    with pytest.raises(WordworthError, match="a class without words has no cosines"):
        manzini(words, [words, none])
    with pytest.raises(WordworthError, match="do not match; give whole pairs"):
        ripa(words, words, none)
    with pytest.raises(WordworthError, match="row 1 of the targets is zero"):
        direct_bias(np.array([[1.0, 0], [0, 0]]), np.array([1.0, 0]))
    with pytest.raises(WordworthError, match="positive and negative words with finite vectors"):
        rnsb(words, words, none)
