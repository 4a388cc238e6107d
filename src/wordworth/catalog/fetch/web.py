"""A file by its address, fetched once. Its query never gets into what is recorded: a token may stand there."""

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
    """A file on the web, as its address names it."""

    address: str
    """What is asked for, with its query."""
    public: str
    """What may be recorded and shown: the address without query and fragment."""
    name: str
    sha256: str
    """Of `#sha256=…` behind the address; blank where nothing pins the content."""


def web_file(url: str) -> WebFile:
    """Parse an address. Only https is taken, and no user or password, since names go into `run.json`."""
    address, _, fragment = url.partition("#")
    public, parts = public_address(address), urlsplit(address)
    if parts.scheme != "https":
        raise WordworthError(f"{public} is not encrypted; use https, or fetch it yourself and give the path")
    if fragment and not re.fullmatch(r"sha256=[0-9a-fA-F]{64}", fragment):
        raise WordworthError(
            f"{public} ends in #{fragment}; only #sha256= and its 64 digits may stand behind an address"
        )
    if "@" in parts.netloc:
        raise WordworthError(
            f"an address with a user or a password is not taken; put those for {parts.hostname} into ~/.netrc"
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
        raise WordworthError(f"this is no address of a file: {error}; write https://host/path") from error
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def from_web(url: str) -> Path:
    """Return the file of an address; a second time it is taken from the cache."""
    file = web_file(url)
    key = key_of([file.address, file.sha256])

    def fetch(folder: Path) -> None:
        from wordworth.catalog.fetch.archives import download
        from wordworth.catalog.fetch.sources import is_offline

        if is_offline():
            raise WordworthError(f"{file.public} is not here and fetching is off; run it once without --offline")
        part = kind_folder("archives") / f"{key[:16]}-{file.name}.part"
        if not file.sha256:  # nothing would show that what is there is the start of another file
            part.unlink(missing_ok=True)
        download(file.address, part, file.name)
        if file.sha256 and sha256_of(part) != file.sha256:
            part.unlink()
            raise WordworthError(
                f"{file.public} gives a file with another sha256 than {file.sha256[:12]}…; nothing was kept"
            )
        shutil.move(part, folder / file.name)

    pinned = {file.name: file.sha256} if file.sha256 else None
    return slot("web", key, pinned).get(fetch) / file.name
