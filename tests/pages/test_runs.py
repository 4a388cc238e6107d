from pathlib import Path

from made_runs import MadeRun, random_predict, random_vast
from wordworth.pages.runs import ALL, numbered, read_runs
from wordworth.results import run_folders


def test_an_audit_is_its_runs(audit: Path) -> None:
    assert [folder.name for folder in run_folders([audit])] == ["infer", "predict", "vast"]
    assert [folder.name for folder in run_folders([audit / "vast", audit])] == ["vast", "infer", "predict"]
    found = read_runs([audit])
    assert found.models == ["nli", "tiny"]
    assert set(found.scores.get_column("study")) == {"vast", "predict", "infer"}
    assert found.scores.get_column("row").to_list() == list(range(len(found.scores)))
    assert found.facts["tiny"]["layers"] == 6


def test_two_runs_of_a_study_on_a_model_are_told_apart(tmp_path: Path) -> None:
    one = random_vast(["tiny"], tests=1).write(tmp_path / "one")
    other = random_vast(["tiny"], tests=1).write(tmp_path / "other")
    behaviour = random_predict("tiny").write(tmp_path / "behaviour")
    assert read_runs([one, other]).models == ["tiny (one)", "tiny (other)"]
    assert read_runs([one, behaviour]).models == ["tiny"]  # two studies of one model go together


def test_a_number_over_all_models_has_a_name() -> None:
    run = MadeRun("valnorm")
    run.score(model="one", measure="valence", value=0.5)
    run.score(measure="weat:variance", value=0.1)
    named = numbered(run.scores)
    assert named.get_column("model").to_list() == ["one", ALL]
    assert named.get_column("model_at").to_list() == [0, 1]
