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
    from wordworth.catalog.registry import entry
    from wordworth.catalog.show import download, held, summary

    declared = entry(name)
    shown = summary(declared)
    if json:
        display.print_json(shown)
        return
    facts = {
        "kind": ": ".join(filter(None, [declared.kind.replace("_", " "), declared.details.get("family")])),
        "title": declared.title,
        "language": declared.language,
        "holds": held(declared),
        "scale": f"{declared.scale[0]:g} to {declared.scale[1]:g}" if declared.scale else "",
        "licence": declared.licence,
        "citation": shown["reference"],
        "from": "; ".join(shown["sources"]),
        "download": download(declared),
        "here": "yes" if shown["here"] else f"no: `wordworth get {name}` fetches it",
        "note": declared.note,
    }
    for key, value in facts.items():
        if value:
            display.print_line(f"{key:9} {value}")
    if shown["rows"]:
        display.print_text_table("", shown["header"], shown["rows"])
    for line in shown["left_out"][:10]:
        display.print_notice(f"not read: {line}")
    if len(shown["left_out"]) > 10:
        display.print_notice(f"not read: {len(shown['left_out']) - 10} more")


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
