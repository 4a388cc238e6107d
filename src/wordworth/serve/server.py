"""The server: it answers GET and HEAD, writes nothing, and knows no path outside its root."""

import json
import socket
import sys
from functools import cache, lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from wordworth.compare import compare, sides
from wordworth.compare.sides import models_of
from wordworth.errors import WordworthError
from wordworth.report import read_runs
from wordworth.report.page import page
from wordworth.run import read_run
from wordworth.serve import pages
from wordworth.serve.guard import PAGES, REPORTS, SECURITY, is_own_host
from wordworth.serve.library import Library, run_files

ASSETS = {"serve.css": "text/css", "serve.js": "text/javascript", "icon.svg": "image/svg+xml"}
KINDS = {".csv": "text/csv", ".json": "application/json", ".parquet": "application/vnd.apache.parquet"}
KINDS |= {".md": "text/plain", ".tex": "text/plain"}
HTML = "text/html; charset=utf-8"
CHUNK = 1 << 20
REFUSED = {"Allow": "GET, HEAD", "Connection": "close"}


class Answer:
    """A status, a type, and what is sent: bytes, or a file that is read in pieces."""

    def __init__(self, status: int, kind: str, body: bytes | Path, policy: str = PAGES, name: str = "") -> None:
        self.status, self.kind, self.body, self.policy, self.name = status, kind, body, policy, name

    @property
    def length(self) -> int:
        return self.body.stat().st_size if isinstance(self.body, Path) else len(self.body)


def _page(text: str, status: int = 200, policy: str = PAGES) -> Answer:
    return Answer(status, HTML, text.encode(), policy)


def _missing() -> Answer:
    return _page(pages.refusal(404, "There is nothing at this address."), 404)


@cache
def _asset(name: str) -> bytes:
    return files("wordworth.serve").joinpath("assets", name).read_bytes()


def answer(library: Library, target: str) -> Answer:
    """What a path and its query ask for. What is not known, or not under the root, is 404."""
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
        return Answer(200, f"{ASSETS[rest]}; charset=utf-8", _asset(rest))
    if head == "runs" and rest:
        place, _, name = rest.rpartition("/")
        return _file(library, place, name) if name else _report(library, place)
    return _missing()


def _file(library: Library, place: str, name: str) -> Answer:
    """A file to save. A report links to those beside it, so they lie at the same address."""
    path = library.file(place, name)
    if path is not None and path.suffix in KINDS:
        return Answer(200, KINDS[path.suffix], path, name=path.name)
    return _missing()


def _listing(library: Library, query: dict[str, str]) -> Answer:
    return _page(pages.listing(library, {key: query.get(key, "") for key in ("study", "model", "text")}))


def _runs(library: Library) -> Answer:
    every = [vars(run) for run in library.runs()]
    table: dict[str, Any] = {"runs": [run for run in every if not run["problem"]]}
    table["unreadable"] = {run["place"]: run["problem"] for run in every if run["problem"]}
    table["running"] = {place: vars(one) | {"alive": one.alive()} for place, one in library.doing().items()}
    return Answer(200, "application/json", json.dumps(table, ensure_ascii=False).encode())


def _report(library: Library, place: str) -> Answer:
    """The report that lies there, or one that is made now and kept nowhere."""
    written = library.file(place, "report.html")
    if written is not None:
        return Answer(200, HTML, written, REPORTS)
    folder = library.run(place) or library.audit(place)
    if folder is None:
        return _missing()
    return _page(_made(folder, tuple(path.stat().st_mtime_ns for path in run_files(folder))), policy=REPORTS)


@lru_cache(maxsize=8)
def _made(folder: Path, stamps: tuple[int, ...]) -> str:
    """A report that lies nowhere; made again only when a run in the folder was written anew."""
    return page(read_runs([folder]), folder)


def _compare(library: Library, query: dict[str, str]) -> Answer:
    places = query.get("a", ""), query.get("b", "")
    if not all(places):
        return _page(pages.refusal(400, "Tick a first and a second run to compare."), 400)
    folders = library.run(places[0]), library.run(places[1])
    if folders[0] is None or folders[1] is None:
        return _missing()
    runs = [read_run(folder) for folder in dict.fromkeys(folders) if folder is not None]
    known = models_of(runs[0]), models_of(runs[-1])
    models = (query["x"], query["y"]) if "x" in query and "y" in query else None
    if models is None and (max(map(len, known)) > 2 or (len(runs) == 2 and max(map(len, known)) > 1)):
        return _page(pages.choose_models(places, known))
    return _page(pages.comparison(compare(*sides(runs, models)), places))


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD; everything else is 405."""

    server: "Server"
    server_version = "wordworth"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        if self.command in ("GET", "HEAD"):
            return True
        self.close_connection = True  # a body that came along is not read
        self._send(_page(pages.refusal(405, "Only GET and HEAD are answered here."), 405), True, REFUSED)
        return False

    def _answer(self, *, with_body: bool) -> None:
        if not is_own_host(self.headers.get("Host"), self.server.bound):
            self._send(_page(pages.refusal(421, "This server does not go by that name."), 421), with_body)
            return
        try:
            answered = answer(self.server.library, self.path)
        except WordworthError as error:
            answered = _page(pages.refusal(409, f"{error}."), 409)
        except FileNotFoundError:  # a run that was replaced or moved while it was being read
            answered = _missing()
        self._send(answered, with_body)

    def _send(self, answered: Answer, with_body: bool, more: dict[str, str] | None = None) -> None:
        self.send_response(answered.status)
        headers = {"Content-Type": answered.kind, "Content-Length": str(answered.length)}
        headers |= SECURITY | {"Content-Security-Policy": answered.policy} | (more or {})
        if answered.name:
            headers["Content-Disposition"] = f'attachment; filename="{answered.name}"'
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if not with_body:
            return
        try:
            if isinstance(answered.body, bytes):
                self.wfile.write(answered.body)
                return
            with answered.body.open("rb") as stream:
                while part := stream.read(CHUNK):
                    self.wfile.write(part)
        except (BrokenPipeError, ConnectionResetError):  # the reader has gone
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Quiet: what is looked at is nobody's business."""


class Server(ThreadingHTTPServer):
    """One thread a connection; the threads end with the server."""

    daemon_threads = True

    def __init__(self, root: Path, host: str, port: int) -> None:
        self.library, self.bound = Library(root), host
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), Handler)


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
