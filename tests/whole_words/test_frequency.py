"""Bands and their frequencies: by hand, and a text counted."""

from collections import Counter

import pytest

from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.frequencies import Frequencies
from wordworth.errors import WordworthError
from wordworth.whole_words import frequency
from wordworth.whole_words.frequency import Bands, assign_bands, frequencies_of, parse_edges


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
