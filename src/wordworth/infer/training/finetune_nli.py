"""An encoder fine-tuned on NLI, with a subspace taken out of its subword embeddings all the while if one is given.

The paper's setting for BERT: learning rate 0.00003, 3 epochs, dropout 0.1 in the encoder and none at the last layer.
An epoch's order and its dropout follow from the seed and the epoch's number alone, and its end is kept in the folder,
so that a training that was killed goes on from there to the very same network.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from wordworth.errors import WordworthError
from wordworth.infer.model.checkpoint import read_last, write_last
from wordworth.infer.model.cross_batches import Joined, PairTemplate, tokenized
from wordworth.infer.model.cross_encoder import CrossEncoder, forward, load_cross_encoder
from wordworth.infer.model.nli import LABELS, Example, accuracy, sentence_pairs
from wordworth.infer.training.state import recall, remembered, seeded
from wordworth.progress import progress
from wordworth.repair.checkpoint import NOTES, save_projected
from wordworth.repair.subwords import projected
from wordworth.transform import Subspace

STATE = "training.state"
"""What a training goes on from; named so that it is not taken for weights of the model beside it."""
BUCKET = 50
"""Batches that are sorted by length together: little padding, and still at random."""
CHECKED = 50
"""Batches whose losses are looked at together: to look at each, an accelerator would have to wait."""


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
    """Trains the network in place, or goes on with it; the best epoch on `dev` (without it, the last) is in `folder`.

    The folder is a plain `transformers` model whose matrix has the subspace taken out for good; it is read back and
    returned. Until the training has ended, the folder also holds what it goes on from. A loss that is not a number
    stops the training: the error says when, and the folder keeps the last good epoch.
    """
    run = _Run(model, _known(model, data), list(dev), projection, recipe, folder)
    with projected(model.network, projection.basis) if projection else nullcontext():
        run.through(say)
    model.network.requires_grad_(False)
    return load_cross_encoder(folder, device=str(model.network.device), name=model.name), run.history


def unfinished(folder: Path) -> bool:
    """Whether a fine-tuning was stopped in a folder after an epoch."""
    return (folder / STATE).exists()


def cleared(folder: Path) -> None:
    """Gives up an earlier fine-tuning in a folder; its model stays until the first epoch of the new one has ended."""
    if folder.exists() and not (unfinished(folder) or (folder / NOTES).exists()):
        raise WordworthError(f"{folder} holds no fine-tuned model that could be replaced; choose another folder")
    (folder / STATE).unlink(missing_ok=True)


@dataclass(eq=False)
class _Run:
    """A training under way."""

    model: CrossEncoder
    known: "_Known"
    dev: list[Example]
    projection: Subspace | None
    recipe: FinetuneRecipe
    folder: Path
    history: History = field(default_factory=History)

    def __post_init__(self) -> None:
        self.network = self.model.network.requires_grad_(True)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(),
            lr=self.recipe.rate,
            weight_decay=self.recipe.decay,
            fused=self.network.device.type == "cuda",
        )
        if kept := read_last(self.folder / STATE, self.key):
            facts, groups = kept
            self.history = History(**facts["history"])
            recall(self.optimizer, groups["adam"])
            with torch.no_grad():
                for name, tensor in self._tensors().items():
                    tensor.copy_(groups["network"][name])

    @cached_property
    def key(self) -> str:
        """Of all that the trained network depends on."""
        dropped = [module.p for module in self.network.modules() if isinstance(module, torch.nn.Dropout)]
        taken = self.projection.basis.tolist() if self.projection else None
        parts = [asdict(self.recipe), self.model.identity, dropped, taken, self.network.device.type]
        digest = hashlib.sha256(json.dumps([*parts, self.known.pairs, self.dev]).encode())
        digest.update(json.dumps([self.known.tokens, self.known.labels]).encode())
        return digest.hexdigest()

    def through(self, say: Callable[[str], None]) -> None:
        """The epochs that are left."""
        done = len(self.history.losses)
        if done:
            say(f"goes on after epoch {done}")
        for epoch in range(done + 1, self.recipe.epochs + 1):
            self.history.losses.append(self._epoch(epoch))
            told = f"epoch {epoch}: loss {self.history.losses[-1]:.4f}"
            if self.dev:
                self.history.accuracies.append(accuracy(self.model, self.dev))
                told += f", dev accuracy {100 * self.history.accuracies[-1]:.2f}"
            self._keep(epoch)
            say(told)
        (self.folder / STATE).unlink(missing_ok=True)

    def _epoch(self, epoch: int) -> float:
        """One pass; returns the mean loss."""
        recipe, known, network = self.recipe, self.known, self.network
        rng = seeded(recipe.seed, epoch)
        labels = torch.tensor(known.labels, device=network.device)
        first = (epoch - 1) * math.ceil(len(known) / recipe.batch)
        network.train(True)
        losses = _Losses(epoch, self.history, self.folder)
        halved = torch.autocast(network.device.type, torch.bfloat16, enabled=recipe.precision == "bfloat16")
        what = f"Training {self.model.name}, epoch {epoch} of {recipe.epochs}"
        with progress(what, len(known)) as advance:
            for step, batch in enumerate(_batches(known.lengths, recipe.batch, rng), start=first):
                with halved:
                    logits = forward(network, self.model.tokenizer, known.joined(batch))
                loss = functional.cross_entropy(logits.float(), labels[batch])
                self.optimizer.zero_grad()
                torch.autograd.backward(loss)
                size = torch.nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
                for group in self.optimizer.param_groups:
                    group["lr"] = recipe.rate * self._height(step)
                self.optimizer.step()
                losses.add(loss.detach(), size, len(batch))
                advance(len(batch))
        network.train(False)
        return losses.total() / len(known)

    def _height(self, step: int) -> float:
        return _height(step, self.recipe.epochs * math.ceil(len(self.known) / self.recipe.batch), self.recipe.warm_up)

    def _keep(self, epoch: int) -> None:
        """The epoch's network where it is the best so far, and what the training goes on from where it is not over."""
        accuracies = self.history.accuracies
        best = not self.dev or accuracies[-1] > max(accuracies[:-1], default=-1.0)
        if best:
            self.history.kept = epoch
        facts: dict[str, Any] = {"history": asdict(self.history)}

        def go_on_from(place: Path) -> None:
            if epoch < self.recipe.epochs:
                write_last(
                    place / STATE, self.key, facts, {"network": self._tensors(), "adam": remembered(self.optimizer)}
                )

        if not best:
            go_on_from(self.folder)
            return
        told = {**asdict(self.recipe), **facts["history"], "pairs": len(self.known), "dev": len(self.dev)}
        save_projected(self.model.headed, self.projection, self.folder, {"training": told}, go_on_from)

    def _tensors(self) -> dict[str, Tensor]:
        """All weights, those that several parts share once."""
        named = self.network.state_dict()
        buffers = {name: tensor for name, tensor in self.network.named_buffers() if name in named}
        return {name: tensor.detach() for name, tensor in [*self.network.named_parameters(), *buffers.items()]}


class _Losses:
    """The losses of an epoch. They are looked at many at a time; a batch that went wrong is still told."""

    def __init__(self, epoch: int, history: History, folder: Path) -> None:
        self._epoch, self._history, self._folder = epoch, history, folder
        self._waiting: list[Tensor] = []
        self._sizes: list[int] = []
        self._seen, self._sum = 0, 0.0

    def add(self, loss: Tensor, norm: Tensor, pairs: int) -> None:
        """A batch's loss, the norm of its gradients, and its pairs."""
        self._waiting.append(torch.stack([loss, norm]))
        self._sizes.append(pairs)
        if len(self._waiting) == CHECKED:
            self.total()

    def total(self) -> float:
        """The sum over all pairs so far."""
        rows = torch.stack(self._waiting).tolist() if self._waiting else []
        for at, ((loss, norm), pairs) in enumerate(zip(rows, self._sizes, strict=True), start=1):
            if not (math.isfinite(loss) and math.isfinite(norm)):
                raise WordworthError(
                    f"the loss is not a number at epoch {self._epoch}, batch {self._seen + at}; training stopped and "
                    f"{self._kept()}; lower the learning rate"
                )
            self._sum += loss * pairs
        self._seen += len(rows)
        self._waiting, self._sizes = [], []
        return self._sum

    def _kept(self) -> str:
        epoch = self._history.kept
        return f"epoch {epoch} is kept in {self._folder}" if epoch else "no epoch was whole, so none is kept"


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

    def joined(self, batch: Sequence[int]) -> list[Joined]:
        both = (self.pairs[at] for at in batch)
        return [self.template.join(self.tokens[one], self.tokens[other], self.room) for one, other in both]

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
