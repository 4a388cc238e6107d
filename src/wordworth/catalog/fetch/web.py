"""Fetch a file by its address, once. Its query is never recorded, since it may contain a token."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from wordworth.engine.cache import key_of, kind_folder, slot
from wordworth.errors import WordworthError
from wordworth.files import sha256_of


@dataclass(frozen=True)
class WebFile:
    """A file on the web."""

    address: str
    """The address to request, with its query."""
    public: str
    """The address for records and display, without query and fragment."""
    name: str
    sha256: str
    """The checksum of `#sha256=…` after the address; blank if there is none."""


def web_file(url: str) -> WebFile:
    """Parse an address. Only https is allowed, without user and password, since names are recorded in `run.json`."""
    address, _, fragment = url.partition("#")
    public, parts = public_address(address), urlsplit(address)
    if parts.scheme != "https":
        raise WordworthError(f"{public} is not encrypted; use https, or fetch it yourself and give the path")
    if fragment and not re.fullmatch(r"sha256=[0-9a-fA-F]{64}", fragment):
        raise WordworthError(f"{public} ends in #{fragment}; only #sha256= and its 64 digits may follow an address")
    if "@" in parts.netloc:
        raise WordworthError(
            f"an address must not contain a user or a password; put those for {parts.hostname} into ~/.netrc"
        )
    name = Path(unquote(parts.path)).name
    if not name:
        raise WordworthError(f"{public} does not name a file; give the address of the file itself")
    return WebFile(address, public, name, fragment.removeprefix("sha256=").lower())


def public_address(url: str) -> str:
    """Return an address without user, password, query and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise WordworthError(f"this is not the address of a file: {error}; write https://host/path") from error
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def from_web(url: str) -> Path:
    """Return the file of an address, from the cache if it was fetched before."""
    file = web_file(url)
    key = key_of([file.address, file.sha256])

    def fetch(folder: Path) -> None:
        from wordworth.catalog.fetch.archives import download
        from wordworth.catalog.fetch.sources import is_offline

        if is_offline():
            raise WordworthError(f"{file.public} is not here and fetching is off; run it once without --offline")
        partial_file = kind_folder("archives") / f"{key[:16]}-{file.name}.part"
        if not file.sha256:  # an existing part may be the start of another file
            partial_file.unlink(missing_ok=True)
        download(file.address, partial_file, file.name)
        if file.sha256 and sha256_of(partial_file) != file.sha256:
            partial_file.unlink()
            raise WordworthError(f"{file.public} has another sha256 than {file.sha256[:12]}…; nothing was saved")
        shutil.move(partial_file, folder / file.name)

    checksums = {file.name: file.sha256} if file.sha256 else None
    return slot("web", key, checksums).get(fetch) / file.name
