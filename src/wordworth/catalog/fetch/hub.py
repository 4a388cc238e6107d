"""Files and models of the hub, through its own cache and checks. The library is loaded when it is needed."""

import logging
import re
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from wordworth.engine.engines import notice
from wordworth.errors import WordworthError, reason_of, require
from wordworth.files import space_checked

_NAME_PATTERN = r"[A-Za-z0-9][\w.-]*"
_MODEL = re.compile(rf"({_NAME_PATTERN}(?:/{_NAME_PATTERN})?)(?:@([\w][\w./-]*))?", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
# What transformers needs of a model, beside each other; pickled weights and code are never taken.
_MODEL_FILES = ["*.json", "model*.safetensors", "*.model", "*.txt"]
_IN_FOLDERS = ["*/*"]


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
    """Return whether the hub's own cache holds the file, or a model's configuration."""
    if find_spec("huggingface_hub") is None:
        return False
    from huggingface_hub import try_to_load_from_cache

    path = file.path or "config.json"
    return isinstance(try_to_load_from_cache(file.repo, path, revision=file.revision, repo_type=file.repo_type), str)


def from_hub(address: str, *, fetch: bool = True) -> Path:
    """Return the file of an `hf://…` address; without `fetch`, as it is in the cache."""
    return fetch_from_hub(hub_file(address), address, fetch=fetch)


def config_of(name: str) -> Path:
    """Return the config.json of a model of the hub, at its revision."""
    return fetch_from_hub(replace(hub_model(name) or HubFile(name), path="config.json"), name)


def snapshot(name: str, *, fetch: bool = True) -> Path:
    """Return the folder of a model of the hub at its revision, with safetensors: never pickled weights, never code.

    Without `fetch`, as it is in the cache.
    """
    folder = fetch_from_hub(hub_model(name) or HubFile(name), name, fetch=fetch)
    if not any(folder.glob("model*.safetensors")):
        raise WordworthError(
            f"{name} has no safetensors on the hub; pickled weights are not read: convert them first, or name another "
            "model (one GGUF file as hf://owner/name/file.gguf)"
        )
    return folder


def fetch_from_hub(file: HubFile, called: str, *, fetch: bool = True) -> Path:
    """Return the file, or the model's folder where no path says which; what neither hub nor cache gives is an error.

    The library would ask an unreachable hub again and again. So the hub is asked once, within HF_HUB_ETAG_TIMEOUT
    seconds; if it does not answer, only what is cached counts.
    """
    require("files and cards of the Hugging Face hub")
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError, XetDownloadError
    from huggingface_hub.utils import httpx

    from wordworth.catalog.fetch.sources import is_offline

    # The library would write a line for every attempt: the error that they end in says it.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    offline = is_offline() or not fetch
    if offline or _COMMIT.fullmatch(file.revision or ""):
        try:
            return _download(file, here_only=True)
        except LocalEntryNotFoundError as error:
            if offline:
                raise WordworthError(_unreachable(called, "")) from error
        except HFValidationError as error:
            raise WordworthError(f"{called} is not a valid name of the hub; write owner/name") from error
    refusal = _refusal(file, called)
    try:
        here = _download(file, here_only=refusal is not None)
    except LocalEntryNotFoundError as error:
        raise WordworthError(refusal or _unreachable(called, reason_of(error.__cause__ or error))) from error
    except (OSError, httpx.HTTPError, XetDownloadError) as error:
        reason = reason_of(error.__cause__ or error)
        raise WordworthError(
            f"fetching {called} from the hub broke off ({reason}); run it again, or with another network"
        ) from error
    if refusal is not None:
        notice(f"The kept copy of {called} is used, as it could not be compared with the hub: {refusal}.")
    return here


def _download(file: HubFile, *, here_only: bool) -> Path:
    from huggingface_hub import constants, hf_hub_download, snapshot_download

    repo, revision = file.repo, file.revision
    with space_checked(Path(constants.HF_HUB_CACHE)):
        if file.path:
            path = hf_hub_download(
                repo, file.path, repo_type=file.repo_type, revision=revision, local_files_only=here_only
            )
        else:
            path = snapshot_download(
                repo,
                revision=revision,
                allow_patterns=_MODEL_FILES,
                ignore_patterns=_IN_FOLDERS,
                local_files_only=here_only,
            )
    return Path(path)


def _refusal(file: HubFile, called: str) -> str | None:
    """Return a sentence on why the hub does not give the file now; nothing if it does.

    A revision or file that is not there is an error at once. All else leaves what is cached: it is of that name too.
    """
    from huggingface_hub import errors, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils import httpx

    where = _where(called)
    path = file.path or "config.json"
    try:
        get_hf_file_metadata(hf_hub_url(file.repo, path, repo_type=file.repo_type, revision=file.revision))
    except errors.HFValidationError as error:
        raise WordworthError(f"{called}{where} is not a valid name of the hub; write owner/name") from error
    except errors.RevisionNotFoundError as error:
        raise WordworthError(f"the hub's {file.repo} has no revision {file.revision}; its page lists them") from error
    except errors.RemoteEntryNotFoundError as error:
        raise WordworthError(f"the hub's {file.repo} has no file {path}; its page lists them") from error
    except errors.GatedRepoError:
        return f"{called} is gated on the hub; ask for access on its page there, log in (`hf auth login`), run it again"
    except errors.RepositoryNotFoundError:
        return f"{called}{where} is not on the hub, or private there; check the name, and log in if it is yours"
    except errors.HfHubHTTPError as error:
        return f"{called} is not here and the hub answers {error.response.status_code}; try again later"
    except (httpx.HTTPError, ConnectionError) as error:
        return _unreachable(called, reason_of(error.__cause__ or error))
    return None


def _where(called: str) -> str:
    """Say where a name was looked for: that of a model may be a misspelled path or name of the catalog."""
    return "" if called.startswith("hf://") else " is not a path or a catalog name, and"


def _unreachable(called: str, reason: str) -> str:
    because = f" ({reason})" if reason else ""
    where = _where(called) or " is not in the cache, and"
    return f"{called}{where} the hub cannot be reached{because}; check the name and the network"
