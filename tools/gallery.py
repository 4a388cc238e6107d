"""Make docs/gallery/, the audit that the site shows (`make docs`), and its pictures in docs/figures/.

python -m tools.gallery               # the audit, its report and its tables: minutes, then kept
python -m tools.gallery --pictures    # also screenshots of the report and a table set by pdfLaTeX
"""

import os
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from typer.testing import CliRunner

from tools.pages import DOCS
from wordworth.cli import app
from wordworth.pages.page import write_report

GALLERY = DOCS / "gallery"
FIGURES = DOCS / "figures"
MODELS = ("smollm2-135m", "glove-6b-50d", "nli-glove")
"""A language model, word vectors and an NLI model: together they run every study."""
SCREEN = {"width": 1240, "height": 1160}
PICTURES = {"gallery-layers": "valence-layers", "gallery-weat": "weat", "gallery-coverage": "coverage"}
"""Picture → id of the figure in the report."""
PAPER = r"""\documentclass{article}
\usepackage[a5paper,landscape,margin=1cm]{geometry}
\usepackage{array,booktabs,graphicx}
\pagestyle{empty}
\begin{document}
\input{tables.tex}
\end{document}
"""


def make_gallery() -> Path:
    """Run the audit, write its tables, and return the path of the report."""
    with chdir(DOCS):  # so that what is published names no folder of this machine
        answer = CliRunner().invoke(app, ["audit", *MODELS, "--quick", "--overwrite", "-o", GALLERY.name])
    if answer.exit_code != 0:
        raise SystemExit(answer.output)
    write_report([GALLERY], GALLERY / "tables.tex", "latex")
    return GALLERY / "report.html"


def take_pictures(report: Path) -> None:
    """Take screenshots of the first screen and of some figures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        page = browser.new_page(viewport=SCREEN, color_scheme="light")
        page.goto(report.as_uri())
        page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
        page.screenshot(path=FIGURES / "report.png")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = one.matches('.more') })")
        for picture, figure in PICTURES.items():
            element = page.locator(f"#{figure}")
            element.scroll_into_view_if_needed()
            element.locator("svg").first.wait_for()
            page.wait_for_timeout(500)
            element.screenshot(path=FIGURES / f"{picture}.png")
        browser.close()


def typeset_table() -> None:
    """Typeset the leaderboard with pdfLaTeX, as a paper would have it."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_report([GALLERY], folder / "tables.tex", "latex", tables=["leaderboard"])
        (folder / "paper.tex").write_text(PAPER, encoding="utf-8")
        for command in ("pdflatex -halt-on-error paper.tex", "pdftoppm -png -r 110 paper.pdf paper"):
            subprocess.run(command.split(), cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (first, *_) = sorted(folder.glob("paper*.png"))
        shutil.copy(first, FIGURES / "gallery-table.png")


if __name__ == "__main__":
    path = make_gallery()
    print(path)
    if "--pictures" in sys.argv[1:]:
        take_pictures(path)
        typeset_table()
