"""Frequency lists: wordfreq's real one, and users' files."""

import pytest

from wordworth.catalog.read.frequencies import is_frequency_file, load_frequencies
from wordworth.catalog.registry import entry
from wordworth.catalog.show import excerpt
from wordworth.errors import WordworthError


@pytest.mark.index
def test_wordfreq():
    found = load_frequencies("wordfreq")
    assert len(found) == 321_180
    # wordfreq's documentation: word_frequency("the", "en") is 0.0537.
    assert found.counts["the"] == pytest.approx(5.37e6, rel=1e-3)
    assert sum(found.counts.values()) == pytest.approx(1e8, rel=0.02)
    assert next(iter(found.counts)) == "the"
    assert found.unit == "per 100 million words"
    assert found.licence
    assert excerpt(entry("wordfreq")).rows[0] == ("the", "5,370,318")


def test_a_users_file(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("the\t100\ncat\t3.5\n\nNew York\t2\ncat\t1\n", encoding="utf-8")
    found = load_frequencies(path)
    assert found.counts == {"the": 100, "cat": 4.5, "New York": 2}
    assert is_frequency_file(path)


def test_what_is_no_frequency_file(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("the cat sat\nthe 3\n", encoding="utf-8")
    assert not is_frequency_file(text)
    assert not is_frequency_file(tmp_path / "absent.txt")
    with pytest.raises(WordworthError, match=r"text\.txt, line 1: 'the cat sat' is not a word and its count"):
        load_frequencies(text)
    text.write_text("\n")
    with pytest.raises(WordworthError, match="has no words"):
        load_frequencies(text)
