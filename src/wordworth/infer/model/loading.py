"""NLI models over word vectors by name: `nli-glove`, which comes with the package, or a folder of `train-nli`."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.models import load_embeddings
from wordworth.catalog.registry import entries, entry, knows
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError, reason_of
from wordworth.infer.model.checkpoint import ATTENTION, CONFIG, TrainedNetwork, read_model
from wordworth.infer.model.contextual import ElmoVectors
from wordworth.infer.model.elmo import elmo_files, load_elmo
from wordworth.infer.model.nli import NliKind, NliRequest, TrainedWithout
from wordworth.infer.model.over_vectors import AttentionNli
from wordworth.infer.model.vocabulary import Embedder, StaticVectors, drawn
from wordworth.transform import Subspace

DEFAULT = "nli-glove"


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


def _recognizes(target: str) -> bool:
    """Names of the catalog, and folders that hold a network over vectors and not one of `transformers`."""
    path = Path(target).expanduser() / CONFIG
    if knows(target, "models") or not path.is_file():
        return knows(target, "models")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise WordworthError(f"{path} is not JSON: {reason_of(error)}; train the model again") from error
    return isinstance(config, dict) and config.get("kind") == ATTENTION


def _requested(request: NliRequest) -> AttentionNli:
    model = load_attention_nli(request.target)
    return replace(model, name=request.label) if request.label else model


NLI_KIND = NliKind("the attention network over word vectors or ELMo", _recognizes, _requested)


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
