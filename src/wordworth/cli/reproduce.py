"""Define `wordworth reproduce PAPER`: run a paper's tables and figures, and show its numbers next to ours."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli import display
from wordworth.cli.commands import complete_names, interrupt_message
from wordworth.cli.options import RUN_OPTIONS, output_option, with_options
from wordworth.errors import WordworthError
from wordworth.task.settings import HOW, MEASURED, ON, Name, Placement, Seeding, setting


class ReproduceSettings(Placement, Seeding):
    """Set options of a reproduction, for every study that has them."""

    quick: bool = setting(False, "Use smaller samples: minutes instead of hours.", MEASURED)
    repeats: int = setting(1, "Number of seeds to run; three or more give a prediction interval.", MEASURED, least=1)
    corpus: Name | None = setting(
        None, "Text to use instead of the declared one: a corpus of the catalog or a file.", ON, catalog="corpora"
    )
    fine_tune: Name | None = setting(None, "First train each model on this text.", HOW, catalog="corpora")
    against: tuple[str, ...] = setting((), "A model that was trained on mitigated vectors.", ON, catalog="models/nli")


Paper = Annotated[
    str | None, typer.Argument(metavar="PAPER", help="valnorm, vast, contextual2static, inferences or whole-words.")
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Model to use: a name of the catalog or the hub, or LABEL=PATH. Hub models are fetched only if named "
        "here. Repeatable.",
        autocompletion=complete_names("models"),
    ),
]
Tables = Annotated[
    list[str] | None, typer.Option("--table", metavar="N|figure-N", help="Run only this table or figure. Repeatable.")
]
List = Annotated[
    bool, typer.Option("--list", help="List which tables can be run, and what the others need; run nothing.")
]
Folder = Annotated[Path | None, output_option("DIR", "Folder to write; runs/reproduce-PAPER unless given.")]
OWN_OPTIONS = {"paper": (Paper, None), "model": (Models, None), "table": (Tables, None), "list": (List, False)}


def _reproduce(settings: ReproduceSettings, paper: str | None, output: Path | None, **options: Any) -> None:
    from wordworth.api import reproduce as api
    from wordworth.papers.reproduction import paper_names

    if options["list"]:
        for one in [paper] if paper else paper_names():
            display.print_table(api.list_items(one))
        return
    if paper is None:
        raise WordworthError("name a paper, or list what can be run of all with `wordworth reproduce --list`")
    api_settings = {name: value for name, value in dict(settings).items() if value not in (None, ())}
    api_settings |= {"tables": options["table"] or (), "folder": output, "overwrite": options["overwrite"]}
    with interrupt_message():
        reproduction = api.reproduce(paper, options["model"] or (), show=display.print_notice, **api_settings)
    if options["json"]:
        display.print_json(reproduction.as_json())
    else:
        for table in reproduction.tables:
            display.print_table(table)
        for place in (reproduction.folder / api.MARKDOWN, reproduction.report):
            display.print_line(str(place))
    if reproduction.has_failures:
        raise typer.Exit(1)


reproduce = with_options(
    ReproduceSettings,
    _reproduce,
    {**OWN_OPTIONS, **RUN_OPTIONS, "output": (Folder, None)},
    "Run a paper's tables and figures, and print its numbers next to ours with a verdict.",
)
