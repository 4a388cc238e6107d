"""What is fetched: archives and files that the bench serves on this machine, and their entries in the catalog."""

import hashlib
import http.server
import io
import json
import re
import threading
import zipfile
from pathlib import Path
from typing import Any

_ABOUT = {"language": "english", "licence": "none", "reference": "miller1995"}
_WORDNET = {
    "data.noun": "00000001 03 n 02 cat 0 dog 0 001 @ 00000002 n 0000 | one that is kept\n"
    "00000002 03 n 01 thing 0 000 | whatever there is\n"
    "00000003 03 n 02 storm 0 river 0 001 @ 00000002 n 0000 | what comes down\n",
    "index.noun": "".join(
        f"{word} n 1 1 @ 1 0 0000000{synset}\n"
        for word, synset in (("cat", 1), ("dog", 1), ("river", 3), ("storm", 3), ("thing", 2))
    ),
    **{f"data.{kind}": f"00000009 03 {kind[0]} 01 {kind}ly 0 000 | no more\n" for kind in ("verb", "adj", "adv")},
    **{f"index.{kind}": f"{kind}ly {kind[0]} 1 0 1 0 00000009\n" for kind in ("verb", "adj", "adv")},
}


class Server:
    """A package index and a web server of the files in a folder, with ranges."""

    def __init__(self, folder: Path) -> None:
        server = self
        self.folder = folder

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                name = self.path.strip("/").split("/")[-1]
                path = server.folder / name
                if self.path.startswith("/simple/"):
                    known = [one.name for one in server.folder.glob("*.whl") if _project(one.name) == name]
                    page = "".join(f'<a href="/files/{one}">{one}</a>' for one in known).encode()
                    self.answer(200 if known else 404, page, {"Content-Type": "text/html"})
                elif path.is_file():
                    content, asked = path.read_bytes(), self.headers.get("Range", "")
                    start = int(re.sub(r"\D", "", asked) or 0)
                    if start and start >= len(content):
                        self.answer(416, b"", {})
                    elif start:
                        span = f"bytes {start}-{len(content) - 1}/{len(content)}"
                        self.answer(206, content[start:], {"Content-Range": span})
                    else:
                        self.answer(200, content, {})
                else:
                    self.answer(404, b"", {})

            def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                self.send_response(status)
                for key, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(key, value)
                self.end_headers()
                self.wfile.write(body)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _project(archive: str) -> str:
    return archive.partition("-")[0].replace("_", "-")


def make_served(toys: Path, address: str) -> Path:
    """Puts archives of the toys into `served`, and gives the JSON with the entries of the catalog."""
    folder = toys / "served"
    folder.mkdir(exist_ok=True)
    vectors, dump = (toys / "vectors.txt").read_bytes(), _dump((toys / "text.txt").read_text())
    whole = vectors.replace(b" 0.", b" 0.0")
    middle = len(whole) // 2
    words = vectors.count(b"\n")
    joined = [
        {**_archive(folder, f"half{n}", {"data": half}), "member": f"half{n}/data"}
        for n, half in enumerate((whole[:middle], whole[middle:]), 1)
    ]
    wordnet = {name: text.encode() for name, text in _WORDNET.items()}
    files = {name: {"member": f"wordnet/{name}", **_pinned(content)} for name, content in wordnet.items()}
    static = _ABOUT | {"family": "static", "format": "glove", "dims": 8, "count": words}
    entries: dict[str, dict[str, Any]] = {
        "models": {
            "toy-vectors": _entry(static, _member(folder, "vectors", "vectors.txt", vectors)),
            "toy-joined": _entry(static, {"kind": "archive", "name": "joined.txt", "parts": joined, **_pinned(whole)}),
        },
        "pairs": {
            "toy-pairs": _entry(_ABOUT | {"count": 8, "scale": [0, 10]}, _web(folder, toys / "pairs.tsv", address))
        },
        "wordnets": {
            "toy-wordnet": _entry(_ABOUT | {"count": 6}, {**_archive(folder, "wordnet", wordnet), "files": files})
        },
        "corpora": {
            "toy-wiki": _entry(
                _ABOUT | {"count": 4, "unit": "pages", "layout": "mediawiki-xml"},
                _member(folder, "wiki", "dump.xml", dump),
            )
        },
    }
    if (toys / "tiny.gguf").exists():
        causal = _ABOUT | {"family": "causal", "format": "gguf", "dims": 32, "layers": 1, "count": 1}
        entries["models"]["toy-gguf"] = _entry(causal, _web(folder, toys / "tiny.gguf", address))
    (folder / "vectors.txt").write_bytes(vectors)
    catalog = toys / "catalog.json"
    catalog.write_text(json.dumps({"entries": entries, "address": f"{address}/files"}))
    return catalog


def _entry(about: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    return {"title": "A toy", **about, "sources": [source]}


def _pinned(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def _member(folder: Path, package: str, name: str, content: bytes) -> dict[str, Any]:
    return {**_archive(folder, package, {name: content}), "member": f"{package}/{name}", **_pinned(content)}


def _archive(folder: Path, package: str, members: dict[str, bytes]) -> dict[str, Any]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{package}/{name}", content)
    name = f"{package}-1.0-py3-none-any.whl"
    (folder / name).write_bytes(made.getvalue())
    about = {"kind": "archive", "package": package, "version": "1.0", "archive": name}
    return about | {"archive_sha256": _pinned(made.getvalue())["sha256"]}


def _web(folder: Path, file: Path, address: str) -> dict[str, Any]:
    (folder / file.name).write_bytes(file.read_bytes())
    return {"kind": "https", "url": f"{address}/files/{file.name}", **_pinned(file.read_bytes())}


def _dump(text: str) -> bytes:
    lines = text.splitlines()
    texts = [" ".join(lines[at : at + 3]) for at in range(0, 12, 3)]
    pages = "".join(
        f"<page><title>{at}</title><ns>0</ns><revision><text>{text}</text></revision></page>\n"
        for at, text in enumerate(texts)
    )
    return f"<mediawiki>\n{pages}</mediawiki>\n".encode()
