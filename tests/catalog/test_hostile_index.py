"""An index that leads astray, talks nonsense or says nothing; archives that trick; settings of pip that are no good."""

import http.server
import io
import tarfile
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from wordworth.catalog.entry import parse
from wordworth.catalog.fetch import archives, sources
from wordworth.errors import WordworthError

ASKED = {
    "kind": "archive",
    "package": "thing",
    "version": "1.0",
    "archive": "thing-1.0-py3-none-any.whl",
    "archive_sha256": "0" * 64,
    "member": "thing/words.txt",
    "sha256": "0" * 64,
    "bytes": 5,
}
PAGE = b'<a href="/files/thing-1.0-py3-none-any.whl">thing-1.0-py3-none-any.whl</a>'


class Hostile:
    """Answers the page of the index with `page`, and every file with `file`: a status, a place to go, and a body."""

    def __init__(self) -> None:
        self.page: tuple[int, str, bytes] = (200, "", PAGE)
        self.file: tuple[int, str, bytes] = (200, "", b"nonsense")
        self.kind = "text/html"
        self.silent = 0.0
        self.asked = 0
        hostile = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                hostile.asked += 1
                time.sleep(hostile.silent)
                status, to, body = hostile.page if self.path.startswith("/simple/") else hostile.file
                self.send_response(status)
                self.send_header("Content-Type", hostile.kind)
                if to:
                    self.send_header("Location", to)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/simple/"


@pytest.fixture
def hostile(own_index: pytest.MonkeyPatch) -> Iterator[Hostile]:
    made = Hostile()
    threading.Thread(target=made.server.serve_forever, args=(0.02,), daemon=True).start()
    own_index.setenv("PIP_INDEX_URL", made.url)
    own_index.setenv("PIP_TIMEOUT", "1")
    yield made
    made.server.shutdown()
    made.server.server_close()


def refused(tmp_path: Path) -> str:
    """The sentence; nothing is kept."""
    with pytest.raises(WordworthError) as raised:
        sources.locate("words", [parse(ASKED)])
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and ".lock" not in path.name]
    # What this process says it uses is there as long as it lives.
    kept = [path for path in kept if not path.parent.name.startswith(".in-use.")]
    assert [path for path in kept if not path.name.endswith(".part")] == []
    assert len(str(raised.value)) < 500
    return str(raised.value)


@pytest.mark.parametrize("to", ["/simple/thing/", "/simple/thing/again"])
def test_a_page_that_leads_in_a_circle(hostile: Hostile, tmp_path: Path, to: str) -> None:
    hostile.page = (302, to, b"")
    assert "cannot be looked up" in refused(tmp_path)
    assert hostile.asked < 100


def test_a_file_that_leads_in_a_circle(hostile: Hostile, tmp_path: Path) -> None:
    hostile.file = (302, "/files/thing-1.0-py3-none-any.whl", b"")
    assert "cannot be fetched from 127.0.0.1" in refused(tmp_path)
    assert hostile.asked < 100


@pytest.mark.parametrize(
    "to", ["file://{secret}", "ftp://127.0.0.1/x", "gopher:x", "http://[", "//", "data:text/plain,x"]
)
@pytest.mark.parametrize("which", ["page", "file"])
def test_where_no_file_of_this_machine_is_read(hostile: Hostile, tmp_path: Path, to: str, which: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("<a href='x'>secret</a>")
    setattr(hostile, which, (302, to.format(secret=secret), b""))
    assert "secret<" not in refused(tmp_path)


@pytest.mark.parametrize(
    "page", [b"", b"\x00\xff" * 500, b"<a href='http://['>thing-1.0-py3-none-any.whl</a>", b"{" * 50_000, b"<" * 50_000]
)
@pytest.mark.parametrize("kind", ["text/html", "application/vnd.pypi.simple.v1+json", "nonsense"])
def test_a_page_of_nonsense(hostile: Hostile, tmp_path: Path, page: bytes, kind: str) -> None:
    hostile.page, hostile.kind = (200, "", page), kind
    refused(tmp_path)


def test_an_index_that_never_answers(hostile: Hostile, tmp_path: Path) -> None:
    hostile.silent = 30
    assert "cannot be looked up: no index answers at 127.0.0.1" in refused(tmp_path)


NONSENSE = {
    "PIP_TIMEOUT": ["soon", "-1", "nan", "inf"],
    "PIP_PROXY": ["://", "http://[", "nonsense://x"],
    "PIP_INDEX_URL": ["nonsense", "http://[", "ftp://127.0.0.1/simple", ""],
    "PIP_CERT": ["/dev/null", "/nonexistent"],
    "PIP_CLIENT_CERT": ["/nonexistent"],
    "PIP_FIND_LINKS": ["http://[", "/nonexistent"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in NONSENSE.items() for value in values])
def test_settings_of_pip_that_are_nonsense(
    hostile: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    refused(tmp_path)


def test_a_member_that_is_encrypted(tmp_path: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("words.txt", b"words")
    content = bytearray(made.getvalue())
    content[6] |= 1  # of the member
    content[content.index(b"PK\x01\x02") + 8] |= 1  # of the directory
    (tmp_path / "x.whl").write_bytes(content)
    with pytest.raises(WordworthError, match="is encrypted, so it is not taken"):
        archives.take(tmp_path / "x.whl", "words.txt", io.BytesIO())


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("to", ["words.txt", "/etc/passwd", "../../etc/passwd"])
def test_a_member_that_is_a_link(tmp_path: Path, kind: bytes, to: str) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        link = tarfile.TarInfo("words.txt")
        link.type, link.linkname = kind, to
        archive.addfile(link)
    with pytest.raises(WordworthError, match="only a link of that name"):
        archives.take(tmp_path / "x.tar", "words.txt", io.BytesIO())
