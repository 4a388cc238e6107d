"""The views of what went wrong, over six predictions by hand."""

import polars as pl
import pytest

from wordworth.whole_words.error_tables import (
    band_confusion,
    confused_pairs,
    never_predicted,
    said_instead,
)

ROWS = [
    # line, at, word, guess, hit1, hitk, band, guess_band
    (0, 1, "cat", "the", False, True, "mid", "high"),
    (0, 2, "sat", "sat", True, True, "low", "low"),
    (0, 3, "on", "the", False, False, "high", "high"),
    (0, 5, "mat", "hat", False, False, "low", "mid"),
    (1, 1, "cat", "the", False, False, "mid", "high"),
    (1, 2, "here", "here", True, True, "high", "high"),
]
NAMES = ["line", "at", "word", "guess", "hit1", "hitk", "band", "guess_band"]
PREDICTED = pl.DataFrame(ROWS, schema=NAMES, orient="row")


def test_said_instead():
    found = said_instead(PREDICTED)
    assert found.rows() == [("the", "high", 3, 2, 0.75), ("hat", "mid", 1, 1, 0.25)]
    assert said_instead(PREDICTED, most=1).height == 1


def test_confused_pairs():
    assert confused_pairs(PREDICTED).rows() == [("cat", "the", 2), ("mat", "hat", 1), ("on", "the", 1)]


def test_band_confusion():
    found = {
        (row["band"], row["guess_band"]): (row["misses"], row["share"]) for row in band_confusion(PREDICTED).to_dicts()
    }
    assert found == {("mid", "high"): (2, 1.0), ("high", "high"): (1, 1.0), ("low", "mid"): (1, 1.0)}


def test_never_predicted():
    # “cat” was among the k best once.
    assert never_predicted(PREDICTED).rows() == [("mat", "low", 1), ("on", "high", 1)]


@pytest.mark.parametrize("view", [said_instead, confused_pairs, band_confusion, never_predicted])
def test_no_predictions(view):
    assert view(PREDICTED.head(0)).height == 0
