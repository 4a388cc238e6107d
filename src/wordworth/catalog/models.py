"""From what a user names to a model: an embedding, the files of a language model, and the hash of their content."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wordworth.catalog.entry import Entry
from wordworth.catalog.fetch.hub import HubFile, from_hub, hub_model, is_cached, snapshot
from wordworth.catalog.fetch.sources import here
from wordworth.catalog.registry import entries, entry, knows
from wordworth.catalog.resolve import Resolved, located, resolve, target_of
from wordworth.embedding import Embedding, histwords_decades, load, reading, spacy_vectors
from wordworth.embedding.streams import OnBad
from wordworth.engine.identity import hash_content
from wordworth.errors import Foreign, WordworthError, nearest
from wordworth.files import measured_sum, refuse_special

_OTHERS = {"static": "a static embedding", "nli": "an NLI model"}


def load_embeddings(
    named: str | Path, *, language: str = "", on_bad: OnBad = "stop", file_format: str | None = None
) -> Iterator[Embedding]:
    """The embedding that is named, as `resolve` says; a folder of HistWords decades gives one a decade."""
    resolved = resolve(named)
    if resolved.entry is not None:
        yield _of_catalog(resolved, resolved.entry, on_bad)
        return
    if resolved.place == "hub" and "/" not in resolved.target:
        entry(resolved.target, "models")  # it reads like a name of the catalog: the error gives the nearest names
    path = located(resolved).where
    if path.is_dir() and any(path.glob("*-w.npy")):
        for decade in histwords_decades(path):
            name = f"{resolved.name}/{decade.name.removesuffix('-w.npy')}"
            yield load(decade, name=name, language=language, on_bad=on_bad)
        return
    read = load(path, name=resolved.name, language=language, format=file_format, on_bad=on_bad)
    yield Embedding(read.words, read.matrix, replace(read.provenance, source=resolved.source))


def _of_catalog(resolved: Resolved, declared: Entry, on_bad: OnBad) -> Embedding:
    family = declared.details["family"]
    if family != "static":
        what = "a sentence encoder" if family == "sentence" else f"a language model ({family})"
        raise WordworthError(
            f"{declared.name} is {what}, not a static embedding; this study takes static embeddings "
            "(`wordworth ls models`)"
        )
    data = located(resolved)
    read = load(data.where, format=declared.details["format"], language=data.language, on_bad=on_bad)
    provenance = replace(
        read.provenance, name=data.name, source=data.source, sha256=data.sha256, language=data.language
    )
    return Embedding(read.words, read.matrix, provenance)


@dataclass(frozen=True)
class ModelPlace:
    """Where a language model is to be loaded from."""

    name: str
    """What tables call it."""
    place: str
    """A folder, a GGUF file, or what names one of them on the hub: `name[@revision]`, `hf://owner/name/file.gguf`."""
    language: str
    """Blank where the catalog does not say, or says several."""


def locate_language_model(named: str | Path) -> ModelPlace:
    """Where a language model lies, fetched where the catalog has it.

    A model of the hub stays a name: it is fetched when it is loaded, so that runs record what names it everywhere.
    """
    resolved = resolve(named)
    return ModelPlace(resolved.name, _place(resolved), resolved.language)


def weight_files(folder: Path) -> list[Path]:
    """Return the safetensors of a folder that the library loads; an index may name none outside the folder."""
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.is_file() or not index.is_file():
        return [single] if single.is_file() else sorted(folder.glob("*.safetensors"))
    with Foreign(f"{index} is no index of weights", "fetch the model again"):
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
    """Return the files beside a GGUF file that the library reads with it."""
    return sorted(gguf.parent.glob("tokenizer*.json"))


def _place(resolved: Resolved) -> str:
    target = resolved.target
    if resolved.entry is not None:
        if other := _OTHERS.get(resolved.entry.details["family"]):
            known = [one.name for one in entries("models") if one.details["family"] not in _OTHERS]
            raise WordworthError(f"{target} is {other}, and a language model is asked for, such as {', '.join(known)}")
        return str(located(resolved).path)
    if resolved.place == "hub":
        return _on_hub(target)
    if resolved.is_gguf:
        return target
    if resolved.path is None:
        raise WordworthError(f"{resolved.source} is one file, read as word vectors; name a language model of the hub")
    if not resolved.path.exists():
        raise WordworthError(f"there is no model at {target}; give the path of a GGUF file or of a model's folder")
    return str(resolved.path)


def _on_hub(name: str) -> str:
    from wordworth.catalog.fetch.sources import is_offline

    if is_offline() and not is_cached(hub_model(name) or HubFile(name)):
        close = nearest(name, [one.name for one in entries("models")])
        raise WordworthError(f"{name} is not in the catalog, and fetching from the hub is off{close}")
    return name


def fingerprint(named: str | Path, kind: str = "models", *, fetch: bool = True) -> str:
    """Return the sha256 over the content that a name of that kind stands for; blank where it names no file.

    A name of the catalog counts by the checksum that the catalog pins, a name of the hub by the files of its commit.
    Without `fetch`, a name of the hub is what is in its cache.
    """
    target = target_of(named)
    if isinstance(named, str) and kind and knows(target, kind):
        return _pinned(entry(target, kind))
    if target.startswith(("https://", "http://")):
        return _hash_files(located(resolve(named, kind)).where)
    path = Path(target).expanduser()
    if path.exists():
        return _hash_files(path)
    if "#" in target:  # a field of a file
        return fingerprint(target.rpartition("#")[0], kind, fetch=fetch)
    if target.startswith("hf://"):
        return _hash_files(from_hub(target, fetch=fetch))
    if kind == "models" and hub_model(target):
        return _hash_files(snapshot(locate_language_model(target).place, fetch=fetch))
    return ""


def _pinned(known: Entry) -> str:
    """Hash the copy of an entry's data that is here, or is the first to be fetched: copies may differ."""
    located_here = here(known.name, known.sources)
    remote = [source.key for source in known.sources if source.remote]
    return hash_content(known.details.get("hub", ""), [located_here.sha256] if located_here else remote[:1])


def _hash_files(path: Path) -> str:
    """Hash a file with those that belong to it, or the files of a folder that a model or vectors are read from."""
    if path.is_file():
        beside = tokenizers_beside(path) if path.suffix == ".gguf" else []
        return hash_content([measured_sum(file.resolve()) for file in (*reading.files_of(path), *beside)])
    own = [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]
    files = {*own, *weight_files(path), *(spacy_vectors.files_in(path) or ())}
    return hash_content({str(file.relative_to(path)): measured_sum(file.resolve()) for file in files if file.is_file()})
