"""`wordworth report`, `card` and `compare`: what is made of runs that are there."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli.commands import beginning
from wordworth.cli.options import SHARED, output_option, with_options
from wordworth.errors import WordworthError
from wordworth.task.settings import HOW, ON, PERMUTATIONS, Intervals, setting

Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN…", help="Folders of runs, or of an audit; several are put together.")
]


def report(
    runs: Runs,
    output: Annotated[
        Path | None, output_option("FILE", "Where to write: a file; report.html in the folder if not given.")
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
    from wordworth.pages import write_report

    place = write_report(runs, output, form, tables=table or ())
    display.line(str(place))


def card(
    runs: Runs,
    model: Annotated[str, typer.Option(metavar="NAME", help="Model of the card, where the runs have several.")] = "",
    output: Annotated[
        Path | None,
        output_option(
            "FILE",
            "Where to write: a file; a README.md that is there gets the section and the results in their places. "
            "The terminal if not given.",
        ),
    ] = None,
) -> None:
    """A section for a model card: numbers with intervals, what was not measured, checksums; and model-index."""
    from wordworth.cli import display
    from wordworth.pages import card_of, card_text, read_runs, write_card
    from wordworth.study.audit import unmeasured

    made = card_of(read_runs(runs), model, unmeasured)
    if output is None:
        display.plain(card_text(made))
        return
    write_card(made, output)
    display.line(str(output))


def _layer(text: str) -> Any:
    if text in ("best", "top"):
        return text
    if not (text.isdecimal() and len(text) < 10):
        raise WordworthError(f"--layer is {text!r}; it can be best, top or a number")
    return int(text)


class CompareSettings(Intervals):
    """How two runs are compared."""

    layer: str | int = setting(
        "best",
        "Layer to take: best (each model's, picked on other items than are compared), top, or a number.",
        ON,
        metavar="best|top|N",
        parse=_layer,
    )
    components: int | None = setting(
        None, "Principal components to nullify: vast's vectors without the mean and so many.", ON, least=0, most=1_000
    )
    permutations: int = setting(
        PERMUTATIONS, "Random permutations where they cannot all be counted.", HOW, least=1, most=10_000_000
    )


def _compare(
    settings: CompareSettings,
    runs: list[Path],
    models: tuple[str, str] | None,
    settings_named: tuple[str, str] | None,
    json: bool,
    **_: Any,
) -> None:
    from wordworth.cli import display
    from wordworth.paired import ComparisonSettings, compare, sides, verdicts
    from wordworth.results import read_run

    names = ("layer", "components", "resamples", "permutations", "seed")
    chosen = ComparisonSettings(**{name: getattr(settings, name) for name in names})
    both = sides([read_run(folder) for folder in runs], models, settings_named)
    result = compare(*both, chosen)
    if json:
        display.print_json(result.as_table() | {"verdicts": verdicts(result)})
        return
    display.comparison(result)


_RUNS = Annotated[
    list[Path], typer.Argument(metavar="RUN [RUN]", help="Folders of two runs, or of one with both in it.")
]
_MODELS = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="A B", help="A model of the first run, and one of the second.", rich_help_panel=ON),
]
_SETTINGS = Annotated[
    tuple[str, str] | None,
    typer.Option("--settings", metavar="A B", help="Two settings to hold against each other.", rich_help_panel=ON),
]

compare = with_options(
    CompareSettings,
    _compare,
    {
        "runs": (_RUNS, ...),
        "models": (_MODELS, None),
        "settings_named": (_SETTINGS, None),
        "json": SHARED["json"],
        "config": SHARED["config"],
    },
    "Differences between two models on the same items, by paired tests with Holm's correction.",
)
