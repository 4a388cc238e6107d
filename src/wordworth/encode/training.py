"""Training with `transformers.Trainer`: a training that was stopped and resumed ends with the same weights.

Batches and random draws follow from the seed and the number of the epoch or step only. Trainer writes checkpoints into
one folder. They hold pickles of its own (the optimizer's state, the random states). A checkpoint is read only if a
marker next to its files names this training and the sha256 of each file, so nothing from elsewhere is ever unpickled.
"""

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainerState, TrainingArguments

from wordworth.encode.loading import quietly
from wordworth.errors import WordworthError
from wordworth.files import sha256_of
from wordworth.progress import progress

MARKER = "complete.json"

Tensors = dict[str, Tensor]
Epochs = list[dict[str, float]]


@dataclass(frozen=True)
class TrainingPlan:
    """Settings of one training for `Trainer`."""

    name: str
    """What errors and the progress bar call it."""
    checkpoints: Path
    key: str
    """The sha256 of all that the trained weights depend on."""
    loss: Callable[[nn.Module, Tensors], tuple[Tensor, int]]
    """Returns the loss to minimize, and its weight in the mean that is reported."""
    seed_of: Callable[[int], int | None]
    """Takes a step; returns the seed of what is drawn at random from then on, or None to go on drawing."""
    clip: float
    """Norm to which gradients are cut."""
    epochs: int
    save_every: float | None = None
    """Seconds between checkpoints within the epochs; None: one at the end of each."""
    after_step: Callable[[], None] = lambda: None
    after_epoch: Callable[[Epochs, float], dict[str, float]] = lambda earlier, total: {}
    """Takes the epochs before this one and the weighted sum of its losses; returns what the history keeps of it."""
    should_stop: Callable[[Epochs], bool] = lambda epochs: False
    """Takes the epochs so far; returns whether the training ends before the last one."""
    say: Callable[[str], None] = lambda sentence: None


class EpochLoader(DataLoader[Any]):
    """Loads the batches that a function lists for each epoch (from 1); every epoch has as many."""

    def __init__(self, list_batches: Callable[[int], Iterable[Any]], collate: Callable[[Any], Tensors]) -> None:
        super().__init__(_EpochBatches(list_batches), batch_size=None, collate_fn=collate)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose batches come next, as `Trainer` counts them, from 0."""
        self.dataset.epoch = epoch + 1  # type: ignore[attr-defined]


class _EpochBatches(torch.utils.data.IterableDataset[Any]):
    def __init__(self, list_batches: Callable[[int], Iterable[Any]]) -> None:
        self.list_batches, self.epoch = list_batches, 1
        self.count = sum(1 for _ in list_batches(1))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.list_batches(self.epoch))

    def __len__(self) -> int:
        return self.count


class SeededTrainer(Trainer):
    """Trains a network on one device as a `TrainingPlan` says."""

    def __init__(
        self,
        network: nn.Module,
        loader: EpochLoader,
        plan: TrainingPlan,
        optimizer: torch.optim.Optimizer,
        height: Callable[[int], float] = lambda step: 1.0,
    ) -> None:
        """Prepare a training whose learning rate is the optimizer's times `height(step)`."""
        device = next(network.parameters()).device
        if device.index:
            raise WordworthError(
                f"training runs on the first visible device, not on {device}; set CUDA_VISIBLE_DEVICES"
            )
        self.network, self.loader, self.plan = network, loader, plan
        self.total, self.weight = 0.0, 0
        self.advance: Callable[[float], None] = lambda steps: None
        config: Any = getattr(network, "config", None)
        use_cache = getattr(config, "use_cache", None)
        optimizers = (optimizer, LambdaLR(optimizer, height))
        with quietly():
            super().__init__(network, _arguments(plan, device), callbacks=[_Flow(self)], optimizers=optimizers)
        self.remove_callback(PrinterCallback)
        if use_cache is not None:  # Trainer turns it off, and a saved configuration would say so
            config.use_cache = use_cache

    def get_train_dataloader(self) -> DataLoader[Any]:
        """Return the loader as it is: its batches have a fixed order, and one device takes them all."""
        return self.loader

    def compute_loss(
        self, model: nn.Module, inputs: Tensors, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Tensor:
        """Return the plan's loss; one that is not a number ends the training before it reaches the weights."""
        loss, weight = self.plan.loss(model, inputs)
        value = loss.item()
        if not math.isfinite(value):
            self.stop_diverged()
        self.total += value * weight
        self.weight += weight
        return loss

    def stop_diverged(self) -> None:
        """Raise an error that says when the loss was not a number."""
        epoch, batch = divmod(self.state.global_step, len(self.loader))
        raise WordworthError(
            f"the loss of {self.plan.name} is not a number in epoch {epoch + 1}, batch {batch + 1}; epochs that had "
            "ended are kept; lower the learning rate"
        )

    def run(self) -> Epochs:
        """Train to the end, from the newest checkpoint of this training if there is one; return its epochs."""
        plan, checkpoint, history = self.plan, _find_checkpoint(self.plan), list[dict[str, float]]()
        if checkpoint:
            history = _epochs(TrainerState.load_from_json(str(checkpoint / "trainer_state.json")))
        if history:
            plan.say(f"goes on after epoch {len(history)}")
            if len(history) >= plan.epochs or plan.should_stop(history):
                return history
        steps = (plan.epochs - len(history)) * len(self.loader)
        with quietly(), progress(f"training {plan.name}", steps) as self.advance:
            self.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        return _epochs(self.state)


class _Flow(TrainerCallback):
    """Seeds what is random, keeps the history, and marks checkpoints that are complete."""

    def __init__(self, trainer: SeededTrainer) -> None:
        self.trainer, self.plan, self.saved = trainer, trainer.plan, time.monotonic()

    def on_train_begin(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        if state.log_history and "weight" in state.log_history[-1]:  # the checkpoint is within an epoch
            last = state.log_history[-1]
            self.trainer.total, self.trainer.weight = last["total"], int(last["weight"])

    def on_step_begin(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        seed = self.plan.seed_of(state.global_step)
        if seed is not None:
            torch.manual_seed(seed)

    def on_step_end(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        trainer = self.trainer
        self.plan.after_step()
        trainer.advance(1)
        if self.plan.save_every is not None and time.monotonic() - self.saved > self.plan.save_every:
            trainer.log({"total": trainer.total, "weight": trainer.weight})
            control.should_save = True

    def on_epoch_end(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        trainer = self.trainer
        if not all(bool(weight.isfinite().all()) for weight in trainer.network.parameters()):
            trainer.stop_diverged()
        earlier = _epochs(state)
        facts = self.plan.after_epoch(earlier, trainer.total)
        trainer.log({"ended_epoch": len(earlier) + 1, "of": trainer.weight, "sum": trainer.total, **facts})
        trainer.total, trainer.weight = 0.0, 0
        control.should_training_stop = self.plan.should_stop(_epochs(state))

    def on_save(self, args: Any, state: TrainerState, control: Any, **_: Any) -> None:
        place = self.plan.checkpoints / f"checkpoint-{state.global_step}"
        content = {"key": self.plan.key, "files": _sums(place)}
        (place / MARKER).write_text(json.dumps(content), encoding="utf-8")  # half of it is not JSON, so it is no marker
        self.saved = time.monotonic()


class _OneDevice(TrainingArguments):
    """Arguments of a training on one device, however many there are."""

    @property
    def n_gpu(self) -> int:
        return min(1, int(super().n_gpu))


def _arguments(plan: TrainingPlan, device: torch.device) -> TrainingArguments:
    return _OneDevice(
        output_dir=str(plan.checkpoints),
        num_train_epochs=plan.epochs,
        max_grad_norm=plan.clip,
        use_cpu=device.type == "cpu",
        save_strategy="epoch" if plan.save_every is None else "no",
        save_total_limit=2,  # the older one is kept until the newer one is marked as complete
        logging_strategy="no",
        logging_nan_inf_filter=False,
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,
    )


def epoch_seed(seed: int, epoch: int) -> int:
    """Return the seed of all that torch draws in an epoch; epoch 0 draws the first weights."""
    return int(np.random.SeedSequence([seed, epoch]).generate_state(1)[0])


def _find_checkpoint(plan: TrainingPlan) -> Path | None:
    """Return the newest complete checkpoint of a training; raise where the folder holds another training's."""
    places = sorted(plan.checkpoints.glob("checkpoint-*"), key=lambda place: int(place.name.rpartition("-")[2]))
    for place in reversed(places):
        try:
            content = json.loads((place / MARKER).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # it was being written when the training was killed
        if content["key"] != plan.key:
            raise WordworthError(
                f"{plan.checkpoints} holds a training with other data, vectors or options; choose another folder, or "
                "--overwrite"
            )
        if content["files"] == _sums(place):
            return place
    return None


def best_epoch(epochs: Epochs) -> int:
    """Return the epoch (from 1) with the highest dev accuracy, the first of equals; without dev the last."""
    accuracies = [epoch.get("accuracy", float(at)) for at, epoch in enumerate(epochs)]
    return 1 + accuracies.index(max(accuracies))


def _epochs(state: TrainerState) -> Epochs:
    return [entry for entry in state.log_history if "ended_epoch" in entry]


def _sums(place: Path) -> dict[str, str]:
    return {path.name: sha256_of(path) for path in sorted(place.iterdir()) if path.is_file() and path.name != MARKER}
