"""The identity of a loaded model, from its content: tensors, configuration and tokenizer, whatever it is called.

It is computed when it is asked for, so that a network whose weights were changed in place is another one. A study asks
once (`hashed_once`).
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from uuid import uuid4

import tokenizers
import torch
import transformers
from torch import Tensor, nn

from wordworth.engine.cache import hash_content, hash_of

Identity = tuple[str | int | None, ...]
_MODULES = (transformers, torch, tokenizers)
LIBRARIES = tuple(f"{module.__name__} {module.__version__.partition('+')[0]}" for module in _MODULES)
"""The libraries that compute; the build of torch (+cpu, +cu130) does not count."""
_NOT_CONTENT = ("_name_or_path", "architectures", "transformers_version")
"""Entries of a configuration that say where it came from; the class of a network is hashed with its tensors."""
_ADAPTER_STATES = ("active_adapters", "disable_adapters", "merged_adapters", "scaling")
"""What a layer of PEFT computes by, besides its tensors."""


def hash_network(network: Any, skip: Callable[[str], bool] = lambda name: False, what: str = "network") -> str:
    """Return the sha256 over a network's tensors by name; `skip` tells those that its numbers do not depend on."""
    return hash_of(network, what, lambda: _hash_tensors(network, skip))


def hash_config(config: Any) -> str:
    """Return the sha256 over all of a configuration but where it came from."""
    return hash_content(json.dumps(_content(config.to_dict()), sort_keys=True, default=str))


def hash_tokenizer(tokenizer: Any) -> str:
    """Return the sha256 over all that a tokenizer does."""
    return hash_of(tokenizer, "tokenizer", lambda: _hash_tokenizer(tokenizer))


def _hash_tokenizer(tokenizer: Any) -> str:
    backend = json.loads(tokenizer.backend_tokenizer.to_str())
    backend |= {"padding": None, "truncation": None}  # each call of the library sets them
    special = {name: str(token) for name, token in tokenizer.special_tokens_map.items()}
    settings = [special, tokenizer.all_special_ids, tokenizer.model_max_length, tokenizer.model_input_names]
    settings += [tokenizer.padding_side, tokenizer.pad_token_type_id, type(tokenizer).__qualname__]
    return hash_content(hash_content(json.dumps(backend)), json.dumps(settings))


def _hash_tensors(network: nn.Module, skip: Callable[[str], bool]) -> str:
    hashes: dict[tuple[Any, ...], str] = {}  # tied weights are hashed once
    named: dict[str, str] = {}
    for path, module in network.named_modules():
        on_disk = any(weight.is_meta for weight in module.parameters(recurse=False))
        with _read_in(module) if on_disk else nullcontext():
            tensors = *module.named_parameters(recurse=False), *module.named_buffers(recurse=False)
            for own, tensor in tensors:
                name = f"{path}.{own}".removeprefix(".")
                if skip(name) or _is_recomputed(module, own):
                    continue
                place = tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype
                if place not in hashes or on_disk:  # the memory of what is read in is used again
                    hashes[place] = hash_content(tensor)
                named[name] = hashes[place]
        if hasattr(module, "merged_adapters"):
            states = [str(getattr(module, state, None)) for state in _ADAPTER_STATES]
            named[f"{path} adapters"] = hash_content(states)
        if has_foreign_hook(module):
            named[f"{path} hooks"] = uuid4().hex  # what a hook does cannot be read, so nothing kept is used
    for name, value in network.state_dict().items():  # what quantization adds to the weights
        if name not in named and not skip(name) and isinstance(value, Tensor):
            named[name] = hash_content(value)
    return hash_content(type(network).__qualname__, named)


def is_stateless(network: nn.Module) -> bool:
    """Return whether passes in several threads cannot disturb each other.

    They do where weights are brought from elsewhere, a user's hook watches, or a buffer follows the length of a text.
    """
    return not any(
        hasattr(module, "_hf_hook")  # accelerate's
        or has_foreign_hook(module)
        or any(_is_recomputed(module, name) for name, _ in module.named_buffers(recurse=False))
        for module in network.modules()
    )


def has_foreign_hook(module: nn.Module) -> bool:
    """Return whether a module has a hook of the user's, and not only those that libraries set for themselves."""
    hooks = (*module._forward_hooks.values(), *module._forward_pre_hooks.values())
    own = ("torch", "transformers", "accelerate", "wordworth")
    return any(str(getattr(hook, "__module__", "")).partition(".")[0] not in own for hook in hooks)


def _read_in(module: nn.Module) -> AbstractContextManager[None]:
    """Have the weights of a module that are on disk in memory while inside."""
    from accelerate.utils import align_module_device  # type: ignore[import-untyped]  # there where weights are on disk

    reading: AbstractContextManager[None] = align_module_device(module)
    return reading


def _is_recomputed(module: nn.Module, name: str) -> bool:
    """Return whether a forward pass sets a buffer by the length of its text: it follows from the configuration."""
    kinds: Any = getattr(module, "rope_type", "")
    kinds = list(kinds.values()) if isinstance(kinds, dict) else [kinds]
    changes = any("dynamic" in str(kind) or kind == "longrope" for kind in kinds)
    return changes and name.endswith("inv_freq") and not name.endswith("original_inv_freq")


def _content(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _content(one) for key, one in value.items() if key not in _NOT_CONTENT}
    return value
