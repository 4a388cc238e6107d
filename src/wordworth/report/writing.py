"""Where a report goes, and in which form."""

from collections.abc import Callable, Sequence
from pathlib import Path

from wordworth.errors import WordworthError
from wordworth.files import replacing
from wordworth.report.page import page
from wordworth.report.plain import latex, markdown
from wordworth.report.runs import Gathered, gather

FORMATS: dict[str, tuple[str, Callable[[Gathered, Path], str]]] = {
    "html": ("report.html", page),
    "md": ("report.md", lambda gathered, _: markdown(gathered)),
    "latex": ("report.tex", lambda gathered, _: latex(gathered)),
}


def default_place(given: Sequence[Path], form: str) -> Path:
    """Beside the run or the runs of an audit where one folder was given, else in the working folder."""
    name = FORMATS[form][0]
    return given[0] / name if len(given) == 1 else Path(name)


def write_report(given: Sequence[Path], output: Path | None = None, form: str = "html") -> Path:
    """Writes the report of these runs and audits; gives its path."""
    if form not in FORMATS:
        raise WordworthError(f"--format is {form!r}; it can be {', '.join(FORMATS)}")
    gathered = gather(given)
    place = output or default_place(given, form)
    if place.is_dir():
        raise WordworthError(f"{place} is a folder; name the file to write, such as {place / FORMATS[form][0]}")
    made = FORMATS[form][1](gathered, place.absolute().parent)
    with replacing(place) as new:
        new.write_text(made, encoding="utf-8")
    return place
