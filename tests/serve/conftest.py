"""A server over small runs, and a client that asks as it is told."""

from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import pytest

from served_runs import served, small_runs


class Got(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


Get = Callable[..., Got]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return small_runs(tmp_path)


@pytest.fixture
def get(runs: Path) -> Iterator[Get]:
    """Nothing in the path is tidied before it is asked for."""

    def ask(path: str, *, method: str = "GET", host: str | None = None) -> Got:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.putrequest(method, path, skip_host=True)
        if host != "":
            connection.putheader("Host", host or f"127.0.0.1:{port}")
        connection.endheaders()
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        got = Got(response.status, headers, response.read().decode("utf-8", "replace"))
        connection.close()
        return got

    with served(runs) as port:
        yield ask
