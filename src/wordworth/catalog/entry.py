"""What the catalog says of one thing that can be named: what it cites, and where its data can be had.

All of it is plain data, so that reading the catalog is quick."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class Distribution:
    """One archive of a package: `archive` names the file where one archive serves every platform."""

    package: str
    version: str
    archive: str = ""
    sha256: str = ""

    def __str__(self) -> str:
        return self.archive or f"{self.package} {self.version}"


@dataclass(frozen=True)
class Pinned:
    """One file by its content; `member` is its exact name inside an archive."""

    name: str
    sha256: str
    bytes: int
    member: str = ""


@dataclass(frozen=True)
class Source:
    """One place to have an entry's data from."""

    kind: str
    """package, data, archive, https"""
    content: tuple[Pinned, ...]
    """The file, or the files of the folder."""
    folder: bool = False
    place: str = ""
    """Path, address, or repository, for people."""
    parts: tuple[tuple[Distribution, str], ...] = ()
    """Archives, with the member whose bytes are joined where there are several."""
    url: str = ""
    layout: Mapping[str, Any] = field(default_factory=dict)
    """How this copy is laid out where copies differ: columns, format."""

    @property
    def key(self) -> str:
        """The checksum that names the content: the file's own, or one over the folder's listing."""
        if not self.folder:
            return self.content[0].sha256
        listing = "".join(f"{pin.sha256} {pin.name}\n" for pin in sorted(self.content, key=lambda pin: pin.name))
        return hashlib.sha256(listing.encode()).hexdigest()

    @property
    def remote(self) -> bool:
        return self.kind in ("archive", "https")

    @property
    def bytes(self) -> int:
        return sum(pin.bytes for pin in self.content)


def _distribution(table: Mapping[str, Any]) -> Distribution:
    return Distribution(table["package"], table["version"], table.get("archive", ""), table.get("archive_sha256", ""))


def parse(table: Mapping[str, Any]) -> Source:
    """Return a `[[NAME.sources]]` table as a source; the keys are those of its kind."""
    kind, path, url = table["kind"], table.get("path", ""), table.get("url", "")
    parts: tuple[tuple[Distribution, str], ...] = ()
    if kind == "archive":
        parts = tuple((_distribution(part), part.get("member", "")) for part in table.get("parts", [table]))
    # A single file is named as where it comes from; only joined parts need a name of their own.
    name = table.get("name") or path or table.get("member") or unquote(urlsplit(url).path)
    files = table.get("files") or {Path(name).name: table}
    places = {
        "package": path,
        "data": f"$WORDWORTH_DATA/{path}",
        "archive": " + ".join(f"{part.package} {part.version}" for part, _ in parts),
        "https": url,
    }
    return Source(
        kind=kind,
        content=tuple(Pinned(name, f["sha256"], f["bytes"], f.get("member", "")) for name, f in files.items()),
        folder="files" in table,
        place=places[kind],
        parts=parts,
        url=url,
        layout={key: table[key] for key in ("columns", "format", "delimiter") if key in table},
    )


@dataclass(frozen=True)
class Reference:
    """A publication, to be shown as a line of text or as BibTeX."""

    key: str
    type: str
    """BibTeX's: article, inproceedings, techreport, misc."""
    authors: tuple[str, ...]
    title: str
    venue: str
    year: int
    doi: str = ""
    url: str = ""

    @property
    def address(self) -> str:
        """Where it can be read."""
        return f"https://doi.org/{self.doi}" if self.doi else self.url

    def __str__(self) -> str:
        people = [author for author in self.authors if author != "others"]
        if len(people) < len(self.authors) or len(people) > 3:
            names = f"{people[0]} et al."
        else:
            names = " and ".join(filter(None, [", ".join(people[:-1]), people[-1]]))
        return " ".join(filter(None, [f"{names} ({self.year}). {self.title}. {self.venue}.", self.address]))

    def bibtex(self) -> str:
        """The reference as a BibTeX record; its braces keep the capitals of the title."""
        venue = {"article": "journal", "inproceedings": "booktitle", "techreport": "institution"}
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            venue.get(self.type, "howpublished"): self.venue,
            "year": str(self.year),
            "doi": self.doi,
            "url": self.url,
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.type}{{{self.key},", *lines, "}"])


@dataclass(frozen=True)
class Entry:
    """One thing that can be named: a lexicon, a word set, a model, …"""

    kind: str
    name: str
    title: str
    language: str
    licence: str
    reference: Reference
    count: int
    """Rows as published (words, pairs, questions; a model's words or layers): what a reader must find."""
    scale: tuple[float, float] | None = None
    """The lowest and highest rating or score there can be."""
    note: str = ""
    sources: tuple[Source, ...] = ()
    """Where its data can be had, tried in order; none for what is made of other entries or declared in full."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What only its kind has: columns, family, word sets."""

    def layout(self, source: Source | None) -> dict[str, Any]:
        """How a copy is laid out: what the entry says, overruled by what that source says."""
        keys = ("columns", "format", "delimiter")
        return {key: self.details[key] for key in keys if key in self.details} | dict(source.layout if source else {})
