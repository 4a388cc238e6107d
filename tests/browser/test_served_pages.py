"""The served pages in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from served_runs import served, small_runs
from wordworth.run import watch


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return small_runs(tmp_path)


@pytest.fixture
def home(runs: Path) -> Iterator[str]:
    """Its address."""
    with served(runs) as port:
        yield f"http://127.0.0.1:{port}/"


def test_list_filter_and_compare(page: Any, home: str, watched: Any) -> None:
    page.goto(home)
    assert page.locator("table tbody tr").count() == 4
    page.select_option("select[name=model]", "good")
    page.wait_for_url("**model=good**")
    assert page.locator("table tbody tr").count() == 2
    page.goto(home)
    page.get_by_label("first to compare: good").check()
    page.get_by_label("second to compare: poor").check()
    page.get_by_role("button", name="compare").click()
    assert "good knows the valence of words better than <script>alert(1)</script>" in page.inner_text(".verdicts")
    assert page.locator("table tbody tr").count() == 1
    assert all(url.startswith(home) for url in watched.requests)
    assert watched.errors == []


def test_a_report_opens(page: Any, home: str, watched: Any) -> None:
    page.goto(home)
    page.set_default_timeout(60_000)  # the first report waits for a process to start
    page.get_by_role("link", name="poor", exact=True).click()
    assert "<script>alert(1)</script>" in page.frame_locator("iframe").locator("h1").inner_text()
    assert watched.errors == []


def test_a_run_in_progress_comes_and_goes(page: Any, home: str, runs: Path, watched: Any) -> None:
    page.goto(home)
    with watch.watched(runs / "new", "vast", ["gpt2"]):
        page.wait_for_selector("#running li", timeout=20_000)
        assert "gpt2" in page.inner_text("#running")
    page.wait_for_selector("#running li", state="detached", timeout=20_000)
    assert watched.errors == []


def test_nothing_outside(page: Any, home: str) -> None:
    for path in ("../secret.txt", "runs/..%2foutside/scores.csv", "runs/../../secret.txt"):
        answer = page.goto(home + path)
        assert answer.status == 404


@pytest.mark.parametrize("path", ["", "compare?a=good&b=poor"])
def test_phone_and_dark(phone: Any, home: str, watched: Any, path: str) -> None:
    phone.goto(home + path)
    assert phone.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert phone.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 23, 26)"
    assert watched.errors == []
