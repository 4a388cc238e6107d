"""Keys and values of a shared left context, computed once and read by every word that follows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from transformers import PreTrainedModel
from transformers.cache_utils import Cache, DynamicLayer

KeysValues = tuple[Tensor, Tensor]
"""Both nodes × heads × tokens × head size."""


@dataclass(frozen=True)
class PathCache:
    """What the tokens of a batch look back on in one layer: paths of the level above, and which one each follows."""

    paths: KeysValues | None
    """None at the start of a text."""
    parents: Tensor
    runs: Sequence[tuple[int, int, int]] = ()
    """First token, end and parent of each run of tokens that follow the same path, where these are few."""

    @property
    def length(self) -> int:
        return 0 if self.paths is None else self.paths[0].shape[-2]

    def join(self, which: int, new: Tensor) -> Tensor:
        """Keys (0) or values (1) of each token's path, then its own; for the first rows alone if `new` has fewer."""
        if self.paths is None:
            return new
        paths = self.paths[which]
        joined = new.new_empty(len(new), new.shape[1], self.length + 1, new.shape[3])
        joined[:, :, -1:] = new
        if self.runs:
            # Straight from the path to its place: gathering first would copy everything twice.
            for first, end, parent in self.runs:
                joined[first:end, :, :-1] = paths[parent]
        else:
            # The layers of a network that is spread keep their paths on devices of their own.
            joined[:, :, :-1] = paths.index_select(0, self.parents[: len(new)].to(paths.device))
        return joined


class PathCacheLayer(DynamicLayer):  # type: ignore[no-untyped-call]  # the library's class is untyped
    """Gives a layer the paths joined with the new keys and values, but keeps only the new ones.

    The library's own cache would keep the joined copies of all layers at once.
    """

    def __init__(self, path_cache: PathCache) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.path_cache = path_cache

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> KeysValues:
        self.keys, self.values = key_states, value_states
        return self.path_cache.join(0, key_states), self.path_cache.join(1, value_states)

    def get_seq_length(self) -> int:
        return self.path_cache.length

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.path_cache.length + query_length, 0


def run_prefixes(network: PreTrainedModel, tokens: Tensor) -> list[KeysValues] | None:
    """Keys and values of every layer after prefixes of one length; None where a layer does not keep them all."""
    cache = getattr(network(input_ids=tokens, use_cache=True), "past_key_values", None)
    if not isinstance(cache, Cache):
        return None
    layers: list[KeysValues] = []
    for layer in cache.layers:
        keys, values = getattr(layer, "keys", None), getattr(layer, "values", None)
        if not isinstance(keys, Tensor) or not isinstance(values, Tensor) or keys.shape[-2] != tokens.shape[1]:
            return None
        layers.append((keys, values))
    return layers


def run_tokens(
    network: PreTrainedModel, tokens: Tensor, caches: list[PathCache]
) -> tuple[tuple[Tensor, ...], list[KeysValues]]:
    """One token a row of the batch, after its path: hidden states of every layer, and the new keys and values."""
    cache = Cache(layers=[PathCacheLayer(path_cache) for path_cache in caches])
    output = network(input_ids=tokens[:, None], past_key_values=cache, use_cache=True, output_hidden_states=True)
    layers: Any = cache.layers
    return output.hidden_states, [(layer.keys, layer.values) for layer in layers]
