"""Analogies by hand and against a plain float64 search through the whole vocabulary."""

import numpy as np
import pytest

from wordworth.errors import WordworthError
from wordworth.measure import analogies, analogy, unit_rows

pytestmark = pytest.mark.kernels

RULES = pytest.mark.parametrize("rule", ["3cosadd", "3cosmul"])


def plain(vectors, questions, rule, limit=None):
    units = unit_rows(vectors)
    answers = []
    for a, b, c, _ in questions:
        to_a, to_b, to_c = (units @ units[word] for word in (a, b, c))
        if rule == "3cosadd":
            score = to_b - to_a + to_c
        else:
            score = (1 + to_b) / 2 * ((1 + to_c) / 2) / ((1 + to_a) / 2 + 0.001)
        score[[a, b, c]] = -np.inf
        answers.append(int(score[:limit].argmax()))
    return answers


def random_task(words=500, dim=20, questions=300, seed=0):
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((words, dim)).astype(np.float32)
    vectors *= rng.uniform(0.1, 5, size=(words, 1)).astype(np.float32)
    pairs = rng.integers(words, size=(20, 2))
    asked = np.concatenate([pairs[rng.integers(20, size=questions)], pairs[rng.integers(20, size=questions)]], axis=1)
    return vectors, asked


@RULES
def test_by_hand(rule):
    # Gender on one axis, rank on the other: man : king :: woman : queen. “king” itself would score higher.
    words = ["man", "king", "woman", "queen", "apple"]
    vectors = np.array([[1.0, 0, 0.2], [1, 1, 0.2], [-1, 0, 0.2], [-1, 1, 0.2], [0.1, -1, 0.1]])
    question = np.array([[words.index(word) for word in ("man", "king", "woman", "queen")]])
    assert analogies(vectors, question, rule=rule).tolist() == [words.index("queen")]


def test_the_rules_differ_as_they_should():
    # a, b and c are three axes, so a candidate's coordinates are its cosines to them.
    # v = (0, .1, .7): sum .8, product .55 · .85 / .501 = .933.
    # u = (.1, .4, .49): sum .79, product .7 · .745 / .551 = .946.
    v, u = [0, 0.1, 0.7, np.sqrt(0.5), 0], [0.1, 0.4, 0.49, 0, np.sqrt(0.5899)]
    vectors = np.array([*np.eye(5)[:3], v, u])
    question = np.array([[0, 1, 2, 3]])
    assert analogies(vectors, question, rule="3cosadd").tolist() == [3]
    assert analogies(vectors, question, rule="3cosmul").tolist() == [4]


@RULES
@pytest.mark.parametrize("block", [1, 7, 8_192])
@pytest.mark.parametrize("batch", [3, 8_192])
def test_same_answers_as_a_plain_search(rule, block, batch, monkeypatch):
    monkeypatch.setattr(analogy, "BATCH_QUESTIONS", batch)
    vectors, asked = random_task()
    assert analogies(vectors, asked, rule=rule, block=block).tolist() == plain(vectors, asked, rule)


@RULES
def test_restricted_vocabulary(rule):
    vectors, asked = random_task(seed=2)
    found = analogies(vectors, asked, rule=rule, restrict_vocab=100)
    assert found.max() < 100
    assert found.tolist() == plain(vectors, asked, rule, 100)


@RULES
def test_words_closer_than_float32_can_tell(rule):
    # Three near copies of each word, 1e-9 apart: only float64 tells them apart, whatever the blocks.
    rng = np.random.default_rng(3)
    base = rng.standard_normal((60, 8))
    vectors = np.concatenate([base, base + 1e-9 * rng.standard_normal(base.shape), base - 1e-9 * base[::-1]])
    asked = np.array([rng.permutation(60)[:4] for _ in range(200)])
    expected = plain(vectors, asked, rule)
    for block in (5, 64, 8_192):
        assert analogies(vectors, asked, rule=rule, block=block).tolist() == expected


@RULES
def test_opposite_vectors_and_repeated_words(rule):
    # cos(v, a) = −1 leaves 3CosMul's divisor at 0.001; a = b and b = c are allowed.
    rng = np.random.default_rng(4)
    base = rng.standard_normal((15, 3))
    vectors = np.concatenate([base, -base])
    asked = rng.integers(30, size=(300, 4))
    asked[:50, 1] = asked[:50, 0]
    asked[50:100, 2] = asked[50:100, 1]
    assert analogies(vectors, asked, rule=rule, block=4).tolist() == plain(vectors, asked, rule)


@pytest.mark.parametrize(
    ("vectors", "questions", "options", "message"),
    [
        (np.eye(5), np.array([[0, 1, 2]]), {}, "rows of four integers"),
        (np.eye(5), np.array([[0, 1, 2, 3], [0, 1, 5, 2]]), {}, "question 1 names a row outside the 5 vectors"),
        (np.eye(5), np.array([[0, 1, 2, 3]]), {"restrict_vocab": 3}, "at least 4 words, and there are 3"),
        (np.diag([1.0, 1, 1, 1, 0]), np.array([[0, 1, 2, 3]]), {}, "row 4 of the vectors is zero"),
    ],
)
def test_bad_input(vectors, questions, options, message):
    with pytest.raises(WordworthError, match=message):
        analogies(vectors, questions, **options)
