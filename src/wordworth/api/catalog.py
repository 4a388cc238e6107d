"""List, show and fetch entries of the catalog in Python."""

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
    """Return the entries of the catalog as a frame, of one kind (models, lexica, tests, pairs …) unless it is None.

    `search` is a text in the name, the title or the language, or a topic: `ww.ls("tests", "gender")`. `language` is a
    name or its code in ISO 639-1: `ww.ls("models", language="de")`.
    """
    rows = [
        {
            "name": catalog_entry.name,
            "kind": _kind_of(catalog_entry),
            "title": catalog_entry.title,
            "language": catalog_entry.language,
            "holds": describe_contents(catalog_entry),
            "download": download(catalog_entry),
            "here": is_here(catalog_entry),
        }
        for catalog_entry in find_entries(kind, search, language)
    ]
    return pl.DataFrame(rows, schema=ENTRY_COLUMNS)


@dataclass(frozen=True, repr=False)
class EntryView(ShowsTable):
    """Show an entry of the catalog."""

    facts: dict[str, Any]
    """Name, title, count, language, licence, reference, first rows …"""
    lines: dict[str, str]
    """Lines about it, by heading."""

    @property
    def table(self) -> Table:
        """Return its first rows under its title."""
        note = "; ".join(f"{heading} {text}" for heading, text in self.lines.items() if heading != "title")
        title = f"{self.facts['name']}: {self.facts['title']}"
        return text_table(title, self.facts["header"], self.facts["rows"], note=note)


def show(name: str) -> EntryView:
    """Return an entry of the catalog: its size, first rows, licence and citation."""
    catalog_entry = entry(name)
    facts = summary(catalog_entry)
    lines = {
        "kind": _kind_of(catalog_entry),
        "title": catalog_entry.title,
        "language": language_of(catalog_entry),
        "holds": describe_contents(catalog_entry),
        "scale": f"{catalog_entry.scale[0]:g} to {catalog_entry.scale[1]:g}" if catalog_entry.scale else "",
        "licence": catalog_entry.licence,
        "citation": facts["reference"],
        "from": "; ".join(facts["sources"]),
        "download": download(catalog_entry),
        "here": "yes" if facts["here"] else f"no: `wordworth get {name}` fetches it",
        "note": catalog_entry.note,
    }
    return EntryView(facts, {heading: text for heading, text in lines.items() if text})


def _kind_of(catalog_entry: Entry) -> str:
    """Return the kind of an entry as `ls` names it; for a model, with its family."""
    return ": ".join(filter(None, [catalog_entry.kind.replace("_", "-"), catalog_entry.details.get("family")]))


class LocalEntry(NamedTuple):
    """Describe an entry that is on this machine now."""

    name: str
    path: Path
    megabytes: float | None
    """None for a folder of the hub."""
    is_new: bool


def get(*names: str) -> list[LocalEntry]:
    """Fetch models and data, for machines that go offline. Files that are here already are checked."""
    items = {item.name: item for name in names for item in (entry(name), *made_of(entry(name)))}
    local_entries = []
    for item in items.values():
        if "hub" in item.details:
            local_entries.append(LocalEntry(item.name, from_hub(item.details["hub"]), None, False))
        if not item.sources:
            continue  # its data is in the catalog itself, or in other entries
        was_here = here(item.name, item.sources)
        location = locate(item.name, item.sources)
        local_entries.append(LocalEntry(item.name, location.path, location.source.bytes / 1e6, not was_here))
    return local_entries
