"""Where a report goes, and in which form."""

from collections.abc import Callable, Sequence
from pathlib import Path

from wordworth.errors import WordworthError
from wordworth.files import replacing
from wordworth.report.page import page
from wordworth.report.plain import latex, markdown
from wordworth.report.runs import Runs, read_runs

FORMATS: dict[str, tuple[str, Callable[[Runs, Path], str]]] = {
    "html": ("report.html", page),
    "md": ("report.md", lambda runs, _: markdown(runs)),
    "latex": ("report.tex", lambda runs, _: latex(runs)),
}


def default_place(places: Sequence[Path], form: str) -> Path:
    """Beside the run or the runs of an audit where there is one folder, else in the working folder."""
    name = FORMATS[form][0]
    return places[0] / name if len(places) == 1 else Path(name)


def write_report(places: Sequence[Path], output: Path | None = None, form: str = "html") -> Path:
    """Writes the report of these runs and audits; gives its path."""
    if form not in FORMATS:
        raise WordworthError(f"--format is {form!r}; it can be {', '.join(FORMATS)}")
    runs = read_runs(places)
    place = output or default_place(places, form)
    if place.is_dir():
        raise WordworthError(f"{place} is a folder; name the file to write, such as {place / FORMATS[form][0]}")
    text = FORMATS[form][1](runs, place.absolute().parent)
    with replacing(place) as new:
        new.write_text(text, encoding="utf-8")
    return place
