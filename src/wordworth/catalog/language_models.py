"""From what a user names to a language model's files: a name of the catalog, a path, or a name of the hub."""

from dataclasses import dataclass
from pathlib import Path

from wordworth.catalog.fetch.sources import is_offline, locate
from wordworth.catalog.registry import entries, entry, knows
from wordworth.errors import WordworthError, nearest


@dataclass(frozen=True)
class ModelPlace:
    """Where a language model is to be loaded from."""

    name: str
    """What tables call it."""
    place: str
    """A folder, a GGUF file, or the name of a repository on the hub."""
    language: str
    """Blank where nobody says."""


def locate_language_model(named: str | Path) -> ModelPlace:
    """The files of a language model, fetched where the catalog has them. `LABEL=…` says what tables call it.

    What is neither in the catalog nor a path goes to the hub by its own name (`gpt2`, `owner/name`).
    """
    label, _, target = str(named).rpartition("=")
    if isinstance(named, str) and knows(target, "models"):
        found = entry(target, "models")
        other = {"static": "a static embedding", "nli": "an NLI model"}
        if kind := other.get(found.details["family"]):
            known = [one.name for one in entries("models") if one.details["family"] not in other]
            raise WordworthError(
                f"{target} is {kind}, and this study takes language models, such as {', '.join(known)}"
            )
        located = locate(target, found.sources)
        language = "" if found.language == "several" else found.language
        return ModelPlace(label or target, str(located.path), language)
    path = Path(target).expanduser()
    if path.exists():
        return ModelPlace(label or path.stem, str(path), "")
    if path.is_absolute() or target.startswith((".", "~")) or path.suffix in (".gguf", ".safetensors"):
        raise WordworthError(f"there is no model at {target}; give the path of a GGUF file or of a model's folder")
    if is_offline():
        close = nearest(target, [one.name for one in entries("models")])
        raise WordworthError(f"{target} is not in the catalog{close}; it may be on the hub, and fetching is off")
    return ModelPlace(label or target, target, "")
