"""One pass of training on a text before the evaluation, as the paper does with WikiText-103 (2.1), from the left only.

A causal model is trained on every token of a line. A masked one sees the beginning of a line and a mask, and is trained
on the token that follows: the same question that it is asked later. The text is streamed in its order. A run that
is killed goes on from its last checkpoint to the same weights, since whatever is random depends on seed and step alone.
"""

import json
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from wordworth.catalog.read.corpora import Corpus
from wordworth.encode.identity import VERSIONS, hash_config, hash_network, hash_tokenizer
from wordworth.encode.loading import quietly
from wordworth.engine.cache import CacheSlot, slot
from wordworth.errors import WordworthError
from wordworth.files import locked
from wordworth.predict.model import WordFamily, frame, load_network
from wordworth.predict.words import LEAST_WORDS
from wordworth.progress import progress

SAVE_EVERY = 300.0
"""Seconds of training that a kill costs at most."""
_TRAINING = 1  # raised whenever training goes differently
_IGNORED = -100
_NOTES, _MODEL, _STATE = "training.json", "model", "state.safetensors"


@dataclass(frozen=True)
class Training:
    """How a model is trained: AdamW at a constant rate, gradients cut at length 1."""

    seed: int = 0
    rate: float = 5e-5
    batch: int = 8
    """Lines in a step."""
    length: int = 256
    """Tokens of a line; what is beyond them is a line of its own."""

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.batch < 1 or self.length < 2:
            raise WordworthError(
                f"training needs a rate above 0, a batch of at least 1 line and lines of at least 2 tokens, not {self}"
            )


@dataclass(frozen=True)
class FineTuned:
    """A folder with the weights as safetensors, and what was done."""

    folder: Path
    steps: int
    tokens: int
    """Tokens that the loss was taken over."""
    loss: float
    """Mean of −ln p over them, each before the step that it is used for."""


def fine_tune(
    named: str | Path,
    text: Corpus,
    training: Training | None = None,
    *,
    family: WordFamily | None = None,
    device: str = "auto",
) -> FineTuned:
    """Trains a model on all of a text, once; a model and text that were trained before are not trained again."""
    chosen = training or Training()
    network, tokenizer, _, found = load_network(named, device, "float32", family)
    model = [*VERSIONS, hash_network(network), hash_config(network.config), hash_tokenizer(tokenizer), found]
    read = [text.sha256, text.layout, text.column, text.field]
    entry = slot("trained", [_TRAINING, *model, *read, asdict(chosen)])
    with locked(entry.path):
        if not entry.part(_MODEL).whole():
            _train(network, tokenizer, found, text, chosen, entry)
    folder = entry.part(_MODEL).path
    notes = json.loads((folder / _NOTES).read_text(encoding="utf-8"))
    return FineTuned(folder, notes["steps"], notes["tokens"], notes["loss"])


def _train(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    family: WordFamily,
    text: Corpus,
    chosen: Training,
    entry: CacheSlot,
) -> None:
    network.train(True).requires_grad_(True)
    optimizer = torch.optim.AdamW(network.parameters(), lr=chosen.rate)
    checkpoint = entry.part("checkpoint")
    state = _resumed(network, optimizer, checkpoint)
    examples = _examples(text, tokenizer, family, chosen)
    saved = time.monotonic()
    with progress(f"training on {text.name}", None) as advance:
        for step, batch in enumerate(_batches(examples, chosen.batch)):
            advance(len(batch))
            if step < state["steps"]:
                continue  # the checkpoint has it
            torch.manual_seed(chosen.seed * 1_000_003 + step)
            loss, count = _step(network, optimizer, batch, tokenizer)
            state = {"steps": step + 1, "tokens": state["tokens"] + count, "loss": state["loss"] + loss * count}
            if not np.isfinite(loss):
                raise WordworthError(f"the training on {text.name} diverged at step {step + 1}; lower the rate")
            if time.monotonic() - saved > SAVE_EVERY:
                _save(network, optimizer, checkpoint, state)
                saved = time.monotonic()
    if not state["steps"]:
        raise WordworthError(f"{text.name} has no line of {LEAST_WORDS} words to train on; give more text")
    notes = state | {"loss": state["loss"] / state["tokens"], "text": text.name, **asdict(chosen)}
    network.train(False)

    def save(folder: Path) -> None:
        network.save_pretrained(folder, safe_serialization=True)
        tokenizer.save_pretrained(folder)
        (folder / _NOTES).write_text(json.dumps(notes, indent=1), encoding="utf-8")

    with quietly():
        entry.part(_MODEL).write(save)
    shutil.rmtree(checkpoint.path, ignore_errors=True)


def _step(
    network: PreTrainedModel,
    optimizer: torch.optim.Optimizer,
    batch: list[tuple[list[int], list[int]]],
    tokenizer: PreTrainedTokenizerFast,
) -> tuple[float, int]:
    """Mean loss over the tokens that have a label, before the step, and their number."""
    pad = tokenizer.pad_token_id or 0
    width = max(len(ids) for ids, _ in batch)
    device = network.device
    ids = torch.tensor([ids + [pad] * (width - len(ids)) for ids, _ in batch], device=device)
    labels = torch.tensor([own + [_IGNORED] * (width - len(own)) for _, own in batch], device=device)
    mask = torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids, _ in batch], device=device)
    logits: Tensor = network(input_ids=ids, attention_mask=mask).logits
    loss = cross_entropy(logits.flatten(0, 1).float(), labels.flatten(), ignore_index=_IGNORED)
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach()), int((labels != _IGNORED).sum())


def _examples(
    lines: Iterable[str], tokenizer: PreTrainedTokenizerFast, family: WordFamily, chosen: Training
) -> Iterator[tuple[list[int], list[int]]]:
    """(tokens, labels): the label at a place is the token that the model is to predict there."""
    before, after = frame(tokenizer)
    size = chosen.length - len(before) - len(after) - 1
    for number, line in enumerate(lines):
        words = line.split()
        if len(words) < LEAST_WORDS:
            continue
        tokens: list[int] = tokenizer(" ".join(words), add_special_tokens=False, verbose=False)["input_ids"]
        for start in range(0, len(tokens), size):
            piece = tokens[start : start + size]
            if len(piece) < 2:
                continue
            if family == "causal":
                ids = [*before, *piece]
                yield ids, [*([_IGNORED] * (len(before) - 1) if before else []), *ids[max(len(before), 1) :], _IGNORED]
            else:
                cut = int(np.random.default_rng([chosen.seed, number, start]).integers(1, len(piece)))
                ids = [*before, *piece[:cut], int(tokenizer.mask_token_id), *after]
                labels = [_IGNORED] * len(ids)
                labels[len(before) + cut] = piece[cut]
                yield ids, labels


def _batches(examples: Iterator[tuple[list[int], list[int]]], size: int) -> Iterator[list[tuple[list[int], list[int]]]]:
    while batch := list(islice(examples, size)):
        yield batch


_MOMENTS = ("exp_avg", "exp_avg_sq", "step")


def _save(network: PreTrainedModel, optimizer: torch.optim.Optimizer, part: CacheSlot, state: dict[str, Any]) -> None:
    tensors = {}
    for name, weight in network.named_parameters():
        tensors[f"weight.{name}"] = weight.detach().contiguous()
        tensors |= {f"{moment}.{name}": optimizer.state[weight][moment] for moment in _MOMENTS}
    part.write(lambda folder: save_file(tensors, folder / _STATE, metadata={"state": json.dumps(state)}))


def _resumed(network: PreTrainedModel, optimizer: torch.optim.Optimizer, part: CacheSlot) -> dict[str, Any]:
    """Weights, moments and counts of the checkpoint, where there is one."""
    if not part.whole():
        return {"steps": 0, "tokens": 0, "loss": 0.0}
    path = part.path / _STATE
    tensors = load_file(path, device=str(network.device))
    with torch.no_grad():
        for name, weight in network.named_parameters():
            weight.copy_(tensors[f"weight.{name}"])
            optimizer.state[weight] = {moment: tensors[f"{moment}.{name}"] for moment in _MOMENTS}
    with safe_open(path, framework="pt") as stored:
        state: dict[str, Any] = json.loads(stored.metadata()["state"])
    return state
