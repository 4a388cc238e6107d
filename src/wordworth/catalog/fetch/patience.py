"""How long the hub may be silent: one limit on every answer and inside every file, and no second try after it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from socket import getaddrinfo
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

CONNECTING = 4.0
"""Seconds in which the hub must be found, and again in which it must take a connection."""


class _Heard(httpx2.SyncByteStream):
    """What comes of an answer, with silence as an error that the library does not try again after."""

    def __init__(self, stream: Any, seconds: float) -> None:
        self._stream = stream
        self._seconds = seconds

    def __iter__(self) -> Iterator[bytes]:
        with _silence(self._seconds):
            yield from self._stream

    def close(self) -> None:
        """Closes the connection of the answer."""
        self._stream.close()


@contextmanager
def _silence(seconds: float) -> Iterator[None]:
    try:
        yield
    except httpx2.ConnectTimeout:
        raise httpx2.ConnectError(f"no connection in {min(CONNECTING, seconds):g} seconds") from None
    except httpx2.TimeoutException:
        raise httpx2.ReadError(f"silent for {seconds:g} seconds") from None


def is_found(address: str) -> bool:
    """Whether the host of an address is found in time; names are looked up by the system, which may take half a minute.

    Behind a proxy it is the proxy that looks it up.
    """
    parts = urlsplit(address)
    host = parts.hostname or ""
    if parts.scheme in getproxies() and not proxy_bypass(host):
        return True
    answered = Event()

    def look_up() -> None:
        with suppress(OSError):  # a name that there is not is the library's to tell
            getaddrinfo(host, parts.port or 443)
        answered.set()

    Thread(target=look_up, daemon=True).start()
    return answered.wait(CONNECTING)


@contextmanager
def impatient() -> Iterator[None]:
    """While this lasts, huggingface_hub gives up after HF_HUB_DOWNLOAD_TIMEOUT seconds (10) in which nothing comes,
    and after `CONNECTING` where nobody is there.

    By itself it lists without a limit, and asks six times for a file that has stalled.
    """
    from huggingface_hub import constants, get_session

    client: Any = get_session()
    send: Callable[..., httpx2.Response] = client.send
    seconds = float(constants.HF_HUB_DOWNLOAD_TIMEOUT)

    def limited(request: httpx2.Request, **options: Any) -> httpx2.Response:
        given = request.extensions.get("timeout", {})
        each = {name: min(given.get(name) or seconds, seconds) for name in ("connect", "read", "write", "pool")}
        each["connect"] = min(each["connect"], CONNECTING)
        request.extensions = {**request.extensions, "timeout": each}
        with _silence(seconds):
            answer = send(request, **options)
        if options.get("stream"):
            answer.stream = _Heard(answer.stream, seconds)
        return answer

    client.send = limited
    try:
        yield
    finally:
        client.send = send
