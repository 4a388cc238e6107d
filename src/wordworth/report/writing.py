"""Where a report goes, and in which form."""

from collections.abc import Sequence
from pathlib import Path

from wordworth.errors import WordworthError
from wordworth.files import replacing
from wordworth.report.asked import asked
from wordworth.report.latex import latex
from wordworth.report.markdown import markdown
from wordworth.report.page import page
from wordworth.report.runs import read_runs

FORMATS = {"html": "report.html", "md": "report.md", "latex": "report.tex"}
"""Form → the name of the file."""
TABLES = {"md": markdown, "latex": latex}
"""The forms that are tables."""


def default_place(places: Sequence[Path], form: str) -> Path:
    """Beside the run or the runs of an audit where there is one folder, else in the working folder."""
    name = FORMATS[form]
    return places[0] / name if len(places) == 1 else Path(name)


def write_report(
    places: Sequence[Path],
    output: Path | None = None,
    form: str = "html",
    *,
    tables: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> Path:
    """Writes the report of these runs and audits; gives its path. `tables` and `columns` choose from Markdown or LaTeX.

    A column is value, interval, p or n, or the name of a measure, data set, model or setting.
    """
    if form not in FORMATS:
        raise WordworthError(f"--format is {form!r}; it can be {', '.join(FORMATS)}")
    if form not in TABLES and (tables or columns):
        raise WordworthError("--table and --columns choose from tables; give --format md or --format latex with them")
    runs = read_runs(places)
    place = output or default_place(places, form)
    if place.is_dir():
        raise WordworthError(f"{place} is a folder; name the file to write, such as {place / FORMATS[form]}")
    chosen = asked(runs, tables, columns)
    text = TABLES[form](runs, chosen) if form in TABLES else page(runs, place.absolute().parent)
    with replacing(place) as new:
        new.write_text(text, encoding="utf-8")
    return place
