"""Soft match: a guess near the target counts. Ranks are checked against a full sort in tests/measure."""

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.wordnet import load_wordnet
from wordworth.embedding import Embedding, Provenance
from wordworth.whole_words.soft_match import BUILT_IN, similar, soft_ranks

ROWS = [
    ("cat", "cat", True),
    ("cat", "dog", False),  # the nearest word to cat
    ("cat", "car", False),  # the third: itself, dog, car
    ("Cat,", "cat", False),  # the same vector, and another word: as near as a neighbour can be
    ("cat", "xyzzy", False),
    ("plugh", "cat", False),
    ("plugh", "dog", False),
    ("cat", None, False),
]
PREDICTED = pl.DataFrame(ROWS, schema={"word": pl.String, "guess": pl.String, "hit1": pl.Boolean}, orient="row")


@pytest.fixture
def embedding():
    vectors = np.array([[1, 0], [1, 0.1], [1, 0.5], [0, 1], [-1, 0]], dtype=np.float32)
    return Embedding(["cat", "dog", "car", "sky", "not"], vectors, Provenance("five"))


def test_ranks_by_hand(embedding):
    found = soft_ranks(PREDICTED, embedding)
    np.testing.assert_array_equal(found.ranks, [1, 2, 3, 2, 0, 0, 0, 0])
    assert found.missing_targets == {"plugh": 2}
    assert found.missing_guesses == {"": 1, "xyzzy": 1}
    np.testing.assert_array_equal(found.ranks == 1, PREDICTED["hit1"])  # @1 is the exact match (paper, Figure 3)


def test_any_function_is_a_similarity():
    asked = []

    def same_length(word: str, guess: str) -> bool:
        asked.append((word, guess))
        return len(word) == len(guess)

    twice = pl.concat([PREDICTED, PREDICTED])
    assert similar(twice, same_length).tolist() == [True, True, True, False, False, False, False, False] * 2
    assert len(asked) == len(set(asked)) == 6


@pytest.mark.index
def test_wordnet_as_similarity():
    wordnet = load_wordnet()
    alike, inflected = (BUILT_IN[name](wordnet) for name in ("synonyms", "lemma"))
    assert alike("car", "Automobile,")
    assert alike("cars", "automobile")
    assert not alike("car", "dog")
    assert not alike("xyzzy", "xyzzy")
    assert inflected("walking", "walked")
    assert not inflected("car", "automobile")
