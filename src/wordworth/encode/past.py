"""Keys and values of a shared left context, computed once and read by every word that follows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.cache_utils import Cache, DynamicLayer

KeysValues = tuple[Tensor, Tensor]
"""Both nodes × heads × tokens × head size."""


@dataclass(frozen=True)
class Past:
    """What the tokens of a batch look back on in one layer: a prefix shared by all, then each one's own path."""

    prefix: KeysValues | None
    path: KeysValues | None

    @property
    def length(self) -> int:
        return sum(piece[0].shape[-2] for piece in (self.prefix, self.path) if piece is not None)

    def of(self, parents: Tensor) -> "Past":
        """The past of nodes, given those of the level above that they follow."""
        return self if self.path is None else Past(self.prefix, (self.path[0][parents], self.path[1][parents]))

    def extended(self, new: KeysValues, nodes: int) -> KeysValues:
        """The paths of the first `nodes`, one token longer."""
        keys, values = new[0][:nodes], new[1][:nodes]
        if self.path is None:
            return keys, values
        return torch.cat([self.path[0][:nodes], keys], dim=-2), torch.cat([self.path[1][:nodes], values], dim=-2)

    def join(self, which: int, new: Tensor) -> Tensor:
        pieces = [new]
        if self.path is not None:
            pieces.insert(0, self.path[which])
        if self.prefix is not None:
            pieces.insert(0, self.prefix[which].expand(new.shape[0], -1, -1, -1))
        return torch.cat(pieces, dim=-2) if len(pieces) > 1 else new


class PastLayer(DynamicLayer):  # type: ignore[no-untyped-call]  # the library's class is untyped
    """Gives a layer the past joined with the new keys and values, but keeps only the new ones.

    The library's own cache would keep the joined copies of all layers at once.
    """

    def __init__(self, past: Past) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.past = past

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> KeysValues:
        self.keys, self.values = key_states, value_states
        return self.past.join(0, key_states), self.past.join(1, value_states)

    def get_seq_length(self) -> int:
        return self.past.length

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.past.length + query_length, 0


def run_prefix(network: PreTrainedModel, ids: Sequence[int]) -> list[KeysValues] | None:
    """Keys and values of every layer after the prefix; None where a layer does not keep them all."""
    tokens = torch.tensor([ids], device=network.device)
    cache = network(input_ids=tokens, use_cache=True).past_key_values
    if not isinstance(cache, Cache):
        return None
    kept: list[KeysValues] = []
    for layer in cache.layers:
        keys, values = getattr(layer, "keys", None), getattr(layer, "values", None)
        if not isinstance(keys, Tensor) or not isinstance(values, Tensor) or keys.shape[-2] != len(ids):
            return None
        kept.append((keys, values))
    return kept


def step(network: PreTrainedModel, tokens: Tensor, pasts: list[Past]) -> tuple[tuple[Tensor, ...], list[KeysValues]]:
    """One token for each row of the batch, on its past: hidden states of every layer, and the new keys and values."""
    cache = Cache(layers=[PastLayer(past) for past in pasts])
    output = network(input_ids=tokens[:, None], past_key_values=cache, use_cache=True, output_hidden_states=True)
    layers: Any = cache.layers
    return output.hidden_states, [(layer.keys, layer.values) for layer in layers]
