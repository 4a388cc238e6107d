"""The catalog in Python: what can be named, one entry of it, and fetching ahead."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from wordworth.catalog.fetch.hub import from_hub
from wordworth.catalog.fetch.sources import here, locate
from wordworth.catalog.registry import Entry, entry
from wordworth.catalog.show import describe_contents, download, find_entries, is_here, language_of, made_of, summary
from wordworth.results.display import ShowsTable
from wordworth.results.table import Table, text_table

ENTRY_COLUMNS: dict[str, Any] = dict.fromkeys(("name", "kind", "title", "language", "holds", "download"), pl.String)
ENTRY_COLUMNS["here"] = pl.Boolean


def ls(kind: str | None = None, search: str = "", language: str = "") -> pl.DataFrame:
    """Return what can be named, one row each: of one kind (models, lexica, tests, pairs …) unless it is None.

    `search` is a text in the name, the title or the language, or a topic: `ww.ls("tests", "gender")`. `language` is a
    name or its code in ISO 639-1: `ww.ls("models", language="de")`.
    """
    rows = [
        {
            "name": one.name,
            "kind": _kind_of(one),
            "title": one.title,
            "language": one.language,
            "holds": describe_contents(one),
            "download": download(one),
            "here": is_here(one),
        }
        for one in find_entries(kind, search, language)
    ]
    return pl.DataFrame(rows, schema=ENTRY_COLUMNS)


@dataclass(frozen=True, repr=False)
class EntryView(ShowsTable):
    """An entry of the catalog."""

    facts: dict[str, Any]
    """Name, title, count, language, licence, reference, first rows …"""
    lines: dict[str, str]
    """What there is to say of it, by heading."""

    @property
    def table(self) -> Table:
        """Return its first rows under its title."""
        note = "; ".join(f"{heading} {text}" for heading, text in self.lines.items() if heading != "title")
        title = f"{self.facts['name']}: {self.facts['title']}"
        return text_table(title, self.facts["header"], self.facts["rows"], note=note)


def show(name: str) -> EntryView:
    """Return one entry of the catalog: how much it holds, its first rows, licence and citation."""
    one = entry(name)
    facts = summary(one)
    lines = {
        "kind": _kind_of(one),
        "title": one.title,
        "language": language_of(one),
        "holds": describe_contents(one),
        "scale": f"{one.scale[0]:g} to {one.scale[1]:g}" if one.scale else "",
        "licence": one.licence,
        "citation": facts["reference"],
        "from": "; ".join(facts["sources"]),
        "download": download(one),
        "here": "yes" if facts["here"] else f"no: `wordworth get {name}` fetches it",
        "note": one.note,
    }
    return EntryView(facts, {heading: text for heading, text in lines.items() if text})


def _kind_of(one: Entry) -> str:
    """Return the kind of an entry, as `ls` takes it; of a model with its family."""
    return ": ".join(filter(None, [one.kind.replace("_", "-"), one.details.get("family")]))


class LocalEntry(NamedTuple):
    """An entry that is on this machine now."""

    name: str
    path: Path
    megabytes: float | None
    """None for what a folder of the hub holds."""
    is_new: bool


def get(*names: str) -> list[LocalEntry]:
    """Fetch models and data, for machines that go offline. Files that are here already are checked."""
    wanted = {one.name: one for name in names for one in (entry(name), *made_of(entry(name)))}
    fetched = []
    for one in wanted.values():
        if "hub" in one.details:
            fetched.append(LocalEntry(one.name, from_hub(one.details["hub"]), None, False))
        if not one.sources:
            continue  # its data is in the catalog itself, or in other entries
        before = here(one.name, one.sources)
        located = locate(one.name, one.sources)
        fetched.append(LocalEntry(one.name, located.path, located.source.bytes / 1e6, not before))
    return fetched
