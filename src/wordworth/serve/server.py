"""The server: it answers GET and HEAD, writes nothing, and knows no path outside its root."""

import json
import os
import socket
import sys
import traceback
from contextlib import suppress
from functools import cache, lru_cache
from http.client import LineTooLong
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from io import BufferedIOBase, BytesIO
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, unquote, urlsplit

from wordworth.errors import WordworthError
from wordworth.serve import making, pages
from wordworth.serve.guard import FRAME, PAGES, REPORTS, SECURITY, is_own_host
from wordworth.serve.library import Library

ASSETS = {"serve.css": "text/css", "serve.js": "text/javascript", "icon.svg": "image/svg+xml"}
KINDS = {".csv": "text/csv", ".json": "application/json", ".parquet": "application/vnd.apache.parquet"}
KINDS |= {".md": "text/plain", ".tex": "text/plain"}
HTML = "text/html; charset=utf-8"
CHUNK = 1 << 20
REFUSED = {"Allow": "GET, HEAD", "Connection": "close"}
READING = 20.0
"""Seconds in which a request has to come, and a connection may lie idle before the next."""
ANSWERING = 600.0
"""Seconds in which it is answered, and the answer taken."""
HEADERS = 1 << 16
"""Bytes of a request's headers."""
QUOTED = 300
"""Characters of an error in the log."""
CLIENTS = 128
"""Connections at the same time; a further one is closed."""


class Answer:
    """A status, a type, and what is sent: a page, or a file that is open, so that it is one and the same to its end."""

    def __init__(self, status: int, kind: str, body: BinaryIO, policy: str = PAGES, name: str = "") -> None:
        self.status, self.kind, self.body, self.policy, self.name = status, kind, body, policy, name
        self.length = body.seek(0, os.SEEK_END)
        body.seek(0)


def _page(text: str, status: int = 200, policy: str = PAGES) -> Answer:
    return Answer(status, HTML, BytesIO(text.encode()), policy)


def _missing() -> Answer:
    return _page(pages.refusal(404, "There is nothing at this address."), 404)


@cache
def _asset(name: str) -> bytes:
    return files("wordworth.serve").joinpath("assets", name).read_bytes()


def answer(library: Library, target: str, *, framed: bool = True) -> Answer:
    """What a path and its query ask for. What is not known, or not under the root, is 404.

    A report that is not asked for as part of a page comes in its frame.
    """
    split = urlsplit(target)
    path = unquote(split.path)
    query = dict(parse_qsl(split.query))
    if any(part in ("..", ".") for part in path.split("/")) or "\0" in path or "\\" in path:
        return _missing()
    if path == "/favicon.ico":  # what browsers ask for by themselves
        path = "/assets/icon.svg"
    head, _, rest = path.removeprefix("/").partition("/")
    if path == "/":
        return _listing(library, query)
    if path == "/running":
        return _page(pages.running(library.doing()))
    if path == "/api/runs":
        return _runs(library)
    if path == "/compare":
        return _compare(library, query)
    if head == "assets" and rest in ASSETS:
        return Answer(200, f"{ASSETS[rest]}; charset=utf-8", BytesIO(_asset(rest)))
    if head == "runs" and rest:
        place, _, name = rest.rpartition("/")
        if name in ("", "report.html"):
            return _report(library, place, framed=framed and bool(name))
        return _file(library, place, name)
    return _missing()


def _file(library: Library, place: str, name: str) -> Answer:
    """A file to save. A report links to those beside it, so they lie at the same address."""
    path = library.file(place, name)
    if path is not None and path.suffix in KINDS:
        return Answer(200, KINDS[path.suffix], path.open("rb"), name=path.name)
    return _missing()


def _listing(library: Library, query: dict[str, str]) -> Answer:
    return _page(pages.listing(library, {key: query.get(key, "") for key in ("study", "model", "text")}))


def _runs(library: Library) -> Answer:
    every = [vars(run) for run in library.runs()]
    table: dict[str, Any] = {"runs": [run for run in every if not run["problem"]]}
    table["unreadable"] = {run["place"]: run["problem"] for run in every if run["problem"]}
    table["running"] = {place: vars(one) | {"alive": one.alive()} for place, one in library.doing().items()}
    return Answer(200, "application/json", BytesIO(json.dumps(table, ensure_ascii=False).encode()))


def _report(library: Library, place: str, *, framed: bool) -> Answer:
    """The report that lies there, or one that is made now and kept nowhere; else the page around it."""
    written = library.file(place, "report.html")
    if written is None:
        folder, runs = library.find(place), library.runs_in(place)
        if folder is None or not runs:
            return _missing()
        text = _made(folder, tuple((run, (run / "run.json").stat().st_mtime_ns) for run in runs))
    if not framed:  # a report that cannot be made says so on a page of its own
        return _page(pages.report(place), policy=FRAME)
    return _page(text, policy=REPORTS) if written is None else Answer(200, HTML, written.open("rb"), REPORTS)


@lru_cache(maxsize=8)
def _made(folder: Path, runs: tuple[tuple[Path, int], ...]) -> str:
    """A report that lies nowhere; made again only when one of its runs was written anew."""
    return making.report(folder, [run for run, _ in runs])


def _compare(library: Library, query: dict[str, str]) -> Answer:
    places = query.get("a", ""), query.get("b", "")
    if not all(places):
        return _page(pages.refusal(400, "Tick a first and a second run to compare."), 400)
    folders = [folder for folder in map(library.run, places) if folder is not None]
    if len(folders) < 2:
        return _missing()
    models = (query["x"], query["y"]) if "x" in query and "y" in query else None
    return _page(making.comparison(folders, places, models))


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD; everything else is 405."""

    server: "Server"
    server_version = "wordworth"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = READING

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def handle_one_request(self) -> None:
        self.server.cut_after(self.connection, READING)
        super().handle_one_request()

    def parse_request(self) -> bool:
        stream, self.rfile = self.rfile, _Headers(self.rfile)
        parsed = super().parse_request()
        self.rfile = stream
        if not parsed:
            return False
        self.server.cut_after(self.connection, ANSWERING)
        reading = self.command in ("GET", "HEAD")
        if not reading or "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # a body that came along is not read
        if reading:
            return True
        self._send(_page(pages.refusal(405, "Only GET and HEAD are answered here."), 405), True, REFUSED)
        return False

    def _answer(self, *, with_body: bool) -> None:
        if not is_own_host(self.headers.get("Host"), self.server.bound):
            self._send(_page(pages.refusal(421, "This server does not go by that name."), 421), with_body)
            return
        answered = _page(pages.refusal(500, "This failed; what went wrong stands where the server was started."), 500)
        try:
            framed = self.headers.get("Sec-Fetch-Dest", "iframe") == "iframe"  # over plain HTTP browsers do not say
            answered = answer(self.server.library, self.path, framed=framed)
        except WordworthError as error:
            answered = _page(pages.refusal(409, f"{error}."), 409)
        except FileNotFoundError:  # a run that was replaced or moved while it was being read
            answered = _missing()
        finally:  # any other error is logged by the server, and ends this connection alone
            self._send(answered, with_body)

    def _send(self, answered: Answer, with_body: bool, more: dict[str, str] | None = None) -> None:
        self.send_response(answered.status)
        headers = {"Content-Type": answered.kind, "Content-Length": str(answered.length)}
        headers |= SECURITY | {"Content-Security-Policy": answered.policy} | (more or {})
        if answered.policy == REPORTS:
            headers["X-Frame-Options"] = "SAMEORIGIN"
        if answered.name:
            headers["Content-Disposition"] = f'attachment; filename="{answered.name}"'
        for name, value in headers.items():
            self.send_header(name, value)
        left = answered.length if with_body else 0
        with answered.body:
            self.end_headers()
            while left and (part := answered.body.read(min(CHUNK, left))):
                self.wfile.write(part)
                left -= len(part)
        if left:  # the file was cut meanwhile: the next answer must not be read as its end
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Quiet: what is looked at is nobody's business."""


class _Headers(BufferedIOBase):
    """The lines of a request's headers, up to a limit. A client that goes before their end is not answered."""

    def __init__(self, stream: BufferedIOBase) -> None:
        self.stream, self.left = stream, HEADERS

    def readline(self, size: int | None = -1, /) -> bytes:
        line = self.stream.readline(size)
        self.left -= len(line)
        if not line:
            raise ConnectionAbortedError
        if self.left < 0:
            raise LineTooLong("headers")
        return line


class Server(ThreadingHTTPServer):
    """One thread a connection; the threads end with the server."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, root: Path, host: str, port: int) -> None:
        self.library, self.bound = Library(root), host
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._until: dict[Any, float] = {}
        super().__init__((host, port), Handler)

    def cut_after(self, connection: Any, seconds: float) -> None:
        """Ends a connection after so many seconds, however busy it is, unless this is said of it anew."""
        self._until[connection] = monotonic() + seconds

    def service_actions(self) -> None:
        now = monotonic()
        for connection in [one for one, until in self._until.copy().items() if until < now]:
            with suppress(OSError):  # it has just ended by itself
                connection.shutdown(socket.SHUT_RDWR)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        self.cut_after(request, READING)
        return len(self._until) <= CLIENTS

    def shutdown_request(self, request: Any) -> None:
        self._until.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Logs in one line what was not foreseen. A client that has gone, or was cut off, is no error."""
        error = sys.exception()
        if error is not None and not isinstance(error, ConnectionError | TimeoutError):
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}, line {where.lineno}"
            sys.stderr.write(f"wordworth: a request failed ({repr(error)[:QUOTED]}; {place}); the server goes on\n")


def make_server(root: Path, host: str = "127.0.0.1", port: int = 0) -> Server:
    """A server over the runs in a folder; port 0 is any that is free (`server_port` says which)."""
    if not root.is_dir():
        raise WordworthError(f"{root} is not a folder; give the one that runs are written to, such as runs")
    try:
        return Server(root.resolve(), host, port)
    except OSError as error:
        raise WordworthError(
            f"{host}:{port} cannot be listened on ({error.strerror}); choose another --port"
        ) from error
    except OverflowError as error:
        raise WordworthError(f"--port is {port}; a port is a number from 0 to 65535") from error


def serve(root: Path, host: str = "127.0.0.1", port: int = 0) -> None:
    """Serves until it is interrupted; the address is printed on stdout."""
    with make_server(root, host, port) as server:
        sys.stdout.write(f"http://{f'[{host}]' if ':' in host else host}:{server.server_port}/\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
