"""Training the attention network: Adam, batches of one length, averaged weights, the best of the dev set kept.

An epoch's order and its dropout follow from the seed and the epoch's number alone, and its end is kept on disk, so that
a training that was killed goes on from there to the very same network.
"""

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from wordworth.errors import WordworthError
from wordworth.infer.model.attention import Network, Shape
from wordworth.infer.model.checkpoint import LAST, read_last, write_config, write_last, write_weights
from wordworth.infer.model.loading import Vectors
from wordworth.infer.model.vocabulary import Embedder
from wordworth.infer.training.examples import Examples, batches
from wordworth.infer.training.state import recall, remembered, seeded
from wordworth.progress import progress


@dataclass(frozen=True)
class Recipe:
    """How a network is trained."""

    epochs: int = 100
    patience: int = 5
    """Epochs without a better dev accuracy after which it stops."""
    batch: int = 32
    rate: float = 1e-3
    smoothing: float = 0.0
    """Of the labels."""
    average: float = 0.999
    """Decay of the running average of the weights, which is what is measured and kept; 0: the weights themselves."""
    clip: float = 5.0
    """Norm to which gradients are cut."""
    seed: int = 0
    threads: int = 1
    """Cores; sums are done in another order with more, so the number belongs to the recipe."""
    device: str = "cpu"


@dataclass(frozen=True)
class FitResult:
    """How a training went."""

    best: int
    """The epoch whose network was kept."""
    accuracy: float
    """On the dev set, at that epoch."""
    history: tuple[tuple[float, float], ...]
    """Loss and dev accuracy of each epoch."""


@dataclass(frozen=True, eq=False)
class TrainingJob:
    """What is trained on what, how, and where it is kept."""

    training: Examples
    dev: Examples
    vectors: Vectors
    shape: Shape
    recipe: Recipe
    folder: Path

    @cached_property
    def key(self) -> str:
        """Of all that the trained network depends on; more epochs or patience go on with what there is."""
        options = {name: value for name, value in asdict(self.recipe).items() if name not in ("epochs", "patience")}
        digest = hashlib.sha256(json.dumps([self.shape.plain(), options, self.vectors.embedder.identity]).encode())
        for examples in (self.training, self.dev):
            digest.update(json.dumps([examples.premises, examples.hypotheses]).encode())
            digest.update(examples.labels.tobytes())
        return digest.hexdigest()


def train(job: TrainingJob, say: Callable[[str], None] = lambda sentence: None) -> FitResult:
    """Trains, or goes on with, the network in the job's folder; its best state is there when this returns or fails."""
    if not len(job.training) or not len(job.dev):
        raise WordworthError("there is nothing to train on, or nothing to stop by; give --data and --dev with pairs")
    threads = torch.get_num_threads()
    torch.set_num_threads(job.recipe.threads)
    try:
        run = _Run(job)
        if not run.history:
            write_config(job.folder, job.shape, job.vectors.about)
        return run.through(say)
    finally:
        torch.set_num_threads(threads)


class _Run:
    """A training under way."""

    def __init__(self, job: TrainingJob) -> None:
        self.job, self.recipe, self.embedder = job, job.recipe, job.vectors.embedder
        seeded(self.recipe.seed, 0)
        self.network, self.averaged = (Network(job.shape).to(self.recipe.device) for _ in range(2))
        self.averaged.load_state_dict(self.network.state_dict())
        self.averaged.requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=self.recipe.rate)
        self.steps = 0
        self.history: list[tuple[float, float]] = []
        if checkpoint := read_last(job.folder / LAST, job.key):
            self._restore(*checkpoint)

    @property
    def best(self) -> int:
        """The epoch with the highest dev accuracy, the first of equals; 0 before the first epoch."""
        if not self.history:
            return 0
        return 1 + max(range(len(self.history)), key=lambda at: (self.history[at][1], -at))

    def through(self, say: Callable[[str], None]) -> FitResult:
        first = len(self.history) + 1
        if first > 1:
            say(f"goes on after epoch {first - 1}")
        each = sum(1 for _ in batches(self.job.training, self.recipe.batch, np.random.default_rng(0)))
        with progress("training", each * max(0, self.recipe.epochs - first + 1)) as advance:
            for epoch in range(first, self.recipe.epochs + 1):
                if self.history and epoch - 1 - self.best >= self.recipe.patience:
                    break
                loss = self._epoch(epoch, advance)
                self.history.append((loss, share_right(self.averaged, self.job.dev, self.embedder, self.recipe.device)))
                if self.best == epoch:
                    self._write()
                self._keep()
                say(f"epoch {epoch}: loss {loss:.4f}, dev accuracy {100 * self.history[-1][1]:.2f}")
        return FitResult(self.best, self.history[self.best - 1][1], tuple(self.history))

    def _epoch(self, epoch: int, advance: Callable[[float], None]) -> float:
        """One pass; returns the mean loss. A loss that is no number ends it before it reaches the weights."""
        recipe = self.recipe
        rng = seeded(recipe.seed, epoch)
        self.network.train()
        total = 0.0
        for number, rows in enumerate(batches(self.job.training, recipe.batch, rng), start=1):
            logits = self.network(*vectors_of(self.job.training, rows, self.embedder, recipe.device))
            labels = torch.from_numpy(self.job.training.labels[rows]).to(recipe.device)
            summed = functional.cross_entropy(logits, labels, reduction="sum", label_smoothing=recipe.smoothing)
            if not math.isfinite(value := summed.item()):
                good = f"epoch {len(self.history)} is kept" if self.history else "no epoch had ended"
                raise WordworthError(
                    f"the loss is {value} in epoch {epoch}, batch {number}; {good} in {self.job.folder}; "
                    "try a lower --rate, or look for numbers that are too large in the vectors"
                )
            self.optimizer.zero_grad()
            # By the full batch's size, so that a pair weighs the same in a small batch.
            torch.autograd.backward(summed / recipe.batch)
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), recipe.clip)
            self.optimizer.step()
            self._average()
            total += value
            advance(1)
        return total / len(self.job.training)

    def _average(self) -> None:
        self.steps += 1
        decay = min(self.recipe.average, (1 + self.steps) / (10 + self.steps)) if self.recipe.average else 0.0
        with torch.no_grad():
            torch._foreach_lerp_(list(self.averaged.parameters()), list(self.network.parameters()), 1 - decay)

    def _write(self) -> None:
        vectors = self.job.vectors
        write_weights(self.job.folder, self.averaged.state_dict(), vectors.extra, vectors.projections)

    def _keep(self) -> None:
        groups: dict[str, dict[str, Tensor]] = {
            "network": self.network.state_dict(),
            "kept": self.averaged.state_dict(),
            "adam": remembered(self.optimizer),
        }
        write_last(self.job.folder / LAST, self.job.key, {"history": self.history, "steps": self.steps}, groups)

    def _restore(self, facts: dict[str, Any], groups: dict[str, dict[str, Tensor]]) -> None:
        self.network.load_state_dict(groups["network"])
        self.averaged.load_state_dict(groups["kept"])
        recall(self.optimizer, groups["adam"])
        self.history = [(float(loss), float(right)) for loss, right in facts["history"]]
        self.steps = int(facts["steps"])


def vectors_of(
    examples: Examples, rows: NDArray[np.int64], embedder: Embedder, device: str = "cpu"
) -> tuple[Tensor, Tensor]:
    """The vectors of the premises and of the hypotheses of a batch."""
    premises, hypotheses = (
        embedder.vectors(examples.side(rows, of)).to(device, non_blocking=True) for of in ("premises", "hypotheses")
    )
    return premises, hypotheses


def share_right(network: Network, examples: Examples, embedder: Embedder, device: str = "cpu") -> float:
    """Accuracy of a network on examples."""
    network.eval()
    right = 0
    with torch.inference_mode():
        for rows in batches(examples, 256, np.random.default_rng(0)):
            guessed = network(*vectors_of(examples, rows, embedder, device)).argmax(dim=1).cpu().numpy()
            right += int((guessed == examples.labels[rows]).sum())
    return right / len(examples)
