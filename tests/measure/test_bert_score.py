"""BERTScore against two loops over tokens; χ² and the exact test against the paper's table and a hand calculation."""

from math import comb

import numpy as np
import pytest

from wordworth.measure import bert_score
from wordworth.statistics.effect_size import two_by_two

pytestmark = pytest.mark.kernels

RNG = np.random.default_rng(4)
X, Y = RNG.standard_normal((5, 8)), RNG.standard_normal((7, 8))


def cosine(u, v):
    return float(u @ v / np.sqrt(u @ u) / np.sqrt(v @ v))


def slow(reference, candidate):
    recall = sum(max(cosine(x, y) for y in candidate) for x in reference) / len(reference)
    precision = sum(max(cosine(x, y) for x in reference) for y in candidate) / len(candidate)
    return 2 * precision * recall / (precision + recall)


def test_against_the_loops():
    np.testing.assert_allclose(bert_score(X, Y), slow(X, Y))


def test_a_sentence_with_itself_and_either_as_the_reference():
    assert bert_score(X, X) == pytest.approx(1)
    assert bert_score(X, Y) == pytest.approx(bert_score(Y, X))


def test_the_papers_second_table():
    # RoBERTa: 11 of 50 rare and 39 of 50 common; BERT: 14 and 40. “χ²; p < 0.001 for both models”.
    roberta, bert = two_by_two((11, 39), (39, 11)), two_by_two((14, 36), (40, 10))
    assert roberta.chi2 == pytest.approx(100 * (11 * 11 - 39 * 39) ** 2 / 50**4)
    assert bert.chi2 == pytest.approx(100 * (14 * 10 - 36 * 40) ** 2 / (50 * 50 * 54 * 46))
    assert max(roberta.chi2_p, bert.chi2_p, roberta.exact_p, bert.exact_p) < 0.001


def test_exact_by_counting():
    # Of 10 words 4 are hits; 5 are rare: the chance that 0 or 4 of the hits are rare, the two most uneven tables.
    expected = 2 * comb(5, 0) * comb(5, 4) / comb(10, 4)
    assert two_by_two((0, 5), (4, 1)).exact_p == pytest.approx(expected)
