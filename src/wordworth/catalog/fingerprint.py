"""The content of what a run reads by name: a sha256 over the files that a name stands for at that moment."""

from pathlib import Path

from wordworth.catalog.entry import Entry
from wordworth.catalog.fetch.hub import from_hub, hub_model, snapshot
from wordworth.catalog.fetch.sources import here
from wordworth.catalog.language_models import locate_language_model, tokenizers_beside, weight_files
from wordworth.catalog.registry import entry, knows
from wordworth.catalog.resolve import located, resolve, target_of
from wordworth.embedding import formats, spacy_vectors
from wordworth.engine.identity import hash_content
from wordworth.files import measured_sum


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
        return hash_content([measured_sum(file.resolve()) for file in (*formats.files_of(path), *beside)])
    own = [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]
    files = {*own, *weight_files(path), *(spacy_vectors.files_in(path) or ())}
    return hash_content({str(file.relative_to(path)): measured_sum(file.resolve()) for file in files if file.is_file()})
