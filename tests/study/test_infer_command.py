"""`wordworth run infer` on a folder that a training left: what it prints, what it writes, and how it refuses."""

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch

from wordworth.catalog.read.nli import load_nli
from wordworth.cli import main
from wordworth.nli.attention import Network, Shape
from wordworth.nli.loading import load, vectors_to_train_on, write_model
from wordworth.nli.nli import accuracy
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small network of random weights over small vectors of the probes' words, in a folder to work in."""
    monkeypatch.chdir(tmp_path)
    texts = [
        text for name in ("gender", "religion") for side in PairSet.of(load_probe(name)).fragments() for text in side
    ]
    words = dict.fromkeys(word.lower().strip(".") for text in [*texts, "he she"] for word in text.split())
    subspace = load_probe("religion").subspace
    assert subspace is not None
    words |= dict.fromkeys([*subspace.words, "."])
    rows = np.random.default_rng(0).normal(size=(len(words), 8)).round(3).tolist()
    lines = (" ".join([word, *map(str, row)]) for word, row in zip(words, rows, strict=True))
    (tmp_path / "mine.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = vectors_to_train_on("mine.txt", seed=0)
    torch.manual_seed(0)
    network = Network(Shape(dim=8, hidden=4, compare=4))
    write_model(tmp_path / "model", network, made)
    return tmp_path


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["wordworth", "run", "infer", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_run_infer(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["own=model", "--probe", "gender", "--probe", "religion", "--sample", "300", "--random", "1"]
    asked += ["--slice", "polarity=rude", "--resamples", "20", "--farthest", "2", "-o", "out"]
    asked += ["--mitigate", "projection", "--mitigate", "leace"]
    assert _run(monkeypatch, *asked) == 0
    told = capsys.readouterr()
    assert "gender · own · 300 pairs (the paper: over 2,000,000)" in told.out
    assert "religion · own · slices" in told.out
    assert "farthest from neutral" in told.out
    scores = pl.read_csv(folder / "out" / "scores.csv", infer_schema_length=None)
    assert set(scores["model"]) == {"own"}
    settings = ["original", "projection", "leace", "random:1", "random"]
    assert scores["setting"].unique(maintain_order=True).to_list() == settings
    assert {"net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7"} <= set(scores["measure"])
    manifest = json.loads((folder / "out" / "run.json").read_text())
    assert any("1,936,512 pairs (1,968 × 164 × 6); the paper: over 2,000,000" in note for note in manifest["notes"])
    items = pl.read_parquet(folder / "out" / "items.parquet")
    assert len(items.filter(pl.col("group") == "largest entailment", pl.col("setting") == "original")) == 4


def test_accuracy_on_a_csv_of_numbered_labels(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "own.csv").write_text('premise,hypothesis,label\nhe he,she,0\nshe,he,2\nhe,"she, he",1\n')
    asked = ["own=model", "--probe", "gender", "--sample", "50", "--random", "0", "--mitigate", "none"]
    asked += ["--resamples", "20", "--accuracy", "own.csv", "--json", "-o", "out"]
    assert _run(monkeypatch, *asked) == 2
    assert "own.csv, line 2: the label is '0'; labels are entailment" in (told := capsys.readouterr().err)
    assert "--label-map 0=entailment,1=neutral,2=contradiction" in told
    assert _run(monkeypatch, *asked, "--label-map", "0=entailment,1=neutral,2=contradiction") == 0
    (row,) = [one for one in json.loads(capsys.readouterr().out)["scores"] if one["measure"] == "accuracy"]
    assert (row["dataset"], row["n"]) == ("own", 3)
    read = load_nli("own.csv", {"0": "entailment", "1": "neutral", "2": "contradiction"})
    assert row["value"] == accuracy(load("model"), read.examples())
    manifest = json.loads((folder / "out" / "run.json").read_text())
    assert manifest["settings"]["label_map"] == {"0": "entailment", "1": "neutral", "2": "contradiction"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["model", "--label-map", "0"], "--label-map is '0'; write LABEL=MEANING with commas between"),
        (["model", "--mitigate", "none", "--mitigate", "inlp"], "none and something else"),
        (["model", "--probe", "gendr"], "there is no probe 'gendr'; did you mean gender?"),
        (["model", "--articles", "ear"], "--articles is 'ear'; it can be sound or letter"),
        (["model", "--probe", "religion", "--mitigate", "hard-debias", "--sample", "9"], "word lists for gender only"),
        (["nowhere/model"], "nowhere/model"),
    ],
)
def test_refusals(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
) -> None:
    assert _run(monkeypatch, *arguments) == 2
    shown = capsys.readouterr().err
    assert told in " ".join(shown.split())
    assert shown.count("\n") == 1
