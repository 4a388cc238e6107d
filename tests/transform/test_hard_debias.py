"""Hard debiasing: its properties, and a plain version word by word."""

import numpy as np
import pytest

from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.transform import Subspace, difference_direction, hard_debias, with_lengths_of

pytestmark = pytest.mark.kernels

WORDS = ["he", "she", "man", "woman", "Man", "Woman", "king", "queen", "doctor", "nurse", "table", "beard"]
EQUALIZE = [("man", "woman"), ("king", "queen"), ("uncle", "aunt")]
SPECIFIC = ["he", "she", "man", "woman", "beard", "lacking"]


@pytest.fixture
def words() -> Embedding:
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 6)) * 3
    return Embedding(WORDS, matrix, Provenance("made"))


def test_words_are_neutral_specific_or_equalized(words):
    subspace = difference_direction(words, "he", "she")
    (g,) = subspace.basis
    found = hard_debias(words, subspace, SPECIFIC, EQUALIZE)
    after = found.embedding
    np.testing.assert_allclose(np.linalg.norm(after.matrix, axis=1), 1)
    for word in ("doctor", "nurse", "table"):
        assert abs(after[word] @ g) < 1e-12
        for first, second in (("man", "woman"), ("Man", "Woman"), ("king", "queen")):
            assert after[word] @ after[first] == pytest.approx(after[word] @ after[second])  # equally far
    for word in ("he", "she", "beard"):
        np.testing.assert_allclose(after[word], words[word] / np.linalg.norm(words[word]))
    assert found.equalized == (("man", "woman"), ("Man", "Woman"), ("king", "queen"))
    assert found.missing == (("uncle", "aunt"),)
    assert (found.neutralized, found.specific) == (3, 9)
    assert after.provenance.steps[0].startswith("hard debias: he − she (1; ")
    other = hard_debias(words, subspace, SPECIFIC[:-2], EQUALIZE).embedding
    assert other.provenance.steps != after.provenance.steps


def test_same_as_word_by_word(words):
    subspace = difference_direction(words, "he", "she")
    (g,) = subspace.basis
    after = hard_debias(words, subspace, SPECIFIC, EQUALIZE).embedding
    unit = {word: words[word] / np.linalg.norm(words[word]) for word in WORDS}
    doctor = unit["doctor"] - (unit["doctor"] @ g) * g
    np.testing.assert_allclose(after["doctor"], doctor / np.linalg.norm(doctor))
    a, b = unit["man"], unit["woman"]  # the authors' way for one direction: y ± z g
    y = (a + b) / 2
    y = y - (y @ g) * g
    z = np.sqrt(1 - y @ y) * (1 if (a - b) @ g > 0 else -1)
    np.testing.assert_allclose(after["man"], y + z * g)
    np.testing.assert_allclose(after["woman"], y - z * g)


def test_a_pair_alike_in_the_subspace_cannot_be_equalized(words):
    matrix = np.array(words.matrix)
    matrix[[2, 3], 0] = 0.0  # neither man nor woman has a part along the first axis
    first_axis = Subspace("first axis", np.eye(1, 6), np.ones(1))
    with pytest.raises(WordworthError, match="'man' and 'woman' do not differ in the subspace"):
        hard_debias(Embedding(WORDS, matrix, Provenance("made")), first_axis, SPECIFIC, EQUALIZE)


def test_a_zero_vector_is_refused(words):
    matrix = np.array(words.matrix)
    matrix[9] = 0
    with pytest.raises(WordworthError, match="is zero or not finite"):
        hard_debias(
            Embedding(WORDS, matrix, Provenance("made")), difference_direction(words, "he", "she"), SPECIFIC, EQUALIZE
        )


def test_lengths_can_be_given_back(words):
    after = hard_debias(words, difference_direction(words, "he", "she"), SPECIFIC, EQUALIZE).embedding
    long = with_lengths_of(after, words)
    for word in WORDS:
        np.testing.assert_allclose(long[word], after[word] * np.linalg.norm(words[word]))
    with pytest.raises(WordworthError, match="do not hold the same words"):
        with_lengths_of(after, words.restrict(["he", "she"]))
