"""An encoder fine-tuned on NLI, with a subspace taken out of its subword embeddings all the while if one is given.

The paper's setting for BERT: learning rate 0.00003, 3 epochs, dropout 0.1 in the encoder and none at the last layer.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from wordworth.errors import WordworthError
from wordworth.infer.model.cross_batches import Joined, PairTemplate, tokenized
from wordworth.infer.model.cross_encoder import CrossEncoder, forward, load_cross_encoder
from wordworth.infer.model.nli import LABELS, Example, accuracy, sentence_pairs
from wordworth.progress import progress
from wordworth.repair.checkpoint import save_projected
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
    recipe: FinetuneRecipe = FinetuneRecipe(),  # noqa: B008 - frozen
) -> tuple[CrossEncoder, History]:
    """Trains the network in place; the epoch that is best on `dev` (without it, the last) is saved in `folder`.

    The folder is a plain `transformers` model whose matrix has the subspace taken out for good; it is read back and
    returned. A loss that is not a number stops the training: the error says when, and the folder keeps the last good
    epoch.
    """
    known, own = _known(model, data), model.columns
    lengths = known.lengths()
    labels = torch.tensor([own[LABELS.index(label)] for *_, label in data])
    history = History()
    network = model.network.requires_grad_(True)
    optimizer = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    steps = recipe.epochs * math.ceil(len(known) / recipe.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _height(step, steps, recipe.warm_up))
    rng = np.random.default_rng(recipe.seed)
    torch.manual_seed(recipe.seed)
    with projected(network, projection.basis) if projection else nullcontext():
        for epoch in range(1, recipe.epochs + 1):
            network.train(True)
            total = 0.0
            with progress(f"Training {model.name}, epoch {epoch} of {recipe.epochs}", len(known)) as advance:
                for number, batch in enumerate(_batches(lengths, recipe.batch, rng), start=1):
                    logits = forward(network, model.tokenizer, known.joined(batch))
                    loss = functional.cross_entropy(logits.float(), labels[batch].to(logits.device))
                    _finite(loss, epoch, number, history, folder)
                    optimizer.zero_grad()
                    torch.autograd.backward(loss)
                    size = torch.nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
                    _finite(size, epoch, number, history, folder)
                    optimizer.step()
                    schedule.step()
                    total += float(loss.detach()) * len(batch)
                    advance(len(batch))
            history.losses.append(total / len(known))
            network.train(False)
            if dev:
                history.accuracies.append(accuracy(model, dev))
            if not dev or history.accuracies[-1] > max(history.accuracies[:-1], default=-1.0):
                history.kept = epoch
                facts = {"training": {**asdict(recipe), **asdict(history), "pairs": len(data), "dev": len(dev)}}
                save_projected(model.headed, projection, folder, facts)
    network.requires_grad_(False)
    return load_cross_encoder(folder, device=str(network.device), name=model.name), history


@dataclass(frozen=True)
class _Known:
    """Training pairs: each sentence tokenized once, and put together when its batch comes."""

    tokens: list[tuple[int, ...]]
    pairs: list[tuple[int, int]]
    template: PairTemplate
    room: int | None

    def __len__(self) -> int:
        return len(self.pairs)

    def joined(self, batch: Sequence[int]) -> list[Joined]:
        both = (self.pairs[at] for at in batch)
        return [self.template.join(self.tokens[one], self.tokens[other], self.room) for one, other in both]

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
    return _Known(tokens, pairs, model.template, model.template.room(model.headed.max_length))


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


def _finite(value: Tensor, epoch: int, batch: int, history: History, folder: Path) -> None:
    if not torch.isfinite(value):
        kept = f"epoch {history.kept} is kept in {folder}" if history.kept else "no epoch was whole, so none is kept"
        raise WordworthError(
            f"the loss is not a number at epoch {epoch}, batch {batch}; training stopped and {kept}; lower the "
            "learning rate"
        )
