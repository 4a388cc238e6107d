"""Makes docs/figures/report.png: the first screen of a real report, as chromium shows it (`make results`)."""

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from typer.testing import CliRunner

from wordworth.cli import app
from wordworth.report.writing import write_report

HERE = Path(__file__).parent
SIZE = {"width": 1240, "height": 1350}


def main() -> None:
    with TemporaryDirectory() as scratch:
        run = Path(scratch) / "vast"
        shown = [part for name in ("contextualization", "isolation", "bias") for part in ("--experiment", name)]
        asked = ["run", "vast", "smollm2-135m", "--lexicon", "bellezza", *shown, "-o", str(run)]
        told = CliRunner().invoke(app, asked)
        assert told.exit_code == 0, told.output
        report = write_report([run])
        with sync_playwright() as driver:
            rooted = os.geteuid() == 0
            program = shutil.which("chromium")
            browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"] if rooted else [])
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.goto(report.as_uri())
            page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
            page.screenshot(path=HERE / "figures" / "report.png")
            browser.close()


if __name__ == "__main__":
    main()
