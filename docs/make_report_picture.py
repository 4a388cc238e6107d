"""Makes the gallery's pictures in docs/figures/: screens of its report, a table set by pdfLaTeX (`make results`)."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import make_gallery
from playwright.sync_api import Page, sync_playwright

from wordworth.report import write_report

FIGURES = Path(__file__).parent / "figures"
SIZE = {"width": 1240, "height": 1160}
SHOWN = {"gallery-layers": "valence-layers", "gallery-weat": "weat", "gallery-coverage": "coverage"}
"""Picture → the figure of the report that it is of."""
PAPER = r"""\documentclass{article}
\usepackage[a5paper,landscape,margin=1cm]{geometry}
\usepackage{array,booktabs,graphicx}
\pagestyle{empty}
\begin{document}
\input{tables.tex}
\end{document}
"""


def main() -> None:
    report = make_gallery.main()
    with sync_playwright() as driver:
        rooted = os.geteuid() == 0
        program = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"] if rooted else [])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(report.as_uri())
        page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
        page.screenshot(path=FIGURES / "report.png")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = false })")
        for picture, figure in SHOWN.items():
            _figure(page, figure, FIGURES / f"{picture}.png")
        browser.close()
    _table()


def _figure(page: Page, figure: str, picture: Path) -> None:
    shown = page.locator(f"#{figure}")
    shown.scroll_into_view_if_needed()
    shown.locator("svg").first.wait_for()
    page.wait_for_timeout(500)
    shown.screenshot(path=picture)


def _table() -> None:
    """The association tests as a paper would have them."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_report([make_gallery.GALLERY], folder / "tables.tex", "latex", tables=["leaderboard"])
        (folder / "paper.tex").write_text(PAPER, encoding="utf-8")
        for command in ("pdflatex -halt-on-error paper.tex", "pdftoppm -png -r 110 paper.pdf paper"):
            subprocess.run(command.split(), cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (first, *_) = sorted(folder.glob("paper*.png"))
        shutil.copy(first, FIGURES / "gallery-table.png")


if __name__ == "__main__":
    main()
