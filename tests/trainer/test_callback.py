"""A training is the same bit for bit whether it is measured or not, and what is measured is what the command gives."""

import logging
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
import transformers as hf

import wordworth as ww
from made_models import letters
from typed_runs import value, values_by
from wordworth.results.run import read_run

LINES = [f"This is a pleasant word, and that is an unpleasant one, number {at}." for at in range(24)]
STEPS, EVERY = 6, 3
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


def tokenizer_of(family: str) -> Any:
    fast = letters()
    if family == "masked":
        fast.add_special_tokens({"mask_token": "<mask>"})
    return fast


def network_of(family: str, size: int) -> Any:
    """With dropout, and one weight that is not trained."""
    hf.set_seed(3)
    ends = {"vocab_size": size, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    if family == "masked":
        network: Any = hf.BertForMaskedLM(hf.BertConfig(**SIZES, **ends, max_position_embeddings=64))
    else:
        network = hf.GPT2LMHeadModel(hf.GPT2Config(**ends, n_embd=16, n_layer=2, n_head=2, n_positions=64))
    next(network.parameters()).requires_grad_(False)
    return network


def trainer_of(folder: Path, family: str = "causal", **arguments: Any) -> Any:
    fast = tokenizer_of(family)
    usual: dict[str, Any] = {
        "max_steps": STEPS,
        "per_device_train_batch_size": 4,
        "logging_steps": EVERY,
        "save_strategy": "no",
        "use_cpu": True,
        "report_to": "none",
        "disable_tqdm": True,
        "learning_rate": 1e-2,
    }
    chosen = hf.TrainingArguments(str(folder / "tiny"), **(usual | arguments))
    return hf.Trainer(
        network_of(family, len(fast)),
        chosen,
        train_dataset=[{"input_ids": fast(line)["input_ids"]} for line in LINES],
        data_collator=hf.DataCollatorForLanguageModeling(fast, mlm=family == "masked"),
        processing_class=fast,
    )


def attach(trainer: Any, folder: Path, **more: Any) -> ww.WordworthCallback:
    """A callback that measures little, out of a text of its own."""
    text = folder / "text.txt"
    text.write_text("\n".join(LINES), encoding="utf-8")
    small: dict[str, Any] = {
        "vast": {"tests": ("weat6",), "resamples": 20},
        "predict": {"corpus": str(text), "frequencies": str(text), "words": 60, "resamples": 20},
    }
    callback = ww.WordworthCallback(trainer, every=EVERY, output=folder / "runs", **(small | more))
    trainer.add_callback(callback)
    return callback


def end_of(trainer: Any) -> dict[str, Any]:
    """All that a training leaves, the time it took aside."""
    trainer.train()
    network = trainer.model
    return {
        "weights": network.state_dict(),
        "gradients": [weight.grad for weight in network.parameters()],
        "trained": [weight.requires_grad for weight in network.parameters()],
        "modes": [module.training for module in network.modules()],
        "optimizer": trainer.optimizer.state_dict(),
        "schedule": trainer.lr_scheduler.state_dict(),
        "config": network.config.to_dict(),
        "loss": [log for log in trainer.state.log_history if "loss" in log],
        "python": random.getstate(),
        "numpy": np.random.get_state(),  # noqa: NPY002 - the state that others draw from
        "torch": torch.get_rng_state(),
    }


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor | np.ndarray):
        return np.array_equal(np.asarray(one), np.asarray(other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@pytest.mark.parametrize(
    ("family", "arguments"),
    [("causal", {}), ("causal", {"bf16": True}), ("masked", {"activation_checkpointing": True})],
    ids=["causal", "mixed precision", "masked, checkpointing"],
)
def test_a_measured_training_ends_the_same(tmp_path: Path, family: str, arguments: dict[str, Any]) -> None:
    plain = end_of(trainer_of(tmp_path, family, **arguments))
    trainer = trainer_of(tmp_path, family, **arguments)
    attach(trainer, tmp_path)
    with_callback = end_of(trainer)
    for part in plain:
        assert same(plain[part], with_callback[part]), part
    assert any(plain["modes"])
    assert len(plain["loss"]) == STEPS // EVERY
    found = {one.name for one in (tmp_path / "runs").iterdir()}
    assert found == {f"{study}-step{step}" for study in ("vast", "predict") for step in (0, 3, 6)}
    assert not [kind for kind in ("vectors", "predictions") if (tmp_path / "cache" / kind).exists()]


def test_numbers_are_those_of_the_saved_model(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path)
    callback = attach(trainer, tmp_path)
    trainer.train()
    trainer.save_model(str(tmp_path / "saved"))
    for name, chosen in zip(("vast", "predict"), callback.model.studies, strict=True):
        run = read_run(tmp_path / "runs" / f"{name}-step{STEPS}")
        settings = {one.name: getattr(chosen.settings, one.name) for one in chosen.settings.fields()}
        again = ww.run(name, str(tmp_path / "saved"), **settings)
        same_columns = pl.exclude("model", "step")
        assert run.scores.select(same_columns).equals(again.scores.select(same_columns))
        assert [(model.name, model.step) for model in run.models] == [("tiny", STEPS)]
        assert set(run.scores.select("model", "step").rows()) == {("tiny", STEPS)}
    assert set(read_run(tmp_path / "runs" / "vast-step0").scores["layer"]) == {0, 1, 2}


def test_logs_hold_the_scores(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path)
    attach(trainer, tmp_path)
    trainer.train()
    logs = [log for log in trainer.state.log_history if "wordworth/seconds" in log]
    assert [log["step"] for log in logs] == [0, 3, 6]
    run = read_run(tmp_path / "runs" / "vast-step3")
    for dataset, measure in (("bellezza", "valence"), ("weat6", "weat")):
        expected = value(run, measure=measure, dataset=dataset, layer=1)
        assert logs[1][f"wordworth/{measure}/{dataset}/bleached/layer-1"] == expected
    predicted = read_run(tmp_path / "runs" / "predict-step3")
    bands = values_by(predicted, "subset", experiment="coverage", measure="top", k=1)
    assert {f"wordworth/top-1/text.txt/{band}" for band in bands} <= logs[1].keys()


def test_a_study_that_fails_costs_no_more_than_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    plain = end_of(trainer_of(tmp_path))
    trainer = trainer_of(tmp_path)
    callback = attach(trainer, tmp_path)
    run = type(callback.model.studies[0].study).run

    def fails(self: Any, models: Any, settings: Any, **more: Any) -> Any:
        if self.name == "vast" and models[0].name.endswith("step3"):
            random.random()
            raise TypeError("a mistake of ours")
        return run(self, models, settings, **more)

    monkeypatch.setattr(type(callback.model.studies[0].study), "run", fails)
    with caplog.at_level(logging.WARNING, "wordworth"):
        assert same(end_of(trainer), plain)
    assert "vast could not be measured at step 3: a mistake of ours" in caplog.text
    left = read_run(tmp_path / "runs" / "vast-step3")
    assert left.scores.is_empty()
    assert [notice.model for notice in left.notices if notice.kind == "failed"] == ["tiny"]
    assert len(read_run(tmp_path / "runs" / "predict-step3").scores)


def test_divergence_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    trainer = trainer_of(tmp_path)
    callback = attach(trainer, tmp_path)
    with torch.no_grad():
        trainer.model.transformer.wte.weight.fill_(float("nan"))
    trainer.state.global_step = 3
    callback.on_step_end(trainer.args, trainer.state, trainer.control)
    assert "tiny@step3 has weights that are not finite: the training has diverged" in caplog.text


def test_only_the_first_process_measures(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path)
    callback = attach(trainer, tmp_path)
    trainer.state.is_world_process_zero, trainer.state.global_step = False, EVERY
    callback.on_train_begin(trainer.args, trainer.state, trainer.control)
    callback.on_step_end(trainer.args, trainer.state, trainer.control)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"vast": {"lexicn": ["anew"]}}, "vast has no setting 'lexicn'; did you mean lexicon"),
        ({"vast": {"engine": "ray"}}, "set engine to local"),
        ({"valnorm": {}}, "valnorm does not measure a causal language model in training"),
        ({"vast": None, "predict": None}, "there is nothing to measure"),
        ({"at": (2.5,)}, "2.5 is not a step"),
    ],
)
def test_wrong_settings_fail_at_once(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ww.WordworthError, match=message):
        ww.WordworthCallback(trainer_of(tmp_path), **given)


def test_settings_that_do_not_fit_the_model_fail_first(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path)
    attach(trainer, tmp_path, vast={"layers": (9,)})
    with pytest.raises(ww.WordworthError, match="has layers 0 to 2, not 9"):
        trainer.train()
    assert trainer.state.global_step == 0


def test_runs_of_another_training_are_not_mixed(tmp_path: Path) -> None:
    for _ in range(2):
        trainer = trainer_of(tmp_path)
        attach(trainer, tmp_path, predict=None)
        if (tmp_path / "runs").exists():
            with pytest.raises(ww.WordworthError, match="already contains runs"):
                trainer.train()
        else:
            trainer.train()


def test_a_training_that_is_resumed_goes_on_in_its_folder(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, save_strategy="steps", save_steps=EVERY)
    attach(trainer, tmp_path, predict=None)
    trainer.train()
    last = tmp_path / "runs" / f"vast-step{STEPS}"
    before, first = read_run(last), (last.parent / f"vast-step{EVERY}" / "run.json").stat().st_mtime_ns
    again = trainer_of(tmp_path)
    attach(again, tmp_path, predict=None)
    again.train(resume_from_checkpoint=str(tmp_path / "tiny" / f"checkpoint-{EVERY}"))
    assert (last.parent / f"vast-step{EVERY}" / "run.json").stat().st_mtime_ns == first
    assert read_run(last).scores.equals(before.scores)
    assert read_run(last).started >= before.started


def test_a_trainer_that_cannot_be_measured(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path)
    trainer.is_fsdp_enabled = True
    with pytest.raises(ww.WordworthError, match="spread over processes"):
        ww.WordworthCallback(trainer)
    trainer = trainer_of(tmp_path)
    trainer.processing_class = None
    with pytest.raises(ww.WordworthError, match="no tokenizer but needs a fast tokenizer"):
        ww.WordworthCallback(trainer)


def test_without_a_head_only_vectors_are_measured(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, "masked")
    trainer.model = hf.BertForSequenceClassification(trainer.model.config)
    callback = attach(trainer, tmp_path, predict=None)
    callback.on_train_begin(trainer.args, trainer.state, trainer.control)
    assert [one.name for one in (tmp_path / "runs").iterdir()] == ["vast-step0"]
    with pytest.raises(ww.WordworthError, match="predict does not measure a language model without a head"):
        ww.WordworthCallback(trainer, predict={})
