import numpy as np
import pytest

from wordworth.embedding import Embedding, Provenance, spellings
from wordworth.errors import WordworthError


@pytest.fixture
def small():
    return Embedding(["dog", "Paris", "hot_dog"], np.arange(6, dtype=np.float32).reshape(3, 2), Provenance("small"))


def test_find_keeps_the_order_and_tells_what_is_missing(small):
    found = small.find(["paris", "cat", "hot dog", "dog"], spellings("english"))
    assert found.words == ("paris", "hot dog", "dog")
    assert found.forms == ("Paris", "hot_dog", "dog")
    assert found.rows.tolist() == [1, 2, 0]
    assert found.positions.tolist() == [0, 2, 3]
    assert found.missing == ("cat",)
    assert small.find(["paris"]).missing == ("paris",)


def test_vectors_are_float64(small):
    assert small["Paris"].tolist() == [2, 3]
    assert small["Paris"].dtype == np.float64
    assert small.vectors(np.array([2, 0])).tolist() == [[4, 5], [0, 1]]
    with pytest.raises(WordworthError, match="small has no word 'cat'"):
        small["cat"]


def test_restrict_and_steps(small):
    fewer = small.restrict(["hot_dog", "cat", "dog", "dog"])
    assert fewer.words == ["hot_dog", "dog"]
    assert fewer.matrix.tolist() == [[4, 5], [0, 1]]
    assert small.with_matrix(small.matrix * 2, "doubled").provenance.steps == ("doubled",)


def test_words_and_rows_must_agree():
    with pytest.raises(WordworthError, match=r"one: 1 words do not go with a matrix of shape \(2, 2\)"):
        Embedding(["a"], np.eye(2), Provenance("one"))
    with pytest.raises(WordworthError, match="the word 'a' has more than one row"):
        Embedding(["a", "a"], np.eye(2), Provenance("two")).find(["a"])


def test_spellings_best_first():
    assert list(spellings("english")("New York")) == [
        "New York",
        "new york",
        "New york",
        "New_York",
        "new_york",
        "New_york",
    ]
    assert list(spellings("english", "exact")("New York")) == ["New York", "New_York"]
    assert list(spellings("turkish")("IŞIK")) == ["IŞIK", "ışık", "Işık"]
    assert list(spellings("turkish")("İYİ")) == ["İYİ", "iyi", "İyi"]
    assert list(spellings("chinese")("愛")) == ["愛", "爱", "愛"]
