"""NLI models by name: `nli-glove`, a folder of `train-nli`, or any other name for `transformers`.

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


class VectorsRead(BaseModel):
    """Which vectors a network reads."""

    kind: Literal["static", "elmo"]
    name: str
    source: str
    sha256: str
    steps: list[str]
    projection: str = ""
    """The name of what was removed from them in training."""


class ModelConfig(BaseModel):
    """The configuration next to a network's weights."""

    kind: Literal["decomposable-attention"]
    shape: Shape
    vectors: VectorsRead


@dataclass(frozen=True)
class TrainedNetwork:
    """A network as its folder holds it."""

    network: Network
    extra: NDArray[np.float32] | None
    """Vectors of unknown words and of the start of a sentence, where the network reads static vectors."""
    projections: dict[int, NDArray[np.float64]]
    """Layer → (k, dim): the orthonormal basis of what was removed from the vectors that it was trained on; 0 are those
    that do not depend on a context."""
    config: ModelConfig


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file in one step."""
    with replacing(path) as part:
        part.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _tensor_name(layer: int) -> str:
    return f"{_PROJECTION}.{layer}" if layer else _PROJECTION


def read_model(folder: Path) -> TrainedNetwork:
    """Read the model that `write_model` wrote."""
    config = _read_config(folder / CONFIG)
    path, shape = folder / WEIGHTS, config.shape
    with LibraryErrors(f"{path} cannot be read", "train the model again"), safe_open(path, framework="pt") as stored:
        tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    extra = tensors.pop(_EXTRA, None)
    names = {layer: _tensor_name(layer) for layer in range(shape.layers + 1)}
    projections = {layer: tensors.pop(name) for layer, name in names.items() if name in tensors}
    # What ELMo says of a word alone stands twice in its vector, once for each direction that it reads in.
    alone = shape.dim // 2 if shape.layers > 1 else shape.dim
    widths = [(basis, shape.dim if layer else alone) for layer, basis in projections.items()]
    widths += [(extra, shape.dim)] if extra is not None else []
    with torch.device("meta"):  # so that only the tensors that are there take memory, whatever the shape says
        network = make_network(shape)
    try:
        network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()}, assign=True)
        fits = all(one.ndim == 2 and one.shape[1] == width for one, width in widths)
    except RuntimeError:
        fits = False
    if not fits:
        raise WordworthError(f"{path} does not go with its {CONFIG}; train the model again")
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
        raise WordworthError(f"{path.parent} holds no NLI model ({path.name} is not there); train one there") from error
    except ValueError as error:
        problem = first_problem(error)
        raise WordworthError(f"{path} is no configuration of train-nli ({problem}); train the model again") from error


@dataclass(frozen=True)
class Vectors:
    """What a network is trained on: vectors, and what its configuration says of them."""

    embedder: Embedder
    about: VectorsRead
    projections: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """Layer → the basis of what is removed from it, in training and ever after; 0 is what depends on no context."""

    @property
    def extra(self) -> NDArray[np.float32] | None:
        """Return vectors of unknown words and of the start of a sentence, where the vectors are static."""
        return self.embedder.extra if isinstance(self.embedder, StaticVectors) else None

    def without(self, subspace: Subspace) -> "Vectors":
        """Return the same with a subspace removed from the context-free vectors; the network's folder keeps it."""
        return self._replace(self.embedder.without(subspace), {0: subspace})

    def without_in(self, subspaces: dict[int, Subspace]) -> "Vectors":
        """Return the same with a subspace removed from each of these layers of ELMo, once all are computed."""
        if not isinstance(self.embedder, ElmoVectors):
            raise WordworthError(f"{self.about.name} has no layers but one; leave --elmo-layers out")
        return self._replace(self.embedder.without_in(subspaces), subspaces)

    def _replace(self, embedder: Embedder, subspaces: dict[int, Subspace]) -> "Vectors":
        about = self.about.model_copy(update={"projection": next(iter(subspaces.values())).name})
        return Vectors(embedder, about, {layer: one.basis for layer, one in subspaces.items()})


def write_model(folder: Path, network: Network, vectors: Vectors) -> None:
    """Write a network and what belongs to the vectors that it reads; `read_model` reads it."""
    config = ModelConfig(kind="decomposable-attention", shape=network.shape, vectors=vectors.about)
    write_json(folder / CONFIG, config.model_dump(mode="json"))
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    if vectors.extra is not None:
        tensors[_EXTRA] = torch.from_numpy(vectors.extra)
    for layer, basis in vectors.projections.items():
        tensors[_tensor_name(layer)] = torch.from_numpy(np.ascontiguousarray(basis))
    with replacing(folder / WEIGHTS) as part:
        save_file(tensors, part)


def load(named: NameLike | NliModel, device: str = "auto", labels: Sequence[str] = ()) -> NliModel:
    """Load an NLI model: `nli-glove`, a folder of `train-nli`, or a folder or name for `transformers`.

    `LABEL=…` says what tables call it. `labels` is the order of a transformer's outputs where its files do not say.
    """
    if not isinstance(named, NameLike):
        return named
    resolved = find(named)
    if resolved.entry is not None or _is_trained_network(Path(resolved.target).expanduser()):
        return load_attention_nli(resolved)
    from wordworth.nli.cross_encoder import load_cross_encoder  # slow to import, and needed only here

    return load_cross_encoder(resolved, device=device, labels=tuple(labels) or None)


def _is_trained_network(folder: Path) -> bool:
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(config, dict) and config.get("kind") == "decomposable-attention"


def load_attention_nli(named: NameLike = DEFAULT, *, vectors: Embedding | None = None) -> AttentionNli:
    """Load a trained model; it reads the vectors it was trained on, or `vectors` in their place (projected ones)."""
    resolved = find(named)
    if resolved.entry is not None:
        if resolved.entry.details["family"] != "nli":
            models = ", ".join(one.name for one in entries("models") if one.details["family"] == "nli")
            raise WordworthError(f"{resolved.target} is no NLI model; of the catalog's models {models} is one")
        name, folder = resolved.name, locate_files(resolved).where
    else:
        folder = Path(resolved.target).expanduser()
        name = resolved.label or folder.name
    trained = read_model(folder)
    embedder, bases = _load_embedder(trained, folder, vectors), trained.projections
    if vectors is not None or not bases:
        return AttentionNli(name, trained.network, embedder)
    removed = trained.config.vectors.projection
    subspaces = {layer: Subspace(removed, basis, np.ones(len(basis))) for layer, basis in bases.items()}
    if 0 in subspaces:
        embedder = embedder.without(subspaces[0])
    elif isinstance(embedder, ElmoVectors):
        embedder = embedder.without_in(subspaces)
    without = TrainedWithout(removed, len(next(iter(bases.values()))), tuple(filter(None, bases)))
    return AttentionNli(name, trained.network, embedder, without)


def _load_embedder(trained: TrainedNetwork, folder: Path, vectors: Embedding | None) -> Embedder:
    """Return `vectors` as the network reads them, or those that it was trained on."""
    about = trained.config.vectors
    if about.kind == "elmo":
        if vectors is not None:
            raise WordworthError(f"{folder} was trained over ELMo, so {vectors.name} cannot take its place")
        elmo = _load_elmo_vectors(Path(about.source))
        if elmo.about.sha256 != about.sha256:
            raise WordworthError(f"{about.source} holds other weights than {folder} was trained with")
        return elmo.embedder
    if trained.extra is None:
        raise WordworthError(f"{folder} lacks the vectors of unknown words; train the model again")
    return StaticVectors(_load_same_embedding(about, folder) if vectors is None else vectors, trained.extra)


def _load_same_embedding(about: VectorsRead, folder: Path) -> Embedding:
    """Return the vectors of the configuration; raise where they are not the same as then."""
    named = about.name if knows(about.name, "models") else about.source
    if about.steps:
        steps = ", ".join(about.steps)
        raise WordworthError(f"{folder} was trained on {named} after {steps}; give those vectors with --vectors")
    embedding = load_embedding(named)
    if about.sha256 and embedding.provenance.sha256 != about.sha256:
        raise WordworthError(f"{named} is another file than {folder} was trained on; give the right one")
    return embedding


def vectors_to_train_on(named: NameLike | Embedding | Vectors, seed: int) -> Vectors:
    """Load static vectors by name, path or as they are, or ELMo from a folder with its options and weights."""
    if isinstance(named, Vectors):
        return named
    if not isinstance(named, Embedding):
        resolved = find(named)
        if resolved.path is not None and resolved.path.is_dir() and elmo_files(resolved.path):
            return _load_elmo_vectors(resolved.path)
        named = load_embedding(resolved)
    made = named.provenance
    about = VectorsRead(kind="static", name=made.name, source=made.source, sha256=made.sha256, steps=list(made.steps))
    return Vectors(StaticVectors(named, draw_extra_vectors(named.dim, seed)), about)


def _load_elmo_vectors(folder: Path) -> Vectors:
    files = elmo_files(folder)
    if files is None:
        raise WordworthError(f"{folder} does not hold one options.json and one weights file (.hdf5) of ELMo")
    elmo = load_elmo(*files)
    about = VectorsRead(kind="elmo", name=folder.name, source=str(folder.resolve()), sha256=elmo.sha256, steps=[])
    return Vectors(ElmoVectors(elmo, folder.name), about)
