"""A real browser, where there is one: Debian's chromium or another of its kind, driven by playwright."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 1_200_000
"""Milliseconds that a browser may take to start, and a page to do anything: the machine may be busy."""
SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


@dataclass
class Watched:
    """What a page did while it was open."""

    errors: list[str] = field(default_factory=list)
    """Errors and warnings of the console, and exceptions that nothing caught."""
    requests: list[str] = field(default_factory=list)
    """Addresses beyond the page's own file and what it made itself."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests; skipped, with the reason, where none can be had."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (the dev extra has it)")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no browser here: none of {', '.join(NAMES)} (as root, `make browser` installs chromium)")
    rooted = hasattr(os, "geteuid") and os.geteuid() == 0
    with playwright.sync_playwright() as driver:
        arguments = ["--no-sandbox"] if rooted else []
        opened = driver.chromium.launch(executable_path=program, args=arguments, timeout=PATIENCE)
        yield opened
        opened.close()


@pytest.fixture
def watched() -> Watched:
    return Watched()


def _open(browser: Any, watched: Watched, **choices: Any) -> Any:
    context = browser.new_context(**{"viewport": SIZES["desktop"], "color_scheme": "light", **choices})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.on("console", lambda told: watched.errors.append(told.text) if told.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    page.on(
        "request",
        lambda made: None if made.url.startswith(("file:", "blob:", "data:")) else watched.requests.append(made.url),
    )
    return page


@pytest.fixture
def page(browser: Any, watched: Watched) -> Iterator[Any]:
    """A page at desktop width, in light; `watched` keeps its errors and its requests."""
    opened = _open(browser, watched)
    yield opened
    opened.context.close()


@pytest.fixture
def phone(browser: Any, watched: Watched) -> Iterator[Any]:
    """The same on a phone that prefers dark."""
    opened = _open(browser, watched, viewport=SIZES["phone"], color_scheme="dark", has_touch=True)
    yield opened
    opened.context.close()
