"""NLI models by name: `nli-glove`, a folder of `train-nli`, or any other name for `transformers`.

A network over word vectors is a folder with `config.json` and `model.safetensors`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.models import load_embeddings
from wordworth.catalog.registry import entries, entry, knows
from wordworth.catalog.resolve import split_label
from wordworth.embedding import Embedding
from wordworth.errors import Foreign, WordworthError, reason_of
from wordworth.files import replacing
from wordworth.nli.attention import Network, Shape, shape_of
from wordworth.nli.contextual import ElmoVectors, Embedder
from wordworth.nli.elmo import elmo_files, load_elmo
from wordworth.nli.nli import NliModel, TrainedWithout
from wordworth.nli.over_vectors import AttentionNli
from wordworth.nli.vocabulary import StaticVectors, drawn
from wordworth.transform import Subspace, orthonormal

DEFAULT = "nli-glove"
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


@dataclass(frozen=True)
class Vectors:
    """What a network is trained on: vectors, and what its configuration says of them."""

    embedder: Embedder
    extra: NDArray[np.float32] | None
    about: dict[str, Any]
    projections: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """Layer → the basis of what is taken out of it, in training and ever after; 0 is what depends on no context."""

    def without(self, subspace: Subspace) -> "Vectors":
        """The same with a subspace taken out of the context-free vectors; the network's folder keeps it."""
        about = {**self.about, "projection": subspace.name}
        return replace(self, embedder=self.embedder.without(subspace), about=about, projections={0: subspace.basis})

    def without_in(self, subspaces: dict[int, Subspace]) -> "Vectors":
        """The same with a subspace taken out of each of these layers of ELMo, once all are computed."""
        if not isinstance(self.embedder, ElmoVectors):
            raise WordworthError(f"{self.about['name']} has no layers but one; leave --elmo-layers out")
        about = {**self.about, "projection": next(iter(subspaces.values())).name}
        bases = {layer: one.basis for layer, one in subspaces.items()}
        return replace(self, embedder=self.embedder.without_in(subspaces), about=about, projections=bases)


def load(named: str | Path | NliModel, device: str = "auto", labels: Sequence[str] = ()) -> NliModel:
    """Load an NLI model: `nli-glove`, a folder of `train-nli`, or a folder or name for `transformers`.

    `LABEL=…` says what tables call it. `labels` is the order of a transformer's outputs where its files do not say.
    """
    if not isinstance(named, str | Path):
        return named
    label, target = split_label(named)
    if _is_over_vectors(target):
        model = load_attention_nli(target)
        return replace(model, name=label) if label else model
    # Slow to import, and needed only here; by its name, since it imports the package for its version.
    transformer: NliModel = import_module("wordworth.nli.cross_encoder").load_cross_encoder(
        target, device=device, name=label or None, labels=tuple(labels) or None
    )
    return transformer


def load_attention_nli(named: str | Path = DEFAULT, *, vectors: Embedding | None = None) -> AttentionNli:
    """A trained model; it reads the vectors it was trained on, or `vectors` in their place (projected ones, say)."""
    name = str(named)
    if isinstance(named, str) and knows(name, "models"):
        declared = entry(name, "models")
        if declared.details["family"] != "nli":
            known = ", ".join(one.name for one in entries("models") if one.details["family"] == "nli")
            raise WordworthError(f"{name} is no NLI model; of the catalog's models {known} is one")
        folder = locate(name, declared.sources).path
    else:
        folder = Path(name).expanduser()
        name = folder.name
    trained = read_model(folder)
    without = None if vectors is not None else _trained_without(trained)
    return AttentionNli(name, trained.network, _reading(trained, folder, vectors), without)


def _trained_without(trained: TrainedNetwork) -> TrainedWithout | None:
    bases = trained.projections
    if not bases:
        return None
    layers = tuple(layer for layer in bases if layer)
    return TrainedWithout(_named(trained), len(next(iter(bases.values()))), layers)


def _named(trained: TrainedNetwork) -> str:
    """What was taken out of its vectors."""
    return str(trained.config["vectors"].get("projection", "what it was trained without"))


def _is_over_vectors(target: str) -> bool:
    """Return whether a target is a name of the catalog, or a folder with a network over vectors."""
    path = Path(target).expanduser() / CONFIG
    if knows(target, "models") or not path.is_file():
        return knows(target, "models")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise WordworthError(f"{path} is not JSON: {reason_of(error)}; train the model again") from error
    return isinstance(config, dict) and config.get("kind") == ATTENTION


def _reading(trained: TrainedNetwork, folder: Path, vectors: Embedding | None) -> Embedder:
    about = trained.config["vectors"]
    if about["kind"] == "elmo":
        if vectors is not None:
            raise WordworthError(f"{folder} was trained over ELMo, so {vectors.name} cannot take its place")
        read = _elmo(Path(about["source"]))
        embedder: Embedder = read.embedder
        if read.about["sha256"] != about["sha256"]:
            raise WordworthError(f"{about['source']} holds other weights than {folder} was trained with")
    else:
        if trained.extra is None:
            raise WordworthError(f"{folder} lacks the vectors of unknown words; train the model again")
        if vectors is not None:
            return StaticVectors(vectors, trained.extra)
        embedder = StaticVectors(_trained_on(about, folder), trained.extra)
    name = _named(trained)
    without = {layer: Subspace(name, basis, np.ones(len(basis))) for layer, basis in trained.projections.items()}
    if 0 in without:
        return embedder.without(without[0])
    return embedder.without_in(without) if without and isinstance(embedder, ElmoVectors) else embedder


def _trained_on(about: dict[str, Any], folder: Path) -> Embedding:
    """The vectors of the configuration, where they are the same as then: those of a name, or of an unchanged file."""
    named = about["name"] if knows(about["name"], "models") else about["source"]
    if about["steps"]:
        steps = ", ".join(about["steps"])
        raise WordworthError(f"{folder} was trained on {named} after {steps}; give those vectors with --vectors")
    embedding = one_embedding(named)
    if about["sha256"] and embedding.provenance.sha256 != about["sha256"]:
        raise WordworthError(f"{named} is another file than {folder} was trained on; give the right one")
    return embedding


def one_embedding(named: str | Path) -> Embedding:
    """The one embedding of that name or path; a folder of many decades is not one."""
    embeddings = list(load_embeddings(named))
    if len(embeddings) != 1:
        raise WordworthError(f"{named} holds {len(embeddings)} embeddings; name one of them")
    return embeddings[0]


def vectors_to_train_on(named: str | Path | Embedding | Vectors, seed: int) -> Vectors:
    """Static vectors by name, path or as they are, or ELMo as a folder with its options and weights."""
    if isinstance(named, Vectors):
        return named
    if not isinstance(named, Embedding):
        folder = Path(named).expanduser()
        if folder.is_dir() and elmo_files(folder):
            return _elmo(folder)
        named = one_embedding(named)
    provenance = named.provenance
    about = {"kind": "static", "name": provenance.name, "source": provenance.source, "sha256": provenance.sha256}
    extra = drawn(named.dim, seed)
    return Vectors(StaticVectors(named, extra), extra, {**about, "steps": list(provenance.steps)})


def _elmo(folder: Path) -> Vectors:
    files = elmo_files(folder)
    if files is None:
        raise WordworthError(f"{folder} does not hold one options.json and one weights file (.hdf5) of ELMo")
    elmo = load_elmo(*files)
    about = {"kind": "elmo", "name": folder.name, "source": str(folder.resolve()), "sha256": elmo.sha256, "steps": []}
    return Vectors(ElmoVectors(elmo, folder.name), None, about)
