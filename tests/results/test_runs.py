"""Runs of a report: from memory and from folders, under labels that tell their models apart."""

from pathlib import Path

from made_runs import finish, random_predict, random_vast, record
from wordworth.results.runs import keep_last_steps, read_runs


def test_an_audit_is_its_runs(audit: Path) -> None:
    runs = read_runs([audit])
    assert runs.models == ["nli", "tiny"]
    assert set(runs.scores["study"]) == {"vast", "predict", "infer"}
    assert runs.scores["row"].to_list() == list(range(len(runs.scores)))
    assert runs.facts["tiny"]["layers"] == 6
    assert all(runs.run_of(row).study == row["study"] for row in runs.scores.iter_rows(named=True))


def test_two_runs_of_a_study_on_a_model_are_told_apart(tmp_path: Path) -> None:
    one = random_vast(["tiny"], tests=1, layers=2).save(tmp_path / "one")
    other = random_vast(["tiny"], tests=1, layers=2).save(tmp_path / "other")
    runs = read_runs([one, tmp_path / "other"])
    assert runs.models == ["tiny (one)", "tiny (other)"]
    assert set(runs.scores["name"]) == {"tiny"}
    items = runs.each[1].item_table("rated_words").collect()
    assert set(items["model"]) == {"tiny (other)"}
    assert read_runs([one, random_predict("tiny")]).models == ["tiny"]  # two studies of one model go together
    assert other.scores["model"].unique().to_list() == ["tiny"]  # the run itself is untouched


def test_a_training_is_shown_by_its_last_step() -> None:
    run = record("vast", {"a": {}, "b": {}})
    run.checkpoints = {"a": ("tiny", 5), "b": ("tiny", 10)}
    for label in ("a", "b"):
        row = {"context": "bleached", "layer": 1, "measure": "valence", "value": 0.5}
        run.score(experiment="contextualization", model=label, dataset="anew", **row)
    runs = read_runs([finish(run)])
    assert runs.models == ["tiny@step5", "tiny@step10"]
    assert runs.facts.keys() == {*runs.models}
    assert keep_last_steps(runs).models == ["tiny@step10"]
