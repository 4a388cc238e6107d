"""A training measured afterwards, over the folder of its checkpoints."""

import shutil
from pathlib import Path

import pytest

import wordworth as ww
from commands import Command
from made_models import llama_folder
from typed_runs import value, values_by


def _empty(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).mkdir(parents=True)
        for file in ("config.json", "model.safetensors", "tokenizer.json"):
            (folder / name / file).touch()


def test_order_is_that_of_the_steps(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _empty(out, "checkpoint-1000", "checkpoint-500", "step20", "lr0.1_step_3")
    (out / "runs").mkdir()
    expected = {3: "lr0.1_step_3", 20: "step20", 500: "checkpoint-500", 1000: "checkpoint-1000"}
    checkpoints = ww.find_checkpoints(out)
    assert {one.step: one.path.name for one in checkpoints} == expected
    assert [one.step for one in checkpoints] == sorted(expected)
    assert {one.name for one in checkpoints} == {"out"}
    assert ww.find_checkpoints(f"mine={out}")[0].name == "mine"


@pytest.mark.parametrize(
    ("names", "message"), [(["final"], "holds no checkpoint"), (["checkpoint-5", "step5"], "are both of step 5")]
)
def test_folders_that_cannot_be_measured(tmp_path: Path, names: list[str], message: str) -> None:
    _empty(tmp_path, *names)
    with pytest.raises(ww.WordworthError, match=message):
        ww.find_checkpoints(tmp_path)


def test_scores_have_the_step_of_their_checkpoint(tmp_path: Path, command: Command) -> None:
    out = tmp_path / "out"
    for step, seed in ((500, 1), (20, 0)):
        llama_folder(out / f"checkpoint-{step}", seed)
    shutil.copytree(out / "checkpoint-20", out / "best")
    few = ["--lexicon", "bellezza", "--experiment", "contextualization", "--context", "bleached", "--control", "none"]
    few += ["--layers", "1", "--resamples", 20]
    answer = command("run", "vast", "--checkpoints", out, *few, "-o", tmp_path / "run")
    assert answer.code == 0, answer.err
    run = ww.read(tmp_path / "run")
    assert [(model.name, model.step) for model in run.models] == [("out", 20), ("out", 500)]
    values = values_by(run, "step", measure="valence", model="out")
    assert list(values) == [20, 500]
    settings = {"experiments": "contextualization", "contexts": "bleached", "controls": "none", "layers": (1,)}
    alone = ww.vast(str(out / "checkpoint-500"), "bellezza", **settings, resamples=20)
    assert values[500] == value(alone, measure="valence")
