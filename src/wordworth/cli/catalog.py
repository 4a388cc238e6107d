"""`wordworth ls`, `show` and `get`: what can be named."""

from dataclasses import asdict
from typing import Annotated

import typer

from wordworth.cli.options import Json, Offline


def list_entries(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="models, lexica, word-sets, tests, pairs, analogies, corpora, templates, frequencies, wordnets, "
            "paraphrases, nli"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """What can be named, with its licence and whether it is here."""
    from wordworth.catalog.registry import entries
    from wordworth.catalog.show import is_here
    from wordworth.cli import display

    found = entries(kind)
    if json:
        keys = ("kind", "name", "title", "language", "licence", "count")
        display.print_json([{key: getattr(one, key) for key in keys} | {"here": is_here(one)} for one in found])
        return
    rows = [
        (one.name, one.title, one.language, f"{one.count:,}", one.licence, "yes" if is_here(one) else "")
        for one in found
    ]
    display.table(kind or "the catalog", ["name", "title", "language", "count", "licence", "here"], rows, right=[3])


def show(name: str, json: Json = False) -> None:
    """One entry of the catalog: count, first rows, licence, citation."""
    from wordworth.catalog.registry import entry
    from wordworth.catalog.show import summary
    from wordworth.cli import display

    shown = summary(entry(name))
    if json:
        display.print_json(asdict(shown))
        return
    scale = f"{shown.scale[0]:g} to {shown.scale[1]:g}" if shown.scale else ""
    facts = {
        "kind": shown.kind,
        "title": shown.title,
        "language": shown.language,
        "count": f"{shown.count:,}",
        "scale": scale,
        "licence": shown.licence,
        "citation": shown.reference,
        "from": "; ".join(shown.sources),
        "here": "yes" if shown.here else f"no: `wordworth get {name}` fetches it",
        "note": shown.note,
    }
    for key, value in facts.items():
        if value:
            display.line(f"{key:9} {value}")
    if shown.rows:
        display.table("", shown.header, shown.rows)
    for line in shown.left_out[:10]:
        display.notice(f"left out: {line}")
    if len(shown.left_out) > 10:
        display.notice(f"left out: {len(shown.left_out) - 10} more")


def get(names: Annotated[list[str], typer.Argument(metavar="NAME…")], offline: Offline = False) -> None:
    """Fetch ahead, for machines that go offline; what is here already is read again and checked."""
    from wordworth.catalog.fetch.hub import from_hub
    from wordworth.catalog.fetch.sources import here, locate, verify
    from wordworth.catalog.registry import entry
    from wordworth.catalog.show import made_of
    from wordworth.cli import display

    wanted = {one.name: one for name in names for one in (entry(name), *made_of(entry(name)))}
    for one in wanted.values():
        if "hub" in one.details:
            display.line(f"checked  {one.name}  {from_hub(one.details['hub'])}")
        if not one.sources:
            continue  # it stands in the catalog itself, or is made of entries that are fetched beside it
        had = here(one.name, one.sources)
        located = had or locate(one.name, one.sources)
        if had:
            verify(one.name, had)
        size = f"{located.source.bytes / 1e6:,.1f} MB"
        state = "checked" if had else "fetched"
        display.line(f"{state}  {one.name}  {size}  {located.path}")
