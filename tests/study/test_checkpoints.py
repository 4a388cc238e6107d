"""A training measured afterwards, over the folder of its checkpoints."""

import json
import shutil
from pathlib import Path

import pytest

import wordworth as ww
from commands import Command
from made_models import llama_folder


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
    assert ww.find_checkpoints(out) == [f"out@step{step}={out / name}" for step, name in expected.items()]
    assert ww.find_checkpoints(f"mine={out}")[0] == f"mine@step3={out / 'lr0.1_step_3'}"


@pytest.mark.parametrize(
    ("names", "said"),
    [(["final"], "holds no checkpoint"), (["checkpoint-5", "step5"], "are both of step 5")],
)
def test_what_cannot_be_measured_is_said_first(tmp_path: Path, names: list[str], said: str) -> None:
    _empty(tmp_path, *names)
    with pytest.raises(ww.WordworthError, match=said):
        ww.find_checkpoints(tmp_path)


def test_command_has_a_row_a_checkpoint(tmp_path: Path, command: Command) -> None:
    out = tmp_path / "out"
    for step, seed in ((500, 1), (20, 0)):
        llama_folder(out / f"checkpoint-{step}", seed)
    shutil.copytree(out / "checkpoint-20", out / "best")
    few = ["--lexicon", "bellezza", "--experiment", "contextualization", "--setting", "bleached", "--control", "none"]
    answer = command(
        "run", "vast", "--checkpoints", out, *few, "--layers", "1", "--resamples", 20, "-o", tmp_path / "run"
    )
    assert answer.code == 0, answer.err
    manifest = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert manifest["steps"] == {"out@step20": 20, "out@step500": 500}
    scores = ww.read_run(tmp_path / "run").scores
    alone = ww.vast(
        str(out / "checkpoint-500"),
        lexica="bellezza",
        experiments="contextualization",
        settings="bleached",
        controls="none",
        layers=(1,),
        resamples=20,
    ).scores
    values = dict(scores.filter(measure="valence").select("model", "value").iter_rows())
    assert list(values) == ["out@step20", "out@step500"]
    assert values["out@step500"] == alone.filter(measure="valence")["value"].item()
