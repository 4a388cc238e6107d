"""Train a model for one pass over a text before the evaluation, as the paper does with WikiText-103 (2.1).

A causal model is trained on every token of a line. A masked one sees the beginning of a line and a mask, and is trained
on the next token, as in the evaluation. The text is streamed in order. An interrupted run continues from its last
checkpoint to the same weights, since random draws depend only on seed and step.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.resolve import NameLike
from wordworth.encode.identity import LIBRARIES, hash_config, hash_network, hash_tokenizer
from wordworth.encode.loading import quietly
from wordworth.engine.cache import CacheSlot, slot
from wordworth.errors import WordworthError
from wordworth.files import hold_lock
from wordworth.whole_words.model import WordFamily, frame, load_network
from wordworth.whole_words.words import MIN_LINE_WORDS

SAVE_EVERY = 300.0
"""Seconds between checkpoints: an interruption loses at most these."""
_TRAINING = 1  # raise this when training changes
_NO_LOSS = -100
_NOTES, _MODEL = "training.json", "model"
Example = tuple[list[int], list[int]]
"""Tokens and labels: the label at a position is the token to predict there."""


@dataclass(frozen=True)
class Training:
    """The options of a training: AdamW at a constant rate, gradients clipped at norm 1."""

    seed: int = 0
    rate: float = 5e-5
    batch: int = 8
    """Lines per step."""
    length: int = 256
    """Tokens per line; longer lines are split."""


@dataclass(frozen=True)
class FineTuneResult:
    """A folder with the weights as safetensors, and the steps, tokens and loss."""

    folder: Path
    steps: int
    tokens: int
    """Tokens with a label."""
    loss: float
    """Mean of −ln p over these tokens, each before the step that uses it."""


def fine_tune(
    name_or_path: NameLike,
    text: Corpus,
    training: Training | None = None,
    *,
    family: WordFamily | None = None,
    device: str = "auto",
) -> FineTuneResult:
    """Train a model on a whole text, once; the cache keeps the trained model."""
    training = training or Training()
    network, tokenizer, _, family = load_network(name_or_path, device, "float32", family)
    model = [*LIBRARIES, hash_network(network), hash_config(network.config), hash_tokenizer(tokenizer), family]
    text_key = [text.sha256, text.layout, text.column, text.field]
    entry = slot("trained", [_TRAINING, *model, *text_key, asdict(training)])
    with hold_lock(entry.path):
        if not entry.part(_MODEL).check_or_remove():
            examples = partial(_examples, text, tokenizer, family, training)
            if next(examples(), None) is None:
                raise WordworthError(f"{text.name} has no line of {MIN_LINE_WORDS} words to train on; give more text")
            _train(network, tokenizer, examples, text.name, training, entry)
    folder = entry.part(_MODEL).path
    notes = json.loads((folder / _NOTES).read_text(encoding="utf-8"))
    return FineTuneResult(folder, notes["steps"], notes["tokens"], notes["loss"])


def _train(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    examples: Callable[[], Iterator[Example]],
    name: str,
    training: Training,
    entry: CacheSlot,
) -> None:
    # Slow to import, and needed only here.
    from wordworth.encode.training import EpochLoader, SeededTrainer, TrainingPlan

    network.train(True).requires_grad_(True)
    checkpoints = entry.part("checkpoint").path
    plan = TrainingPlan(
        f"{network.name_or_path} on {name}",
        checkpoints,
        entry.path.name,
        _loss,
        lambda step: training.seed * 1_000_003 + step,
        clip=1.0,
        epochs=1,
        save_every=SAVE_EVERY,
    )

    def list_batches(_: int) -> Iterator[list[Example]]:
        stream = examples()
        while batch := list(islice(stream, training.batch)):
            yield batch

    loader = EpochLoader(list_batches, partial(_collate, pad=tokenizer.pad_token_id or 0))
    trainer = SeededTrainer(network, loader, plan, torch.optim.AdamW(network.parameters(), lr=training.rate))
    (epoch,) = trainer.run()
    tokens = int(epoch["of"])
    counts = {"steps": trainer.state.global_step, "tokens": tokens, "loss": epoch["sum"] / tokens}
    notes = counts | {"text": name, **asdict(training)}
    network.train(False)

    def save(folder: Path) -> None:
        network.save_pretrained(folder, safe_serialization=True)
        tokenizer.save_pretrained(folder)
        (folder / _NOTES).write_text(json.dumps(notes, indent=1), encoding="utf-8")

    with quietly():
        entry.part(_MODEL).write(save)
    shutil.rmtree(checkpoints, ignore_errors=True)


def _loss(network: nn.Module, batch: dict[str, Tensor]) -> tuple[Tensor, int]:
    """Return the mean loss over the tokens that have a label, before the step, and their number."""
    logits: Tensor = network(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
    labels = batch["labels"]
    loss = cross_entropy(logits.flatten(0, 1).float(), labels.flatten(), ignore_index=_NO_LOSS)
    return loss, int((labels != _NO_LOSS).sum())


def _collate(batch: list[Example], pad: int) -> dict[str, Tensor]:
    width = max(len(ids) for ids, _ in batch)
    return {
        "input_ids": torch.tensor([ids + [pad] * (width - len(ids)) for ids, _ in batch]),
        "labels": torch.tensor([labels + [_NO_LOSS] * (width - len(labels)) for _, labels in batch]),
        "attention_mask": torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids, _ in batch]),
    }


def _examples(
    lines: Iterable[str], tokenizer: PreTrainedTokenizerFast, family: WordFamily, training: Training
) -> Iterator[Example]:
    """Yield the examples of a text, line by line."""
    before, after = frame(tokenizer)
    size = training.length - len(before) - len(after) - 1
    for number, line in enumerate(lines):
        words = line.split()
        if len(words) < MIN_LINE_WORDS:
            continue
        tokens: list[int] = tokenizer(" ".join(words), add_special_tokens=False, verbose=False)["input_ids"]
        for start in range(0, len(tokens), size):
            piece = tokens[start : start + size]
            if len(piece) < 2:
                continue
            if family == "causal":
                ids = [*before, *piece]
                yield ids, [*([_NO_LOSS] * (len(before) - 1) if before else []), *ids[max(len(before), 1) :], _NO_LOSS]
            else:
                mask_position = int(np.random.default_rng([training.seed, number, start]).integers(1, len(piece)))
                ids = [*before, *piece[:mask_position], int(tokenizer.mask_token_id), *after]
                labels = [_NO_LOSS] * len(ids)
                labels[len(before) + mask_position] = piece[mask_position]
                yield ids, labels
