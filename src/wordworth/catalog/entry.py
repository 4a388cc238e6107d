"""What the catalog says of one thing that can be named, and what that thing cites."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wordworth.catalog.source import Source


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
