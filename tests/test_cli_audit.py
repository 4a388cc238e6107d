"""`wordworth audit` as a user meets it."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from commands import Answer, Command
from wordworth.catalog.read.association_tests import load_test
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import load_word_set, polar_words
from wordworth.errors import WordworthError
from wordworth.results import read_run
from wordworth.study.audit import chosen, lessened, plan
from wordworth.study.valnorm import ValnormSettings
from wordworth.study.vast import VastSettings
from wordworth.study.weat import weat


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with two embeddings of the words that a quick audit looks for."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    polar = polar_words()
    words = [*polar.pleasant, *polar.unpleasant, *load_lexicon("bellezza").words]
    words += [word for number in range(1, 11) for group in load_test(f"weat{number}").groups for word in group]
    for name in ("rg-65", "ws-353", "simlex-999", "men"):
        words += [*load_pairs(name).first, *load_pairs(name).second]
    for name in ("male", "female", "white", "hispanic", "asian", "christian", "islam", "professions", "adjectives"):
        words += load_word_set(f"bommasani-{name}").words
    words += [word for pair in load_word_set("bommasani-gender_pairs").pairs for word in pair]
    unique = list(dict.fromkeys(words))
    for seed, name in enumerate(("mine", "other")):
        rows = np.random.default_rng(seed).normal(size=(len(unique), 6)).round(3).tolist()
        lines = (" ".join([word, *map(str, row)]) for word, row in zip(unique, rows, strict=True))
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
        os.utime(folder / f"{name}.txt", (1_000_000_000, 1_000_000_000))
    return folder


def state(answer: Answer) -> dict[str, str]:
    return {one["study"]: one["state"] for one in json.loads(answer.out)["studies"]}


def test_an_audit_and_the_same_again(command: Command, work: Path) -> None:
    first = command("audit", "mine.txt", "--quick")
    assert first.code == 0
    folder = work / "runs" / "audit-mine.txt-quick"
    assert {path.name for path in folder.iterdir()} == {"valnorm", "weat", "static", "report.html"}
    assert "\nDoes it know what words mean?\n  mine" in first.out
    os.utime(work / "mine.txt")  # touched, and the same
    again = ("audit", "mine.txt", "--quick", "--json")
    assert state(command(*again)) == dict.fromkeys(("valnorm", "weat", "static"), "kept")
    # What was broken off goes on where it was.
    shutil.rmtree(folder / "weat")
    assert state(command(*again)) == {"valnorm": "kept", "weat": "run", "static": "kept"}
    # Another seed, or a model of other content, is another run: replaced only on request.
    other = command("audit", "mine.txt", "--quick", "--seed", "1")
    assert (other.code, "its seed was 0 and is now 1" in other.err) == (2, True)
    shutil.copyfile(work / "other.txt", work / "mine.txt")
    changed = command("audit", "mine.txt", "--quick")
    assert (changed.code, "mine.txt has changed since" in changed.err) == (2, True)
    assert set(state(command(*again, "--overwrite")).values()) == {"run"}


def test_a_model_written_while_an_audit_runs_is_not_recorded_as_measured(
    command: Command, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_and_measure(models: Any, settings: Any) -> Any:
        shutil.copyfile(work / "other.txt", work / "mine.txt")
        return weat(models, settings)

    monkeypatch.setattr("wordworth.study.weat.weat", write_and_measure)
    answer = command("audit", "mine.txt", "--quick", "--json")
    assert answer.code == 1
    assert state(answer) == {"valnorm": "run", "weat": "failed", "static": "failed"}
    assert "weat failed: mine.txt changed while it was measured" in answer.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere/none.txt",), "no model at"),
        (("mine.txt", "mine.txt"), "named twice"),
        (("mine.txt", "--model-kind", "word"), "--model-kind is 'word'"),
    ],
)
def test_bad_input_is_one_line(command: Command, work: Path, arguments: tuple[str, ...], message: str) -> None:
    answer = command("audit", *arguments)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert message in answer.err


def test_a_study_that_fails_leaves_the_others(command: Command, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise WordworthError("the words are gone")

    folder = work / "runs" / "audit-mine.txt-quick"
    with monkeypatch.context() as patch:
        patch.setattr("wordworth.study.weat.weat", broken)
        answer = command("audit", "mine.txt", "--quick")
    assert answer.code == 1
    assert "weat failed: the words are gone" in answer.err
    assert "weat failed on mine.txt: the words are gone" in (folder / "report.html").read_text(encoding="utf-8")
    # Once it has been run, the box is gone.
    assert command("audit", "mine.txt", "--quick").code == 0
    assert "weat failed on" not in (folder / "report.html").read_text(encoding="utf-8")
    assert not (folder / "audit.json").exists()


def test_an_audit_that_is_broken_off_says_so_in_its_report(
    command: Command, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_off(*_: Any, **__: Any) -> None:
        raise RuntimeError("as if the machine had stopped")

    monkeypatch.setattr("wordworth.study.weat.weat", broken_off)
    with pytest.raises(RuntimeError, match="stopped"):
        command("audit", "mine.txt", "--quick")
    assert command("report", "runs/audit-mine.txt-quick", "--format", "md").code == 0
    said = (work / "runs" / "audit-mine.txt-quick" / "report.md").read_text(encoding="utf-8")
    assert "weat and static were not run on mine.txt: the audit was broken off" in said


def test_workers_find_what_one_process_finds(command: Command, work: Path) -> None:
    pytest.importorskip("ray")
    for folder, engine in (("here", "local"), ("there", "ray")):
        assert command("audit", "mine.txt", "other.txt", "--quick", "-o", folder, "--engine", engine).code == 0
    for study in ("valnorm", "weat", "static"):
        ours, theirs = (read_run(work / folder / study) for folder in ("here", "there"))
        assert_frame_equal(ours.scores, theirs.scores)
        assert_frame_equal(ours.items, theirs.items)
        keys = ("named", "settings", "notes", "left_out", "failed", "method", "papers", "references", "data")
        assert [ours.manifest[key] for key in keys] == [theirs.manifest[key] for key in keys]


def test_what_applies_to_what() -> None:
    planned, left_out = plan(["smollm2-135m", "glove-6b-50d", "minilm-l6", "nli-glove"])
    assert {one.study.name: one.models for one in planned} == {
        "valnorm": ("glove-6b-50d",),
        "weat": ("glove-6b-50d",),
        "vast": ("smollm2-135m", "minilm-l6"),
        "static": ("smollm2-135m", "glove-6b-50d", "minilm-l6"),
        "predict": ("smollm2-135m",),
        "infer": ("nli-glove",),
    }
    assert left_out == []
    # What a whole audit asks less of is said, where it is less.
    assert [sentence.partition(" ")[0] for sentence in lessened(planned)] == ["static", "infer"]
    assert lessened(plan(["glove-6b-50d"])[0]) == []


def test_what_applies_in_another_language() -> None:
    planned, left_out = plan(["word2vec-zh-126k", "glove-6b-50d"])
    assert {one.name: one.models for one in planned} == {
        "valnorm": ("word2vec-zh-126k", "glove-6b-50d"),
        "weat": ("glove-6b-50d",),
        "static": ("glove-6b-50d",),
    }
    assert [sentence.partition(":")[0] for sentence in left_out] == [
        "weat was not run on word2vec-zh-126k",
        "static was not run on word2vec-zh-126k",
    ]
    # What a quick audit names is English: a model of another language takes what there is in it.
    quick = chosen(planned[0], True, {"seed": 3, "device": "cpu"})
    assert isinstance(quick, ValnormSettings)
    assert (quick.lexica, quick.pairs, quick.seed) == (("bellezza",), (), 3)  # there is bellezza-chinese
    english = chosen(plan(["glove-6b-50d"])[0][0], True, {})
    assert isinstance(english, ValnormSettings)
    assert english.lexica == ("bellezza",)
    with pytest.raises(WordworthError, match=r"no study of the audit applies to albert-kor .* the model is korean"):
        plan(["albert-kor"])
    # Beside a model that something applies to, it is said and the other one audited.
    planned, left_out = plan(["albert-kor", "minilm-l6"])
    assert {one.models for one in planned} == {("minilm-l6",)}
    assert [sentence.partition(":")[0] for sentence in left_out] == [
        "vast was not run on albert-kor",
        "static was not run on albert-kor",
    ]


def test_a_language_that_the_catalog_does_not_say(tmp_path: Path, word_model_folder: Callable[..., Path]) -> None:
    model = str(word_model_folder(tmp_path / "mine", "masked"))
    planned, left_out = plan([model, "minilm-l6"], language="polish")
    assert [(one.name, one.models) for one in planned] == [("vast-polish", (model, "minilm-l6"))]
    assert len(left_out) == 2
    asked = chosen(planned[0], True, {}, "polish")
    assert isinstance(asked, VastSettings)
    assert (asked.language, asked.corpus, asked.lexica) == ("polish", "none", ("bellezza-polish",))
    (vectors,) = [one for one in plan(["glove-6b-50d"], language="german")[0] if one.study.name == "weat"]
    assert chosen(vectors, True, {}, "german").as_table()["languages"] == ["german"]


@pytest.mark.index
@pytest.mark.parametrize("quick", [("--quick",), ()], ids=["quick", "whole"])
def test_chinese_vectors(command: Command, data: Path, tmp_path: Path, quick: tuple[str, ...]) -> None:
    answer = command("audit", "word2vec-zh-126k", *quick, "--json", "-o", tmp_path / "audit")
    assert answer.code == 0, answer.err
    assert state(answer) == {"valnorm": "run"}
    assert len(json.loads(answer.out)["left_out"]) == 2
    every = read_run(tmp_path / "audit" / "valnorm").scores
    tests = every.filter(pl.col("measure") == "weat")
    assert tests["dataset"].to_list() == ["weat1", "weat2", "weat8"]
    assert tests["flags"].str.contains("words translated by machine").all()
    scores = every.filter(pl.col("measure") == "valence")
    assert scores.item(0, "dataset") == "bellezza-chinese"
    assert round(scores.item(0, "value"), 2) == 0.79  # as docs/valnorm.md has it
    assert scores.item(0, "n") == 229
