"""What is made of predictions: bands of frequency, soft match, and what went wrong."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.frequencies import Frequencies
from wordworth.catalog.read.wordnet import load_wordnet
from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.whole_words import frequency
from wordworth.whole_words.error_tables import (
    count_band_confusions,
    count_confused_pairs,
    count_wrong_guesses,
    list_never_predicted,
)
from wordworth.whole_words.frequency import Bands, assign_bands, frequencies_of, parse_edges
from wordworth.whole_words.soft_match import BUILT_IN, similar, soft_ranks


def test_the_papers_bands():
    bands = Bands()
    assert bands.names == ("high", "mid", "low", "below", "unseen", "punctuation-numbers")
    frequencies = (None, 0, 9.99, 10, 99, 100, 999, 1_000, 1e9)
    expected = ["unseen", "below", "below", "low", "low", "mid", "mid", "high", "high"]
    assert [bands.of(one) for one in frequencies] == expected


@pytest.mark.parametrize(
    ("text", "message"), [("100,10", "must ascend"), ("0,10", "must be above 0"), ("ten", "are not numbers")]
)
def test_bad_edges(text, message):
    with pytest.raises(WordworthError, match=message):
        Bands(parse_edges(text))


def test_words_are_looked_up_as_written_then_folded_then_bare():
    listed = Frequencies("list", {"the": 5_000, "Polish": 500, "polish": 50, "cat": 150}, "occurrences")
    words = ["The", "Polish", "polish", "POLISH", "cat,", "(cat)", "zebra", ",", "1990", "B2", "the"]
    found = assign_bands(words, listed, Bands())
    expected = ["high", "mid", "low", "low", "mid", "mid", "unseen", *["punctuation-numbers"] * 2, "unseen", "high"]
    assert [found[word] for word in words] == expected


def test_a_text_is_counted_once(tmp_path, monkeypatch):
    path = tmp_path / "text.txt"
    text = "The cat sat .\nThe dog sat , the cat ran .\n"
    path.write_text(text, encoding="utf-8")
    corpus = load_corpus(path)
    assert frequencies_of(path).counts == Counter(text.split())
    monkeypatch.setattr(frequency, "Counter", None)  # a second count would fail
    again = frequencies_of(path)
    assert (again.name, again.counts["The"], again.sha256) == ("text.txt", 2, corpus.sha256)


def test_frequency_files_and_empty_texts(tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text("the 12\ncat 3\n", encoding="utf-8")
    assert frequencies_of(path).counts == {"the": 12, "cat": 3}
    path.write_text("\n\n", encoding="utf-8")
    with pytest.raises(WordworthError, match="has no words to count"):
        frequencies_of(path)


GUESSES = [
    ("cat", "cat", True),
    ("cat", "dog", False),  # the nearest word to cat
    ("cat", "car", False),  # the third: itself, dog, car
    ("Cat,", "cat", False),  # the same vector, and another word: as near as a neighbour can be
    ("cat", "xyzzy", False),
    ("plugh", "cat", False),
    ("plugh", "dog", False),
    ("cat", None, False),
]
GUESSED_WORDS = pl.DataFrame(GUESSES, schema={"word": pl.String, "guess": pl.String, "hit1": pl.Boolean}, orient="row")


@pytest.fixture
def embedding():
    vectors = np.array([[1, 0], [1, 0.1], [1, 0.5], [0, 1], [-1, 0]], dtype=np.float32)
    return Embedding(["cat", "dog", "car", "sky", "not"], vectors, Provenance("five"))


def test_soft_ranks_by_hand(embedding):
    found = soft_ranks(GUESSED_WORDS, embedding)
    np.testing.assert_array_equal(found.ranks, [1, 2, 3, 2, 0, 0, 0, 0])
    assert found.missing_targets == {"plugh": 2}
    assert found.missing_guesses == {"": 1, "xyzzy": 1}
    np.testing.assert_array_equal(found.ranks == 1, GUESSED_WORDS["hit1"])  # @1 is the exact match (paper, Figure 3)


def test_any_function_is_a_similarity():
    asked = []

    def same_length(word: str, guess: str) -> bool:
        asked.append((word, guess))
        return len(word) == len(guess)

    twice = pl.concat([GUESSED_WORDS, GUESSED_WORDS])
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


ERRORS = [
    ("cat", "the", False, True, "mid", "high"),
    ("sat", "sat", True, True, "low", "low"),
    ("on", "the", False, False, "high", "high"),
    ("mat", "hat", False, False, "low", "mid"),
    ("cat", "the", False, False, "mid", "high"),
    ("here", "here", True, True, "high", "high"),
]
PREDICTED_WORDS = pl.DataFrame(ERRORS, schema=["word", "guess", "hit1", "hitk", "band", "guess_band"], orient="row")


def test_error_tables_by_hand() -> None:
    assert count_wrong_guesses(PREDICTED_WORDS, 50).rows() == [("the", "high", 3, 2, 0.75), ("hat", "mid", 1, 1, 0.25)]
    assert count_wrong_guesses(PREDICTED_WORDS, 1).height == 1
    assert count_confused_pairs(PREDICTED_WORDS, 50).rows() == [("cat", "the", 2), ("mat", "hat", 1), ("on", "the", 1)]
    confusions = count_band_confusions(PREDICTED_WORDS).sort("band", "guess_band").rows()
    assert confusions == [("high", "high", 1, 1.0), ("low", "mid", 1, 1.0), ("mid", "high", 2, 1.0)]
    # “cat” was among the k best once.
    assert list_never_predicted(PREDICTED_WORDS).rows() == [("mat", "low", 1), ("on", "high", 1)]
