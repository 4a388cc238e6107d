"""`wordworth compare RUN RUN`: which differences are real."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli.options import SHARED, with_options
from wordworth.errors import WordworthError
from wordworth.task.settings import HOW, ON, PERMUTATIONS, Intervals, setting


def _layer(text: str) -> Any:
    if text in ("best", "top"):
        return text
    if not (text.isdecimal() and len(text) < 10):
        raise WordworthError(f"--layer is {text!r}; it can be best, top or a number")
    return int(text)


@dataclass(frozen=True, kw_only=True)
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
    correlation_test: str = setting(
        "williams",
        "Test of dependent correlations.",
        HOW,
        choices=("williams", "steiger", "meng"),
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
    from wordworth.compare import ComparisonSettings, compare, sides, verdicts
    from wordworth.run import read_run

    names = ("layer", "components", "correlation_test", "resamples", "permutations", "seed")
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
