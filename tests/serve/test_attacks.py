"""Hostile runs and hostile clients: each gets a sentence or is cut off, and the server answers the next."""

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from served_runs import served
from wordworth.run.schema import ITEMS
from wordworth.serve import make_server, making, pages, server


def test_an_error_that_nobody_foresaw(get: Any, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    def fails(*_: object) -> str:
        raise TypeError("a \x1b[31mred\nline")

    monkeypatch.setattr(pages, "listing", fails)
    page = get("/")
    assert page.status == 500
    assert "This failed; what went wrong stands where the server was started." in page.text
    assert "TypeError" not in page.text
    assert page.headers["content-security-policy"] == server.PAGES
    assert get("/api/runs").status == 200
    logged = capfd.readouterr().err
    assert logged.startswith(r"wordworth: a request failed (TypeError('a \x1b[31mred\nline'); test_attacks.py, line ")
    assert logged.count("\n") == 1


def _many_rows(run: Path, rows: int) -> None:
    """A few kilobytes of parquet that are thousands of times as large in memory."""
    first = pl.read_parquet(run / "items.parquet").row(0, named=True)
    constant = {name: pl.lit(first[name], dtype=kind) for name, kind in ITEMS.items()}
    frame = pl.LazyFrame().select(pl.int_range(rows).alias("n")).select("n", **constant).drop("n")
    frame.sink_parquet(run / "items.parquet", compression="zstd")
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(manifest | {"files": {}}))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited on Linux alone")
def test_a_run_too_large_for_memory(get: Any, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _many_rows(runs / "seeded", 1_000_000)
    assert (runs / "seeded" / "items.parquet").stat().st_size < 100_000
    with monkeypatch.context() as small:
        small.setattr(making, "_idle", [])
        small.setattr(making, "MEMORY", 64 << 20)
        for path in ("/runs/seeded/", "/compare?a=good&b=seeded"):
            page = get(path)
            assert page.status == 409
            assert "takes more than 64 MB or 90 seconds; make it with `wordworth " in page.text
    assert "4 runs" in get("/").text
    assert get("/runs/good/").status == 200


def test_a_page_that_takes_too_long(get: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert get("/runs/good/").status == 200
    assert get("/compare?a=good&b=poor").status == 200  # by the same process
    (kept,) = making._idle
    os.kill(kept.process.pid or 0, signal.SIGSTOP)
    with monkeypatch.context() as short:
        short.setattr(making, "SECONDS", 0.2)
        page = get("/runs/poor/")
    assert page.status == 409
    assert "takes more than 4,096 MB or 0.2 seconds; make it with `wordworth report`" in page.text
    assert kept not in making._idle


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _socket(path: Path) -> None:
    os.mknod(path, 0o600 | 0o140000)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _outside(path: Path) -> None:
    path.symlink_to(path.parents[2] / "outside" / path.name)


@pytest.mark.parametrize("name", ["run.json", "scores.csv", "items.parquet", "report.html", "seeded.progress"])
@pytest.mark.parametrize("kind", [_fifo, _device, _socket, _loop, _outside])
def test_only_regular_files_are_opened(get: Any, runs: Path, kind: Callable[[Path], None], name: str) -> None:
    path = runs / "seeded" / name
    path.unlink(missing_ok=True)
    kind(path)
    read = name in ("run.json", "scores.csv", "items.parquet")
    page = get("/")
    assert ("3 runs" if read else "4 runs") in page.text
    assert (f"it has no {name}" in page.text) == read
    assert "Running" not in page.text
    assert get("/runs/seeded/").status == (404 if read else 200)
    assert get(f"/runs/seeded/{name}").status == (200 if name == "report.html" else 404)  # made
    assert get("/compare?a=good&b=seeded").status == (404 if read else 409)


def test_an_audit_shows_no_run_from_outside(get: Any, runs: Path) -> None:
    (runs / "audit" / "report.html").unlink()
    (runs / "audit" / "leak").symlink_to(runs.parent / "outside")
    report = get("/runs/audit/report.html")
    assert "What a word is worth to inner" in report.text
    assert "secret" not in report.text


def test_a_folder_that_leads_to_itself(get: Any, runs: Path) -> None:
    (runs / "loop").symlink_to(runs / "loop")
    assert get("/").status == 200
    assert get("/runs/loop/").status == 404


def test_a_progress_file_too_large(get: Any, runs: Path) -> None:
    (runs / "x.progress").write_text(json.dumps({"study": "x" * (1 << 20), "models": [], "started": 0, "updated": 0}))
    assert get("/running").text == ""


@pytest.fixture
def port(runs: Path) -> Iterator[int]:
    with served(runs) as number:
        yield number


def _connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def _answered(client: socket.socket) -> str:
    """All that comes until the server closes; a reset is an end too."""
    parts = []
    try:
        while part := client.recv(1 << 16):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts).decode()


ASK = b"GET /running HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET ", ASK, ASK + b"X-Slow: "], ids=["nothing", "line", "headers", "header"])
def test_dripped_requests_are_cut_off(port: int, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(server, "READING", 0.3)
    with _connected(port) as client:
        client.sendall(sent)
        client.settimeout(0.05)
        for _ in range(400):  # a byte at a time, for as long as it is let
            try:
                if not client.recv(1):
                    break
            except TimeoutError:
                if sent:
                    client.sendall(b"x")
            except ConnectionError:
                break
        else:
            pytest.fail("the connection is still open")


def test_a_reader_that_takes_nothing_is_cut_off(port: int, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "ANSWERING", 0.3)
    (runs / "good" / "report.html").write_bytes(b"x" * (64 << 20))
    with _connected(port) as client:
        client.sendall(ASK.replace(b"running", b"runs/good/report.html") + b"\r\n")
        taken = client.recv(1)
        time.sleep(0.6)
        assert len(taken + _answered(client).encode()) < 64 << 20


@pytest.mark.parametrize(
    "more",
    [b"X: " + b"x" * 70_000 + b"\r\n", (b"X: " + b"x" * 2000 + b"\r\n") * 50, b"X: x\r\n" * 200],
    ids=["one line", "many lines", "many headers"],
)
def test_headers_have_a_limit(port: int, more: bytes) -> None:
    with _connected(port) as client:
        client.sendall(ASK + more)
        assert _answered(client).startswith("HTTP/1.1 431 ")


def test_a_body_is_not_taken_for_a_request(port: int) -> None:
    body = ASK.replace(b"running", b"nothing") + b"\r\n"
    with _connected(port) as client:
        client.sendall(ASK + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answer = _answered(client)
    assert answer.startswith("HTTP/1.1 200 ")
    assert answer.count("HTTP/1.1") == 1


def test_more_than_five_may_wait(runs: Path) -> None:
    with make_server(runs) as waiting:  # it accepts nobody yet
        clients = [_connected(waiting.server_port) for _ in range(100)]
        for client in clients:
            client.close()


def test_further_clients_are_closed(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "CLIENTS", 2)
    held = [_connected(port) for _ in range(2)]
    for client in held:
        client.sendall(ASK + b"\r\n")
        assert client.recv(8) == b"HTTP/1.1"
    with _connected(port) as further:
        assert _answered(further) == ""
    for client in held:
        client.close()
    for _ in range(100):  # until their threads have ended
        with _connected(port) as client:
            client.sendall(ASK + b"Connection: close\r\n\r\n")
            if _answered(client).startswith("HTTP/1.1 200 "):
                return
    pytest.fail("nobody is answered any more")
