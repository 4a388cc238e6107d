"""From what a user names to an embedding: a name of the catalog, a path, an address, a file on the hub."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from huggingface_hub import hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from wordworth.catalog.fetch.download import download
from wordworth.catalog.fetch.sources import is_offline, locate
from wordworth.catalog.registry import entry, knows
from wordworth.embedding import Embedding, histwords_decades, load
from wordworth.embedding.flaws import OnBad
from wordworth.errors import WordworthError
from wordworth.files import cache_dir, locked, replacing, sha256_of


def load_embeddings(
    named: str | Path, *, language: str = "", on_bad: OnBad = "stop", file_format: str | None = None
) -> Iterator[Embedding]:
    """The embedding that is named; a folder of HistWords decades gives one a decade.

    `named` is a name of the catalog, a path, `https://…`, `hf://owner/name/path[@revision]`, and `LABEL=` may stand
    before any of them to say what tables call it.
    """
    label, target = _labelled(str(named))
    if isinstance(named, str) and knows(target, "models"):
        yield _of_catalog(target, label, on_bad)
        return
    source = target
    if target.startswith("https://"):
        path = _from_web(target)
    elif target.startswith("hf://"):
        path = from_hub(target)
    elif target.startswith("http://"):
        raise WordworthError(f"{target} is not encrypted; use https, or fetch it yourself and give the path")
    else:
        path = Path(target).expanduser()
        if not path.exists() and len(path.parts) == 1 and not path.suffix:
            entry(target, "models")  # no such file, and it reads like a name: the error gives the nearest names
    if path.is_dir() and any(path.glob("*-w.npy")):
        for decade in histwords_decades(path):
            name = f"{label or path.name}/{decade.name.removesuffix('-w.npy')}"
            yield load(decade, name=name, language=language, on_bad=on_bad)
        return
    read = load(path, name=label or None, language=language, format=file_format, on_bad=on_bad)
    yield Embedding(read.words, read.matrix, replace(read.provenance, source=source))


def _labelled(named: str) -> tuple[str, str]:
    """`LABEL=target` apart; a path or address that holds `=` itself stays whole."""
    label, equals, target = named.partition("=")
    if equals and "/" not in label and not Path(named).exists():
        if not label or not target:
            raise WordworthError(f"{named!r} names no model; write LABEL=PATH, or LABEL=NAME for one of the catalog")
        return label, target
    return "", named


def _of_catalog(name: str, label: str, on_bad: OnBad) -> Embedding:
    found = entry(name, "models")
    if found.details["family"] != "static":
        raise WordworthError(
            f"{name} is a language model ({found.details['family']}), not a static embedding; "
            "this study takes static embeddings (`wordworth ls models`)"
        )
    located = locate(name, found.sources)
    read = load(located.path, format=found.details["format"], language=found.language, on_bad=on_bad)
    told = replace(
        read.provenance, name=label or name, source=located.source.place, sha256=located.sha256, language=found.language
    )
    return Embedding(read.words, read.matrix, told)


def _from_web(url: str) -> Path:
    """A file by its address, fetched once. `#sha256=…` behind the address pins its content."""
    address, _, fragment = url.partition("#")
    wanted = fragment.removeprefix("sha256=").lower()
    if fragment and not re.fullmatch(r"sha256=[0-9a-fA-F]{64}", fragment):
        raise WordworthError(f"{url} ends in #{fragment}; only #sha256= and its 64 digits may stand behind an address")
    if urlsplit(address).username or urlsplit(address).password:  # what was asked for is written to run.json
        host = urlsplit(address).hostname
        raise WordworthError(f"an address with a user or a password is not taken; put those for {host} into ~/.netrc")
    name = Path(unquote(urlsplit(address).path)).name
    if not name:
        raise WordworthError(f"{url} does not name a file; give the address of the vectors themselves")
    target = cache_dir() / "web" / hashlib.sha256(address.encode()).hexdigest()[:16] / name
    with locked(target):
        if not target.exists():
            if is_offline():
                raise WordworthError(f"{url} is not here and fetching is off; run it once without --offline")
            part = target.with_name(target.name + ".part")
            if not wanted:  # nothing would tell if what is there were the start of another file
                part.unlink(missing_ok=True)
            download(address, part, name)
            with replacing(target) as made:
                part.replace(made)
        if wanted and sha256_of(target) != wanted:
            target.unlink()
            raise WordworthError(f"{address} gives a file with another sha256 than {wanted[:12]}…; nothing was kept")
    return target


def _on_hub(address: str) -> tuple[str, str, str, str]:
    """(kind, repository, path, revision) of `hf://…`."""
    told, _, revision = address.removeprefix("hf://").partition("@")
    kind = "dataset" if told.startswith("datasets/") else "model"
    owner, _, rest = told.removeprefix("datasets/").partition("/")
    repo, _, path = rest.partition("/")
    if not (owner and repo and path):
        raise WordworthError(f"{address} does not name a file; write hf://owner/name/path, and @revision to pin it")
    return kind, f"{owner}/{repo}", path, revision


def on_this_machine(address: str) -> bool:
    """Whether the hub's own cache holds the file of an `hf://…` address."""
    kind, repo, path, revision = _on_hub(address)
    return isinstance(try_to_load_from_cache(repo, path, revision=revision or None, repo_type=kind), str)


def from_hub(address: str) -> Path:
    """`hf://owner/name/path[@revision]`, or `hf://datasets/owner/name/…`, through the hub's own cache and checks."""
    kind, repo, path, revision = _on_hub(address)
    try:
        found = hf_hub_download(repo, path, repo_type=kind, revision=revision or None, local_files_only=is_offline())
        return Path(found)
    except LocalEntryNotFoundError as error:
        raise WordworthError(f"{address} is not here and the hub cannot be reached; check the network") from error
    except (HfHubHTTPError, HFValidationError) as error:
        raise WordworthError(
            f"the hub has no {address}, or does not give it to you ({type(error).__name__})"
        ) from error
