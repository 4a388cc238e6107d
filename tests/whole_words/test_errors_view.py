"""The views of what went wrong, over six predictions by hand."""

import polars as pl

from wordworth.whole_words.error_tables import (
    count_band_confusions,
    count_confused_pairs,
    count_wrong_guesses,
    list_never_predicted,
)

ROWS = [
    ("cat", "the", False, True, "mid", "high"),
    ("sat", "sat", True, True, "low", "low"),
    ("on", "the", False, False, "high", "high"),
    ("mat", "hat", False, False, "low", "mid"),
    ("cat", "the", False, False, "mid", "high"),
    ("here", "here", True, True, "high", "high"),
]
PREDICTED = pl.DataFrame(ROWS, schema=["word", "guess", "hit1", "hitk", "band", "guess_band"], orient="row")


def test_views_by_hand() -> None:
    assert count_wrong_guesses(PREDICTED, 50).rows() == [("the", "high", 3, 2, 0.75), ("hat", "mid", 1, 1, 0.25)]
    assert count_wrong_guesses(PREDICTED, 1).height == 1
    assert count_confused_pairs(PREDICTED, 50).rows() == [("cat", "the", 2), ("mat", "hat", 1), ("on", "the", 1)]
    confusions = count_band_confusions(PREDICTED).sort("band", "guess_band").rows()
    assert confusions == [("high", "high", 1, 1.0), ("low", "mid", 1, 1.0), ("mid", "high", 2, 1.0)]
    # “cat” was among the k best once.
    assert list_never_predicted(PREDICTED).rows() == [("mat", "low", 1), ("on", "high", 1)]
