"""`wordworth compare RUN RUN`: which differences are real."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli.common import Json, Resamples, Seed, one_of
from wordworth.errors import WordworthError

Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN [RUN]", help="Folders of two runs, or of one with both in it.")
]


def compare(
    runs: Runs,
    models: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="A model of the first run, and one of the second."),
    ] = None,
    settings: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="Two settings to hold against each other.")
    ] = None,
    layer: Annotated[
        str, typer.Option(help="best (each model's, picked on other items than are compared), top, or a number.")
    ] = "best",
    components: Annotated[
        int | None, typer.Option(help="Compare with the mean and this many components taken off (vast).")
    ] = None,
    test: Annotated[str, typer.Option(help="Of dependent correlations: williams, steiger or meng.")] = "williams",
    resamples: Resamples = 1_000,
    permutations: Annotated[int, typer.Option(help="Random exchanges where they cannot all be counted.")] = 10_000,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Differences between two models on the same items, by paired tests with Holm's correction."""
    from wordworth import compare as comparing
    from wordworth import display, run

    for name, value, least in (("resamples", resamples, 1), ("permutations", permutations, 1), ("seed", seed, 0)):
        if value < least:
            raise WordworthError(f"--{name} is {value}; it must be a whole number from {least} up")
    chosen = comparing.ComparisonSettings(
        layer=_layer(layer),
        pcs=components,
        test=one_of("test", test, ("williams", "steiger", "meng")),
        resamples=resamples,
        permutations=permutations,
        seed=seed,
    )
    found = comparing.compare(*comparing.sides([run.read_run(folder) for folder in runs], models, settings), chosen)
    if json:
        display.print_json(found.as_table() | {"verdicts": comparing.verdicts(found)})
        return
    display.comparison(found)


def _layer(text: str) -> Any:
    if text.isdecimal():
        return int(text)
    return one_of("layer", text, ("best", "top", "a number"))
