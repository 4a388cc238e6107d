"""`wordworth ls`, `show` and `get`: what can be named."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wordworth.catalog.registry import KINDS
from wordworth.cli import display
from wordworth.cli.commands import complete_choices, complete_names
from wordworth.cli.options import Json, Offline

if TYPE_CHECKING:
    from wordworth.catalog.registry import Entry

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
    from wordworth.catalog.registry import entries
    from wordworth.catalog.show import download_bytes, is_here, unit_of

    found = entries(kind)
    if json:
        keys = ("kind", "name", "title", "language", "licence", "count")
        display.print_json(
            [
                {key: getattr(one, key) for key in keys}
                | {"unit": unit_of(one), "family": one.details.get("family"), "bytes": download_bytes(one)}
                | {"here": is_here(one)}
                for one in found
            ]
        )
        return
    for one in dict.fromkeys(entry.kind for entry in found):
        _show_table([entry for entry in found if entry.kind == one])


def _show_table(members: "Sequence[Entry]") -> None:
    """Print the entries of one kind; `show` has their titles and licences."""
    from wordworth.catalog.show import download, held, is_here

    kind = members[0].kind
    header = ["name", "kind", "holds", "download", "language", "here"]
    rows = [
        [one.name, one.details.get("family", ""), held(one), download(one), one.language, "yes" if is_here(one) else ""]
        for one in members
    ]
    if kind != "models":  # only models are of several kinds themselves
        header, rows = [header[0], *header[2:]], [[row[0], *row[2:]] for row in rows]
    display.print_text_table(f"{kind.replace('_', ' ')} ({len(members):,})", header, rows)


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
