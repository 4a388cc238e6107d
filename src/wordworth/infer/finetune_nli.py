"""An encoder fine-tuned on NLI, with a subspace taken out of its subword embeddings all the while if one is given.

The paper's setting for BERT: learning rate 0.00003, 3 epochs, dropout 0.1 in the encoder and none at the last layer.
`transformers.Trainer` trains. Its checkpoints lie next to the model's folder until the training has ended.
"""

import hashlib
import json
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from wordworth.encode.training import (
    Batch,
    EpochLoader,
    SeededTrainer,
    TrainingPlan,
    epoch_seed,
    epochs_of,
    has_checkpoint,
    last_checkpoint,
)
from wordworth.errors import WordworthError
from wordworth.infer.cross_batches import PairTemplate, tokenized
from wordworth.infer.cross_encoder import CrossEncoder, load_cross_encoder, padded
from wordworth.infer.nli import LABELS, Example, accuracy, sentence_pairs
from wordworth.repair.checkpoint import NOTES, save_projected
from wordworth.repair.subwords import projected
from wordworth.transform import Subspace

BUCKET = 50
"""Batches that are sorted by length together: little padding, and still at random."""


@dataclass(frozen=True)
class FinetuneRecipe:
    """How to train."""

    epochs: int = 3
    rate: float = 3e-5
    batch: int = 32
    warm_up: float = 0.1
    """The share of steps over which the rate rises to its full height; it then falls to zero in a line."""
    decay: float = 0.01
    clip: float = 1.0
    precision: str = "float32"
    """Of the products within the network; its weights and their changes are float32 always."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, least in (("epochs", self.epochs, 1), ("batch", self.batch, 1), ("seed", self.seed, 0)):
            if value < least:
                raise WordworthError(f"--{name} is {value}; it must be a whole number from {least} up")


@dataclass
class History:
    """An entry an epoch."""

    losses: list[float] = field(default_factory=list)
    """Mean cross-entropy over the training pairs."""
    accuracies: list[float] = field(default_factory=list)
    """On the pairs held out for choosing the epoch; none without them."""
    kept: int = 0
    """The epoch that is in the folder, from 1."""

    def add(self, loss: float, accuracy: float | None) -> bool:
        """Add an epoch; return whether it is kept: the best so far (of equals the first), without dev every one."""
        self.losses.append(loss)
        if accuracy is not None:
            self.accuracies.append(accuracy)
        is_best = accuracy is None or accuracy > max(self.accuracies[:-1], default=-1.0)
        if is_best:
            self.kept = len(self.losses)
        return is_best


def finetune_nli(
    model: CrossEncoder,
    data: Sequence[Example],
    folder: Path,
    *,
    dev: Sequence[Example] = (),
    projection: Subspace | None = None,
    recipe: FinetuneRecipe = FinetuneRecipe(),
    say: Callable[[str], None] = lambda sentence: None,
) -> tuple[CrossEncoder, History]:
    """Train the network in place, or go on with it; the best epoch on `dev` (without it, the last) is in `folder`.

    The folder is a plain `transformers` model whose matrix has the subspace taken out for good; it is read back and
    returned. A loss that is not a number stops the training: the error says when, and the folder keeps the last good
    epoch.
    """
    job = _Job(model, _known(model, data), list(dev), projection, recipe, folder, say)
    with projected(model.network, projection.basis) if projection else nullcontext():
        job.run()
    model.network.train(False).requires_grad_(False)
    return load_cross_encoder(folder, device=str(model.network.device), name=model.name), job.history


def checkpoints_of(folder: Path) -> Path:
    """Return where a fine-tuning keeps its checkpoints: next to the model's folder, which is replaced as a whole."""
    return folder.with_name(f"{folder.name}.checkpoints")


def unfinished(folder: Path) -> bool:
    """Return whether a fine-tuning was stopped in a folder after an epoch."""
    return has_checkpoint(checkpoints_of(folder))


def cleared(folder: Path) -> None:
    """Give up an earlier fine-tuning in a folder; its model stays until the first epoch of the new one has ended."""
    if folder.exists() and not (unfinished(folder) or (folder / NOTES).exists()):
        raise WordworthError(f"{folder} holds no fine-tuned model that could be replaced; choose another folder")
    shutil.rmtree(checkpoints_of(folder), ignore_errors=True)


@dataclass(eq=False)
class _Job:
    """What is trained on what, how, and where it is kept."""

    model: CrossEncoder
    known: "_Known"
    dev: list[Example]
    projection: Subspace | None
    recipe: FinetuneRecipe
    folder: Path
    say: Callable[[str], None]
    history: History = field(default_factory=History)

    def run(self) -> None:
        """Train the epochs that are left."""
        recipe, network = self.recipe, self.model.network.requires_grad_(True)
        steps = math.ceil(len(self.known) / recipe.batch)
        plan = TrainingPlan(
            self.model.name,
            checkpoints_of(self.folder),
            self._key(),
            self._loss,
            lambda step: None if step % steps else epoch_seed(recipe.seed, 1 + step // steps),
            recipe.clip,
            recipe.epochs,
            after_epoch=self._end_epoch,
        )
        for entry in epochs_of(last_checkpoint(plan)):
            self.history.add(entry["loss"], entry.get("accuracy"))
        if self.history.losses:
            self.say(f"goes on after epoch {len(self.history.losses)}")
        loader = EpochLoader(self._batches, self._collate)
        on_cuda = network.device.type == "cuda"
        optimizer = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=recipe.decay, fused=on_cuda)
        height = partial(_height, steps=recipe.epochs * steps, warm_up=recipe.warm_up)
        SeededTrainer(network, loader, plan, optimizer, height).run()
        shutil.rmtree(plan.checkpoints, ignore_errors=True)

    def _key(self) -> str:
        """Return the sha256 of all that the trained network depends on."""
        network, known = self.model.network, self.known
        dropped = [module.p for module in network.modules() if isinstance(module, nn.Dropout)]
        taken = self.projection.basis.tolist() if self.projection else None
        parts = [asdict(self.recipe), self.model.identity, dropped, taken, network.device.type]
        return hashlib.sha256(
            json.dumps([*parts, known.pairs, self.dev, known.tokens, known.labels]).encode()
        ).hexdigest()

    def _batches(self, epoch: int) -> Iterator[list[int]]:
        return _batches(self.known.lengths, self.recipe.batch, np.random.default_rng([self.recipe.seed, epoch]))

    def _collate(self, batch: list[int]) -> Batch:
        known = self.known
        both = (known.pairs[at] for at in batch)
        joined = [known.template.join(known.tokens[one], known.tokens[other], known.room) for one, other in both]
        labels = torch.tensor([known.labels[at] for at in batch])
        return {**padded(self.model.network, self.model.tokenizer, joined), "labels": labels}

    def _loss(self, network: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        labels, device = batch["labels"], self.model.network.device.type
        with torch.autocast(device, torch.bfloat16, enabled=self.recipe.precision == "bfloat16"):
            logits = network(**{name: tensor for name, tensor in batch.items() if name != "labels"}).logits
        return functional.cross_entropy(logits.float(), labels), len(labels)

    def _end_epoch(self, epoch: int, total: float) -> dict[str, float]:
        """Measure an epoch's network, and put it into the folder if it is the best so far."""
        self.model.network.train(False)
        loss = total / len(self.known)
        right = accuracy(self.model, self.dev) if self.dev else None
        if self.history.add(loss, right):
            counts = {"pairs": len(self.known), "dev": len(self.dev)}
            notes = {"training": {**asdict(self.recipe), **asdict(self.history), **counts}}
            save_projected(self.model.headed, self.projection, self.folder, notes)
        measured = "" if right is None else f", dev accuracy {100 * right:.2f}"
        self.say(f"epoch {epoch}: loss {loss:.4f}{measured}")
        return {"loss": loss} if right is None else {"loss": loss, "accuracy": right}


@dataclass(frozen=True)
class _Known:
    """Training pairs: each sentence tokenized once, and put together when its batch comes."""

    tokens: list[tuple[int, ...]]
    pairs: list[tuple[int, int]]
    labels: list[int]
    """The network's own output for each pair's label."""
    template: PairTemplate
    room: int | None

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def lengths(self) -> list[int]:
        return [len(self.tokens[one]) + len(self.tokens[other]) for one, other in self.pairs]


def _known(model: CrossEncoder, data: Sequence[Example]) -> _Known:
    if not data:
        raise WordworthError("there are no training pairs; give at least one")
    odd = next(((at, label) for at, (*_, label) in enumerate(data, start=1) if label not in LABELS), None)
    if odd is not None:
        known = ", ".join(LABELS)
        raise WordworthError(f"training pair {odd[0]} has the label {odd[1]!r}; it must be one of {known}")
    sentences, rows = sentence_pairs(example[:2] for example in data)
    tokens = tokenized(model.tokenizer, sentences)
    pairs = [(int(one), int(other)) for one, other in rows.tolist()]
    labels = [model.columns[LABELS.index(label)] for *_, label in data]
    return _Known(tokens, pairs, labels, model.template, model.template.room(model.headed.max_length))


def _batches(lengths: list[int], size: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """Every pair once, at random, pairs of like length together."""
    order = rng.permutation(len(lengths)).tolist()
    batches: list[list[int]] = []
    for start in range(0, len(order), size * BUCKET):
        bucket = sorted(order[start : start + size * BUCKET], key=lambda at: lengths[at])
        batches += [bucket[at : at + size] for at in range(0, len(bucket), size)]
    return (batches[at] for at in rng.permutation(len(batches)).tolist())


def _height(step: int, steps: int, warm_up: float) -> float:
    rise = max(1, round(steps * warm_up))
    return min((step + 1) / rise, max(0.0, (steps - step) / max(1, steps - rise)), 1.0)
