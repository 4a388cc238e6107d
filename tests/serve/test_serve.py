"""What is served, and what is not."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from served_runs import small_run
from wordworth.errors import WordworthError
from wordworth.run import read_manifest
from wordworth.run.watch import Doing, watched
from wordworth.serve import make_server
from wordworth.serve.guard import is_own_host
from wordworth.serve.library import Library


def test_runs_are_listed(get: Any) -> None:
    page = get("/")
    assert page.status == 200
    for place in ("good", "poor", "seeded", "audit/valnorm"):
        assert f'href="/runs/{place}/"' in page.text
    assert "4 runs" in page.text
    assert "leak" not in page.text  # a link that leads out of the folder
    told = json.loads(get("/api/runs").text)
    assert {run["place"] for run in told["runs"]} == {"good", "poor", "seeded", "audit/valnorm"}


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("model=good", 2),
        ("study=valnorm", 4),
        ("study=vast", 0),
        ("text=audit", 1),
        ("text=GOOD+seeded", 1),
        ("model=inner&text=x", 0),
    ],
)
def test_filter(get: Any, query: str, shown: int) -> None:
    page = get(f"/?{query}")
    assert page.text.count('type="radio" name="a"') == shown
    assert (f"{shown} of 4 runs" if shown < 4 else "4 runs") in page.text


def test_a_report_is_made_where_there_is_none(get: Any, runs: Path) -> None:
    (runs / "good" / "report.md").unlink()
    before = sorted(str(path) for path in runs.rglob("*"))
    report = get("/runs/good/report.html")
    assert report.status == 200
    assert "What a word is worth to good" in report.text
    assert report.headers["content-security-policy"].endswith("; sandbox allow-scripts allow-downloads")
    small_run(runs / "good", "better", 1)
    assert "What a word is worth to better" in get("/runs/good/report.html").text  # made anew for a new run
    assert get("/runs/audit/report.html").text == "<p>the audit's report</p>"
    assert sorted(str(path) for path in runs.rglob("*")) == before  # nothing is written


def test_files(get: Any, runs: Path) -> None:
    scores = get("/runs/good/scores.csv")
    assert scores.text == (runs / "good" / "scores.csv").read_text()
    assert scores.headers["content-disposition"] == 'attachment; filename="scores.csv"'
    assert get("/runs/audit/valnorm/run.json").status == 200
    head = get("/runs/good/scores.csv", method="HEAD")
    assert (head.status, head.text) == (200, "")
    assert head.headers["content-length"] == str(len(scores.text))


def test_compare(get: Any) -> None:
    page = get("/compare?a=good&b=poor")
    assert page.status == 200
    assert "good knows the valence of words better than &lt;script&gt;alert(1)&lt;/script&gt; on bellezza" in page.text
    refused = get("/compare?a=good&b=seeded")
    assert refused.status == 409
    assert "what was drawn at random is not the same (seeds 0 and 5)" in refused.text
    assert get("/compare?a=good&b=good").status == 409
    assert get("/compare?a=good").status == 400
    assert get("/compare?a=good&b=leak").status == 404


OUTSIDE = [
    "/../secret.txt",
    "/runs/../../secret.txt",
    "/runs/../outside/",
    "/runs/..%2foutside/",
    "/runs/..%2Foutside%2Fscores.csv",
    "/runs/good/..%2f..%2f..%2fsecret.txt",
    "/runs/%2e%2e/outside/scores.csv",
    "/runs/..\\outside\\scores.csv",
    "/runs/..%5coutside%5cscores.csv",
    "/runs//etc/passwd",
    "/runs/%2fetc%2fpasswd",
    "/runs/good%00/scores.csv",
    "/runs/good/scores.csv%00.html",
    "/runs/leak/",
    "/runs/leak/scores.csv",
    "/runs/good/report.md",
    "/runs/good/../good/scores.csv",
    "/runs/./good/",
    "/runs/good/unknown.txt",
    "/runs/",
    "/runs/nowhere/",
    "/assets/../server.py",
    "/assets/..%2fserver.py",
    "/assets/none.js",
    "/compare?a=..%2foutside&b=good",
    "/compare?a=%2f&b=good",
    "/compare?a=good%00&b=good",
    "/nothing",
    "/good/scores.csv",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_is_served(get: Any, path: str) -> None:
    answer = get(path)
    assert answer.status == 404
    assert "secret" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"])
def test_only_reading(get: Any, method: str) -> None:
    answer = get("/", method=method)
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/", "/runs/good/", "/runs/good/scores.csv", "/nothing", "/compare?a=good&b=poor"])
def test_security_headers(get: Any, path: str) -> None:
    headers = get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-security-policy"].startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_pages_hold_no_script_of_their_own(get: Any) -> None:
    for path in ("/", "/compare?a=good&b=poor", "/?text=%3Cscript%3Ealert(1)%3C/script%3E&model=%22%3E%3Cscript%3E"):
        page = get(path)
        assert "'unsafe-inline'" not in page.headers["content-security-policy"]
        assert page.text.count("<script") == 1  # /assets/serve.js
        assert "alert(1)</script>" not in page.text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.0.2.1", "[2001:db8::1]"]
)
def test_another_hosts_name_is_turned_away(get: Any, host: str) -> None:
    """DNS rebinding: a stranger's name that points here."""
    assert get("/", host=host).status == 421


def test_hosts() -> None:
    for header in ("localhost:80", "127.0.0.1", "[::1]:8000", "LOCALHOST"):
        assert is_own_host(header, "127.0.0.1")
    assert not is_own_host(None, "127.0.0.1")
    assert not is_own_host("", "127.0.0.1")
    assert is_own_host("192.0.2.1:80", "0.0.0.0")
    assert is_own_host("lab.example", "lab.example")
    assert not is_own_host("evil.example", "0.0.0.0")


def test_a_request_without_a_host(get: Any) -> None:
    assert get("/", host="").status == 421


def test_what_is_running(get: Any, runs: Path) -> None:
    assert "Running" not in get("/").text
    with watched(runs / "new", "vast", ["<b>gpt2</b>"]):
        page = get("/")
        assert "Running" in page.text
        assert "&lt;b&gt;gpt2&lt;/b&gt;" in page.text
        assert "<code>new</code>" in get("/running").text
        assert json.loads(get("/api/runs").text)["running"]["new"]["alive"] is True
    assert get("/running").text == ""


def test_a_killed_run_is_told_from_a_running_one(get: Any, runs: Path) -> None:
    now = time.time()
    left = Doing("vast", ("gpt2",), now - 600, now - 500, "encoding", 3, 10)
    (runs / "killed.progress").write_text(json.dumps(asdict(left)))
    assert "stopped: no sign of life" in get("/running").text
    (runs / "other.progress").write_text("not ours")
    assert "other" not in get("/running").text


def _no_number(run: Path) -> None:
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(manifest | {"seconds": "<b>long</b>", "models": [1]}))


def _fifo(run: Path) -> None:
    (run / "run.json").unlink()
    os.mkfifo(run / "run.json")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "half": (lambda run: (run / "run.json").write_text("{"), "holds a run that cannot be read back"),
    "other types": (_no_number, "run.json is not as a run writes it (models: 1: a whole number, not a table)"),
    "no scores": (lambda run: (run / "scores.csv").unlink(), "it has no scores.csv"),
    "deep": (lambda run: (run / "run.json").write_text("[" * 100_000), "holds a run that cannot be read back"),
    "a pipe": (_fifo, "it has no run.json"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_run_that_cannot_be_read_hides_no_other(get: Any, runs: Path, name: str) -> None:
    damage, sentence = DAMAGE[name]
    damage(runs / "seeded")
    (runs / os.fsdecode(b"not \xff text")).mkdir()
    (runs / "bad.progress").write_text('{"study": "x", "models": [], "started": "x", "updated": null}')
    page = get("/")
    assert page.status == 200
    assert "3 runs" in page.text
    assert "Cannot be read" in page.text
    assert "<code>seeded</code>: " in page.text
    assert sentence in page.text.replace("&#x27;", "'")
    table = json.loads(get("/api/runs").text)
    assert [run["place"] for run in table["runs"]] == ["audit/valnorm", "good", "poor"]
    assert sentence in table["unreadable"]["seeded"]
    assert get("/runs/seeded/").status in (404, 409)  # a page with a sentence


def test_a_manifest_too_large_to_list(get: Any, runs: Path) -> None:
    """Once 64 MB of each were read for the list; a study writes some kilobytes."""
    run = next(path.parent for path in sorted(runs.rglob("run.json")))
    manifest = json.loads((run / "run.json").read_text(encoding="utf-8"))
    (run / "run.json").write_text(json.dumps(manifest | {"notes": ["x" * (5 << 20)]}), encoding="utf-8")
    page = get("/").text
    assert "run.json is larger than a run writes it (4,194,304 bytes)" in page
    assert read_manifest(run)["notes"]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WordworthError, match="is not a folder; give the one that runs are written to"):
        make_server(tmp_path / "none")
    with pytest.raises(WordworthError, match="--port is 99999999"):
        make_server(tmp_path, port=99999999)
    with make_server(tmp_path) as one, pytest.raises(WordworthError, match="cannot be listened on"):
        make_server(tmp_path, port=one.server_port)


def test_an_address_with_colons(tmp_path: Path) -> None:
    try:
        server = make_server(tmp_path, "::1")
    except WordworthError:
        pytest.skip("this machine has no IPv6")
    assert is_own_host(f"[::1]:{server.server_port}", server.bound)
    server.server_close()


def test_deep_folders_are_not_searched(tmp_path: Path) -> None:
    (tmp_path / "a/b/c/d/e/f").mkdir(parents=True)
    assert [len(folder.relative_to(tmp_path).parts) for folder, _, _ in Library(tmp_path)._folders()][-1] == 4
