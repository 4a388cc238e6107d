"""`wordworth cache`: what is kept, and how to get rid of it."""

import json as json_format
import time
from typing import TYPE_CHECKING, Annotated

import typer

from wordworth.cli.options import Json
from wordworth.task.settings import ON

if TYPE_CHECKING:
    from wordworth.engine.housekeeping import CacheEntry

cache_app = typer.Typer(
    help="What is kept on this machine, by kind; `prune`, `verify` and `clear` remove of it.",
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
    from wordworth.engine.housekeeping import entries, totals
    from wordworth.files import cache_dir

    rows = totals(entries(kind or ()))
    if json:
        kinds = [
            {"kind": row.kind, "entries": row.entries, "bytes": row.bytes, "oldest": row.oldest, "newest": row.newest}
            for row in rows
        ]
        typer.echo(json_format.dumps({"folder": str(cache_dir()), "kinds": kinds}, indent=1))
        return
    typer.echo(str(cache_dir()))
    if rows:
        typer.echo(f"{'kind':12} {'entries':>8} {'size':>10}  last used")
    for row in rows:
        used = f"{_ago(row.newest)} to {_ago(row.oldest)} ago" if row.entries > 1 else f"{_ago(row.newest)} ago"
        typer.echo(f"{row.kind:12} {row.entries:8,} {_size(row.bytes):>10}  {used}")
    typer.echo(f"{'in all':12} {sum(row.entries for row in rows):8,} {_size(sum(row.bytes for row in rows)):>10}")


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
    json: Json = False,
) -> None:
    """Remove what is old, or more than a size; what was used in the last hour stays.

    What can be computed again goes before what was fetched.
    """
    from wordworth.engine import housekeeping

    age = housekeeping.parsed_age(older) if older else None
    size = housekeeping.parsed_size(max_size) if max_size else None
    _report("removed", housekeeping.prune(older=age, max_bytes=size, kinds=kind or ()), json)


@cache_app.command(epilog="Example: wordworth cache verify")
def verify(kind: Kinds = None, json: Json = False) -> None:
    """Measure every file again; what is damaged is removed, and made again when it is needed. Exit code 1 if any."""
    from wordworth.engine import housekeeping

    damaged = housekeeping.verify(kind or ())
    _report("damaged and removed", damaged, json)
    if damaged:
        raise typer.Exit(1)


@cache_app.command(epilog="Example: wordworth cache clear --kind vectors")
def clear(
    kind: Kinds = None,
    fetched: Annotated[
        bool, typer.Option("--fetched", help="What came over the network too.", rich_help_panel=ON)
    ] = False,
    json: Json = False,
) -> None:
    """Remove all that can be computed again, or all of a kind."""
    from wordworth.engine import housekeeping

    _report("removed", housekeeping.clear(kind or (), fetched=fetched), json)


def _report(done: str, entries: "list[CacheEntry]", json: bool) -> None:
    from wordworth.engine.housekeeping import totals

    if json:
        rows = [{"kind": entry.kind, "path": str(entry.path), "bytes": entry.bytes} for entry in entries]
        typer.echo(json_format.dumps(rows, indent=1))
        return
    for row in totals(entries):
        typer.echo(f"{done}: {row.entries:,} of {row.kind}, {_size(row.bytes)}")
    if not entries:
        typer.echo(f"{done}: none")


def _size(count: float) -> str:
    """12.3 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def _ago(moment: float) -> str:
    """3 hours, for a moment three hours ago."""
    seconds = max(0.0, time.time() - moment)
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count:,} {unit}{'s' if count > 1 else ''}"
    return "a minute"
