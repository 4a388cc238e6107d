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
        typer.Option(metavar="NAME", help="Only this table, such as leaderboard or weat, in md and latex. Repeatable."),
    ] = None,
) -> None:
    """A report of runs: answers, the papers' figures, published numbers beside ours, a look-up; one HTML file."""
    from wordworth.cli import display
    from wordworth.report import write_report

    place = write_report(runs, output, form, tables=table or ())
    display.line(str(place))
