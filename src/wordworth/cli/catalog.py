"""Define `wordworth ls`, `show` and `get`, which list, show and fetch entries of the catalog."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wordworth.catalog.registry import ENTRY_KINDS
from wordworth.cli import display
from wordworth.cli.commands import LANGUAGES_OPTION, complete_choices, complete_names
from wordworth.cli.options import Json, Offline
from wordworth.errors import WordworthError, nearest

if TYPE_CHECKING:
    from wordworth.catalog.registry import Entry

_KIND_OPTIONS = [kind.replace("_", "-") for kind in ENTRY_KINDS]


def list_entries(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            help=f"{', '.join(_KIND_OPTIONS)}; a summary of all unless given.",
            autocompletion=complete_choices(_KIND_OPTIONS),
        ),
    ] = None,
    search: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="Text in the name or title, or a topic: gender.")
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            metavar="LANGUAGE",
            help="Only this language: german, or de.",
            autocompletion=complete_names(LANGUAGES_OPTION),
        ),
    ] = "",
    json: Json = False,
) -> None:
    """List the catalog by kind: size, language, and what is fetched."""
    from wordworth.catalog.show import download_bytes, find_entries, is_here, unit_of

    if kind and not search and kind.replace("-", "_") not in ENTRY_KINDS:
        search, kind = kind, None
    matching_entries = find_entries(kind, search, language)
    if json:
        keys = ("kind", "name", "title", "language", "licence", "count")
        display.print_json(
            [
                {key: getattr(entry, key) for key in keys}
                | {"unit": unit_of(entry), "family": entry.details.get("family"), "bytes": download_bytes(entry)}
                | {"here": is_here(entry)}
                for entry in matching_entries
            ]
        )
        return
    if not matching_entries:
        request = " ".join(filter(None, [(kind or "").replace("_", "-"), search, language]))
        alternatives = nearest(search, _KIND_OPTIONS) or f"; its kinds are {', '.join(_KIND_OPTIONS)}"
        raise WordworthError(f"nothing in the catalog is called {request!r}{alternatives}")
    by_kind: dict[str, list[Entry]] = {}
    for entry in matching_entries:
        by_kind.setdefault(entry.kind.replace("_", "-"), []).append(entry)
    if kind or search:
        for name, members in by_kind.items():
            _show_table(name, members)
    else:
        _show_summary(by_kind, f" --language {language}" if language else "")


def _show_summary(by_kind: "Mapping[str, Sequence[Entry]]", option: str) -> None:
    """Print for each kind the command that lists it, the number of its entries, and the first ones."""
    rows = []
    for name, members in by_kind.items():
        rows.append((f"ls {name}{option}", f"{len(members):,}", ", ".join(entry.name for entry in members[:3])))
    display.print_text_table("", ("wordworth …", "entries", "such as"), rows)
    display.print_notice("A text after the kind filters: `wordworth ls tests gender`.", "dim")


def _show_table(kind: str, members: "Sequence[Entry]") -> None:
    """Print the entries of one kind, with columns that are equal for all in the title."""
    from wordworth.catalog.show import describe_contents, download, is_here, language_of

    is_models = kind == "models"  # only models are of several kinds themselves
    columns = {
        "name": [entry.name for entry in members],
        "kind" if is_models else "title": [
            entry.details["family"] if is_models else entry.title.replace("_", " ") for entry in members
        ],
        "holds": [describe_contents(entry) for entry in members],
        "language": [language_of(entry) for entry in members],
        "download": ["here" if is_here(entry) else download(entry) for entry in members],
    }
    common_cells = {head: cells[0] for head, cells in columns.items() if len(members) > 1 and len(set(cells)) == 1}
    columns_shown = {head: cells for head, cells in columns.items() if head not in common_cells}
    title = f"{kind} ({len(members):,})" + "".join(f", all {text}" for text in common_cells.values() if text)
    display.print_text_table(title, columns_shown, zip(*columns_shown.values(), strict=True))


def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name from `wordworth ls`.", autocompletion=complete_names())
    ],
    json: Json = False,
) -> None:
    """Show one entry of the catalog: size, first rows, licence and citation."""
    from wordworth.api.catalog import show as show_entry

    view = show_entry(name)
    if json:
        display.print_json(view.facts)
        return
    for heading, text in view.lines.items():
        display.print_wrapped(text, f"{heading:9} ")
    if view.facts["rows"]:
        display.print_text_table("", view.facts["header"], view.facts["rows"])
    skipped_lines = view.facts["left_out"]
    for line in skipped_lines[:10]:
        display.print_notice(f"not read: {line}")
    if len(skipped_lines) > 10:
        display.print_notice(f"not read: {len(skipped_lines) - 10} more")


def get(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME…", help="Names of the catalog (`wordworth ls`).", autocompletion=complete_names()),
    ],
    offline: Offline = False,
) -> None:
    """Fetch models and data, for machines that go offline. Files that are here already are checked."""
    from wordworth.api.catalog import get as fetch

    for name in names:
        for item in fetch(name):
            size = "" if item.megabytes is None else f"{item.megabytes:,.1f} MB  "
            display.print_line(f"{'fetched' if item.is_new else 'checked'}  {item.name}  {size}{item.path}")
