"""A hub on this machine that speaks what huggingface_hub asks: files with their commits, sizes and sums, and listings.

A repository can be gated, or cut its files off half way.
"""

import hashlib
import json
import re
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Self
from urllib.parse import unquote, urlsplit

_RESOLVE = re.compile(r"/(?P<repo>[^/]+(?:/[^/]+)?)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
_LISTED = re.compile(r"/api/models/(?P<repo>[^/]+(?:/[^/]+)?)(?:/(?P<what>revision|tree)/(?P<revision>[^/]+))?")
TOKEN = "hf_let-me-in"
# Files of these kinds are kept as large ones: their ETag is the sha256, as on the hub.
_LARGE = (".safetensors", ".gguf", ".bin", ".txt.gz")


def commit_of(content: object) -> str:
    """Forty hexadecimal digits, as git has."""
    return hashlib.sha1(repr(content).encode()).hexdigest()


@dataclass
class Repo:
    """A repository: files by commit, and names of commits."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    gated: int = 0
    """The status that refuses those without the token, 401 or 403."""
    cut: int = 0
    """How many answers with a large file are cut off half way."""

    def commit(self, files: dict[str, bytes], branch: str = "main") -> str:
        """Adds a commit and moves the branch to it."""
        made = commit_of(sorted((name, hashlib.sha256(content).digest()) for name, content in files.items()))
        self.commits[made] = files
        self.branches[branch] = made
        return made


@dataclass
class Hub:
    """The server and its repositories; `asked` lists the requests, as `GET /path`."""

    repos: dict[str, Repo] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    down: int = 0
    """The status that every request is answered with, such as 503."""
    silent: float = 0.0
    """Seconds for which every request stays without answer."""

    def add(self, name: str, files: dict[str, bytes], **how: Any) -> str:
        """A repository of one commit, which is given back."""
        self.repos[name] = Repo(**how)
        return self.repos[name].commit(files)

    def __enter__(self) -> Self:
        hub = self

        class Handler(_Handler):
            owner = hub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """From now on connections are refused."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    owner: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.owner.asked.append(f"{self.command} {path}")
        if self.owner.silent:
            time.sleep(self.owner.silent)
            self.close_connection = True
            return
        if self.owner.down:
            self._send(self.owner.down)
            return
        for pattern, answer in ((_LISTED, self._list), (_RESOLVE, self._file)):
            if match := pattern.fullmatch(path):
                answer(match.groupdict())
                return
        self._refuse(404, "RepoNotFound")

    def _list(self, asked: dict[str, str]) -> None:
        repo, commit = self._find_commit(asked, open_to_all=True)
        if repo is None or not commit:
            return
        files = repo.commits[commit]
        if asked["what"] == "tree":
            rows = [_row(path, content) for path, content in files.items()]
            self._send(200, json.dumps(rows).encode(), **{"Content-Type": "application/json"})
            return
        about = {"id": asked["repo"], "sha": commit, "siblings": [{"rfilename": path} for path in files]}
        self._send(200, json.dumps(about).encode(), **{"Content-Type": "application/json"})

    def _file(self, asked: dict[str, str]) -> None:
        repo, commit = self._find_commit(asked)
        if repo is None or not commit:
            return
        content = repo.commits[commit].get(asked["path"])
        if content is None:
            self._refuse(404, "EntryNotFound", **{"X-Repo-Commit": commit})
            return
        large = asked["path"].endswith(_LARGE)
        headers = {"X-Repo-Commit": commit, "ETag": f'"{_etag(content, large)}"'}
        if large:
            headers |= {"X-Linked-Etag": headers["ETag"], "X-Linked-Size": str(len(content))}
        cut = large and repo.cut > 0 and self.command == "GET"
        repo.cut -= cut
        sent = len(content) // 2 if cut else len(content)
        self._send(200, content, sent=sent, **headers)

    def _find_commit(self, asked: dict[str, str], *, open_to_all: bool = False) -> tuple[Repo | None, str]:
        """The repository and the commit that are asked for; where there is none, the answer is sent here."""
        repo = self.owner.repos.get(asked["repo"])
        if repo is None:
            self._refuse(404, "RepoNotFound")
            return None, ""
        if repo.gated and not open_to_all and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._refuse(repo.gated, "GatedRepo")
            return None, ""
        revision = asked["revision"] or "main"
        commit = repo.branches.get(revision, revision)
        if commit not in repo.commits:
            self._refuse(404, "RevisionNotFound")
            return None, ""
        return repo, commit

    def _refuse(self, status: int, code: str, **headers: str) -> None:
        self._send(status, b'{"error": "refused"}', **{"X-Error-Code": code, "X-Error-Message": code}, **headers)

    def _send(self, status: int, content: bytes = b"", *, sent: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(content[:sent])
        if sent is not None and sent < len(content):
            self.close_connection = True


def _etag(content: bytes, large: bool) -> str:
    return hashlib.sha256(content).hexdigest() if large else hashlib.sha1(content).hexdigest()


def _row(path: str, content: bytes) -> dict[str, Any]:
    """A file as listings have it."""
    row: dict[str, Any] = {"type": "file", "path": path, "size": len(content), "oid": _etag(content, False)}
    if path.endswith(_LARGE):
        row["lfs"] = {"oid": _etag(content, True), "size": len(content), "pointerSize": 130}
    return row


def files_in(folder: Path) -> dict[str, bytes]:
    """The files of a folder, to be put into a repository."""
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
