"""`wordworth reproduce` and `ww.reproduce`: what is planned, run, written and said of it."""

import json
from pathlib import Path

import pytest

import wordworth as ww
from commands import Command
from made_models import llama_folder
from wordworth.api.reproduce import describe_status, list_items
from wordworth.errors import WordworthError
from wordworth.papers.reproduction import find_items

QUICK = {"quick": True, "resamples": 10, "corpus": "none"}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(llama_folder(tmp_path_factory.mktemp("models") / "tiny"))


def test_tables_of_one_run_share_it(tiny: str, tmp_path: Path) -> None:
    """Figures 1 and 11 differ in the paper's models only; another model is measured once, for both and for Table 1."""
    made = ww.reproduce("vast", [tiny], tables=["1", "figure-1", "figure-11"], folder=tmp_path / "out", **QUICK)
    assert [run.settings["experiments"] for run in made.runs] == [["isolation", "contextualization"]]
    assert list(made.rows) == ["table-1", "figure-1", "figure-11"]
    verdicts = {str(row.verdict) for row in made.rows["table-1"]}
    assert verdicts == {"not measured: other model, tiny", "not measured: not run"}
    assert {row.verdict.reason for row in made.rows["figure-11"]} == {"no printed number"}
    assert "not measured: other model, tiny" in (made.folder / "reproduction.md").read_text(encoding="utf-8")
    assert made.report.is_file()
    again = ww.reproduce("vast", [tiny], tables=["1", "figure-1", "figure-11"], folder=tmp_path / "out", **QUICK)
    assert [run.started for run in again.runs] == [run.started for run in made.runs]


def test_a_model_of_another_kind_is_refused(tiny: str, tmp_path: Path) -> None:
    with pytest.raises(WordworthError, match="can be run here"):
        ww.reproduce("inferences", [tiny], folder=tmp_path / "out")


def test_smaller_samples_decide_nothing(tiny: str, tmp_path: Path) -> None:
    """A quick run fits components on a sample of words, which is not what the paper did."""
    made = ww.reproduce("vast", [f"gpt2={tiny}"], tables=["1"], folder=tmp_path / "out", **QUICK)
    verdicts = {row.verdict.name for row in made.rows["table-1"] if row.ours}
    assert verdicts == {"undecided"}


def test_repeats_are_runs_with_other_seeds(tiny: str, tmp_path: Path) -> None:
    made = ww.reproduce("vast", [tiny], tables=["figure-1"], folder=tmp_path / "out", repeats=2, **QUICK)
    assert [run.settings["seed"] for run in made.runs] == [0, 1]
    assert {len(row.ours) for row in made.rows["figure-1"] if row.ours} == {2}


def test_json_has_every_number(tiny: str, tmp_path: Path, command: Command) -> None:
    options = ["--table", "1", "--model", tiny, "--quick", "--corpus", "none", "--json", "-o", tmp_path / "out"]
    answer = command("reproduce", "vast", *options)
    assert answer.code == 0, answer.err
    rows = json.loads(answer.out)["tables"]["table-1"]
    assert [row["paper"] for row in rows] == [0.17, 0.58, 0.32, 0.76, 0.42, 0.85, 0.14, 0.54]
    assert {row["name"] for row in rows} == {"not measured"}


def test_the_list_of_tables_and_figures(command: Command) -> None:
    answer = command("reproduce", "--list")
    assert answer.code == 0
    for item in ("figure-27", "table-17", "gpt2 (hub)", "Wikipedia", "cannot: equations"):
        assert item in answer.out
    assert command("reproduce").code == 2


def test_data_that_is_put_in_place_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    (item,) = find_items("whole-words", ["table-2"])
    now, needs = describe_status(item)
    assert now == "no"
    assert "wikitext-103-test" in needs
    assert "wiki.test.tokens" in list_items("whole-words").note  # the catalog's own text
    with pytest.raises(WordworthError, match="wikitext-103-test"):
        ww.reproduce("whole-words", tables=["2"])
