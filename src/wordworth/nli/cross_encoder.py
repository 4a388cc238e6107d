"""Any sequence-classification model of `transformers` that was trained on NLI, as an `NliModel`."""

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

    headed: HeadModel
    columns: tuple[int, int, int]
    """Where `LABELS` are among the network's outputs."""
    projection: Subspace | None = None
    """What is removed from the subword embeddings in every pass."""
    trained_without: TrainedWithout | None = None
    ignores_padding: bool = True
    """Pairs of different lengths may go through together, padded; where not, pairs of one length do."""

    @property
    def name(self) -> str:
        return self.headed.name

    @property
    def network(self) -> PreTrainedModel:
        return self.headed.network

    @property
    def tokenizer(self) -> PreTrainedTokenizerFast:
        return self.headed.tokenizer

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        taken = hash_content(self.projection.basis) if self.projection else None
        own = "cross-encoder", *self.headed.identity, *self.columns, taken
        return own if self.ignores_padding else (*own, "without padding")

    @property
    def source(self) -> str:
        return self.headed.source

    @property
    def word_vectors(self) -> None:
        """None: its vectors are of subwords, inside the network."""

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """None: subwords spell every word."""
        return ()

    def vectors_of(self, words: Sequence[str]) -> Embedding:
        """Return the rows of the subword matrix for words, in any case, that are one piece; see `embed_words`."""
        forms = [form for word in words for form in dict.fromkeys((word, word.lower(), word.capitalize()))]
        return embed_words(self.headed, forms)

    def without(self, subspace: Subspace) -> "CrossEncoder":
        """Return the same weights with a subspace removed from the subword embeddings in every pass."""
        return replace(self, projection=subspace)

    def with_vectors(self, embedding: Embedding) -> "CrossEncoder":
        """Raise: there are no word vectors that others could take the place of."""
        raise WordworthError(f"{self.name} reads no word vectors, so {embedding.name} cannot take their place")

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a row of `LABELS` for each pair; each distinct pair goes through the network once."""
        distinct, rows = np.unique(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), axis=0, return_inverse=True)
        texts = [(sentences[premise], sentences[hypothesis]) for premise, hypothesis in distinct.tolist()]
        encoded = encode_pairs(self.tokenizer, texts, self.headed.max_length)
        # Padding on the left would shift the positions of what follows it.
        padding = self.ignores_padding and self.tokenizer.padding_side != "left"
        budget = budget_for(self.network.device, None, padding=padding)
        probabilities = np.empty((len(encoded), len(LABELS)))

        def run_batch(batch: list[int]) -> NDArray[np.float64]:
            logits = forward(self.network, self.tokenizer, [encoded[at] for at in batch])[:, list(self.columns)]
            return np.asarray(torch.softmax(logits.cpu().double(), dim=-1).numpy())

        projection = project_subwords(self.network, self.projection.basis) if self.projection else nullcontext()
        title = f"Inferring with {self.name}"
        with inference(), projection, progress(title, len(encoded)) as advance:
            for batch, values in by_length(run_batch, [len(ids) for ids, _ in encoded], budget):
                probabilities[batch] = values
                advance(len(batch))
        if not np.isfinite(probabilities).all():
            refuse_overflow(self.name, precision_of(self.network))
        return probabilities[rows.reshape(-1)]


def encode_pairs(
    tokenizer: PreTrainedTokenizerFast, pairs: Sequence[tuple[str, str]], max_length: int | None
) -> list[EncodedPair]:
    """Return pairs as the tokenizer joins them; it cuts the longer sentence of a pair that is too long."""
    if not pairs:
        return []
    encoded = tokenizer(
        *(list(side) for side in zip(*pairs, strict=True)),
        truncation=max_length is not None,
        max_length=max_length,
        return_token_type_ids=True,
        return_attention_mask=False,
        verbose=False,
    )
    return list(zip(encoded["input_ids"], encoded["token_type_ids"], strict=True))


def forward(network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, batch: Sequence[EncodedPair]) -> Tensor:
    """Return logits (pairs, labels in the model's own order) of encoded pairs."""
    logits: Tensor = network(**pad_pairs(network, tokenizer, batch)).logits
    return logits


def pad_pairs(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, batch: Sequence[EncodedPair]
) -> dict[str, Tensor]:
    """Return what the network takes for encoded pairs, padded to the longest."""
    pad, width = padding_of(tokenizer), max(len(ids) for ids, _ in batch)
    left = tokenizer.padding_side == "left"

    def fill(rows: Sequence[list[int]], value: int) -> Tensor:
        fills = ([value] * (width - len(row)) for row in rows)
        padded = [[*fill, *row] if left else [*row, *fill] for row, fill in zip(rows, fills, strict=True)]
        return torch.tensor(padded, device=network.device)

    inputs = {
        "input_ids": fill([ids for ids, _ in batch], pad),
        "attention_mask": fill([[1] * len(ids) for ids, _ in batch], 0),
    }
    if "token_type_ids" in list_arguments(network) and "token_type_ids" in tokenizer.model_input_names:
        inputs["token_type_ids"] = fill([types for _, types in batch], tokenizer.pad_token_type_id)
    return inputs


def make_cross_encoder(headed: HeadModel, labels: Sequence[str] | None = None) -> CrossEncoder:
    """Return a cross-encoder over a network at hand."""
    dtype = precision_of(headed.network)
    advice = "fetch it again" if dtype == "float32" else "use float32"
    with LibraryErrors(f"{headed.name} cannot read a pair of sentences in {dtype}", advice):
        own = {int(at): str(label) for at, label in (headed.network.config.id2label or {}).items()}
        columns = label_columns(own, headed.name, labels)
        return CrossEncoder(headed, columns, ignores_padding=_ignores_padding(headed))


def _ignores_padding(headed: HeadModel) -> bool:
    """Return whether a pair has the same logits alone and next to a longer one; see `capabilities.ignores_padding`."""
    short, longer = encode_pairs(headed.tokenizer, TRIALS, headed.max_length)
    with inference():
        alone, together = (forward(headed.network, headed.tokenizer, pairs)[0] for pairs in ([short], [short, longer]))
    return bool((alone - together).abs().amax() <= ROUNDING_TOLERANCE[alone.dtype] * alone.abs().amax())


def load_cross_encoder(
    name_or_path: NameLike, *, labels: Sequence[str] | None = None, device: str = "auto", name: str | None = None
) -> CrossEncoder:
    """Load an NLI model from a folder of safetensors or from the hub by its name.

    The order of its labels is its configuration's; `labels` gives it where that does not say (`LABEL_0`, …).
    """
    resolved = find(name_or_path)
    headed = load_with_head(AutoModelForSequenceClassification, resolved, device=device, name=name)
    headed.network.requires_grad_(False)
    return replace(make_cross_encoder(headed, labels), trained_without=_read_notes(resolved.target))


def untrained_cross_encoder(
    name_or_path: NameLike, *, device: str = "auto", name: str | None = None, dropout: float = 0.1, seed: int = 0
) -> CrossEncoder:
    """Load any encoder with a new head of three labels, to be trained (`finetune_nli`).

    The dropout is the paper's: 0.1 inside the encoder, none before the last layer.
    """
    if not 0 <= dropout < 1:
        raise WordworthError(f"the dropout is {dropout}; it must be from 0 up and below 1")
    torch.manual_seed(seed)
    headed = load_with_head(
        AutoModelForSequenceClassification,
        name_or_path,
        device=device,
        name=name,
        fresh=True,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={label: at for at, label in enumerate(LABELS)},
    )
    inside = set(headed.network.base_model.modules())
    for module in headed.network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = dropout if module in inside else 0.0
    return make_cross_encoder(headed)


def label_columns(names: Mapping[int, str], model: str, order: Sequence[str] | None = None) -> tuple[int, int, int]:
    """Return the columns of `LABELS` in a model's output, whose own order is `names`; `order` overrides it."""
    own = [str(names[at]) for at in sorted(names)]
    if len(own) != len(LABELS):
        raise WordworthError(
            f"{model} has {len(own)} labels ({format_names(own)}), and the measures need the three of "
            f"{', '.join(LABELS)}; name a model trained on three"
        )
    meanings = [_meaning(name) for name in order or own]
    if sorted(meanings) != sorted(LABELS):
        if order:
            raise WordworthError(
                f"--labels is {','.join(order)}; give entailment, neutral and contradiction, once each"
            )
        raise WordworthError(
            f"{model} names its labels {', '.join(own)}, which does not say what they mean; give their order from its "
            "model card, such as --labels contradiction,entailment,neutral"
        )
    first, second, third = (meanings.index(label) for label in LABELS)
    return first, second, third


def _meaning(name: str) -> str:
    plain = name.strip().lower()
    return next((label for stem, label in _STEMS.items() if plain.startswith(stem)), "")


def _read_notes(folder: str | Path) -> TrainedWithout | None:
    """Return what a folder of `save_projected` says was removed; None where nothing was, or for a model of the hub."""
    path = Path(folder).expanduser() / NOTES
    if not path.is_file():
        return None
    try:
        removed = json.loads(path.read_text(encoding="utf-8")).get("taken_out")
        return TrainedWithout(str(removed["subspace"]), len(removed["basis"])) if removed else None
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise WordworthError(f"{path} does not say what was taken out ({reason_of(error)}); train again") from error
