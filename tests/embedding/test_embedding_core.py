import numpy as np
import pytest

from wordworth.embedding import Embedding, Provenance, load, spellings
from wordworth.embedding.core import nearest_neighbours, unit_rows
from wordworth.errors import WordworthError


@pytest.fixture
def small():
    return Embedding(["dog", "Paris", "hot_dog"], np.arange(6, dtype=np.float32).reshape(3, 2), Provenance("small"))


def test_find_keeps_the_order_and_lists_missing_words(small):
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
    with pytest.raises(WordworthError, match=r"one: 1 words do not match a matrix of shape \(2, 2\)"):
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


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_neighbours_in_blocks_are_those_of_a_sort_of_all_cosines(block):
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(50, 6)).astype(np.float32)
    rows = np.array([0, 49, 17])
    place, cosine = nearest_neighbours(vectors, rows, 5, block=block)
    units = unit_rows(vectors)
    for at, row in enumerate(rows):
        every = units @ units[row]
        order = [one for one in np.argsort(-every) if one != row][:5]
        assert place[at].tolist() == order
        np.testing.assert_allclose(cosine[at], every[order])


@pytest.mark.parametrize("k", [0, 3])
def test_too_few_vectors(k):
    with pytest.raises(WordworthError, match=f"{k} neighbours cannot be found among 3 vectors"):
        nearest_neighbours(np.eye(3), np.array([0]), k)


def test_google_news_subset(data):
    read = load(data / "vectors/word2vec_googlenews_subset.npz")
    assert read.matrix.shape == (13_784, 300)
    assert read.words[:3] == ["in", "for", "that"]
    assert read.provenance.dropped == ()
    cosine = read["king"] @ read["queen"] / np.linalg.norm(read["king"]) / np.linalg.norm(read["queen"])
    assert cosine == pytest.approx(0.6511, abs=1e-3)  # as gensim gives for the full Google News vectors
