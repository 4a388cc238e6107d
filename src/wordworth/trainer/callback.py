"""`WordworthCallback`: measures a model at chosen steps of its training, logs the numbers, and leaves a run a step."""

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
from wordworth.trainer.measuring import Measuring, choose_studies, keep_random_states

PREFIX = "wordworth"
_UNUSUAL = re.compile(r"[^\w./ -]")
"""Characters that some of the services that take logs do not accept in a name."""
SHARDING_FLAGS = ("is_fsdp_enabled", "is_deepspeed_enabled", "is_tp_enabled")
"""What a Trainer says of itself where no process has all weights."""
LOGGER = getLogger("wordworth")


def list_logs(scores: pl.DataFrame) -> dict[str, float]:
    """Return `wordworth/MEASURE/DATASET/SUBSET/CONTEXT/layer-N` → value of the main measures."""
    logs: dict[str, float] = {}
    plain = [pl.col(name).is_null() for name in ("variant", "components", "control")]
    for row in scores.filter(*plain, pl.col("value").is_not_null()).iter_rows(named=True):
        if find_measure(row["measure"]).is_main:
            layer = None if row["layer"] is None else f"layer-{row['layer']}"
            measure = label(row["measure"], k=row["k"], threshold=row["threshold"])
            parts = [PREFIX, measure, row["dataset"], row["subset"], row["context"], layer]
            logs[_UNUSUAL.sub("_", "/".join(filter(None, parts)))] = row["value"]
    return logs


class WordworthCallback(TrainerCallback):
    """Measures the model that a `Trainer` trains: `trainer.add_callback(WordworthCallback(trainer, every=500))`.

    At the beginning, `every` so many steps, `at` chosen ones, and at the end, it runs studies on the model as it is:
    valence in three layers and association tests (`vast`), and whole-word accuracy by band of frequency (`predict`).
    The numbers go to the Trainer's log, and so to TensorBoard and all else that it reports to; each study leaves the
    run `OUTPUT/STUDY-stepN`, as the command would. `vast={"lexica": ["anew"]}` changes settings of a study,
    `predict=None` leaves one out, `static={}` adds one. The training goes on as if nothing had been measured.
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
                raise WordworthError(f"{step!r} is no step; `every` and `at` are whole numbers from 0 up")
        self.trainer = trainer
        self.every, self.steps = every, frozenset(at)
        self.output = default_folder("training") if output is None else Path(output)
        training = Path(trainer.args.output_dir or "training")
        self.measuring = Measuring(
            name or training.resolve().name,
            f"in training: {training}",
            copy.deepcopy(_tokenizer(trainer)),  # how it cuts and pads is set anew at every call
            tuple(choose_studies(studies, _network(trainer))),
        )

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Measure before the first step, and stops at whatever is wrong with the settings."""
        if not state.is_world_process_zero:
            return
        held = next(self.output.glob("*/run.json"), None)
        if held is not None and state.global_step == 0:
            raise WordworthError(
                f"{self.output} holds runs already ({held.parent.name}); choose another output for this training"
            )
        if not any(self.output.glob(f"*-step{state.global_step}/run.json")):  # or it was measured before the break
            self._measure(state, control, strict=True)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Measure at the chosen steps and at the last one."""
        step = state.global_step
        due = step in self.steps or step == state.max_steps or (self.every and step % self.every == 0)
        if due and state.is_world_process_zero:
            self._measure(state, control, strict=False)

    def _measure(self, state: TrainerState, control: TrainerControl, *, strict: bool) -> None:
        """Only in one process: the others meet it again at the next exchange of gradients."""
        began = time.monotonic()
        network = _network(self.trainer)
        logs: dict[str, float] = {}
        with keep_random_states(network.device), forgotten(), quietly():
            for run in self.measuring.run_studies(network, state.global_step, strict=strict):
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
        due = control.should_log
        self.trainer.log({**logs, f"{PREFIX}/seconds": round(time.monotonic() - began, 3)})
        control.should_log = due  # each log takes it back, and the loss of this step may still have to be logged


def _network(trainer: Trainer) -> PreTrainedModel:
    """Return the model without its wrapper for training on several devices."""
    for sharded in SHARDING_FLAGS:
        if getattr(trainer, sharded, False):
            raise WordworthError(
                "the weights are spread over processes (FSDP, DeepSpeed or tensor parallel), so no one of them can "
                "measure the model; measure its checkpoints afterwards with `wordworth run vast --checkpoints DIR`"
            )
    network: Any = trainer.accelerator.unwrap_model(trainer.model, keep_torch_compile=False)
    if not isinstance(network, PreTrainedModel):
        raise WordworthError(
            f"the model in training is a {type(network).__name__}, which is no model of transformers; measure its "
            "checkpoints afterwards"
        )
    return network


def _tokenizer(trainer: Trainer) -> PreTrainedTokenizerFast:
    tokenizer = trainer.processing_class
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        found = "no tokenizer" if tokenizer is None else f"a {type(tokenizer).__name__}"
        raise WordworthError(
            f"the Trainer has {found} where a fast tokenizer is needed; give it as Trainer(…, processing_class=…)"
        )
    return tokenizer
