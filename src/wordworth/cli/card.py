"""`wordworth card RUN…`: the numbers as a section of a model card, with its metadata."""

from pathlib import Path
from typing import Annotated

import typer

from wordworth.cli.help import OUTPUT
from wordworth.cli.options import writable_name


def card(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders of runs, or of an audit; several go into one card.")
    ],
    model: Annotated[str, typer.Option(metavar="NAME", help="Model of the card, where the runs have several.")] = "",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write: a file; a README.md that is there gets the section and the results in their places. "
            "The terminal if not given.",
            callback=writable_name,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:
    """A section for a model card: numbers with intervals, what was not measured, checksums; and model-index."""
    from wordworth.cli import display
    from wordworth.report import card_of, card_text, read_runs, write_card
    from wordworth.study.audit import unmeasured

    made = card_of(read_runs(runs), model, unmeasured)
    if output is None:
        display.plain(card_text(made))
        return
    write_card(made, output)
    display.line(str(output))
