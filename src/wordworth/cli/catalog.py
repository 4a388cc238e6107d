"""`wordworth ls`, `show` and `get`: what can be named."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from wordworth.catalog.registry import KINDS
from wordworth.cli import display
from wordworth.cli.commands import complete_choices, complete_names
from wordworth.cli.options import Json, Offline

_KINDS = [kind.replace("_", "-") for kind in KINDS]


def list_entries(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            help=f"{', '.join(_KINDS)}; all unless given.",
            autocompletion=complete_choices(_KINDS),
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List what can be named, by kind: how much it holds, its download, and whether it is on this machine."""
    from wordworth.api.catalog import ls

    if json:
        display.print_json(ls(kind).to_dicts())
        return
    for one in (kind,) if kind else _KINDS:
        _show_table(one, ls(one).to_dicts())


def _show_table(kind: str, entries: Sequence[dict[str, Any]]) -> None:
    """Print the entries of one kind; `show` has their titles and licences."""
    header = ["name", "kind", "holds", "download", "language", "here"]
    if kind != "models":  # only models are of several kinds themselves
        header.remove("kind")
    rows = [one | {"kind": one["kind"].partition(": ")[2], "here": "yes" if one["here"] else ""} for one in entries]
    display.print_text_table(f"{kind} ({len(rows):,})", header, [[row[head] for head in header] for row in rows])


def show(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A name from `wordworth ls`.", autocompletion=complete_names()),
    ],
    json: Json = False,
) -> None:
    """Show one entry of the catalog: how much it holds, its first rows, licence and citation."""
    from wordworth.api.catalog import show as show_entry

    shown = show_entry(name)
    if json:
        display.print_json(shown.facts)
        return
    for heading, text in shown.lines.items():
        display.print_line(f"{heading:9} {text}")
    if shown.facts["rows"]:
        display.print_text_table("", shown.facts["header"], shown.facts["rows"])
    left_out = shown.facts["left_out"]
    for line in left_out[:10]:
        display.print_notice(f"not read: {line}")
    if len(left_out) > 10:
        display.print_notice(f"not read: {len(left_out) - 10} more")


def get(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME…", help="Names of the catalog (`wordworth ls`).", autocompletion=complete_names()),
    ],
    offline: Offline = False,
) -> None:
    """Fetch ahead, for machines that go offline; what is here already is read again and checked."""
    from wordworth.api.catalog import get as fetch

    for name in names:
        for one in fetch(name):
            size = "" if one.megabytes is None else f"{one.megabytes:,.1f} MB  "
            display.print_line(f"{'fetched' if one.is_new else 'checked'}  {one.name}  {size}{one.path}")
