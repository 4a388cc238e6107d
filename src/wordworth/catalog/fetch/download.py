"""One file over the network: with the user's proxy and certificates, resumed after a kill, never trusted by itself."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import httpx2
from unearth.auth import MultiDomainBasicAuth
from unearth.fetchers import Fetcher, PyPIClient

from wordworth.catalog.fetch.pip_settings import pip_settings
from wordworth.errors import Foreign, WordworthError, reason_of
from wordworth.files import CHUNK, make_folder, space_checked
from wordworth.progress import progress


@cache
def client() -> Fetcher:
    """The connection: the user's pip proxy, certificates, trusted hosts and stored credentials."""
    pip = pip_settings()
    with Foreign("pip's proxy or certificates cannot be used", "correct them (`pip config list`)"):
        made = PyPIClient(
            trusted_hosts=pip.trusted_hosts,
            verify=pip.verify,
            cert=pip.client_cert,
            timeout=pip.timeout,
            proxy=pip.proxy,
            follow_redirects=True,
        )
        made.auth = MultiDomainBasicAuth(index_urls=pip.index_urls, prompting=False)
    return cast(Fetcher, made)  # narrower signatures than the protocol spells out


def download(url: str, part: Path, what: str, expected_bytes: int | None = None) -> None:
    """Fetches `url` into `part`, going on from where a killed download left it when the server allows."""
    make_folder(part.parent)
    start = part.stat().st_size if part.exists() else 0
    headers: Mapping[str, str] = {"Accept-Encoding": "identity"}
    if start:
        headers = {**headers, "Range": f"bytes={start}-"}
    host = urlsplit(url).hostname or "this machine"
    session = client()
    try:
        with (
            Foreign(f"{what} cannot be fetched from {host}"),
            space_checked(part.parent),
            session.get_stream(url, headers=headers) as answer,
        ):
            if answer.status_code == 416:  # the part is as long as the file, or longer: its checksum will tell
                return
            answer.raise_for_status()
            _refuse_plain_http(url, str(answer.url))
            resumed = answer.status_code == 206 and answer.headers.get("Content-Range", "").startswith(
                f"bytes {start}-"
            )
            length = answer.headers.get("Content-Length")
            total = (start if resumed else 0) + int(length) if length else expected_bytes
            with part.open("ab" if resumed else "wb") as out, progress(f"fetching {what}", total, unit="bytes") as on:
                on(start if resumed else 0)
                for piece in answer.iter_bytes(CHUNK):
                    out.write(piece)
                    on(len(piece))
    except httpx2.HTTPStatusError as error:
        status = error.response.status_code
        raise WordworthError(f"{what} cannot be fetched: {host} answers {status} for {urlsplit(url).path}") from error
    except (httpx2.RequestError, httpx2.InvalidURL) as error:
        reason = reason_of(error)
        raise WordworthError(
            f"{what} cannot be fetched from {host} ({reason}); check the network and pip's proxy and certificates, "
            "then run the same command again: it goes on where it stopped"
        ) from error


def _refuse_plain_http(asked: str, answered: str) -> None:
    if urlsplit(asked).scheme == "https" and urlsplit(answered).scheme != "https":
        host = urlsplit(asked).hostname  # and no more of the address: its query may hold a token
        raise WordworthError(f"{host} leads to an unencrypted address, which is not followed")
