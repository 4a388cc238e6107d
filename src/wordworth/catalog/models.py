"""Find a model by its name: its kind, embeddings, files of a language model, and their fingerprint."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from wordworth.catalog.fetch.hub import HubFile, config_of, from_hub, hub_model, is_cached, snapshot
from wordworth.catalog.fetch.sources import here, is_offline
from wordworth.catalog.registry import Entry, entries, entry
from wordworth.catalog.resolve import NameLike, Origin, find, locate_files
from wordworth.engine.cache import hash_content
from wordworth.errors import LibraryErrors, WordworthError, format_names, nearest, require
from wordworth.files import checksum_of_input, refuse_special

if TYPE_CHECKING:  # numpy, which finding a kind does not need
    from wordworth.embedding import Embedding
    from wordworth.embedding.blocks import OnBad

ModelKind = Literal["static", "causal", "masked", "encoder", "sentence", "nli"]
MODEL_KINDS: tuple[ModelKind, ...] = get_args(ModelKind)

NLI_NETWORK = "decomposable-attention"
"""`kind` in the config.json of a network that was trained here over word vectors."""
ARCHITECTURE_ENDINGS: dict[str, ModelKind] = {
    "ForCausalLM": "causal",
    "LMHeadModel": "causal",
    "ForMaskedLM": "masked",
    "ForPreTraining": "masked",
    "ForConditionalGeneration": "encoder",
    "EncoderModel": "encoder",
    "Model": "encoder",
}
"""Ending of an architecture's name → kind of model; the first match counts."""
WORD_HEADS = ("ForCausalLM", "LMHeadModel", "ForMaskedLM")
"""Endings of classes that predict words; the heads of other loaded networks are ignored."""
SENTENCE_FILES = ("weights.npz", "sp.model")
"""The files of a sentence encoder."""
GGUF_ENCODERS = ("bert", "roberta", "t5")
NAME_THE_KIND = f"give its kind with --model-kind ({', '.join(MODEL_KINDS)})"
_NO_LANGUAGE_MODELS = {"static": "a static embedding", "nli": "an NLI model"}


def kind_of(name_or_path: NameLike) -> ModelKind:
    """Return static (word vectors), causal, masked, encoder (without a head), sentence (one vector per text) or nli.

    Raise if the files do not say it.
    """
    origin = find(name_or_path)
    if origin.entry is not None:
        family: ModelKind = origin.entry.details["family"]
        return family
    if origin.place == "hub":
        return _kind_of_config(config_of(origin.target), origin.target)
    path = origin.path
    if origin.is_gguf:
        return _kind_of_gguf(from_hub(origin.target))
    if path is None:  # an address or hf://…; language models of the hub go by their own name
        return "static"
    if path.is_dir():
        return _kind_of_folder(path)
    if path.is_file():
        return _kind_of_gguf(path) if path.suffix == ".gguf" else "static"
    raise WordworthError(f"there is no model at {origin.target}; give a name (`wordworth ls models`) or a path")


def kind_of_class(name: str) -> ModelKind:
    """Return causal, masked or nli by the class of a network; encoder if it has no head that predicts words."""
    if name.endswith("ForSequenceClassification"):
        return "nli"
    return next((ARCHITECTURE_ENDINGS[end] for end in WORD_HEADS if name.endswith(end)), "encoder")


def _kind_of_folder(folder: Path) -> ModelKind:
    from wordworth.embedding.reading import spacy_files_in

    if (folder / "config.json").is_file():
        return _kind_of_config(folder / "config.json", str(folder))
    if any(folder.glob("*.npy")) or spacy_files_in(folder) is not None:
        return "static"  # HistWords, a matrix and its index, or a spaCy model
    if all((folder / file).is_file() for file in SENTENCE_FILES):
        return "sentence"
    weights = sorted(folder.glob("*.gguf"))
    if weights:
        return _kind_of_gguf(weights[0])
    raise WordworthError(f"{folder} has neither a config.json, nor GGUF weights, nor .npy vectors; {NAME_THE_KIND}")


def _kind_of_config(path: Path, name: str) -> ModelKind:
    with LibraryErrors(f"{path} cannot be read as JSON", NAME_THE_KIND):
        config: Any = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(config, dict) and config.get("kind") == NLI_NETWORK:
        return "nli"
    names = config.get("architectures") if isinstance(config, dict) else None
    if not isinstance(names, list) or not names:
        raise WordworthError(f"the config.json of {name} names no architecture; {NAME_THE_KIND}")
    architecture = str(names[0])
    if architecture.endswith("ForSequenceClassification"):
        named_labels = config.get("id2label")
        labels = {str(label).lower() for label in (named_labels if isinstance(named_labels, dict) else {}).values()}
        if "entailment" in labels:
            return "nli"
        raise WordworthError(f"{name} classifies {format_names(sorted(labels)) or 'unnamed classes'}, not entailment")
    has_text_part = isinstance(config.get("text_config"), dict) and not config.get("is_encoder_decoder")
    if has_text_part and architecture.endswith("ForConditionalGeneration"):
        return "causal"  # it reads images or sound too
    for ending, kind in ARCHITECTURE_ENDINGS.items():
        if architecture.endswith(ending):
            return kind
    raise WordworthError(f"{name} is a {architecture}, which no study supports; {NAME_THE_KIND}")


def _kind_of_gguf(path: Path) -> ModelKind:
    require("language models")
    from gguf import GGUFReader

    with LibraryErrors(f"{path} is not a GGUF file", "fetch it again"):
        field = GGUFReader(path).fields.get("general.architecture")
        architecture = str(field.contents()) if field is not None else ""
    if not architecture:
        raise WordworthError(f"{path} names no architecture; {NAME_THE_KIND}")
    return "encoder" if any(name in architecture for name in GGUF_ENCODERS) else "causal"


def load_embeddings(
    name_or_path: NameLike, *, language: str = "", on_bad: "OnBad" = "stop", file_format: str | None = None
) -> "Iterator[Embedding]":
    """Yield the embedding of a name; for a folder of HistWords decades, one per decade."""
    from wordworth.embedding.reading import histwords_decades, load

    origin = find(name_or_path)
    if origin.entry is not None:
        _refuse_other_family(origin.entry)
        file_format = origin.entry.details["format"]
    if origin.place == "hub":
        refuse_name(origin)
    data = locate_files(origin)
    path, language = data.where, data.language or language
    if path.is_dir() and any(path.glob("*-w.npy")):
        for decade in histwords_decades(path):
            year = decade.name.removesuffix("-w.npy")
            embedding = load(decade, name=f"{data.name}/{year}", language=language, on_bad=on_bad)
            yield replace(embedding, provenance=replace(embedding.provenance, corpus=data.name, decade=int(year)))
        return
    embedding = load(path, name=data.name, language=language, format=file_format, on_bad=on_bad)
    sha256 = data.sha256 or embedding.provenance.sha256
    yield replace(embedding, provenance=replace(embedding.provenance, source=data.source, sha256=sha256))


def load_embedding(name_or_path: NameLike) -> "Embedding":
    """Load the only embedding of a name or path; raise for a folder of several decades."""
    embeddings = list(load_embeddings(name_or_path))
    if len(embeddings) != 1:
        raise WordworthError(f"{name_or_path} has {len(embeddings)} embeddings; name one of them")
    return embeddings[0]


def refuse_name(origin: Origin) -> None:
    """Raise with the nearest names if vectors are needed and a name looks like one of the catalog."""
    if "/" not in origin.target:
        entry(origin.target, "models")


def _refuse_other_family(entry: Entry) -> None:
    family = entry.details["family"]
    if family != "static":
        description = "a sentence encoder" if family == "sentence" else f"a language model ({family})"
        raise WordworthError(
            f"{entry.name} is {description}, not a static embedding; this study takes static embeddings "
            "(`wordworth ls models`)"
        )


@dataclass(frozen=True)
class ModelPlace:
    """The location of a language model."""

    name: str
    """The name in tables."""
    place: str
    """A folder, a GGUF file, or the name of either on the hub: `name[@revision]`, `hf://owner/name/file.gguf`."""
    language: str
    """Blank if the catalog has none or several."""


def locate_language_model(name_or_path: NameLike) -> ModelPlace:
    """Return the location of a language model, fetched if it is in the catalog.

    A model of the hub stays a name and is fetched when it is loaded, so that runs record a name valid everywhere.
    """
    origin = find(name_or_path)
    return ModelPlace(origin.name, _place_of(origin), origin.language)


def _place_of(origin: Origin) -> str:
    target = origin.target
    if origin.entry is not None:
        if family := _NO_LANGUAGE_MODELS.get(origin.entry.details["family"]):
            names = [model.name for model in entries("models") if model.details["family"] not in _NO_LANGUAGE_MODELS]
            raise WordworthError(f"{target} is {family}, but a language model is needed, such as {', '.join(names)}")
        return str(locate_files(origin).path)
    if origin.place == "hub":
        if is_offline() and not is_cached(hub_model(target) or HubFile(target)):
            hint = nearest(target, [model.name for model in entries("models")])
            raise WordworthError(f"{target} is not in the catalog, and fetching from the hub is off{hint}")
        return target
    if origin.is_gguf:
        return target
    if origin.path is None:
        raise WordworthError(f"{origin.source} is one file, read as word vectors; name a language model of the hub")
    if not origin.path.exists():
        raise WordworthError(f"there is no model at {target}; give the path of a GGUF file or of a model's folder")
    return str(origin.path)


def weight_files(folder: Path) -> list[Path]:
    """Return the safetensors of a folder that the library loads; raise if an index names files outside it."""
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.is_file() or not index.is_file():
        return [single] if single.is_file() else sorted(folder.glob("*.safetensors"))
    with LibraryErrors(f"{index} is not an index of weights", "fetch the model again"):
        table = json.loads(index.read_text(encoding="utf-8"))
    places = table.get("weight_map") if isinstance(table, dict) else None
    if not isinstance(places, dict) or not all(isinstance(name, str) and "\0" not in name for name in places.values()):
        raise WordworthError(f"{index} does not give the file of each weight; fetch the model again")
    names = sorted(set(places.values()))
    for name in names:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise WordworthError(f"{index} names weights outside its folder ({name}); put them into {folder}")
        refuse_special(folder / name)
    return [folder / name for name in names]


def tokenizers_next_to(gguf: Path) -> list[Path]:
    """Return the files next to a GGUF file that the library reads with it."""
    return sorted(gguf.parent.glob("tokenizer*.json"))


def fingerprint(origin: Origin, *, fetch: bool = True) -> str:
    """Return the sha256 of the content of a name; blank if it names no file.

    For a name of the catalog it is the pinned checksum, for a name of the hub that of the files of its commit. Without
    `fetch`, only the cache of the hub is read.
    """
    if origin.entry is not None:
        return _hash_entry(origin.entry)
    if origin.place == "web":
        return _hash_files(locate_files(origin).where)
    if origin.place == "hub file":
        return _hash_files(from_hub(origin.target, fetch=fetch))
    if origin.place == "hub":
        return _hash_files(snapshot(_place_of(origin), fetch=fetch))
    return _hash_files(origin.where) if origin.where.exists() else ""


def _hash_entry(entry: Entry) -> str:
    """Hash the local copy of an entry's data, or else the first to fetch: copies may differ."""
    local_data = here(entry.name, entry.sources)
    remote = [source.key for source in entry.sources if source.remote]
    return hash_content(entry.details.get("hub", ""), [local_data.sha256] if local_data else remote[:1])


def _hash_files(path: Path) -> str:
    """Hash a file and those that belong to it, or the files of a folder with a model or vectors."""
    from wordworth.embedding.reading import files_of, spacy_files_in

    if path.is_file():
        tokenizers = tokenizers_next_to(path) if path.suffix == ".gguf" else []
        return hash_content([checksum_of_input(file.resolve()) for file in (*files_of(path), *tokenizers)])
    direct_files = [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]
    files = {*direct_files, *weight_files(path), *(spacy_files_in(path) or ())}
    present = (file for file in files if file.is_file())
    return hash_content({str(file.relative_to(path)): checksum_of_input(file.resolve()) for file in present})
