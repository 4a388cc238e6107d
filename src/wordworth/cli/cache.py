"""Define `wordworth cache`: list the cached files, and remove them."""

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal

from wordworth.cli import display
from wordworth.cli.options import Json
from wordworth.task.settings import ON

if TYPE_CHECKING:
    from wordworth.engine.housekeeping import CacheEntry

cache_app = typer.Typer(
    help="List the cached files by kind; `prune` and `clear` remove them.",
    add_completion=False,
    epilog="Example: wordworth cache prune --older 30",
)

KindsArgument = Annotated[
    list[str] | None, typer.Option("--kind", metavar="KIND", help="Only this kind. Repeatable.", rich_help_panel=ON)
]


@cache_app.callback(invoke_without_command=True)
def list_kinds(context: typer.Context, kind: KindsArgument = None, json: Json = False) -> None:
    """List the cached files by kind, with sizes and ages."""
    if context.invoked_subcommand:
        return
    from wordworth.engine.housekeeping import entries, totals
    from wordworth.files import cache_dir

    rows = totals(entries(kind or ()))
    if json:
        display.print_json({"folder": str(cache_dir()), "kinds": [asdict(row) for row in rows]})
        return
    cells = []
    for row in rows:
        days = [time.strftime("%Y-%m-%d", time.localtime(moment)) for moment in (row.oldest, row.newest)]
        cells.append((row.kind, f"{row.entries:,}", decimal(row.bytes), *days))
    display.print_text_table(str(cache_dir()), ["kind", "entries", "size", "used from", "to"], cells)
    total = decimal(sum(row.bytes for row in rows))
    display.print_line(f"total: {sum(row.entries for row in rows):,} entries, {total}")


@cache_app.command(epilog="Example: wordworth cache prune --older 30 --max-size 5")
def prune(
    older: Annotated[
        float | None,
        typer.Option(metavar="DAYS", min=0, help="Remove files that were not used for this long.", rich_help_panel=ON),
    ] = None,
    max_size: Annotated[
        float | None,
        typer.Option(
            metavar="GB",
            min=0,
            help="Remove the least recently used files until this size is left.",
            rich_help_panel=ON,
        ),
    ] = None,
    kind: KindsArgument = None,
) -> None:
    """Remove old files, or the least recently used until a size is left. Files used in the last hour stay.

    What can be recomputed is removed before downloads.
    """
    from wordworth.engine import housekeeping

    age = None if older is None else older * 86400
    size = None if max_size is None else max_size * 1e9
    _report(housekeeping.prune(older=age, max_bytes=size, kinds=kind or ()))


@cache_app.command(epilog="Example: wordworth cache clear --kind vectors")
def clear(
    kind: KindsArgument = None,
    fetched: Annotated[bool, typer.Option("--fetched", help="Remove downloads too.", rich_help_panel=ON)] = False,
) -> None:
    """Remove all that can be recomputed, or all of a kind."""
    from wordworth.engine import housekeeping

    _report(housekeeping.clear(kind or (), fetched=fetched))


def _report(removed_entries: "list[CacheEntry]") -> None:
    from wordworth.engine.housekeeping import totals

    for row in totals(removed_entries):
        typer.echo(f"removed: {row.entries:,} of {row.kind}, {decimal(row.bytes)}")
    if not removed_entries:
        typer.echo("removed: none")
