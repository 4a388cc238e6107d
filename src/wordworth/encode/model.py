"""A language model ready to encode: network, fast tokenizer, what identifies them, and the sizes it may declare."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, SupportsIndex

import torch
from torch import nn
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
    MODEL_FOR_MASKED_LM_MAPPING,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from wordworth.encode.identity import LIBRARIES, Identity, hash_config, hash_network, hash_tokenizer
from wordworth.encode.passes import Trial, list_arguments
from wordworth.engine.engines import Recipe, loaded_alike
from wordworth.errors import WordworthError

Family = Literal["causal", "masked", "encoder-decoder", "sentence"]
TRIAL = "It is pleasant to think of words in plain English"
NO_TOKEN_LIMIT = 1_000_000
"""Tokenizers without a limit give an astronomical one."""


@dataclass(frozen=True)
class NetworkElsewhere:
    """Stand in for a network in other processes: it has what this process needs to know of it."""

    dtype: torch.dtype
    device: torch.device
    config: PretrainedConfig
    weights: str
    identity: Identity


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """Only the part that yields hidden states: no language-model head; of an encoder–decoder, the encoder.

    A sentence encoder has one layer, 0, and in it one state a text.
    """

    name: str
    source: str
    """The path or hub name it was loaded from."""
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    family: Family
    layers: int
    """L: hidden states are 0 (the input embedding) to L (after the final norm)."""
    dim: int
    max_length: int | None
    """Tokens admitted in one text, special ones included."""
    left_only: bool
    """No token's states depend on what follows it."""
    reuses_kv_cache: bool
    """A prefix may be computed once and shared."""
    takes_types: bool
    ignores_padding: bool = True
    """Texts of different lengths may go through together, padded; where not, texts of one length do."""
    only_last: bool = False
    """Only the last layer has a state per token: enough to predict words, not for vectors."""
    recipe: Recipe | None = None
    """How another process loads it, where it can be loaded by name; it is sent there as its recipe."""

    def __repr__(self) -> str:
        return f"<{self.family} model {self.name}: {self.layers} layers × {self.dim}>"

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return super().__reduce_ex__(protocol) if self.recipe is None else (loaded_alike, (self.recipe, self.identity))

    def without_weights(self) -> "LanguageModel":
        """Return the model without its network, as a driver has it whose workers hold the network."""
        stub: Any = NetworkElsewhere(self.network.dtype, self.device, self.network.config, self.weights, self.identity)
        return replace(self, network=stub)

    @property
    def weights(self) -> str:
        """Return the sha256 of the tensors that hidden states depend on, as they are now."""
        if isinstance(self.network, NetworkElsewhere):
            return self.network.weights
        return hash_network(self.network, lambda name: "pooler" in name, "states")

    @property
    def identity(self) -> Identity:
        """Return all of the model that its states depend on, as it is now, for the keys of what is kept on disk."""
        if isinstance(self.network, NetworkElsewhere):
            return self.network.identity
        hashes = self.weights, hash_config(self.network.config), hash_tokenizer(self.tokenizer)
        own = *LIBRARIES, *hashes, self.dtype, self.max_length
        return own if self.ignores_padding else (*own, "without padding")

    @property
    def device(self) -> torch.device:
        return self.network.device

    @property
    def dtype(self) -> str:
        return str(self.network.dtype).removeprefix("torch.")

    @property
    def pad(self) -> int:
        return pad_of(self.tokenizer)


def text_part(network: Any) -> Any:
    """Return the network that gives the hidden states of a text: without a head for words or classes.

    Of an encoder–decoder it is the encoder; of a network that also takes images or sound, its language model.
    """
    config = network.config
    if config.is_encoder_decoder:
        return network.get_encoder() if hasattr(network, "get_encoder") else network
    part = network.get_decoder() if config.get_text_config() is not config else network.base_model
    if part.get_output_embeddings() is not None:  # a language model with its head, inside or not named as the base
        part = next((child for child in part.children() if isinstance(child, PreTrainedModel)), part)
    return part


def wrap(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    *,
    name: str,
    source: str = "",
    only_last: bool = False,
) -> LanguageModel:
    """Return a `LanguageModel` around a network and a tokenizer at hand."""
    family = family_of(network.config)
    network = text_part(network.train(False).requires_grad_(False))
    ids, pad = trial_ids(tokenizer), pad_of(tokenizer)
    trial = Trial(network, ids, only_last)
    trial.refuse_unmeasurable(name)
    left_only = trial.looks_left_only()
    if left_only and family == "masked":  # BERT as a decoder, or the text part of a wrapper, which has no head
        family = "causal"
    takes_types = "token_type_ids" in list_arguments(network) and "token_type_ids" in tokenizer.model_input_names
    return LanguageModel(
        name=name,
        source=source,
        network=network,
        tokenizer=tokenizer,
        family=family,
        layers=len(trial.plain) - 1,
        dim=trial.plain[-1].shape[-1],
        max_length=max_length_of(network, tokenizer),
        left_only=left_only,
        reuses_kv_cache=left_only and not takes_types and trial.reuses_kv_cache(),
        takes_types=takes_types,
        ignores_padding=trial.ignores_padding(pad, left_only=left_only),
        only_last=only_last,
    )


def pad_of(tokenizer: PreTrainedTokenizerFast) -> int:
    """Return the id that fills up the rows of a batch."""
    pad = tokenizer.pad_token_id
    return 0 if pad is None else int(pad)


def family_of(config: PretrainedConfig) -> Family:
    """Causal, masked or encoder–decoder, by what the library has a head for."""
    # T5's encoder alone no longer says that it came from an encoder–decoder.
    if config.is_encoder_decoder or config.model_type.endswith("t5"):
        return "encoder-decoder"
    # BERT and its kin have a causal head too, hence the second condition.
    mappings = (MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING)
    if any(type(config) in mapping for mapping in mappings) and type(config) not in MODEL_FOR_MASKED_LM_MAPPING:
        return "causal"
    return "masked"


def max_length_of(network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> int | None:
    """Return the fewest tokens that any part admits. RoBERTa's kin count positions from padding_idx + 1 on.

    Some networks compute otherwise as soon as one text of the batch exceeds a length, so that a token's states depend
    on the rest of the batch: no text is longer than that.
    """
    limits = [tokenizer.model_max_length]
    for attribute in ("max_position_embeddings", "n_positions"):
        limit = getattr(network.config, attribute, None)
        if isinstance(limit, int) and limit > 0:
            limits.append(limit)
    for path, module in network.named_modules():
        if path.endswith("position_embeddings") and isinstance(module, nn.Embedding) and module.padding_idx is not None:
            limits.append(module.num_embeddings - module.padding_idx - 1)
    shortest = min([*limits, *_switches(network.config)])
    return shortest if shortest < NO_TOKEN_LIMIT else None


def _switches(config: PretrainedConfig) -> Iterator[int]:
    """Yield the lengths above which long-rope, BigBird and Reformer compute otherwise."""
    ropes = getattr(config, "rope_parameters", None) or {}
    for rope in (ropes, *ropes.values()):  # layers of several kinds have one each
        if isinstance(rope, dict) and rope.get("rope_type") == "longrope":
            yield int(rope["original_max_position_embeddings"])
    if getattr(config, "attention_type", None) == "block_sparse":
        yield int((5 + 2 * config.num_random_blocks) * config.block_size)
    for kind in set(getattr(config, "attn_layers", ())):
        yield int(getattr(config, f"{kind}_attn_chunk_length", NO_TOKEN_LIMIT))


def trial_ids(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    """Six different tokens to try a network with: those of a plain text, since odd ones may blow up rounding errors."""
    plain = tokenizer(TRIAL, add_special_tokens=False)["input_ids"]
    special = set(tokenizer.all_special_ids)
    return [token for token in dict.fromkeys([*plain, *range(len(tokenizer))]) if token not in special][:6]


def is_sentence_encoder(model: LanguageModel) -> bool:
    """Return whether it has one vector per text and none per token."""
    return model.family == "sentence"


MAX_LAYERS = 1_000


def refuse_huge(config: PretrainedConfig, source: str) -> None:
    """Stop at a configuration with more layers than any model has, before they are laid out."""
    for name in ("num_hidden_layers", "num_layers"):
        layers = getattr(config, name, None)
        if isinstance(layers, int) and not 0 <= layers <= MAX_LAYERS:
            raise WordworthError(
                f"the configuration of {source} says that {name} is {layers:.0e}, and at most {MAX_LAYERS:,} are read; "
                "fetch the model again"
            )
