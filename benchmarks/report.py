"""How long a large report takes to be made and to open: 12 models × 30 layers of random numbers."""

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from tests.made_runs import random_vast

from benchmarks.common import Result, seconds
from wordworth.pages.page import write_report

OPENED_WITHIN = 3.0
"""Seconds until the page can be read: its text, and the first figure."""
MODELS, LAYERS, WORDS, TIMES = 12, 30, 399, 3


def _opened(browser: Any, address: str) -> tuple[float, float]:
    """Seconds until the text and the first figure are there, and until all figures are."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    start = perf_counter()
    page.goto(address)
    page.wait_for_selector("figure.drawn svg", state="attached")
    opened = perf_counter() - start
    page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    drawn = perf_counter() - start
    page.close()
    return opened, drawn


def opening() -> Result:
    """The wanted time to open, over the time chromium needs."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with TemporaryDirectory() as scratch:
        words = [f"word{at}" for at in range(WORDS)]
        names = [f"random-{at}" for at in range(MODELS)]
        run = random_vast(names, layers=LAYERS, words=words).save(Path(scratch) / "run")
        start = perf_counter()
        report = write_report([run])
        making = perf_counter() - start
        size = report.stat().st_size
        with sync_playwright() as driver:
            rooted = os.geteuid() == 0
            browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"] if rooted else [])
            opened, drawn = min(_opened(browser, report.as_uri()) for _ in range(TIMES))
            browser.close()
    note = (
        f"{size / 1e6:.1f} MB, made in {seconds(making)}; opened with its first figure, all drawn in {seconds(drawn)}"
    )
    what = f"report of {MODELS} models × {LAYERS} layers (random numbers)"
    return Result(what, plain=OPENED_WITHIN, ours=opened, wanted=1.0, note=note)
