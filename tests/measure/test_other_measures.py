"""Valence, similarity, coherence, isotropy, soft match, F1 and BERTScore: by hand, and against slow versions."""

from math import comb, cos, radians, sin

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import f1_score

from wordworth.errors import WordworthError
from wordworth.measure import bert_score, neighbour_ranks, pair_cosines, similarity, valence
from wordworth.measure.centroids import ect
from wordworth.measure.f1 import weighted_f1
from wordworth.measure.isotropy import anisotropy, neuron_share
from wordworth.statistics.bootstrap import resample_counts
from wordworth.statistics.effect_size import two_by_two

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


FEW = {"resamples": 20}


def at(*degrees: float) -> np.ndarray:
    return np.array([[cos(radians(angle)), sin(radians(angle))] for angle in degrees])


def test_ect_by_hand():
    # Means at 0° and 90°. Words at 10°, 40°, 80° are ranked 3, 2, 1 by the first and 1, 2, 3 by the second: ρ = −1.
    first, second = np.array([[1.0, 1], [3, -1]]), np.array([[0.0, 2]])
    assert ect(at(10, 40, 80), first, second, **FEW).value == pytest.approx(-1)
    # At 10°, 40°, 300° (cosines .98, .77, .5 and .17, .64, −.87): ranks 3, 2, 1 and 2, 3, 1, Σd² = 2, ρ = 1 − 12 / 24.
    found = ect(at(10, 40, 300), first, second, **FEW)
    assert (float(found.value), found.n) == (pytest.approx(0.5), 3)


def test_ect_of_layers_against_a_slow_version():
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


def test_ect_that_cannot_be_measured():
    words = np.random.default_rng(2).normal(size=(5, 3))
    with pytest.raises(WordworthError, match="a class without words has no mean"):
        ect(words, words[:0], words)
    with pytest.raises(WordworthError, match="needs at least 3 items"):
        ect(words[:2], words, words)
    with pytest.raises(WordworthError, match="row 0 of the classes' means is zero"):
        ect(words, np.array([[1.0, 0, 0], [-1, 0, 0]]), words)


def test_anisotropy_by_hand() -> None:
    assert anisotropy(np.array([[1.0, 0], [0, 2]])) == pytest.approx(0)
    assert anisotropy(np.array([[1.0, 1], [3, 3], [2, 2]])) == pytest.approx(1)
    assert anisotropy(np.array([[1.0, 0], [-1, 0]])) == pytest.approx(-1)


def test_neuron_share_by_hand() -> None:
    # The second neuron is the largest: it holds 4/5 and 3/5 of the two lengths, both together all of them.
    np.testing.assert_allclose(neuron_share(np.array([[3.0, 4], [-8, 6], [0, 20]]), 2)[0], (0.8 + 0.6 + 1) / 3)
    np.testing.assert_allclose(neuron_share(np.array([[3.0, 4], [-8, 6], [0, 20]]), 2)[1], 1)


def test_bad_input_of_isotropy() -> None:
    with pytest.raises(WordworthError, match="needs at least 2 words, and there are 1"):
        anisotropy(np.ones((1, 3)))
    with pytest.raises(WordworthError, match="vectors of 3 neurons have no 4 largest ones"):
        neuron_share(np.ones((2, 3)), 4)


RNG = np.random.default_rng(3)
SPACE = RNG.standard_normal((300, 6)).astype(np.float32)
TARGETS, GUESSES = RNG.integers(300, size=(2, 500))


def rank_slowly(vectors, target, guess):
    wide = vectors.astype(np.float64)
    wide /= np.linalg.norm(wide, axis=1)[:, None]
    order = sorted(range(len(wide)), key=lambda row: -np.inf if row == target else -(wide[row] @ wide[target]))
    return order.index(guess) + 1


def test_neighbour_ranks_are_those_of_a_full_sort():
    expected = [rank_slowly(SPACE, target, guess) for target, guess in zip(TARGETS, GUESSES, strict=True)]
    np.testing.assert_array_equal(neighbour_ranks(SPACE, TARGETS, GUESSES, max_rank=300), expected)
    for block in (20, 37, 300):
        few = neighbour_ranks(SPACE, TARGETS, GUESSES, max_rank=10, block=block)
        np.testing.assert_array_equal(few, np.minimum(expected, 11))


def test_equal_neighbours_share_the_better_place():
    twins = np.array([[1.0, 0], [1, 1], [2, 2], [0, 1]])
    np.testing.assert_array_equal(neighbour_ranks(twins, np.array([0, 0]), np.array([1, 2]), max_rank=9), [2, 2])


@pytest.mark.parametrize("classes", [2, 7])
def test_f1_equals_scikit_learns_in_every_resample(classes: int) -> None:
    rng = np.random.default_rng(classes)
    labels = rng.choice([f"c{at}" for at in range(classes)], 60)
    predicted = np.where(rng.random(60) < 0.6, labels, rng.choice([*np.unique(labels), "never"], 60))
    found = weighted_f1(labels.tolist(), predicted.tolist(), resamples=50, seed=3)
    plain = f1_score(labels, predicted, average="weighted", zero_division=0)
    assert found["value"] == pytest.approx(plain)
    drawn = []
    for counts in resample_counts(60, 50, 3):
        for column in counts.T:
            rows = np.repeat(np.arange(60), column)
            drawn.append(f1_score(labels[rows], predicted[rows], average="weighted", zero_division=0))
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


X, Y = np.split(np.random.default_rng(4).standard_normal((12, 8)), [5])


def cosine(u, v):
    return float(u @ v / np.sqrt(u @ u) / np.sqrt(v @ v))


def bert_score_slowly(reference, candidate):
    recall = sum(max(cosine(x, y) for y in candidate) for x in reference) / len(reference)
    precision = sum(max(cosine(x, y) for x in reference) for y in candidate) / len(candidate)
    return 2 * precision * recall / (precision + recall)


def test_bert_score_against_the_loops():
    np.testing.assert_allclose(bert_score(X, Y), bert_score_slowly(X, Y))


def test_bert_score_of_a_sentence_with_itself_and_either_as_the_reference():
    assert bert_score(X, X) == pytest.approx(1)
    assert bert_score(X, Y) == pytest.approx(bert_score(Y, X))


def test_two_by_two_is_the_papers_second_table():
    # RoBERTa: 11 of 50 rare and 39 of 50 common; BERT: 14 and 40. “χ²; p < 0.001 for both models”.
    roberta, bert = two_by_two((11, 39), (39, 11)), two_by_two((14, 36), (40, 10))
    assert roberta.chi2 == pytest.approx(100 * (11 * 11 - 39 * 39) ** 2 / 50**4)
    assert bert.chi2 == pytest.approx(100 * (14 * 10 - 36 * 40) ** 2 / (50 * 50 * 54 * 46))
    assert max(roberta.chi2_p, bert.chi2_p, roberta.exact_p, bert.exact_p) < 0.001


def test_exact_p_by_counting():
    # Of 10 words 4 are hits; 5 are rare: the chance that 0 or 4 of the hits are rare, the two most uneven tables.
    expected = 2 * comb(5, 0) * comb(5, 4) / comb(10, 4)
    assert two_by_two((0, 5), (4, 1)).exact_p == pytest.approx(expected)
