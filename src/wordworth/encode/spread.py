"""A network whose weights do not fit a device: spread over those there are, or read from disk a layer at a time.

Everything but the layers stays on the device that computes. The layers fill the GPUs in their order, then the memory of
the machine; the others stay in their files, and are read whenever their turn comes.
"""

import atexit
import re
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import inf, prod
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import nn
from transformers import PretrainedConfig

from wordworth.catalog.models import weight_files
from wordworth.encode.depth import layer_lists
from wordworth.encode.identity import OFFLOADED
from wordworth.engine.batching import free_memory
from wordworth.engine.notices import notice
from wordworth.errors import WordworthError
from wordworth.files import cache_dir, scratch

SPREAD, DISK = "spread", "disk"
"""Values of --device: over all there are; every layer from disk."""
SHARE = 0.8
"""Of free memory that weights may take; the rest is for what is computed."""
_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
Part = str | int
"""A place of weights, in the library's words: a GPU's number, `cpu` or `disk`."""


@dataclass(frozen=True)
class Weights:
    """How many numbers there are, and the bytes they take."""

    numbers: int
    bytes: int


def weights_in(folder: Path, dtype: torch.dtype | str) -> Weights:
    """The weights of a folder's safetensors in a precision (`auto`: their own), read off their headers alone."""
    numbers = taken = 0
    for file in weight_files(folder):
        with safe_open(file, framework="pt") as opened:
            for name in opened.keys():  # noqa: SIM118  # it is no dictionary
                one = opened.get_slice(name)
                count = prod(one.get_shape())
                numbers += count
                taken += count * (_BYTES.get(one.get_dtype(), 4) if isinstance(dtype, str) else dtype.itemsize)
    return Weights(numbers, taken)


def can_spread() -> bool:
    """Whether the library can put weights elsewhere than into the machine's memory."""
    return find_spec("accelerate") is not None


def fits(size: int, device: torch.device) -> bool:
    """Whether so many bytes of weights go on the device, and leave room for what is computed."""
    return size <= SHARE * free_memory(device)


def device_map(
    kind: Any, config: PretrainedConfig, weights: Weights, main: torch.device, *, from_disk: bool
) -> dict[str, Part]:
    """Where each part of a network goes; `main` is the device that computes."""
    if not can_spread():
        raise WordworthError(
            f"{_gigabytes(weights.bytes)} of weights are more than {main} takes; install wordworth[large] to spread "
            f"them, or choose --device {main.type} to try it nevertheless"
        )
    with torch.device("meta"):
        network = kind.from_config(config)
    names = dict([*network.named_parameters(remove_duplicate=False), *network.named_buffers(remove_duplicate=False)])
    paths = layer_lists(network, int(config.num_hidden_layers))
    if not paths:
        raise WordworthError(f"{config.model_type} has no list of layers, so it cannot be spread; choose --device cpu")
    layers, rest = _parts(names, paths)
    each = weights.bytes / max(1, weights.numbers)
    sizes = {layer: each * _numbers(names, layer) for layer in layers}
    whole = each * sum(weight.numel() for weight in network.parameters())
    stays = whole - sum(sizes.values()) + max(sizes.values())  # one layer is there beside, while it is computed
    free = free_memory(main)
    if main.type == "cuda" and stays > free:
        raise WordworthError(
            f"the embedding, the head and one layer ({_gigabytes(stays)}) do not fit the {_gigabytes(free)} free on "
            f"{main}; choose --device cpu"
        )
    here: Part = (main.index or 0) if main.type == "cuda" else main.type
    placed = dict.fromkeys(rest, here) | _filled(sizes, [] if from_disk else _rooms(main, stays))
    read = sum(size for layer, size in sizes.items() if placed[layer] == DISK)
    how = f"{_gigabytes(read)} of it layer by layer from disk" if read else "spread over the devices there are"
    notice(f"{_gigabytes(whole)} of weights and {_gigabytes(free)} free on {main}: {how}.")
    return placed


def _parts(names: Iterable[str], paths: list[str]) -> tuple[list[str], list[str]]:
    """The layers in their order, and the other modules or weights."""
    layers: dict[str, None] = {}
    rest: dict[str, None] = {}
    for name in names:
        path = next((path for path in paths if name.startswith(f"{path}.")), None)
        if path is not None:
            layers[f"{path}.{name[len(path) + 1 :].partition('.')[0]}"] = None
        else:
            owner = name.rpartition(".")[0]
            inside = any(f"{other}.".startswith(f"{owner}.") for other in paths) or not owner
            rest[name if inside else owner] = None
    return list(layers), list(rest)


def _numbers(names: Mapping[str, torch.Tensor], part: str) -> int:
    return sum(tensor.numel() for name, tensor in names.items() if name == part or name.startswith(f"{part}."))


def _rooms(main: torch.device, stays: float) -> list[tuple[Part, float]]:
    """Where layers may lie, and how many bytes of them."""
    rooms: list[tuple[Part, float]] = []
    if main.type == "cuda":
        first = main.index or 0
        others = [at for at in range(torch.cuda.device_count()) if at != first]
        rooms = [(at, SHARE * free_memory(torch.device("cuda", at))) for at in (first, *others)]
    rooms.append(("cpu", SHARE * free_memory(torch.device("cpu"))))
    return [(rooms[0][0], rooms[0][1] - stays), *rooms[1:]]


def _filled(sizes: Mapping[str, float], rooms: list[tuple[Part, float]]) -> dict[str, Part]:
    """Layers in their order into rooms in theirs; what fits none stays on disk."""
    placed: dict[str, Part] = {}
    left = iter([*rooms, (DISK, inf)])
    place, room = next(left)
    for part, size in sizes.items():
        while size > room:
            place, room = next(left)
        placed[part] = place
        room -= size
    return placed


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"


@cache
def rewritten() -> Path:
    """A folder for layers whose weights the library lays out anew (experts, say); it ends with the process."""
    held = ExitStack()
    atexit.register(held.close)
    return held.enter_context(scratch(cache_dir() / "layers"))


def hooked(network: Any) -> Any:
    """Turns accelerate's hooks, where there are some, into those of torch.

    accelerate puts its own into a module's `forward`, and a copy of the module would go on running the original.
    """
    readers: dict[int, _Reader] = {}
    hooks = 0
    for module in network.modules():
        hook = module.__dict__.pop("_hf_hook", None)
        if hook is None:
            continue
        hooks += 1
        del module.forward, module._old_forward
        weights = getattr(hook, "weights_map", None)
        if weights is not None:
            weights.dataset = readers.setdefault(id(weights.dataset), _Reader(weights.dataset))
            vars(module)[OFFLOADED] = weights

        def before(module: nn.Module, args: Any, kwargs: Any, hook: Any = hook) -> Any:
            return hook.pre_forward(module, *args, **kwargs)

        def after(module: nn.Module, args: Any, output: Any, hook: Any = hook) -> Any:
            return hook.post_forward(module, output)

        module.register_forward_pre_hook(before, with_kwargs=True)
        module.register_forward_hook(after)
    if hooks:
        network.register_forward_pre_hook(_refuse_training)
    for name in ("to", "cuda"):  # they warn, and hold the network
        network.__dict__.pop(name, None)
    return network


class _Reader:
    """Weights of layers by name. Those in another precision than the file's go through one layer's memory again and
    again: taken and given back each time, it would pile up in the allocator."""

    def __init__(self, weights: Any) -> None:
        self.weights = weights
        self.memory: dict[tuple[str, torch.Size], torch.Tensor] = {}

    def __getitem__(self, name: str) -> torch.Tensor:
        file = self.weights.index.get(name)
        if file is None or torch.device(self.weights.device or "cpu").type != "cpu":
            read: torch.Tensor = self.weights[name]
            return read
        with safe_open(file["safetensors_file"], framework="pt") as opened:
            stored: torch.Tensor = opened.get_tensor(file["weight_name"])
        dtype = getattr(torch, file["dtype"])
        if stored.dtype == dtype:
            return stored
        key = re.sub(r"\.\d+\.", ".", name, count=1), stored.shape
        if key not in self.memory:
            with torch.inference_mode(mode=False):
                self.memory[key] = torch.empty(stored.shape, dtype=dtype)
        return self.memory[key].copy_(stored)

    def __contains__(self, name: object) -> bool:
        return name in self.weights


def _refuse_training(module: nn.Module, _: Any) -> None:
    if module.training:
        raise WordworthError("a model that is spread or read from disk cannot be trained; choose --device cpu or cuda")
