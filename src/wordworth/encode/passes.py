"""Forward passes: hidden states no deeper than asked, and tokens behind a left context that is run once."""

import inspect
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import DynamicCache, PreTrainedModel

KeysValues = tuple[Tensor, Tensor]
"""Both texts × heads × tokens × head size."""


@dataclass(frozen=True, eq=False)
class Stop:
    """Where a pass ends: the modules that are a network's layers, and the layer whose states are the last wanted."""

    blocks: Sequence[nn.Module]
    layer: int


class _Reached(Exception):  # noqa: N818  # it is no error
    """Ends a forward pass from inside."""


def accepted(network: PreTrainedModel) -> frozenset[str]:
    """Return the names of the arguments that the network's forward pass takes."""
    return frozenset(inspect.signature(network.forward).parameters)


def hidden_states(
    network: PreTrainedModel, ids: Tensor, stop: Stop | None = None, **more: Tensor
) -> tuple[Tensor, ...]:
    """Return layers 0…L of a plain forward pass, each batch × tokens × dim; the last one is after the final norm.

    With a stop, the layers behind it are neither computed nor returned.
    """
    names = accepted(network)
    # Nothing is generated, so no keys and values or memories need to be kept.
    unkept = {name: False for name in ("use_cache", "use_mems") if name in names}
    return _run(network, stop, input_ids=ids, **unkept, **more)


def _run(network: PreTrainedModel, stop: Stop | None, **given: Any) -> tuple[Tensor, ...]:
    if stop is None:
        states: tuple[Tensor, ...] = network(output_hidden_states=True, **given).hidden_states
        return states
    with _inputs_of(stop.blocks, stop.layer) as inputs:
        network(**given)
    return tuple(inputs)


@contextmanager
def _inputs_of(blocks: Iterable[nn.Module], last: int | None = None) -> Iterator[list[Tensor]]:
    """Collect what is given to the blocks, call by call: layer i is what call i is given. End the pass at call `last`.

    One block may be called for several layers, as in ALBERT.
    """
    inputs: list[Tensor] = []

    def note(_: nn.Module, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        inputs.append(next(iter((*args, *named.values()))))
        if len(inputs) - 1 == last:
            raise _Reached

    handles = [block.register_forward_pre_hook(note, with_kwargs=True) for block in blocks]
    try:
        yield inputs
    except _Reached:
        pass
    finally:
        for handle in handles:
            handle.remove()


def layer_lists(network: nn.Module) -> list[str]:
    """Return the paths of the lists of modules that are not inside of others."""
    paths: list[str] = []
    for path, module in network.named_modules():
        if isinstance(module, nn.ModuleList) and not any(path.startswith(f"{outer}.") for outer in paths):
            paths.append(path)
    return paths


def find_blocks(network: PreTrainedModel, ids: Sequence[int]) -> str | None:
    """Return the path of the list of layers whose inputs are the hidden states to the bit, tried on a text.

    None where there is no such list: XLNet's layers are given the tokens before the texts.
    """
    text = torch.tensor([ids], device=network.device)
    with torch.inference_mode():
        *expected, _ = hidden_states(network, text)
        for path in layer_lists(network):
            with _inputs_of(network.get_submodule(path).children()) as inputs:
                hidden_states(network, text)
            if len(inputs) == len(expected) and all(map(torch.equal, inputs, expected)):
                return path
    return None


def run_prefixes(network: PreTrainedModel, tokens: Tensor, stop: Stop | None = None) -> list[KeysValues] | None:
    """Return keys and values of the layers after prefixes of one length; None where a layer does not keep them all."""
    cache: Any = DynamicCache(config=network.config)
    _run(network, stop, input_ids=tokens, past_key_values=cache, use_cache=True)
    layers: list[KeysValues] = []
    for layer in cache.layers[: None if stop is None else stop.layer]:
        keys, values = getattr(layer, "keys", None), getattr(layer, "values", None)
        if not isinstance(keys, Tensor) or not isinstance(values, Tensor) or keys.shape[-2] != tokens.shape[1]:
            return None
        layers.append((keys, values))
    return layers


def run_tokens(
    network: PreTrainedModel, tokens: Tensor, paths: Sequence[KeysValues], stop: Stop | None = None
) -> tuple[tuple[Tensor, ...], list[KeysValues]]:
    """Run one token per path: return its hidden states, and the paths with it. Without paths, texts begin here."""
    cache: Any = DynamicCache(paths)
    states = _run(network, stop, input_ids=tokens[:, None], past_key_values=cache, use_cache=True)
    return states, [(layer.keys, layer.values) for layer in cache.layers]
