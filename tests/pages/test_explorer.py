"""What can be looked up."""

from typing import Any

import numpy as np
import pytest

from made_runs import finish, random_infer, random_predict, random_vast, record, spread
from wordworth.pages import explorer as room
from wordworth.results.run import Run
from wordworth.results.runs import read_runs


def look_up(*runs: Run) -> dict[str, Any]:
    found = room.explorer(read_runs(runs))
    assert found is not None
    return found


def rows_of(found: dict[str, Any], title: str) -> list[dict[str, Any]]:
    (kind,) = (one for one in found["facts"] if one["title"] == title)
    length, columns = kind["table"]["length"], kind["table"]["columns"]
    values = {name: [None] * length if column is None else spread(column) for name, column in columns.items()}
    return [{name: values[name][row] for name in columns} for row in range(length)]


def test_effects_of_words_by_context_and_layer() -> None:
    run = random_vast(["tiny"], tests=1)
    found = look_up(run)
    assert found["codes"] == {"english": "en"}
    rows = rows_of(found, "Valence")
    items = run.item_table("rated_words").collect()
    assert len(rows) == len(items) == 40 * 4 * 7
    for row, item in zip(rows, items.iter_rows(named=True), strict=True):
        assert {row[name] == item[name] for name in ("word", "model", "context", "layer")} == {True}
        assert row["value"] == pytest.approx(item["value"], abs=1e-4)
    aligned = [row for row in rows if row["context"] == "aligned" and row["layer"] == 2]
    values, ratings = (np.array([row[name] for row in aligned]) for name in ("value", "rating"))
    apart = (values - values.mean()) / values.std(ddof=1)
    assert [row["apart"] for row in aligned] == pytest.approx(apart, abs=0.006)
    assert [row["human"] for row in aligned] == pytest.approx((ratings - ratings.mean()) / ratings.std(), abs=0.006)


def test_the_words_a_model_gets_most_wrong() -> None:
    """Ratings 1, 2, 3, 4 and effects in the same order but for two words, exchanged."""
    run = record("valnorm", {"m": {"words": 4}})
    where = {"experiment": "valence", "model": "m", "language": "english", "dataset": "bellezza"}
    run.score(**where, measure="valence", value=0.2, n=4)
    ratings, effects = [1.0, 2.0, 3.0, 4.0], [4.0, 2.0, 3.0, 1.0]
    run.item("rated_words", **where, word=["foul", "poor", "fair", "fine"], rating=ratings, value=effects)
    (wrong,) = look_up(finish(run))["wrong"]
    apart = 3 / np.std([1, 2, 3, 4], ddof=1)
    assert wrong["words"] == {
        "too pleasant": [("foul", 1.0, 4.0, pytest.approx(apart, abs=0.011))],
        "too unpleasant": [("fine", 4.0, 1.0, pytest.approx(-apart, abs=0.011))],
    }


def test_pairs_predictions_and_inferences() -> None:
    found = look_up(random_vast(["tiny"], tests=1), random_predict("tiny"), random_infer("nli"))
    pairs = [(row["first"], row["second"]) for row in rows_of(found, "Pairs, nearest first")]
    assert pairs.count(("word0", "word1")) == 4  # two pair sets, two layers
    predicted = {row["word"]: row for row in rows_of(found, "Prediction")}
    assert (predicted["cat"]["times"], predicted["cat"]["hits"], predicted["cat"]["wrong guess"]) == (3, 3, "a")
    assert (predicted["axolotl"]["times"], predicted["axolotl"]["hits"]) == (3, 0)
    inferred = rows_of(found, "Pairs of subjects")
    assert [row["version"] for row in inferred] == ["original", "projection", "random"]
    chances = [inferred[0][name] for name in ("premise", "hypothesis", "entailment", "neutral", "contradiction")]
    assert chances == ["accountant", "gentleman", 0.7, 0.2, 0.1]
