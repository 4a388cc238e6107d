"""Fetch files and models from the hub, through its own cache and checks. Its library is loaded when needed."""

import logging
import re
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wordworth.engine.engines import notice
from wordworth.errors import WordworthError, reason_of, require
from wordworth.files import space_checked

_NAME_PATTERN = r"[A-Za-z0-9][\w.-]*"
_MODEL = re.compile(rf"({_NAME_PATTERN}(?:/{_NAME_PATTERN})?)(?:@([\w][\w./-]*))?", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
# Files that transformers needs, in one folder; pickled weights and code are never fetched.
_MODEL_FILES = ["*.json", "model*.safetensors", "*.model", "*.txt"]
_IN_FOLDERS = ["*/*"]


@dataclass(frozen=True)
class HubFile:
    """A file of a repository; the path of a model is blank."""

    repo: str
    path: str = ""
    revision: str | None = None
    repo_type: str = "model"


def hub_file(address: str) -> HubFile:
    """Parse `hf://owner/name/path[@revision]` or `hf://datasets/owner/name/path[@revision]`."""
    place, _, revision = address.removeprefix("hf://").partition("@")
    repo_type = "dataset" if place.startswith("datasets/") else "model"
    owner, _, path_in_repo = place.removeprefix("datasets/").partition("/")
    repo, _, path = path_in_repo.partition("/")
    if not (owner and repo and path):
        raise WordworthError(f"{address} does not name a file; write hf://owner/name/path, and @revision to pin it")
    return HubFile(f"{owner}/{repo}", path, revision or None, repo_type)


def hub_model(name: str) -> HubFile | None:
    """Parse `name` or `owner/name`, with or without `@revision`; return None if it cannot be the name of a model."""
    match = _MODEL.fullmatch(name)
    return HubFile(match[1], revision=match[2]) if match else None


def is_cached(file: HubFile) -> bool:
    """Return whether the hub's own cache has the file, or a model's configuration."""
    if find_spec("huggingface_hub") is None:
        return False
    from huggingface_hub import try_to_load_from_cache

    path = file.path or "config.json"
    return isinstance(try_to_load_from_cache(file.repo, path, revision=file.revision, repo_type=file.repo_type), str)


def from_hub(address: str, *, fetch: bool = True) -> Path:
    """Return the file of an `hf://…` address; without `fetch`, only from the cache."""
    return fetch_from_hub(hub_file(address), address, fetch=fetch)


def config_of(name: str) -> Path:
    """Return the config.json of a model of the hub, at its revision."""
    return fetch_from_hub(replace(hub_model(name) or HubFile(name), path="config.json"), name)


def snapshot(name: str, *, fetch: bool = True) -> Path:
    """Return the folder of a model of the hub at its revision, with safetensors: never pickled weights, never code.

    Without `fetch`, only the cache is read.
    """
    folder = fetch_from_hub(hub_model(name) or HubFile(name), name, fetch=fetch)
    if not any(folder.glob("model*.safetensors")):
        raise WordworthError(
            f"{name} has no safetensors on the hub; pickled weights are not read: convert them first, or name another "
            "model (one GGUF file as hf://owner/name/file.gguf)"
        )
    return folder


def fetch_from_hub(file: HubFile, name: str, *, fetch: bool = True) -> Path:
    """Return the file, or the model's folder if the path is blank; raise if neither hub nor cache has it.

    The library would ask an unreachable hub repeatedly. So the hub is asked once, within HF_HUB_ETAG_TIMEOUT seconds;
    if it does not answer, only the cache counts.
    """
    require("files and cards of the Hugging Face hub")
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError, XetDownloadError
    from huggingface_hub.utils import httpx

    from wordworth.catalog.fetch.sources import is_offline

    # The library would log every attempt; the final error is enough.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    is_offline_now = is_offline() or not fetch
    if is_offline_now or _COMMIT.fullmatch(file.revision or ""):
        try:
            return _download(file, is_local_only=True)
        except LocalEntryNotFoundError as error:
            if is_offline_now:
                raise WordworthError(_unreachable(name, "")) from error
        except HFValidationError as error:
            raise WordworthError(f"{name} is not a valid name of the hub; write owner/name") from error
    refusal = _refusal(file, name)
    try:
        local_path = _download(file, is_local_only=refusal is not None)
    except LocalEntryNotFoundError as error:
        raise WordworthError(refusal or _unreachable(name, reason_of(error.__cause__ or error))) from error
    except (OSError, httpx.HTTPError, XetDownloadError) as error:
        reason = reason_of(error.__cause__ or error)
        raise WordworthError(
            f"fetching {name} from the hub broke off ({reason}); run it again, or with another network"
        ) from error
    if refusal is not None:
        notice(f"The cached copy of {name} is used, since it could not be compared with the hub: {refusal}.")
    return local_path


def _download(file: HubFile, *, is_local_only: bool) -> Path:
    from huggingface_hub import constants, hf_hub_download, snapshot_download

    options: dict[str, Any] = {"revision": file.revision, "local_files_only": is_local_only}
    with space_checked(Path(constants.HF_HUB_CACHE)):
        if file.path:
            path = hf_hub_download(file.repo, file.path, repo_type=file.repo_type, **options)
        else:
            path = snapshot_download(file.repo, allow_patterns=_MODEL_FILES, ignore_patterns=_IN_FOLDERS, **options)
    return Path(path)


def _refusal(file: HubFile, name: str) -> str | None:
    """Return a sentence why the hub does not provide the file now; None if it does.

    Raise if the revision or file does not exist. In all other cases the cached copy may be used.
    """
    from huggingface_hub import errors, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils import httpx

    search_places = _where(name)
    path = file.path or "config.json"
    try:
        get_hf_file_metadata(hf_hub_url(file.repo, path, repo_type=file.repo_type, revision=file.revision))
    except errors.HFValidationError as error:
        raise WordworthError(f"{name}{search_places} is not a valid name of the hub; write owner/name") from error
    except errors.RevisionNotFoundError as error:
        raise WordworthError(f"the hub's {file.repo} has no revision {file.revision}; its page lists them") from error
    except errors.RemoteEntryNotFoundError as error:
        raise WordworthError(f"the hub's {file.repo} has no file {path}; its page lists them") from error
    except errors.GatedRepoError:
        return f"{name} is gated on the hub; ask for access on its page there, log in (`hf auth login`), run it again"
    except errors.RepositoryNotFoundError:
        return f"{name}{search_places} is not on the hub, or private there; check the name, and log in if it is yours"
    except errors.HfHubHTTPError as error:
        return f"{name} is not here and the hub answers {error.response.status_code}; try again later"
    except (httpx.HTTPError, ConnectionError) as error:
        return _unreachable(name, reason_of(error.__cause__ or error))
    return None


def _where(name: str) -> str:
    """Return where a name was looked up, since a model's name may be a misspelled path or name of the catalog."""
    return "" if name.startswith("hf://") else " is not a path or a catalog name, and"


def _unreachable(name: str, reason: str) -> str:
    cause = f" ({reason})" if reason else ""
    where = _where(name) or " is not in the cache, and"
    return f"{name}{where} the hub cannot be reached{cause}; check the name and the network"
