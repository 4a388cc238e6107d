from pathlib import Path

import polars as pl
import pytest

from made_runs import leave, random_predict, random_vast
from wordworth.errors import WordworthError
from wordworth.report.page import page
from wordworth.report.runs import ALL, gather, numbered, run_folders
from wordworth.study.findings import Findings


def test_an_audit_is_its_runs(audit: Path) -> None:
    assert [folder.name for folder in run_folders([audit])] == ["infer", "predict", "vast"]
    assert [folder.name for folder in run_folders([audit / "vast", audit])] == ["vast", "infer", "predict"]
    found = gather([audit])
    assert found.models == ["nli", "tiny"]
    assert set(found.scores.get_column("study")) == {"vast", "predict", "infer"}
    assert found.scores.get_column("row").to_list() == list(range(len(found.scores)))
    assert found.facts()["tiny"]["layers"] == 6


def test_two_runs_of_a_study_on_a_model_are_told_apart(tmp_path: Path) -> None:
    one = leave(tmp_path / "one", random_vast(["tiny"], tests=1))
    other = leave(tmp_path / "other", random_vast(["tiny"], tests=1))
    behaviour = leave(tmp_path / "behaviour", random_predict("tiny"))
    assert gather([one, other]).models == ["tiny (one)", "tiny (other)"]
    assert gather([one, behaviour]).models == ["tiny"]  # two studies of one model go together


def test_folders_of_one_name_are_told_apart_by_their_parents(tmp_path: Path) -> None:
    runs = [leave(tmp_path / day / "vast", random_vast(["tiny"], tests=1)) for day in ("monday", "tuesday")]
    assert gather(runs).models == ["tiny (monday/vast)", "tiny (tuesday/vast)"]


def test_a_number_over_all_models_has_a_name() -> None:
    findings = Findings("valnorm")
    findings.score(model="one", measure="valence", value=0.5)
    findings.score(measure="weat:variance", value=0.1)
    named = numbered(findings.scores)
    assert named.get_column("model").to_list() == ["one", ALL]
    assert named.get_column("model_at").to_list() == [0, 1]


def test_what_is_no_run_is_one_sentence(tmp_path: Path, audit: Path) -> None:
    with pytest.raises(WordworthError, match="name a run's folder"):
        gather([])
    with pytest.raises(WordworthError, match="is not a folder"):
        gather([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(WordworthError, match="holds no run"):
        gather([tmp_path / "empty"])
    scores = audit / "vast" / "scores.csv"
    pl.read_csv(scores).drop("measure").write_csv(scores)
    with pytest.raises(WordworthError, match="has no column measure"):
        gather([audit])


def test_items_of_an_earlier_version_have_blank_columns(audit: Path) -> None:
    place = audit / "vast" / "items.parquet"
    pl.read_parquet(place).drop("place", "rank", "entailment", "contradiction").write_parquet(place)
    assert gather([audit / "vast"]).runs[0].items.select("rank", "entailment").collect().null_count().row(0)[0] > 0
    assert page(gather([audit]), audit)


def test_items_that_cannot_be_read_are_one_sentence(audit: Path) -> None:
    (audit / "vast" / "items.parquet").write_text("no table")
    with pytest.raises(WordworthError, match=r"vast holds a run that cannot be read back \(.+\); run it again"):
        gather([audit])


def test_a_cell_that_is_no_number_is_one_sentence(audit: Path) -> None:
    scores = audit / "vast" / "scores.csv"
    lines = scores.read_text().splitlines()
    place = lines[0].split(",").index("value")
    cells = lines[1].split(",")
    cells[place] = "many"
    scores.write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]))
    with pytest.raises(WordworthError, match="a cell that is no number"):
        gather([audit])
