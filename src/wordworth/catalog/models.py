"""From what names a model to the model: its kind, embeddings, files of a language model, and their fingerprint."""

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

if TYPE_CHECKING:  # numpy, which a kind is told without
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
"""How the name of an architecture ends; the first that fits."""
WORD_HEADS = ("ForCausalLM", "LMHeadModel", "ForMaskedLM")
"""Ends of the names of classes that only predict words; a network at hand of another class has its head ignored."""
SENTENCE_FILES = ("weights.npz", "sp.model")
"""What the folder of a sentence encoder holds."""
GGUF_ENCODERS = ("bert", "roberta", "t5")
NAME_THE_KIND = f"say what it is with --model-kind ({', '.join(MODEL_KINDS)})"
_NO_LANGUAGE_MODELS = {"static": "a static embedding", "nli": "an NLI model"}


def kind_of(named: NameLike) -> ModelKind:
    """Return static (word vectors), causal, masked, encoder (without a head), sentence (one vector per text) or nli.

    Files that do not say it are an error.
    """
    resolved = find(named)
    if resolved.entry is not None:
        family: ModelKind = resolved.entry.details["family"]
        return family
    if resolved.place == "hub":
        return _kind_of_config(config_of(resolved.target), resolved.target)
    path = resolved.path
    if resolved.is_gguf:
        return _kind_of_gguf(from_hub(resolved.target))
    if path is None:  # an address or hf://…; language models of the hub go by their own name
        return "static"
    if path.is_dir():
        return _kind_of_folder(path)
    if path.is_file():
        return _kind_of_gguf(path) if path.suffix == ".gguf" else "static"
    raise WordworthError(f"there is no model at {resolved.target}; give a name (`wordworth ls models`) or a path")


def kind_of_class(name: str) -> ModelKind:
    """Return causal, masked or nli by the class of a network; encoder without a head that predicts words."""
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
    raise WordworthError(f"{folder} holds neither a config.json, nor GGUF weights, nor .npy vectors; {NAME_THE_KIND}")


def _kind_of_config(path: Path, named: str) -> ModelKind:
    with LibraryErrors(f"{path} cannot be read as JSON", NAME_THE_KIND):
        config: Any = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(config, dict) and config.get("kind") == NLI_NETWORK:
        return "nli"
    names = config.get("architectures") if isinstance(config, dict) else None
    if not isinstance(names, list) or not names:
        raise WordworthError(f"the config.json of {named} names no architecture; {NAME_THE_KIND}")
    architecture = str(names[0])
    if architecture.endswith("ForSequenceClassification"):
        named_labels = config.get("id2label")
        labels = {str(label).lower() for label in (named_labels if isinstance(named_labels, dict) else {}).values()}
        if "entailment" in labels:
            return "nli"
        raise WordworthError(f"{named} classifies {format_names(sorted(labels)) or 'unnamed classes'}, not entailment")
    has_text_part = isinstance(config.get("text_config"), dict) and not config.get("is_encoder_decoder")
    if has_text_part and architecture.endswith("ForConditionalGeneration"):
        return "causal"  # it reads images or sound too
    for ending, kind in ARCHITECTURE_ENDINGS.items():
        if architecture.endswith(ending):
            return kind
    raise WordworthError(f"{named} is a {architecture}, which no study here knows; {NAME_THE_KIND}")


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
    named: NameLike, *, language: str = "", on_bad: "OnBad" = "stop", file_format: str | None = None
) -> "Iterator[Embedding]":
    """Yield the embedding that is named; a folder of HistWords decades gives one per decade."""
    from wordworth.embedding.reading import histwords_decades, load

    resolved = find(named)
    if resolved.entry is not None:
        _refuse_other_family(resolved.entry)
        file_format = resolved.entry.details["format"]
    if resolved.place == "hub":
        refuse_name(resolved)
    data = locate_files(resolved)
    path, language = data.where, data.language or language
    if path.is_dir() and any(path.glob("*-w.npy")):
        for decade in histwords_decades(path):
            year = decade.name.removesuffix("-w.npy")
            read = load(decade, name=f"{data.name}/{year}", language=language, on_bad=on_bad)
            yield replace(read, provenance=replace(read.provenance, corpus=data.name, decade=int(year)))
        return
    read = load(path, name=data.name, language=language, format=file_format, on_bad=on_bad)
    sha256 = data.sha256 or read.provenance.sha256
    yield replace(read, provenance=replace(read.provenance, source=data.source, sha256=sha256))


def load_embedding(named: NameLike) -> "Embedding":
    """Load the one embedding of a name or path; a folder of many decades is not one."""
    embeddings = list(load_embeddings(named))
    if len(embeddings) != 1:
        raise WordworthError(f"{named} holds {len(embeddings)} embeddings; name one of them")
    return embeddings[0]


def refuse_name(resolved: Origin) -> None:
    """Raise an error with the nearest names where a name reads like one of the catalog, and vectors are wanted."""
    if "/" not in resolved.target:
        entry(resolved.target, "models")


def _refuse_other_family(declared: Entry) -> None:
    family = declared.details["family"]
    if family != "static":
        what = "a sentence encoder" if family == "sentence" else f"a language model ({family})"
        raise WordworthError(
            f"{declared.name} is {what}, not a static embedding; this study takes static embeddings "
            "(`wordworth ls models`)"
        )


@dataclass(frozen=True)
class ModelPlace:
    """Where a language model is to be loaded from."""

    name: str
    """What tables call it."""
    place: str
    """A folder, a GGUF file, or what names one of them on the hub: `name[@revision]`, `hf://owner/name/file.gguf`."""
    language: str
    """Blank where the catalog does not say, or says several."""


def locate_language_model(named: NameLike) -> ModelPlace:
    """Return where a language model lies, fetched where the catalog has it.

    A model of the hub stays a name: it is fetched when it is loaded, so that runs record what names it everywhere.
    """
    resolved = find(named)
    return ModelPlace(resolved.name, _place_of(resolved), resolved.language)


def _place_of(resolved: Origin) -> str:
    target = resolved.target
    if resolved.entry is not None:
        if other := _NO_LANGUAGE_MODELS.get(resolved.entry.details["family"]):
            known = [one.name for one in entries("models") if one.details["family"] not in _NO_LANGUAGE_MODELS]
            raise WordworthError(f"{target} is {other}, and a language model is asked for, such as {', '.join(known)}")
        return str(locate_files(resolved).path)
    if resolved.place == "hub":
        if is_offline() and not is_cached(hub_model(target) or HubFile(target)):
            close = nearest(target, [one.name for one in entries("models")])
            raise WordworthError(f"{target} is not in the catalog, and fetching from the hub is off{close}")
        return target
    if resolved.is_gguf:
        return target
    if resolved.path is None:
        raise WordworthError(f"{resolved.source} is one file, read as word vectors; name a language model of the hub")
    if not resolved.path.exists():
        raise WordworthError(f"there is no model at {target}; give the path of a GGUF file or of a model's folder")
    return str(resolved.path)


def weight_files(folder: Path) -> list[Path]:
    """Return the safetensors of a folder that the library loads; an index may name none outside the folder."""
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.is_file() or not index.is_file():
        return [single] if single.is_file() else sorted(folder.glob("*.safetensors"))
    with LibraryErrors(f"{index} is no index of weights", "fetch the model again"):
        table = json.loads(index.read_text(encoding="utf-8"))
    places = table.get("weight_map") if isinstance(table, dict) else None
    if not isinstance(places, dict) or not all(isinstance(name, str) and "\0" not in name for name in places.values()):
        raise WordworthError(f"{index} does not say which file each weight is in; fetch the model again")
    names = sorted(set(places.values()))
    for name in names:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise WordworthError(f"{index} names weights outside its folder ({name}); put them into {folder}")
        refuse_special(folder / name)
    return [folder / name for name in names]


def tokenizers_beside(gguf: Path) -> list[Path]:
    """Return the files next to a GGUF file that the library reads with it."""
    return sorted(gguf.parent.glob("tokenizer*.json"))


def fingerprint(resolved: Origin, *, fetch: bool = True) -> str:
    """Return the sha256 over the content that a name stands for; blank where it names no file.

    A name of the catalog counts by the checksum that the catalog pins, a name of the hub by the files of its commit.
    Without `fetch`, a name of the hub is what is in its cache.
    """
    if resolved.entry is not None:
        return _hash_pinned(resolved.entry)
    if resolved.place == "web":
        return _hash_files(locate_files(resolved).where)
    if resolved.place == "hub file":
        return _hash_files(from_hub(resolved.target, fetch=fetch))
    if resolved.place == "hub":
        return _hash_files(snapshot(_place_of(resolved), fetch=fetch))
    return _hash_files(resolved.where) if resolved.where.exists() else ""


def _hash_pinned(known: Entry) -> str:
    """Hash the copy of an entry's data that is here, or is the first to be fetched: copies may differ."""
    located_here = here(known.name, known.sources)
    remote = [source.key for source in known.sources if source.remote]
    return hash_content(known.details.get("hub", ""), [located_here.sha256] if located_here else remote[:1])


def _hash_files(path: Path) -> str:
    """Hash a file with those that belong to it, or the files of a folder that a model or vectors are read from."""
    from wordworth.embedding.reading import files_of, spacy_files_in

    if path.is_file():
        beside = tokenizers_beside(path) if path.suffix == ".gguf" else []
        return hash_content([checksum_of_input(file.resolve()) for file in (*files_of(path), *beside)])
    own = [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]
    files = {*own, *weight_files(path), *(spacy_files_in(path) or ())}
    return hash_content(
        {str(file.relative_to(path)): checksum_of_input(file.resolve()) for file in files if file.is_file()}
    )
