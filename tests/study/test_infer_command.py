"""`wordworth run infer` on a folder that a training left: what it prints, what it writes, and how it refuses."""

from pathlib import Path

import pytest

from commands import Command
from made_nli import nli_folder
from typed_runs import items_of, reasons
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model", "--label-map", "0"], "--label-map is '0'"),
        (["model", "--mitigate", "none", "--mitigate", "inlp"], "none together with another method"),
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
