"""Make an `NliModel` of any sequence-classification model of `transformers` that was trained on NLI."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import AutoModelForSequenceClassification, PreTrainedModel, PreTrainedTokenizerFast

from wordworth.catalog.resolve import NameLike, find
from wordworth.embedding import Embedding
from wordworth.encode.heads import HeadModel, load_with_head, padding_of
from wordworth.encode.passes import ROUNDING_TOLERANCE, inference, list_arguments, precision_of, refuse_overflow
from wordworth.engine.batching import budget_for, by_length
from wordworth.engine.cache import hash_content
from wordworth.errors import LibraryErrors, WordworthError, format_names, reason_of
from wordworth.nli.nli import LABELS, TrainedWithout
from wordworth.progress import progress
from wordworth.repair.checkpoint import NOTES
from wordworth.repair.subwords import embed_words, project_subwords
from wordworth.transform import Subspace

_STEMS = {"entail": "entailment", "neutral": "neutral", "contradict": "contradiction"}
TRIALS = (("Yes.", "A woman slept."), ("The doctor ate an apple.", "The man bought two of the books."))
EncodedPair = tuple[list[int], list[int]]
"""Ids and token types of a pair as a model reads it."""


@dataclass(frozen=True, eq=False)
class CrossEncoder:
    """A network that reads premise and hypothesis together; `without` gives another one over the same weights."""

    head_model: HeadModel
    columns: tuple[int, int, int]
    """The columns of `LABELS` in the network's output."""
    projection: Subspace | None = None
    """The subspace removed from the subword embeddings in every pass."""
    trained_without: TrainedWithout | None = None
    ignores_padding: bool = True
    """Whether padding changes nothing, so that pairs of different lengths can share a batch."""

    @property
    def name(self) -> str:
        return self.head_model.name

    @property
    def network(self) -> PreTrainedModel:
        return self.head_model.network

    @property
    def tokenizer(self) -> PreTrainedTokenizerFast:
        return self.head_model.tokenizer

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        projection_hash = hash_content(self.projection.basis) if self.projection else None
        identity = "cross-encoder", *self.head_model.identity, *self.columns, projection_hash
        return identity if self.ignores_padding else (*identity, "without padding")

    @property
    def source(self) -> str:
        return self.head_model.source

    @property
    def word_vectors(self) -> None:
        """Return None: its vectors are of subwords, inside the network."""

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """Return nothing, since subwords spell every word."""
        return ()

    def vectors_of(self, words: Sequence[str]) -> Embedding:
        """Return the rows of the subword matrix for words that are one subword in some case; see `embed_words`."""
        forms = [form for word in words for form in dict.fromkeys((word, word.lower(), word.capitalize()))]
        return embed_words(self.head_model, forms)

    def without(self, subspace: Subspace) -> "CrossEncoder":
        """Return the same weights with a subspace removed from the subword embeddings in every pass."""
        return replace(self, projection=subspace)

    def with_vectors(self, embedding: Embedding) -> "CrossEncoder":
        """Raise, since there are no word vectors to replace."""
        raise WordworthError(f"{self.name} reads no word vectors, so {embedding.name} cannot replace them")

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a row of `LABELS` per pair; each distinct pair is read once."""
        distinct_pairs, rows = np.unique(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), axis=0, return_inverse=True)
        texts = [(sentences[premise], sentences[hypothesis]) for premise, hypothesis in distinct_pairs.tolist()]
        inputs = encode_pairs(self.tokenizer, texts, self.head_model.max_length)
        # Padding on the left would shift the positions of the tokens.
        padding = self.ignores_padding and self.tokenizer.padding_side != "left"
        budget = budget_for(self.network.device, None, padding=padding)
        probabilities = np.empty((len(inputs), len(LABELS)))

        def run_batch(batch: list[int]) -> NDArray[np.float64]:
            logits = forward(self.network, self.tokenizer, [inputs[i] for i in batch])[:, list(self.columns)]
            return np.asarray(torch.softmax(logits.cpu().double(), dim=-1).numpy())

        projection = project_subwords(self.network, self.projection.basis) if self.projection else nullcontext()
        title = f"Inferring with {self.name}"
        with inference(), projection, progress(title, len(inputs)) as advance:
            for batch, values in by_length(run_batch, [len(ids) for ids, _ in inputs], budget):
                probabilities[batch] = values
                advance(len(batch))
        if not np.isfinite(probabilities).all():
            refuse_overflow(self.name, precision_of(self.network))
        return probabilities[rows.reshape(-1)]


def encode_pairs(
    tokenizer: PreTrainedTokenizerFast, pairs: Sequence[tuple[str, str]], max_length: int | None
) -> list[EncodedPair]:
    """Return pairs as the tokenizer joins them; it truncates the longer sentence of a pair that is too long."""
    if not pairs:
        return []
    encoding = tokenizer(
        *(list(side) for side in zip(*pairs, strict=True)),
        truncation=max_length is not None,
        max_length=max_length,
        return_token_type_ids=True,
        return_attention_mask=False,
        verbose=False,
    )
    return list(zip(encoding["input_ids"], encoding["token_type_ids"], strict=True))


def forward(network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, batch: Sequence[EncodedPair]) -> Tensor:
    """Return logits (pairs, labels in the model's own order) of encoded pairs."""
    logits: Tensor = network(**pad_pairs(network, tokenizer, batch)).logits
    return logits


def pad_pairs(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, batch: Sequence[EncodedPair]
) -> dict[str, Tensor]:
    """Return the network's inputs for encoded pairs, padded to the longest."""
    pad, width = padding_of(tokenizer), max(len(ids) for ids, _ in batch)
    is_left = tokenizer.padding_side == "left"

    def fill(rows: Sequence[list[int]], value: int) -> Tensor:
        paddings = ([value] * (width - len(row)) for row in rows)
        padded_rows = [[*fill, *row] if is_left else [*row, *fill] for row, fill in zip(rows, paddings, strict=True)]
        return torch.tensor(padded_rows, device=network.device)

    inputs = {"input_ids": fill([ids for ids, _ in batch], pad)}
    inputs["attention_mask"] = fill([[1] * len(ids) for ids, _ in batch], 0)
    if "token_type_ids" in list_arguments(network) and "token_type_ids" in tokenizer.model_input_names:
        inputs["token_type_ids"] = fill([types for _, types in batch], tokenizer.pad_token_type_id)
    return inputs


def make_cross_encoder(head_model: HeadModel, labels: Sequence[str] | None = None) -> CrossEncoder:
    """Return a cross-encoder over a loaded network."""
    dtype = precision_of(head_model.network)
    advice = "fetch it again" if dtype == "float32" else "use float32"
    with LibraryErrors(f"{head_model.name} cannot read a pair of sentences in {dtype}", advice):
        names = {int(column): str(label) for column, label in (head_model.network.config.id2label or {}).items()}
        columns = label_columns(names, head_model.name, labels)
        return CrossEncoder(head_model, columns, ignores_padding=_ignores_padding(head_model))


def _ignores_padding(head_model: HeadModel) -> bool:
    """Return whether a pair has the same logits by itself and next to a longer one."""
    a, b = encode_pairs(head_model.tokenizer, TRIALS, head_model.max_length)
    with inference():
        network, tokenizer = head_model.network, head_model.tokenizer
        logits, batched_logits = (forward(network, tokenizer, pairs)[0] for pairs in ([a], [a, b]))
    return bool((logits - batched_logits).abs().amax() <= ROUNDING_TOLERANCE[logits.dtype] * logits.abs().amax())


def load_cross_encoder(
    name_or_path: NameLike, *, labels: Sequence[str] | None = None, device: str = "auto", name: str | None = None
) -> CrossEncoder:
    """Load an NLI model from a folder of safetensors or from the hub by its name.

    Its configuration gives the order of its labels; `labels` gives it if the names there mean nothing (`LABEL_0`, …).
    """
    origin = find(name_or_path)
    head_model = load_with_head(AutoModelForSequenceClassification, origin, device=device, name=name)
    head_model.network.requires_grad_(False)
    return replace(make_cross_encoder(head_model, labels), trained_without=_read_notes(origin.target))


def untrained_cross_encoder(
    name_or_path: NameLike, *, device: str = "auto", name: str | None = None, dropout: float = 0.1, seed: int = 0
) -> CrossEncoder:
    """Load any encoder with a new head of three labels, for `finetune_nli`.

    As in the paper, dropout is 0.1 inside the encoder, and none before the last layer.
    """
    if not 0 <= dropout < 1:
        raise WordworthError(f"the dropout is {dropout}; it must be from 0 up and below 1")
    torch.manual_seed(seed)
    head_model = load_with_head(
        AutoModelForSequenceClassification,
        name_or_path,
        device=device,
        name=name,
        fresh=True,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={label: column for column, label in enumerate(LABELS)},
    )
    encoder_modules = set(head_model.network.base_model.modules())
    for module in head_model.network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = dropout if module in encoder_modules else 0.0
    return make_cross_encoder(head_model)


def label_columns(names: Mapping[int, str], model: str, order: Sequence[str] | None = None) -> tuple[int, int, int]:
    """Return the columns of `LABELS` in a model's output, whose labels are `names`, or `order` if given."""
    model_labels = [str(names[column]) for column in sorted(names)]
    if len(model_labels) != len(LABELS):
        raise WordworthError(
            f"{model} has {len(model_labels)} labels ({format_names(model_labels)}), but measures need the three of "
            f"{', '.join(LABELS)}; name a model trained on three"
        )
    meanings = [_meaning(name) for name in order or model_labels]
    if sorted(meanings) != sorted(LABELS):
        if order:
            raise WordworthError(
                f"--labels is {','.join(order)}; give entailment, neutral and contradiction, once each"
            )
        raise WordworthError(
            f"{model} names its labels {', '.join(model_labels)}, which have no known meaning; give their order from "
            "its model card, such as --labels contradiction,entailment,neutral"
        )
    first, second, third = (meanings.index(label) for label in LABELS)
    return first, second, third


def _meaning(name: str) -> str:
    label_name = name.strip().lower()
    return next((label for stem, label in _STEMS.items() if label_name.startswith(stem)), "")


def _read_notes(folder: str | Path) -> TrainedWithout | None:
    """Return the subspace removed from a folder of `save_projected`; None if none was, or for a model of the hub."""
    path = Path(folder).expanduser() / NOTES
    if not path.is_file():
        return None
    try:
        notes = json.loads(path.read_text(encoding="utf-8")).get("taken_out")
        return TrainedWithout(str(notes["subspace"]), len(notes["basis"])) if notes else None
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise WordworthError(f"{path} does not say what was removed ({reason_of(error)}); train again") from error
