"""Measures of Dudy & Bedrick as their scripts compute them (`aggregate.py`, `spin_evaluate.py`), by hand."""

from pathlib import Path

import polars as pl
import pytest

from wordworth.task.prediction import predicted_words, prediction
from wordworth.task.settings import Intervals
from wordworth.whole_words import PREDICTIONS
from wordworth.whole_words.frequency import Bands

WORDS = [  # word, band, first guess right, among the ten best, −ln p
    ("the", "high", True, True, 1.0),
    ("the", "high", False, False, 9.0),
    ("cat", "mid", False, True, 3.0),
    ("sat", "low", False, False, 8.0),
    ("mat", "below", True, True, 2.0),
    ("zyx", "unseen", True, True, 4.0),
]


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, object]]:
    bands = Bands()
    rows = [
        {"document": 0, "line": 0, "at": at, "glued": False, "word": word, "guess": word, "hit1": first, "hitk": found}
        | {"logp": -2 * nats, "logp_naive": -nats, "units": 1, "band": band, "cluster": at}
        for at, (word, band, first, found, nats) in enumerate(WORDS)
    ]
    types = {**PREDICTIONS, "band": pl.Enum([*bands.names]), "cluster": pl.Int32}
    table = pl.DataFrame(rows, schema=types).lazy()
    with predicted_words(table) as words:
        found = prediction(table, words, {"model": "m"}, 10, bands, Intervals(resamples=20)).scores
    overall = found.filter(pl.col("experiment") == "prediction")
    return {row["measure"]: row for row in overall.iter_rows(named=True)}


def test_types_are_counted_in_four_bins_as_in_the_authors_script(scores: dict[str, dict[str, object]]) -> None:
    """Types that were hit in any of four bins (not `zyx`) / the types of the three that are not the rarest."""
    assert (scores["T1:code"]["value"], scores["T1:code"]["n"]) == (pytest.approx(2 / 3), 3)
    assert (scores["T10:code"]["value"], scores["T10:code"]["n"]) == (pytest.approx(3 / 3), 3)


def test_ppx_is_a_mean_with_100_for_a_word_that_is_not_found(scores: dict[str, dict[str, object]]) -> None:
    assert scores["ppx@10"]["value"] == pytest.approx((1 + 100 + 3 + 100 + 2 + 4) / 6)
    assert scores["ppx@10"]["n"] == 6
