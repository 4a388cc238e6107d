"""Define `wordworth report`, `card` and `compare`, which read saved runs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli import display
from wordworth.cli.commands import complete_choices
from wordworth.cli.options import NO_DEFAULT, RUN_OPTIONS, output_option, with_options
from wordworth.errors import WordworthError
from wordworth.task.settings import HOW, ON, PERMUTATIONS, Intervals, setting

Runs = Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders of runs, or of an audit.")]


def report(
    runs: Runs,
    output: Annotated[
        Path | None,
        output_option(
            "FILE|FOLDER", "File to write, or a folder for a site of several runs; report.html in the run unless given."
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="html|md|latex",
            help="html (a page), md (Markdown) or latex.",
            autocompletion=complete_choices(("html", "md", "latex")),
        ),
    ] = "html",
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Write only this table, such as leaderboard or weat (md and latex). Repeatable."
        ),
    ] = None,
) -> None:
    """Write one HTML file with a profile, figures, published numbers and a word search; or a site of runs."""
    from wordworth.pages.page import write_report

    display.print_line(str(write_report(runs, output, form, tables=table or ())))


def card(
    runs: Runs,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="Model to write the card for, if the runs have several.")
    ] = "",
    output: Annotated[
        Path | None,
        output_option(
            "FILE",
            "File to write. In an existing README.md the section and the metadata are replaced. Unless given: "
            "print to the terminal.",
        ),
    ] = None,
) -> None:
    """Write a section for a model card: numbers, what was not measured, checksums, model-index metadata."""
    from wordworth.pages.card import card_of, card_text, write_card
    from wordworth.results.runs import read_runs
    from wordworth.study.audit import list_unmeasured

    model_card = card_of(read_runs(runs), model, list_unmeasured)
    if output is None:
        display.print_text(card_text(model_card))
        return
    write_card(model_card, output)
    display.print_line(str(output))


def _layer(text: str) -> Any:
    if text in ("best", "top"):
        return text
    if not (text.isdecimal() and len(text) < 10):
        raise WordworthError(f"--layer is {text!r}; choose best, top or a number")
    return int(text)


class CompareSettings(Intervals):
    """Set how two runs are compared."""

    layer: str | int = setting(
        "best",
        "Layer to compare: best (of each model, picked on other items than those compared), top, or a number.",
        ON,
        metavar="best|top|N",
        parse=_layer,
    )
    components: int | None = setting(
        None,
        "Compare the vectors of vast without the mean and this many principal components.",
        ON,
        least=0,
        most=1_000,
    )
    permutations: int = setting(
        PERMUTATIONS, "Random permutations, used if they cannot all be counted.", HOW, least=1, most=10_000_000
    )


def _compare(
    settings: CompareSettings,
    runs: list[Path],
    models: tuple[str, str] | None,
    versions: tuple[str, str] | None,
    contexts: tuple[str, str] | None,
    json: bool,
    **_: Any,
) -> None:
    from wordworth.paired import ComparisonSettings, compare, sides, verdicts
    from wordworth.results.run import read_run

    both_sides = sides([read_run(folder) for folder in runs], models, version=versions, context=contexts)
    result = compare(*both_sides, ComparisonSettings(**settings.as_table()))
    if json:
        display.print_json(result.as_table() | {"verdicts": verdicts(result)})
        return
    display.print_comparison(result)


_RUNS = Annotated[
    list[Path], typer.Argument(metavar="RUN [RUN]", help="Folders of two runs, or of one run with both models.")
]


def _two(text: str) -> Any:
    return Annotated[tuple[str, str] | None, typer.Option(metavar="A B", help=text, rich_help_panel=ON)]


compare = with_options(
    CompareSettings,
    _compare,
    {
        "runs": (_RUNS, NO_DEFAULT),
        "models": (_two("The model of the first run, and that of the second."), None),
        "versions": (_two("Two versions to compare, such as projection original."), None),
        "contexts": (_two("Two contexts to compare, such as random bleached."), None),
        "json": RUN_OPTIONS["json"],
        "config": RUN_OPTIONS["config"],
    },
    "Compare two models on the same items, by paired tests with Holm's correction.",
)
