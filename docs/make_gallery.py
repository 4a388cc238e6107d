"""Makes docs/gallery/: the audit that the site shows, its report and its tables (`make docs`; minutes, then kept)."""

from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner

from wordworth.cli import app
from wordworth.report import write_report

GALLERY = Path(__file__).parent / "gallery"
MODELS = ("smollm2-135m", "glove-6b-50d", "nli-glove")
"""A language model, word vectors and an NLI model: between them every study, and two that stand side by side."""


def main() -> Path:
    """The path of the report."""
    with chdir(GALLERY.parent):  # so that what is published names no folder of this machine
        told = CliRunner().invoke(app, ["audit", *MODELS, "--quick", "--overwrite", "-o", GALLERY.name])
    if told.exit_code != 0:
        raise SystemExit(told.output)
    write_report([GALLERY], GALLERY / "tables.tex", "latex")
    return GALLERY / "report.html"


if __name__ == "__main__":
    print(main())
