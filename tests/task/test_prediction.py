"""Measures of Dudy & Bedrick as their scripts compute them (`aggregate.py`, `spin_evaluate.py`), by hand."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from wordworth.measure import label
from wordworth.task.prediction import open_predicted_words, score_predictions
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
    with open_predicted_words(table) as words:
        found = score_predictions(table, words, {"model": "m"}, 10, bands, Intervals(resamples=20))
        items = found.items["predictions"].collect()
    assert items.select("word", "band", "rank", "bits").row(2) == ("cat", "mid", 10, pytest.approx(6 / np.log(2)))
    overall = found.scores.filter(experiment="prediction")
    return {label(row["measure"], row["variant"], row["k"]): row for row in overall.iter_rows(named=True)}


def test_types_are_counted_in_four_bins_as_in_the_authors_script(scores: dict[str, dict[str, object]]) -> None:
    """Types that were hit in any of four bins (not `zyx`) / the types of the three that are not the rarest."""
    assert (scores["T1 (code)"]["value"], scores["T1 (code)"]["n"]) == (pytest.approx(2 / 3), 3)
    assert (scores["T10 (code)"]["value"], scores["T10 (code)"]["n"]) == (pytest.approx(3 / 3), 3)


def test_ppx_is_a_mean_with_100_for_a_word_that_is_not_found(scores: dict[str, dict[str, object]]) -> None:
    assert scores["ppx@10"]["value"] == pytest.approx((1 + 100 + 3 + 100 + 2 + 4) / 6)
    assert scores["ppx@10"]["n"] == 6
