"""Load NLI models by name: `nli-glove`, a folder of `train-nli`, or any other name for `transformers`.

A network over word vectors is a folder with `config.json` and `model.safetensors`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel
from safetensors import safe_open
from safetensors.torch import save_file

from wordworth.catalog.models import load_embedding
from wordworth.catalog.registry import entries, knows
from wordworth.catalog.resolve import NameLike, find, locate_files
from wordworth.embedding import Embedding
from wordworth.errors import LibraryErrors, WordworthError, first_problem
from wordworth.files import replacing
from wordworth.nli.attention import AttentionNli, Network, Shape, make_network
from wordworth.nli.contextual import ElmoVectors, Embedder, StaticVectors, draw_extra_vectors
from wordworth.nli.elmo import elmo_files, load_elmo
from wordworth.nli.nli import NliModel, TrainedWithout
from wordworth.transform import Subspace, orthonormal

DEFAULT = "nli-glove"
CONFIG, WEIGHTS = "config.json", "model.safetensors"
_EXTRA, _PROJECTION = "unknown_words", "projection"


class VectorsConfig(BaseModel):
    """The vectors that a network reads."""

    kind: Literal["static", "elmo"]
    name: str
    source: str
    sha256: str
    steps: list[str]
    projection: str = ""
    """The name of the subspace that was removed in training."""


class ModelConfig(BaseModel):
    """The configuration next to a network's weights."""

    kind: Literal["decomposable-attention"]
    shape: Shape
    vectors: VectorsConfig


@dataclass(frozen=True)
class TrainedNetwork:
    """The content of a network's folder."""

    network: Network
    extra: NDArray[np.float32] | None
    """Vectors of unknown words and of the start of a sentence, if the network reads static vectors."""
    projections: dict[int, NDArray[np.float64]]
    """Layer → (k, dim): the orthonormal basis removed from the vectors in training; 0 are context-free vectors."""
    config: ModelConfig


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file in one step."""
    with replacing(path) as temporary_path:
        temporary_path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _tensor_name(layer: int) -> str:
    return f"{_PROJECTION}.{layer}" if layer else _PROJECTION


def read_model(folder: Path) -> TrainedNetwork:
    """Read the model that `write_model` wrote."""
    config = _read_config(folder / CONFIG)
    path, shape = folder / WEIGHTS, config.shape
    with LibraryErrors(f"{path} cannot be read", "train the model again"), safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    extra = tensors.pop(_EXTRA, None)
    names = {layer: _tensor_name(layer) for layer in range(shape.layers + 1)}
    projections = {layer: tensors.pop(name) for layer, name in names.items() if name in tensors}
    # ELMo's context-free vectors have each number twice, once per direction.
    word_width = shape.dim // 2 if shape.layers > 1 else shape.dim
    widths = [(basis, shape.dim if layer else word_width) for layer, basis in projections.items()]
    widths += [(extra, shape.dim)] if extra is not None else []
    with torch.device("meta"):  # so that only the stored tensors take memory, whatever the shape says
        network = make_network(shape)
    try:
        network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()}, assign=True)
        has_right_shapes = all(tensor.ndim == 2 and tensor.shape[1] == width for tensor, width in widths)
    except RuntimeError:
        has_right_shapes = False
    if not has_right_shapes:
        raise WordworthError(f"{path} does not fit its {CONFIG}; train the model again")
    network.requires_grad_(False).eval()
    return TrainedNetwork(
        network,
        None if extra is None else extra.float().numpy(),
        {layer: orthonormal(basis.double().numpy()) for layer, basis in projections.items()},
        config,
    )


def _read_config(path: Path) -> ModelConfig:
    try:
        return ModelConfig.model_validate_json(path.read_bytes(), strict=True)
    except FileNotFoundError as error:
        raise WordworthError(f"{path.parent} has no NLI model ({path.name} is missing); train one there") from error
    except ValueError as error:
        problem = first_problem(error)
        raise WordworthError(f"{path} is not a configuration of train-nli ({problem}); train again") from error


@dataclass(frozen=True)
class Vectors:
    """The vectors that a network is trained on, and their description in its configuration."""

    embedder: Embedder
    about: VectorsConfig
    projections: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """Layer → the basis removed from it, in training and later; 0 are context-free vectors."""

    @property
    def extra(self) -> NDArray[np.float32] | None:
        """Return vectors of unknown words and of the start of a sentence, if the vectors are static."""
        return self.embedder.extra if isinstance(self.embedder, StaticVectors) else None

    def without(self, subspace: Subspace) -> "Vectors":
        """Return the same with a subspace removed from the context-free vectors; it is saved with the network."""
        return self._replace(self.embedder.without(subspace), {0: subspace})

    def without_in(self, subspaces: dict[int, Subspace]) -> "Vectors":
        """Return the same with a subspace removed from each of these layers of ELMo after all are computed."""
        if not isinstance(self.embedder, ElmoVectors):
            raise WordworthError(f"{self.about.name} has one layer; omit --elmo-layers")
        return self._replace(self.embedder.without_in(subspaces), subspaces)

    def _replace(self, embedder: Embedder, subspaces: dict[int, Subspace]) -> "Vectors":
        about = self.about.model_copy(update={"projection": next(iter(subspaces.values())).name})
        return Vectors(embedder, about, {layer: subspace.basis for layer, subspace in subspaces.items()})


def write_model(folder: Path, network: Network, vectors: Vectors) -> None:
    """Write a network and its own vectors and projections; `read_model` reads them."""
    config = ModelConfig(kind="decomposable-attention", shape=network.shape, vectors=vectors.about)
    write_json(folder / CONFIG, config.model_dump(mode="json"))
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    if vectors.extra is not None:
        tensors[_EXTRA] = torch.from_numpy(vectors.extra)
    for layer, basis in vectors.projections.items():
        tensors[_tensor_name(layer)] = torch.from_numpy(np.ascontiguousarray(basis))
    with replacing(folder / WEIGHTS) as temporary_path:
        save_file(tensors, temporary_path)


def load(name_or_path: NameLike | NliModel, device: str = "auto", labels: Sequence[str] = ()) -> NliModel:
    """Load an NLI model: `nli-glove`, a folder of `train-nli`, or a folder or name for `transformers`.

    `LABEL=…` sets its name in tables. `labels` is the order of a transformer's outputs if its files do not say.
    """
    if not isinstance(name_or_path, NameLike):
        return name_or_path
    origin = find(name_or_path)
    if origin.entry is not None or _is_trained_network(Path(origin.target).expanduser()):
        return load_attention_nli(origin)
    from wordworth.nli.cross_encoder import load_cross_encoder  # slow to import

    return load_cross_encoder(origin, device=device, labels=tuple(labels) or None)


def _is_trained_network(folder: Path) -> bool:
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(config, dict) and config.get("kind") == "decomposable-attention"


def load_attention_nli(name_or_path: NameLike = DEFAULT, *, vectors: Embedding | None = None) -> AttentionNli:
    """Load a trained model, which reads the vectors it was trained on, or `vectors` (such as projected ones)."""
    origin = find(name_or_path)
    if origin.entry is not None:
        if origin.entry.details["family"] != "nli":
            models = ", ".join(model.name for model in entries("models") if model.details["family"] == "nli")
            raise WordworthError(f"{origin.target} is not an NLI model; the catalog has {models}")
        name, folder = origin.name, locate_files(origin).where
    else:
        folder = Path(origin.target).expanduser()
        name = origin.label or folder.name
    network_files = read_model(folder)
    embedder, bases = _load_embedder(network_files, folder, vectors), network_files.projections
    if vectors is not None or not bases:
        return AttentionNli(name, network_files.network, embedder)
    subspace_name = network_files.config.vectors.projection
    subspaces = {layer: Subspace(subspace_name, basis, np.ones(len(basis))) for layer, basis in bases.items()}
    if 0 in subspaces:
        embedder = embedder.without(subspaces[0])
    elif isinstance(embedder, ElmoVectors):
        embedder = embedder.without_in(subspaces)
    trained_without = TrainedWithout(subspace_name, len(next(iter(bases.values()))), tuple(filter(None, bases)))
    return AttentionNli(name, network_files.network, embedder, trained_without)


def _load_embedder(network_files: TrainedNetwork, folder: Path, vectors: Embedding | None) -> Embedder:
    """Return `vectors` as the network reads them, or else those that it was trained on."""
    about = network_files.config.vectors
    if about.kind == "elmo":
        if vectors is not None:
            raise WordworthError(f"{folder} was trained over ELMo, so {vectors.name} cannot replace it")
        elmo = _load_elmo_vectors(Path(about.source))
        if elmo.about.sha256 != about.sha256:
            raise WordworthError(f"{about.source} has other weights than {folder} was trained with; restore them")
        return elmo.embedder
    if network_files.extra is None:
        raise WordworthError(f"{folder} lacks the vectors of unknown words; train the model again")
    return StaticVectors(_load_same_embedding(about, folder) if vectors is None else vectors, network_files.extra)


def _load_same_embedding(about: VectorsConfig, folder: Path) -> Embedding:
    """Return the vectors of the configuration; raise if they have changed since."""
    name = about.name if knows(about.name, "models") else about.source
    if about.steps:
        steps = ", ".join(about.steps)
        raise WordworthError(f"{folder} was trained on {name} after {steps}; give those vectors with --vectors")
    embedding = load_embedding(name)
    if about.sha256 and embedding.provenance.sha256 != about.sha256:
        raise WordworthError(f"{name} is not the file that {folder} was trained on; give the right one")
    return embedding


def vectors_to_train_on(vectors: NameLike | Embedding | Vectors, seed: int) -> Vectors:
    """Load static vectors by name or path, or ELMo from a folder with its options and weights."""
    if isinstance(vectors, Vectors):
        return vectors
    if not isinstance(vectors, Embedding):
        origin = find(vectors)
        if origin.path is not None and origin.path.is_dir() and elmo_files(origin.path):
            return _load_elmo_vectors(origin.path)
        vectors = load_embedding(origin)
    facts = vectors.provenance
    about = VectorsConfig(
        kind="static", name=facts.name, source=facts.source, sha256=facts.sha256, steps=list(facts.steps)
    )
    return Vectors(StaticVectors(vectors, draw_extra_vectors(vectors.dim, seed)), about)


def _load_elmo_vectors(folder: Path) -> Vectors:
    files = elmo_files(folder)
    if files is None:
        raise WordworthError(f"{folder} does not have one options.json and one weights file (.hdf5) of ELMo")
    elmo = load_elmo(*files)
    about = VectorsConfig(kind="elmo", name=folder.name, source=str(folder.resolve()), sha256=elmo.sha256, steps=[])
    return Vectors(ElmoVectors(elmo, folder.name), about)
