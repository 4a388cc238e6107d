"""How long the hub may be silent: one limit on every answer and inside every file, and no second try after it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2


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
    except httpx2.TimeoutException:
        raise httpx2.ReadError(f"silent for {seconds:g} seconds") from None


@contextmanager
def impatient() -> Iterator[None]:
    """While this lasts, huggingface_hub gives up after HF_HUB_DOWNLOAD_TIMEOUT seconds (10) in which nothing comes.

    By itself it lists without a limit, and asks six times for a file that has stalled.
    """
    from huggingface_hub import constants, get_session

    client: Any = get_session()
    send: Callable[..., httpx2.Response] = client.send
    seconds = float(constants.HF_HUB_DOWNLOAD_TIMEOUT)

    def limited(request: httpx2.Request, **options: Any) -> httpx2.Response:
        given = request.extensions.get("timeout", {})
        each = {name: min(given.get(name) or seconds, seconds) for name in ("connect", "read", "write", "pool")}
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
