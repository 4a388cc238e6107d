"""A network whose weights do not fit a device: its layers fill the devices there are, or are read from their files.

Everything but the layers stays on the device that computes. The layers fill the GPUs in their order, then the memory of
the machine; the others stay on disk, and are read whenever their turn comes. The library does it, by a device map.
"""

from functools import cache
from math import inf, prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from safetensors import safe_open
from transformers import PretrainedConfig

from wordworth.catalog.models import weight_files
from wordworth.encode.passes import layer_lists
from wordworth.engine.batching import free_memory
from wordworth.engine.engines import notice
from wordworth.errors import WordworthError
from wordworth.files import cache_dir

SPREAD, DISK = "spread", "disk"
"""Values of --device: over all there are; every layer from disk."""
MEMORY_SHARE = 0.8
"""Of free memory that weights may take; the rest is for what is computed."""


def measure_weights(folder: Path, dtype: torch.dtype | str) -> tuple[int, int]:
    """Count the numbers in a folder's safetensors, and their bytes in a precision (`auto`: those of the files)."""
    files, count = weight_files(folder), 0
    for file in files:
        with safe_open(file, framework="pt") as file_reader:
            count += sum(prod(file_reader.get_slice(name).get_shape()) for name in file_reader.keys())  # noqa: SIM118
    return count, sum(file.stat().st_size for file in files) if isinstance(dtype, str) else count * dtype.itemsize


def fits(size: int, device: torch.device) -> bool:
    """Return whether so many bytes of weights go on the device, and leave room for what is computed."""
    return size <= MEMORY_SHARE * free_memory(device)


def device_map(
    kind: Any, config: PretrainedConfig, each: float, main: torch.device, *, from_disk: bool
) -> dict[str, str | int]:
    """Return where each part of a network goes, whose weights have so many bytes each; `main` is where it computes."""
    with torch.device("meta"):
        network = kind.from_config(config)
    lists = layer_lists(network)
    if not lists:
        raise WordworthError(f"{config.model_type} has no list of layers, so it cannot be spread; choose --device cpu")
    here: str | int = (main.index or 0) if main.type == "cuda" else main.type
    layers, place_of = dict[str, float](), dict[str, str | int]()
    tensors = *network.named_parameters(remove_duplicate=False), *network.named_buffers(remove_duplicate=False)
    for name, tensor in tensors:
        path, owner = next((path for path in lists if name.startswith(f"{path}.")), None), name.rpartition(".")[0]
        if path is not None:
            layer = f"{path}.{name[len(path) + 1 :].partition('.')[0]}"
            layers[layer] = layers.get(layer, 0) + each * tensor.numel()
        else:
            is_around = not owner or any(path.startswith(f"{owner}.") for path in lists)
            place_of[name if is_around else owner] = here
    size = each * network.num_parameters()
    stays = size - sum(layers.values()) + max(layers.values())  # one layer is there as well, while it is computed
    rooms = iter([*([] if from_disk else _rooms(main, stays)), (DISK, inf)])
    place, room = next(rooms)
    for layer, bytes_of in layers.items():
        while bytes_of > room:
            place, room = next(rooms)
        place_of[layer] = place
        room -= bytes_of
    disk_gb = sum(bytes_of for layer, bytes_of in layers.items() if place_of[layer] == DISK) / 1e9
    how = f"{disk_gb:,.1f} GB of it layer by layer from disk" if disk_gb else "spread over the devices there are"
    notice(f"{size / 1e9:,.1f} GB of weights and {free_memory(main) / 1e9:,.1f} GB free on {main}: {how}.")
    return place_of


def _rooms(main: torch.device, stays: float) -> list[tuple[str | int, float]]:
    """Return where layers may lie, and how many bytes of them; on the first, so many bytes are taken."""
    rooms: list[tuple[str | int, float]] = []
    if main.type == "cuda":
        gpus = sorted(range(torch.cuda.device_count()), key=lambda at: at != (main.index or 0))
        rooms = [(at, MEMORY_SHARE * free_memory(torch.device("cuda", at))) for at in gpus]
    rooms.append(("cpu", MEMORY_SHARE * free_memory(torch.device("cpu"))))
    return [(rooms[0][0], rooms[0][1] - stays), *rooms[1:]]


@cache
def offload_folder() -> TemporaryDirectory[str]:
    """Make a folder for layers whose weights the library rearranges (experts, say); it ends with the process."""
    cache_dir().mkdir(parents=True, exist_ok=True)
    return TemporaryDirectory(prefix="layers-", dir=cache_dir())
