"""Measure a model at chosen steps of its training with `WordworthCallback`, log the numbers, and save runs."""

import copy
import re
import time
from collections.abc import Mapping, Sequence
from logging import getLogger
from pathlib import Path
from typing import Any

import polars as pl
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from wordworth.encode.loading import quietly
from wordworth.engine.cache import forgotten
from wordworth.errors import LibraryErrors, WordworthError
from wordworth.measure.declaration import find_measure, label
from wordworth.results.run import default_folder
from wordworth.trainer.measuring import ModelInTraining, choose_studies, keep_random_states

PREFIX = "wordworth"
_UNUSUAL = re.compile(r"[^\w./ -]")
"""Characters that some logging services reject in a name."""
SHARDING_FLAGS = ("is_fsdp_enabled", "is_deepspeed_enabled", "is_tp_enabled")
"""Attributes of a Trainer that say that no process has all weights."""
LOGGER = getLogger("wordworth")


def list_logs(scores: pl.DataFrame) -> dict[str, float]:
    """Return `wordworth/MEASURE/DATASET/SUBSET/CONTEXT/layer-N` → value of the main measures."""
    logs: dict[str, float] = {}
    is_main_row = [pl.col(name).is_null() for name in ("variant", "components", "control")]
    for row in scores.filter(*is_main_row, pl.col("value").is_not_null()).iter_rows(named=True):
        if find_measure(row["measure"]).is_main:
            layer = None if row["layer"] is None else f"layer-{row['layer']}"
            measure = label(row["measure"], k=row["k"], threshold=row["threshold"])
            parts = [PREFIX, measure, row["dataset"], row["subset"], row["context"], layer]
            logs[_UNUSUAL.sub("_", "/".join(filter(None, parts)))] = row["value"]
    return logs


class WordworthCallback(TrainerCallback):
    """Measures the model that a `Trainer` trains: `trainer.add_callback(WordworthCallback(trainer, every=500))`.

    It runs studies at the beginning, every `every` steps, at the steps `at` and at the end: valence in three layers and
    association tests (`vast`), and whole-word accuracy by frequency band (`predict`). The numbers go to the Trainer's
    log, and so to TensorBoard and wherever else it reports. Each study saves the run `OUTPUT/STUDY-stepN`, as the
    command would. `vast={"lexica": ["anew"]}` changes settings of a study, `predict=None` skips one, `static={}` adds
    one. Measuring does not change the training.
    """

    def __init__(
        self,
        trainer: Trainer,
        *,
        every: int = 0,
        at: Sequence[int] = (),
        output: str | Path | None = None,
        name: str = "",
        **studies: Mapping[str, Any] | None,
    ) -> None:
        for step in (every, *at):
            if isinstance(step, bool) or not isinstance(step, int) or step < 0:
                raise WordworthError(f"{step!r} is not a step; `every` and `at` take whole numbers from 0 up")
        self.trainer = trainer
        self.every, self.steps = every, frozenset(at)
        self.output = default_folder("training") if output is None else Path(output)
        training_folder = Path(trainer.args.output_dir or "training")
        self.model = ModelInTraining(
            name or training_folder.resolve().name,
            f"in training: {training_folder}",
            copy.deepcopy(_tokenizer(trainer)),  # every call sets how it truncates and pads
            tuple(choose_studies(studies, _network(trainer))),
        )

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Measure before the first step, and raise if a setting is wrong."""
        if not state.is_world_process_zero:
            return
        old_run = next(self.output.glob("*/run.json"), None)
        if old_run is not None and state.global_step == 0:
            raise WordworthError(
                f"{self.output} already contains runs ({old_run.parent.name}); choose another output for this training"
            )
        if not any(self.output.glob(f"*-step{state.global_step}/run.json")):  # or it was measured before the break
            self._measure(state, control, strict=True)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Measure at the chosen steps and at the last one."""
        step = state.global_step
        is_due = step in self.steps or step == state.max_steps or (self.every and step % self.every == 0)
        if is_due and state.is_world_process_zero:
            self._measure(state, control, strict=False)

    def _measure(self, state: TrainerState, control: TrainerControl, *, strict: bool) -> None:
        """Measure in one process; the others wait for it at the next exchange of gradients."""
        began = time.monotonic()
        network = _network(self.trainer)
        logs: dict[str, float] = {}
        with keep_random_states(network.device), forgotten(), quietly():
            for run in self.model.run_studies(network, state.global_step, strict=strict):
                for notice in run.notices:
                    if notice.kind == "failed":
                        LOGGER.warning("%s", notice.reason)
                folder = self.output / f"{run.study}-step{state.global_step}"
                try:
                    with LibraryErrors(f"the run {folder} could not be written", is_ours=not strict):
                        run.save(folder, overwrite=True)
                except WordworthError as error:
                    if strict:
                        raise
                    LOGGER.warning("%s", error)
                logs |= list_logs(run.scores)
        should_log = control.should_log
        self.trainer.log({**logs, f"{PREFIX}/seconds": round(time.monotonic() - began, 3)})
        control.should_log = should_log  # logging resets it, but the loss of this step may not have been logged yet


def _network(trainer: Trainer) -> PreTrainedModel:
    """Return the model without its wrapper for training on several devices."""
    for flag in SHARDING_FLAGS:
        if getattr(trainer, flag, False):
            raise WordworthError(
                "the weights are spread over processes (FSDP, DeepSpeed or tensor parallel), so no single process can "
                "measure the model; measure its checkpoints afterwards with `wordworth run vast --checkpoints DIR`"
            )
    network: Any = trainer.accelerator.unwrap_model(trainer.model, keep_torch_compile=False)
    if not isinstance(network, PreTrainedModel):
        raise WordworthError(
            f"the model in training is a {type(network).__name__}, not a transformers model; measure its "
            "checkpoints afterwards"
        )
    return network


def _tokenizer(trainer: Trainer) -> PreTrainedTokenizerFast:
    tokenizer = trainer.processing_class
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        description = "no tokenizer" if tokenizer is None else f"a {type(tokenizer).__name__}"
        raise WordworthError(
            f"the Trainer has {description} but needs a fast tokenizer; give it as Trainer(…, processing_class=…)"
        )
    return tokenizer
