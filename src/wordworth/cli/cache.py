"""`wordworth cache`: what is kept, and how to get rid of it."""

import json as json_format
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from wordworth.cli.options import Json
from wordworth.task.settings import ON

if TYPE_CHECKING:
    from wordworth.engine.housekeeping import CacheEntry

cache_app = typer.Typer(
    help="What is kept on this machine, by kind; `prune` and `clear` remove of it.",
    add_completion=False,
    epilog="Example: wordworth cache prune --older 30d",
)

Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", help="Of this kind only. Repeatable.", rich_help_panel=ON),
]


@cache_app.callback(invoke_without_command=True)
def list_kinds(context: typer.Context, kind: Kinds = None, json: Json = False) -> None:
    """What is kept on this machine, by kind, with sizes and ages."""
    if context.invoked_subcommand:
        return
    from wordworth.cli import display
    from wordworth.engine.housekeeping import entries, totals
    from wordworth.files import cache_dir

    rows = totals(entries(kind or ()))
    if json:
        typer.echo(json_format.dumps({"folder": str(cache_dir()), "kinds": [asdict(row) for row in rows]}, indent=1))
        return
    cells = [(row.kind, f"{row.entries:,}", _size(row.bytes), _day(row.oldest), _day(row.newest)) for row in rows]
    display.table(str(cache_dir()), ["kind", "entries", "size", "used from", "to"], cells, right=(1, 2))
    display.line(f"in all: {sum(row.entries for row in rows):,} entries, {_size(sum(row.bytes for row in rows))}")


@cache_app.command(epilog="Example: wordworth cache prune --older 30d --max-size 5GB")
def prune(
    older: Annotated[
        str | None, typer.Option(metavar="AGE", help="Not used for so long: 30d, 12h, 2w.", rich_help_panel=ON)
    ] = None,
    max_size: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="What is used least goes until so much is left: 5GB.", rich_help_panel=ON),
    ] = None,
    kind: Kinds = None,
) -> None:
    """Remove what is old, or more than a size; what was used in the last hour stays.

    What can be computed again goes before what was fetched.
    """
    from wordworth.engine import housekeeping

    age = housekeeping.parse_age(older) if older else None
    size = housekeeping.parse_size(max_size) if max_size else None
    _report(housekeeping.prune(older=age, max_bytes=size, kinds=kind or ()))


@cache_app.command(epilog="Example: wordworth cache clear --kind vectors")
def clear(
    kind: Kinds = None,
    fetched: Annotated[
        bool, typer.Option("--fetched", help="What came over the network too.", rich_help_panel=ON)
    ] = False,
) -> None:
    """Remove all that can be computed again, or all of a kind."""
    from wordworth.engine import housekeeping

    _report(housekeeping.clear(kind or (), fetched=fetched))


def _report(removed: "list[CacheEntry]") -> None:
    from wordworth.engine.housekeeping import totals

    for row in totals(removed):
        typer.echo(f"removed: {row.entries:,} of {row.kind}, {_size(row.bytes)}")
    if not removed:
        typer.echo("removed: none")


def _size(count: int) -> str:
    from rich.filesize import decimal

    return decimal(count)


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))
