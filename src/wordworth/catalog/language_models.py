"""From what a user names to a language model's files."""

import json
from dataclasses import dataclass
from pathlib import Path

from wordworth.catalog.fetch.hub import HubFile, hub_model, is_cached
from wordworth.catalog.registry import entries
from wordworth.catalog.resolve import Resolved, located, resolve
from wordworth.errors import Foreign, WordworthError, nearest

_OTHERS = {"static": "a static embedding", "nli": "an NLI model"}


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
