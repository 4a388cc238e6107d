"""Files and models of the hub, through its own cache and checks. The library is loaded when it is needed."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from wordworth.errors import WordworthError

_PART = r"[A-Za-z0-9][\w.-]*"
_MODEL = re.compile(rf"({_PART}(?:/{_PART})?)(?:@([\w][\w./-]*))?", re.ASCII)
# What transformers needs of a model; pickled weights are never taken.
_MODEL_FILES = ["*.json", "*.safetensors", "*.model", "*.txt"]


@dataclass(frozen=True)
class HubFile:
    """A file of a repository; a model by its name has no path."""

    repo: str
    path: str = ""
    revision: str | None = None
    repo_type: str = "model"


def hub_file(address: str) -> HubFile:
    """`hf://owner/name/path[@revision]`, or `hf://datasets/owner/name/path[@revision]`, taken apart."""
    place, _, revision = address.removeprefix("hf://").partition("@")
    repo_type = "dataset" if place.startswith("datasets/") else "model"
    owner, _, rest = place.removeprefix("datasets/").partition("/")
    repo, _, path = rest.partition("/")
    if not (owner and repo and path):
        raise WordworthError(f"{address} does not name a file; write hf://owner/name/path, and @revision to pin it")
    return HubFile(f"{owner}/{repo}", path, revision or None, repo_type)


def hub_model(name: str) -> HubFile | None:
    """`name`, `owner/name` or either with `@revision`, taken apart; nothing where no model can be called so."""
    match = _MODEL.fullmatch(name)
    return HubFile(match[1], revision=match[2]) if match else None


def is_cached(file: HubFile) -> bool:
    """Whether the hub's own cache holds the file; of a model, its configuration."""
    from huggingface_hub import try_to_load_from_cache

    path = file.path or "config.json"
    return isinstance(try_to_load_from_cache(file.repo, path, revision=file.revision, repo_type=file.repo_type), str)


def from_hub(address: str) -> Path:
    """The file of an `hf://…` address."""
    return _fetched(hub_file(address), address)


def config_of(name: str) -> Path:
    """The config.json of a model of the hub, at its revision."""
    return _fetched(replace(hub_model(name) or HubFile(name), path="config.json"), name)


def snapshot(name: str) -> Path:
    """The folder of a model of the hub at its revision, without pickled weights."""
    return _fetched(hub_model(name) or HubFile(name), name)


def _fetched(file: HubFile, called: str) -> Path:
    """The file, or the whole repository where no path says which; what the library raises becomes one sentence."""
    from huggingface_hub import hf_hub_download, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    from wordworth.catalog.fetch.sources import is_offline

    repo, revision, here_only = file.repo, file.revision, is_offline()
    # The name of a model may be a misspelled path or name of the catalog.
    where = "" if called.startswith("hf://") else " is neither a path, nor in the catalog, and"
    try:
        if not file.path:
            files = _MODEL_FILES
            return Path(snapshot_download(repo, revision=revision, allow_patterns=files, local_files_only=here_only))
        kind = file.repo_type
        return Path(hf_hub_download(repo, file.path, repo_type=kind, revision=revision, local_files_only=here_only))
    except LocalEntryNotFoundError as error:
        raise WordworthError(
            f"{called}{where} is not here and the hub cannot be reached; check the name and the network"
        ) from error
    except (HfHubHTTPError, HFValidationError) as error:
        raise WordworthError(
            f"{called}{where} is not given by the hub ({type(error).__name__}); check the name and your rights"
        ) from error
