"""`wordworth run infer` on a folder that a training left: what it prints, what it writes, and how it refuses."""

import json
from pathlib import Path

import pytest

from commands import Command
from made_nli import nli_folder
from typed_runs import items_of, one, reasons
from wordworth.catalog.read.nli import load_nli
from wordworth.nli.loading import load
from wordworth.nli.nli import accuracy
from wordworth.nli.probe import load_probe
from wordworth.results.run import read_run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small network over the probes' words, in a folder to work in."""
    monkeypatch.chdir(tmp_path)
    subspace = load_probe("religion").subspace
    assert subspace is not None
    nli_folder(Path("model"), "mine.txt", ["gender", "religion"], [*subspace.words, "."])
    return tmp_path


def test_run_infer(folder: Path, command: Command) -> None:
    asked = ["own=model", "--probe", "gender", "--probe", "religion", "--sample", 300, "--random", 1]
    asked += ["--slice", "polarity=rude", "--resamples", 20, "--farthest", 2, "-o", "out"]
    asked += ["--mitigate", "projection", "--mitigate", "leace"]
    answer = command("run", "infer", *asked)
    assert answer.code == 0, answer.err
    assert "polarity = rude" in " ".join(answer.out.split())
    assert "own: before and after" in answer.out
    run = read_run("out")
    assert set(run.scores["model"]) == {"own"}
    versions = run.scores.select("version", "draw").unique(maintain_order=True).rows()
    assert versions == [("original", None), ("projection", None), ("leace", None), ("random", 1), ("random", None)]
    assert {"net-neutral", "fraction-neutral", "threshold"} <= set(run.scores["measure"])
    assert any("1,936,512 pairs (1,968 × 164 × 6); the paper: over 2,000,000" in reason for reason in reasons(run))
    assert len(items_of(run, "sentence_pairs", extreme="entailment", version="original")) == 4


def test_accuracy_on_a_csv_of_numbered_labels(folder: Path, command: Command) -> None:
    (folder / "own.csv").write_text('premise,hypothesis,label\nhe he,she,0\nshe,he,2\nhe,"she, he",1\n')
    asked = ["own=model", "--probe", "gender", "--sample", 50, "--random", 0, "--mitigate", "none"]
    asked += ["--resamples", 20, "--accuracy", "own.csv", "--json", "-o", "out"]
    refused = command("run", "infer", *asked)
    assert refused.code == 2
    assert "own.csv, line 2: the label is '0'" in refused.err
    assert "--label-map 0=entailment,1=neutral,2=contradiction" in refused.err
    answer = command("run", "infer", *asked, "--label-map", "0=entailment,1=neutral,2=contradiction")
    (row,) = [score for score in json.loads(answer.out)["scores"] if score["measure"] == "accuracy"]
    assert (row["dataset"], row["n"]) == ("own", 3)
    label_map = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    assert row["value"] == accuracy(load("model"), load_nli("own.csv", label_map).examples())
    run = read_run("out")
    assert run.settings["label_map"] == label_map
    assert one(run.scores, measure="accuracy")["value"] == row["value"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model", "--label-map", "0"], "--label-map is '0'"),
        (["model", "--mitigate", "none", "--mitigate", "inlp"], "none and something else"),
        (["model", "--probe", "gendr"], "did you mean gender?"),
        (["model", "--articles", "ear"], "it can be sound, letter or dev2020"),
        (["model", "--probe", "religion", "--mitigate", "hard-debias", "--sample", "9"], "word lists for gender only"),
    ],
)
def test_refusals(folder: Path, command: Command, arguments: list[str], message: str) -> None:
    answer = command("run", "infer", *arguments)
    assert answer.code == 2
    assert message in " ".join(answer.err.split())
    assert answer.err.count("\n") == 1
