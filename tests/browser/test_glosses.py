"""A gloss shows over its word by mouse and by keyboard, stays inside the window, and is a link for a finger."""

from pathlib import Path
from typing import Any

import pytest

from made_runs import random_vast
from wordworth.report.writing import write_report

SHOWN = "getComputedStyle(document.querySelector('#answers a.gloss'), '::after').content"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report([random_vast(["tiny"], tests=2).write(tmp_path_factory.mktemp("run") / "vast")])


def test_by_mouse_by_keyboard_and_by_touch(page: Any, report: Path) -> None:
    page.set_viewport_size({"width": 340, "height": 700})
    page.goto(report.as_uri())
    first = page.locator("#answers a.gloss").first
    assert page.evaluate(SHOWN) == "none"
    first.hover()
    assert "how pleasant or unpleasant a word is" in page.evaluate(SHOWN)
    page.mouse.move(0, 0)
    assert page.evaluate(SHOWN) == "none"
    first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert "how pleasant or unpleasant a word is" in page.evaluate(SHOWN)
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
    first.click()
    assert page.evaluate("location.hash") == "#term-valence"
    assert page.locator("#term-valence").is_visible()


def test_in_print_the_words_stay_and_the_list_is_there(page: Any, report: Path) -> None:
    page.goto(report.as_uri())
    page.emulate_media(media="print")
    assert page.locator("#answers a.gloss").first.is_visible()
    assert page.locator("#glossary dd").first.is_visible()
