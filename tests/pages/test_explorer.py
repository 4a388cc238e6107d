"""What can be looked up."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from made_runs import MadeRun, random_infer, random_predict, random_vast
from wordworth.pages import explorer as room
from wordworth.pages.runs import read_runs


def _facts(found: dict[str, Any]) -> list[dict[str, Any]]:
    columns = found["facts"]["columns"]

    def cell(name: str, row: int) -> Any:
        column = columns[name]
        if isinstance(column, dict):
            return column["values"][column["codes"][row]] if column["codes"][row] >= 0 else None
        return None if column is None else column[row]

    return [{name: cell(name, row) for name in columns} for row in range(found["facts"]["length"])]


def _values(block: dict[str, Any]) -> np.ndarray[Any, Any]:
    steps = np.frombuffer(base64.b64decode(block["values"]), dtype="<i2").astype(float)
    return steps.reshape(len(block["settings"]), len(block["layers"]), len(block["words"])) * room.STEP


def test_effects_come_back_by_setting_layer_and_word(tmp_path: Path) -> None:
    run = random_vast(["tiny"])
    found = room.explorer(read_runs([run.write(tmp_path / "run")]))
    assert found is not None
    (block,) = found["valence"]
    assert (block["language"], found["codes"]) == ("english", {"english": "en"})
    values = _values(block)
    items = run.items.filter(run.items.get_column("experiment") == "contextualization")
    for row in items.iter_rows(named=True):
        at = (
            block["settings"].index(row["setting"]),
            block["layers"].index(row["layer"]),
            block["words"].index(row["item"]),
        )
        assert values[at] == pytest.approx(row["value"], abs=0.0006)
        assert block["ratings"][at[2]] == pytest.approx(row["reference"], abs=0.0006)
    assert not found["cut"]
    values = items.filter(pl.col("setting") == "aligned", pl.col("layer") == 2).get_column("value").to_numpy()
    place = block["settings"].index("aligned") * 7 + 2
    assert block["typical"][place] == pytest.approx([values.mean(), values.std(ddof=1)], abs=1e-4)
    assert block["rated"] == pytest.approx([np.mean(block["ratings"]), np.std(block["ratings"], ddof=1)], abs=1e-3)


def test_a_large_lexicon_is_sampled_over_its_ratings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "CELLS", 60 * 28)
    words = [f"word{at}" for at in range(200)]
    found = room.explorer(read_runs([random_vast(["tiny"], words=words).write(tmp_path / "run")]))
    assert found is not None
    (block,) = found["valence"]
    assert len(block["words"]) == 60
    assert block["ratings"] == sorted(block["ratings"])
    assert found["cut"] == ["tiny: 60 of the 200 words of bellezza can be looked up here."]


def test_the_words_a_model_gets_most_wrong(tmp_path: Path) -> None:
    """Ratings 1, 2, 3, 4 and effects in the same order but for two words, exchanged."""
    run = MadeRun("valnorm")
    where = {"experiment": "valence", "model": "m", "language": "english", "dataset": "bellezza"}
    run.model("m", words=4)
    run.score(**where, measure="valence", value=0.2, n=4)
    told = {"item": ["foul", "poor", "fair", "fine"], "reference": [1.0, 2.0, 3.0, 4.0], "value": [4.0, 2.0, 3.0, 1.0]}
    run.item(**where, group="lexicon", **told)
    found = room.explorer(read_runs([run.write(tmp_path / "run")]))
    assert found is not None
    wrong = found["valence"][0]["wrong"]
    apart = round(3 / np.std([1, 2, 3, 4], ddof=1), 2)
    assert wrong == {"too pleasant": [["foul", 1.0, 4.0, apart]], "too unpleasant": [["fine", 4.0, 1.0, -apart]]}


def test_pairs_predictions_and_inferences(tmp_path: Path) -> None:
    runs = [
        random_vast(["tiny"], tests=1).write(tmp_path / "vast"),
        random_predict("tiny").write(tmp_path / "predict"),
        random_infer("nli").write(tmp_path / "infer"),
    ]
    found = room.explorer(read_runs(runs))
    assert found is not None
    facts = _facts(found)
    assert sum(fact["item"] == "word0 word1" for fact in facts) == 4  # two pair sets, two layers, raw
    (cat,) = (fact for fact in facts if fact["experiment"] == "prediction" and fact["item"] == "cat")
    assert (cat["times"], cat["hits"], cat["found_as"]) == (3, 3, "a")
    (never,) = (fact for fact in facts if fact["experiment"] == "prediction" and fact["item"] == "axolotl")
    assert (never["times"], never["hits"]) == (3, 0)
    inferred = [fact for fact in facts if fact["item"] == "accountant → gentleman"]
    assert [fact["setting"] for fact in inferred] == ["original", "projection", "random", "random:1"]
    assert (inferred[0]["entailment"], inferred[0]["value"], inferred[0]["contradiction"]) == (0.7, 0.2, 0.1)


def test_too_many_facts_are_thinned_evenly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "FACTS", 40)
    found = room.explorer(read_runs([random_vast(["tiny"]).write(tmp_path / "run")]))
    assert found is not None
    kept = [fact["item"] for fact in _facts(found) if fact["dataset"] == "ws-353" and fact["layer"] == 3]
    assert len(kept) == 10
    assert kept[0] == "word0 word1"
    assert found["cut"] == ["Of 156 pairs and words, at most 10 a model and data set can be looked up here."]


def test_words_without_a_rating_or_an_effect_are_not_looked_up(tmp_path: Path) -> None:
    run = MadeRun("valnorm")
    where = {"experiment": "valence", "model": "m", "dataset": "bellezza", "group": "lexicon"}
    run.score(experiment="valence", model="m", dataset="bellezza", measure="valence", value=0.2, n=4)
    nan = float("nan")
    words = {"item": ["a", "b", "c", "d"], "reference": [1.0, nan, None, 2.0], "value": [0.1, 0.2, 0.3, nan]}
    run.item(**where, **words)
    found = room.explorer(read_runs([run.write(tmp_path / "run")]))
    assert found is not None
    assert [block["words"] for block in found["valence"]] == [["a"]]
