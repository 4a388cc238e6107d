"""Fine-tune an encoder on NLI, optionally with a subspace removed from its subword embeddings throughout.

The paper's options for BERT: learning rate 0.00003, 3 epochs, dropout 0.1 in the encoder and none at the last layer.
`transformers.Trainer` trains, with checkpoints next to the model's folder until the training has ended.
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
"""Batches that are sorted by length together, for little padding in random order."""


@dataclass(frozen=True)
class FinetuneRecipe:
    """The options of a fine-tuning."""

    epochs: int = 3
    rate: float = 3e-5
    batch: int = 32
    warm_up: float = 0.1
    """The share of steps in which the rate rises to `rate`; it then falls linearly to zero."""
    decay: float = 0.01
    clip: float = 1.0
    precision: str = "float32"
    """The precision of products inside the network; weights and their changes are always float32."""
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
    """Train the network in place, or continue; the best epoch on `dev` (the last without it) is saved in `folder`.

    The folder is an ordinary `transformers` model whose matrix lacks the subspace; it is loaded and returned. A loss
    that is not a number stops the training: the error says when, and the folder keeps the last good epoch.
    """
    if not data:
        raise WordworthError("there are no training pairs; give at least one")
    training = _Training(model, data, dev, projection, recipe, folder, say)
    with project_subwords(model.network, projection.basis) if projection else nullcontext():
        epochs = training.run()
    model.network.train(False).requires_grad_(False)
    return load_cross_encoder(folder, device=str(model.network.device), name=model.name), epochs


def checkpoints_of(folder: Path) -> Path:
    """Return the folder of a fine-tuning's checkpoints, next to the model's folder, which is replaced as a whole."""
    return folder.with_name(f"{folder.name}.checkpoints")


def is_unfinished(folder: Path) -> bool:
    """Return whether a fine-tuning was stopped in a folder after an epoch."""
    return any(checkpoints_of(folder).glob(f"checkpoint-*/{MARKER}"))


def discard_training(folder: Path) -> None:
    """Discard an earlier fine-tuning in a folder; its model stays until the new one has finished an epoch."""
    if folder.exists() and not (is_unfinished(folder) or (folder / NOTES).exists()):
        raise WordworthError(f"{folder} has no fine-tuned model to replace; choose another folder")
    shutil.rmtree(checkpoints_of(folder), ignore_errors=True)


@dataclass(eq=False)
class _Training:
    """A training: the model, its data, its options and its folder."""

    model: CrossEncoder
    data: Sequence[Example]
    dev: Sequence[Example]
    projection: Subspace | None
    recipe: FinetuneRecipe
    folder: Path
    say: Callable[[str], None]

    def run(self) -> Epochs:
        """Train the remaining epochs; return all."""
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
        schedule = partial(_schedule_rate, steps=recipe.epochs * steps, warm_up=recipe.warm_up)
        epochs = SeededTrainer(network, loader, plan, optimizer, schedule).run()
        shutil.rmtree(plan.checkpoints, ignore_errors=True)
        return epochs

    def _key(self) -> str:
        """Return the sha256 of all that the trained network depends on."""
        network = self.model.network
        dropout_rates = [module.p for module in network.modules() if isinstance(module, nn.Dropout)]
        basis = self.projection.basis.tolist() if self.projection else None
        facts = [asdict(self.recipe), self.model.identity, dropout_rates, basis, network.device.type]
        return hashlib.sha256(json.dumps([*facts, list(self.data), list(self.dev)]).encode()).hexdigest()

    def _lengths(self) -> list[int]:
        """Return the number of tokens of each pair before truncation."""
        sentences, pairs = sentence_pairs(example[:2] for example in self.data)
        encoding = self.model.tokenizer(sentences, add_special_tokens=False, return_attention_mask=False, verbose=False)
        lengths: list[int] = np.array([len(ids) for ids in encoding["input_ids"]])[pairs].sum(axis=1).tolist()
        return lengths

    def _collate(self, batch: list[int]) -> Tensors:
        model, examples = self.model, [self.data[row] for row in batch]
        pairs = [(premise, hypothesis) for premise, hypothesis, _ in examples]
        encoded_pairs = encode_pairs(model.tokenizer, pairs, model.head_model.max_length)
        labels = torch.tensor([model.columns[LABELS.index(label)] for *_, label in examples])
        return {**pad_pairs(model.network, model.tokenizer, encoded_pairs), "labels": labels}

    def _loss(self, network: nn.Module, batch: Tensors) -> tuple[Tensor, int]:
        labels, device = batch["labels"], self.model.network.device.type
        with torch.autocast(device, torch.bfloat16, enabled=self.recipe.precision == "bfloat16"):
            logits = network(**{name: tensor for name, tensor in batch.items() if name != "labels"}).logits
        return functional.cross_entropy(logits.float(), labels), len(labels)

    def _end_epoch(self, earlier: Epochs, total: float) -> dict[str, float]:
        """Measure the network after an epoch, and save it in the folder if it is the best so far."""
        self.model.network.train(False)
        epoch = {"loss": total / len(self.data)}
        if self.dev:
            epoch["accuracy"] = accuracy(self.model, self.dev)
        epochs = [*earlier, epoch]
        if best_epoch(epochs) == len(epochs):
            counts = {"pairs": len(self.data), "dev": len(self.dev), "kept": len(epochs)}
            series = {"losses": [past_epoch["loss"] for past_epoch in epochs]}
            series |= {"accuracies": [past_epoch["accuracy"] for past_epoch in epochs]} if self.dev else {}
            notes = {"training": {**asdict(self.recipe), **series, **counts}}
            save_projected(self.model.head_model, self.projection, self.folder, notes)
        dev = f", dev accuracy {100 * epoch['accuracy']:.2f}" if self.dev else ""
        self.say(f"epoch {len(epochs)}: loss {epoch['loss']:.4f}{dev}")
        return epoch


def _batches(lengths: list[int], size: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """Return every pair once, at random, in batches of similar length."""
    order = rng.permutation(len(lengths)).tolist()
    batches: list[list[int]] = []
    for start in range(0, len(order), size * BUCKET):
        bucket = sorted(order[start : start + size * BUCKET], key=lambda number: lengths[number])
        batches += [bucket[number : number + size] for number in range(0, len(bucket), size)]
    return (batches[number] for number in rng.permutation(len(batches)).tolist())


def _schedule_rate(step: int, steps: int, warm_up: float) -> float:
    rising_steps = max(1, round(steps * warm_up))
    return min((step + 1) / rising_steps, max(0.0, (steps - step) / max(1, steps - rising_steps)), 1.0)
