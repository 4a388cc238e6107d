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
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from wordworth.encode.training import (
    MARKER,
    EpochLoader,
    Epochs,
    SeededTrainer,
    Tensors,
    TrainingPlan,
    best_epoch,
    epoch_seed,
)
from wordworth.errors import WordworthError
from wordworth.nli.cross_encoder import CrossEncoder, encode_pairs, load_cross_encoder, pad_pairs
from wordworth.nli.nli import LABELS, Example, accuracy, sentence_pairs
from wordworth.repair.checkpoint import NOTES, save_projected
from wordworth.repair.subwords import project_subwords
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


def finetune_nli(
    model: CrossEncoder,
    data: Sequence[Example],
    folder: Path,
    *,
    dev: Sequence[Example] = (),
    projection: Subspace | None = None,
    recipe: FinetuneRecipe = FinetuneRecipe(),
    say: Callable[[str], None] = lambda sentence: None,
) -> tuple[CrossEncoder, Epochs]:
    """Train the network in place, or go on with it; the best epoch on `dev` (without it, the last) is in `folder`.

    The folder is a plain `transformers` model whose matrix has the subspace taken out for good; it is read back and
    returned. A loss that is not a number stops the training: the error says when, and the folder keeps the last good
    epoch.
    """
    if not data:
        raise WordworthError("there are no training pairs; give at least one")
    training = _Training(model, data, dev, projection, recipe, folder, say)
    with project_subwords(model.network, projection.basis) if projection else nullcontext():
        epochs = training.run()
    model.network.train(False).requires_grad_(False)
    return load_cross_encoder(folder, device=str(model.network.device), name=model.name), epochs


def checkpoints_of(folder: Path) -> Path:
    """Return where a fine-tuning keeps its checkpoints: next to the model's folder, which is replaced as a whole."""
    return folder.with_name(f"{folder.name}.checkpoints")


def is_unfinished(folder: Path) -> bool:
    """Return whether a fine-tuning was stopped in a folder after an epoch."""
    return any(checkpoints_of(folder).glob(f"checkpoint-*/{MARKER}"))


def discard_training(folder: Path) -> None:
    """Discard an earlier fine-tuning in a folder; its model stays until the first epoch of the new one has ended."""
    if folder.exists() and not (is_unfinished(folder) or (folder / NOTES).exists()):
        raise WordworthError(f"{folder} holds no fine-tuned model that could be replaced; choose another folder")
    shutil.rmtree(checkpoints_of(folder), ignore_errors=True)


@dataclass(eq=False)
class _Training:
    """What is trained on what, how, and where it is kept."""

    model: CrossEncoder
    data: Sequence[Example]
    dev: Sequence[Example]
    projection: Subspace | None
    recipe: FinetuneRecipe
    folder: Path
    say: Callable[[str], None]

    def run(self) -> Epochs:
        """Train the epochs that are left; return all."""
        recipe, network = self.recipe, self.model.network.requires_grad_(True)
        steps = math.ceil(len(self.data) / recipe.batch)
        plan = TrainingPlan(
            self.model.name,
            checkpoints_of(self.folder),
            self._key(),
            self._loss,
            lambda step: None if step % steps else epoch_seed(recipe.seed, 1 + step // steps),
            recipe.clip,
            recipe.epochs,
            after_epoch=self._end_epoch,
            say=self.say,
        )
        lengths = self._lengths()

        def list_batches(epoch: int) -> Iterator[list[int]]:
            return _batches(lengths, recipe.batch, np.random.default_rng([recipe.seed, epoch]))

        loader = EpochLoader(list_batches, self._collate)
        on_cuda = network.device.type == "cuda"
        optimizer = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=recipe.decay, fused=on_cuda)
        height = partial(_height, steps=recipe.epochs * steps, warm_up=recipe.warm_up)
        epochs = SeededTrainer(network, loader, plan, optimizer, height).run()
        shutil.rmtree(plan.checkpoints, ignore_errors=True)
        return epochs

    def _key(self) -> str:
        """Return the sha256 of all that the trained network depends on."""
        network = self.model.network
        dropped = [module.p for module in network.modules() if isinstance(module, nn.Dropout)]
        taken = self.projection.basis.tolist() if self.projection else None
        parts = [asdict(self.recipe), self.model.identity, dropped, taken, network.device.type]
        return hashlib.sha256(json.dumps([*parts, list(self.data), list(self.dev)]).encode()).hexdigest()

    def _lengths(self) -> list[int]:
        """Return the number of tokens of each pair, before any is cut."""
        sentences, pairs = sentence_pairs(example[:2] for example in self.data)
        encoded = self.model.tokenizer(sentences, add_special_tokens=False, return_attention_mask=False, verbose=False)
        lengths: list[int] = np.array([len(ids) for ids in encoded["input_ids"]])[pairs].sum(axis=1).tolist()
        return lengths

    def _collate(self, batch: list[int]) -> Tensors:
        model, examples = self.model, [self.data[at] for at in batch]
        pairs = [(premise, hypothesis) for premise, hypothesis, _ in examples]
        encoded = encode_pairs(model.tokenizer, pairs, model.headed.max_length)
        labels = torch.tensor([model.columns[LABELS.index(label)] for *_, label in examples])
        return {**pad_pairs(model.network, model.tokenizer, encoded), "labels": labels}

    def _loss(self, network: nn.Module, batch: Tensors) -> tuple[Tensor, int]:
        labels, device = batch["labels"], self.model.network.device.type
        with torch.autocast(device, torch.bfloat16, enabled=self.recipe.precision == "bfloat16"):
            logits = network(**{name: tensor for name, tensor in batch.items() if name != "labels"}).logits
        return functional.cross_entropy(logits.float(), labels), len(labels)

    def _end_epoch(self, earlier: Epochs, total: float) -> dict[str, float]:
        """Measure an epoch's network, and put it into the folder if it is the best so far."""
        self.model.network.train(False)
        measured = {"loss": total / len(self.data)}
        if self.dev:
            measured["accuracy"] = accuracy(self.model, self.dev)
        epochs = [*earlier, measured]
        if best_epoch(epochs) == len(epochs):
            counts = {"pairs": len(self.data), "dev": len(self.dev), "kept": len(epochs)}
            series = {"losses": [one["loss"] for one in epochs]}
            series |= {"accuracies": [one["accuracy"] for one in epochs]} if self.dev else {}
            notes = {"training": {**asdict(self.recipe), **series, **counts}}
            save_projected(self.model.headed, self.projection, self.folder, notes)
        dev = f", dev accuracy {100 * measured['accuracy']:.2f}" if self.dev else ""
        self.say(f"epoch {len(epochs)}: loss {measured['loss']:.4f}{dev}")
        return measured


def _batches(lengths: list[int], size: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """Return every pair once, at random, pairs of like length together."""
    order = rng.permutation(len(lengths)).tolist()
    batches: list[list[int]] = []
    for start in range(0, len(order), size * BUCKET):
        bucket = sorted(order[start : start + size * BUCKET], key=lambda at: lengths[at])
        batches += [bucket[at : at + size] for at in range(0, len(bucket), size)]
    return (batches[at] for at in rng.permutation(len(batches)).tolist())


def _height(step: int, steps: int, warm_up: float) -> float:
    rise = max(1, round(steps * warm_up))
    return min((step + 1) / rise, max(0.0, (steps - step) / max(1, steps - rise)), 1.0)
