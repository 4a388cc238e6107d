"""`wordworth report RUN…`"""

from pathlib import Path
from typing import Annotated

import typer

from wordworth.cli.completion import beginning
from wordworth.cli.options import writable_name


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders of runs, or of an audit; several go into one report.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write: a file; report.html in the folder if not given.",
            callback=writable_name,
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="html|md|latex",
            help="A page, Markdown, or LaTeX.",
            autocompletion=beginning(("html", "md", "latex")),
        ),
    ] = "html",
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="This table alone, such as leaderboard or weat, in md and latex. Repeatable."
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME",
            help="Columns of the tables in md and latex: value, interval, p, n; and the measures, data sets, models, "
            "settings to have alone.",
        ),
    ] = None,
) -> None:
    """A report of runs: answers, the papers' figures, published numbers beside ours, a look-up; one HTML file."""
    from wordworth.cli import display
    from wordworth.report import write_report

    named = [name.strip() for name in (columns or "").split(",") if name.strip()]
    place = write_report(runs, output, form, tables=table or (), columns=named)
    display.line(str(place))
