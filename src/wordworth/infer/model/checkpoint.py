"""A model's folder: `config.json` and `model.safetensors`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from wordworth.errors import Foreign, WordworthError, reason_of
from wordworth.files import replacing
from wordworth.infer.model.attention import Network, Shape, shape_of
from wordworth.transform import orthonormal

ATTENTION = "decomposable-attention"
CONFIG, WEIGHTS = "config.json", "model.safetensors"
_EXTRA, _PROJECTION = "unknown_words", "projection"
_UNREADABLE = "{} cannot be read as a model's configuration"


@dataclass(frozen=True)
class TrainedNetwork:
    """A network as its folder holds it."""

    network: Network
    extra: NDArray[np.float32] | None
    """Vectors of unknown words and of the start of a sentence, where the network reads static vectors."""
    projections: dict[int, NDArray[np.float64]]
    """Layer → (k, dim): the orthonormal basis of what was taken out of the vectors that it was trained on; 0 are those
    that do not depend on a context."""
    config: dict[str, Any]

    @property
    def shape(self) -> Shape:
        return self.network.shape


def _projection(layer: int) -> str:
    return f"{_PROJECTION}.{layer}" if layer else _PROJECTION


def _layer(name: str) -> int | None:
    """The layer of a projection's tensor; None for any other's name."""
    _, mark, layer = name.partition(f"{_PROJECTION}.")
    if name == _PROJECTION:
        return 0
    return int(layer) if mark and layer.isascii() and layer.isdecimal() and len(layer) < 10 else None


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    with replacing(path) as part:
        part.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_config(folder: Path, shape: Shape, vectors: Mapping[str, Any]) -> None:
    """What the network is and what it reads; the same from the first epoch to the last."""
    write_json(folder / CONFIG, {"kind": ATTENTION, "shape": shape.plain(), "vectors": dict(vectors)})


def write_weights(
    folder: Path,
    weights: Mapping[str, Tensor],
    extra: NDArray[np.float32] | None,
    projections: Mapping[int, NDArray[np.float64]] = MappingProxyType({}),
) -> None:
    """The network's weights, in one step, with what belongs to the vectors that it reads."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    if extra is not None:
        tensors[_EXTRA] = torch.from_numpy(extra)
    for layer, basis in projections.items():
        tensors[_projection(layer)] = torch.from_numpy(np.ascontiguousarray(basis))
    with replacing(folder / WEIGHTS) as part:
        save_file(tensors, part)


def read_model(folder: Path) -> TrainedNetwork:
    """The model that `write_config` and `write_weights` wrote."""
    config = _config(folder / CONFIG)
    path = folder / WEIGHTS
    # On the device without memory, so that only the tensors that are there take any, whatever the shape says.
    with Foreign(_UNREADABLE.format(folder / CONFIG), "train the model again"), torch.device("meta"):
        network = Network(config["shape"])
    tensors = _tensors(path)
    extra, shape = tensors.pop(_EXTRA, None), network.shape
    # By the tensors' names, since the shape may say any number of layers.
    named = {layer: name for name in tensors if (layer := _layer(name)) is not None and layer <= shape.layers}
    projections = {layer: tensors.pop(name) for layer, name in sorted(named.items())}
    try:
        network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()}, assign=True)
    except RuntimeError as error:
        raise WordworthError(f"{path} does not go with its {CONFIG}; train the model again") from error
    # What ELMo says of a word alone stands twice in its vector, once for each direction that it reads in.
    alone = shape.dim // 2 if shape.layers > 1 else shape.dim
    widths = [(one, shape.dim if layer else alone) for layer, one in projections.items()]
    widths += [(extra, shape.dim)] if extra is not None else []
    if any(one.ndim != 2 or one.shape[1] != width for one, width in widths):
        raise WordworthError(f"{path} does not go with its {CONFIG}; train the model again")
    network.requires_grad_(False).eval()
    return TrainedNetwork(
        network,
        None if extra is None else extra.float().numpy(),
        {layer: orthonormal(basis.double().numpy()) for layer, basis in projections.items()},
        config,
    )


def _config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        if config["kind"] == ATTENTION and {"shape", "vectors"} <= config.keys():
            _check_vectors(config["vectors"])
            return {**config, "shape": shape_of(config["shape"])}
    except FileNotFoundError as error:
        raise WordworthError(f"{path.parent} holds no NLI model ({path.name} is not there); train one there") from error
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise WordworthError(f"{_UNREADABLE.format(path)} ({reason_of(error)}); train the model again") from error
    raise WordworthError(f"{path} describes a model of another kind than {ATTENTION}")


def _check_vectors(about: Any) -> None:
    """Stops where it is not said in texts which vectors the network reads."""
    texts = [about[key] for key in ("kind", "name", "source", "sha256")] + list(about["steps"])
    texts.append(about.get("projection", ""))
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("vectors")


def _tensors(path: Path) -> dict[str, Tensor]:
    with Foreign(f"{path} cannot be read", "train the model again"), safe_open(path, framework="pt") as stored:
        return {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
