"""A network that goes no deeper than it is asked to: the layers behind the highest one wanted are not computed."""

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from wordworth.encode.capabilities import hidden_states, reuses_kv_cache
from wordworth.encode.model import LanguageModel, trial_ids

_CANNOT = (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError)
"""What a network raises that needs the layers it was robbed of."""
_made: WeakKeyDictionary[LanguageModel, dict[tuple[int, ...], LanguageModel | None]] = WeakKeyDictionary()


def no_deeper(model: LanguageModel, layer: int) -> LanguageModel:
    """The model without the layers behind `layer` (the first one stays), with the same weights in memory.

    The states of the layers that it has are the same to the bit, which is tried. Where they are not, since an
    architecture does something of its own, it is the whole model: slower, and no other numbers.
    """
    last = max(layer, 1)
    if last >= model.layers:
        return model
    made = _made.setdefault(model, {})
    modules = last, *map(id, model.network.modules())  # one that was replaced is another
    if modules not in made:
        made[modules] = _shortened(model, last)
    return made[modules] or model


def _shortened(model: LanguageModel, layers: int) -> LanguageModel | None:
    ids = trial_ids(model.tokenizer)
    with torch.inference_mode():
        expected = _states(model.network, ids)
        for norm in (None, *_final_norms(model.network, ids)):
            try:
                network = _cut(model.network, layers, norm)
                states = _states(network, ids)
            except _CANNOT:
                continue
            if len(states) == layers + 1 and all(map(torch.equal, states, expected[: layers + 1])):
                reuses = model.reuses_kv_cache and reuses_kv_cache(network, ids)
                return replace(model, network=network, layers=layers, reuses_kv_cache=reuses)
    return None


def _states(network: PreTrainedModel, ids: Sequence[int]) -> tuple[Tensor, ...]:
    return hidden_states(network, torch.tensor([ids], device=network.device))


def _cut(network: PreTrainedModel, layers: int, norm: str | None) -> PreTrainedModel:
    """The network with so many layers and without the final norm of that name; it has modules and settings of its own.

    The library applies that norm to the last hidden state alone, and the last one here is not the last of the whole.
    """
    short: PreTrainedModel = _copied(network, {})
    for path in layer_lists(short, int(network.config.num_hidden_layers)):
        short.set_submodule(path, nn.ModuleList(list(short.get_submodule(path).children())[:layers]))
    if norm is not None:
        short.set_submodule(norm, nn.Identity())
    configurations: dict[int, Any] = {}
    for module in short.modules():
        if hasattr(module, "config"):
            own: Any = module
            own.config = configurations.setdefault(id(own.config), copy.deepcopy(own.config))
    for config in configurations.values():
        if getattr(config, "layer_types", None) is not None:  # the cache of keys and values is laid out by it
            config.layer_types = list(config.layer_types)[:layers]
        config.num_hidden_layers = layers
    return short


def _copied(module: Any, copies: dict[int, Any]) -> Any:
    """The same modules once more: weights, buffers and hooks are those of the originals, whatever becomes of them."""
    if id(module) not in copies:
        made = copies[id(module)] = copy.copy(module)
        made._modules = {
            name: None if child is None else _copied(child, copies) for name, child in module._modules.items()
        }
    return copies.get(id(module))


def layer_lists(network: PreTrainedModel, depth: int) -> list[str]:
    """The lists of as many modules as there are layers, those inside others left away; ALBERT has one layer for all."""
    found: list[str] = []
    for path, module in network.named_modules():
        inner = any(path.startswith(f"{outer}.") for outer in found)
        if isinstance(module, nn.ModuleList) and len(module) == depth and not inner:
            found.append(path)
    return found


def _final_norms(network: PreTrainedModel, ids: Sequence[int]) -> list[str]:
    """The modules that run once and turn something else into the last hidden state: the final norm, if there is one."""
    calls: Counter[str] = Counter()
    turned: dict[str, tuple[Tensor, Tensor]] = {}
    hooks = []
    for path, module in network.named_modules():

        def seen(_: nn.Module, given: tuple[Any, ...], output: Any, path: str = path) -> None:
            calls[path] += 1
            if given and isinstance(given[0], Tensor) and isinstance(output, Tensor):
                turned[path] = given[0], output

        hooks.append(module.register_forward_hook(seen))
    try:
        last = _states(network, ids)[-1]
    finally:
        for hook in hooks:
            hook.remove()
    return [
        path
        for path, (given, output) in turned.items()
        if calls[path] == 1 and _alike(output, last) and not _alike(given, last)
    ]


def _alike(one: Tensor, other: Tensor) -> bool:
    return one.numel() == other.numel() and torch.equal(one.flatten(), other.flatten())
