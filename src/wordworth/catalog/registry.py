"""Read the catalog once from the TOML files in entries/: entries with their references and sources, and languages.

Reading it is quick, since it is plain data.
"""

import hashlib
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from wordworth.errors import WordworthError, nearest


@dataclass(frozen=True)
class Distribution:
    """One archive of a package; `archive` is the file name if one archive serves every platform."""

    package: str
    version: str
    archive: str = ""
    sha256: str = ""

    def __str__(self) -> str:
        return self.archive or f"{self.package} {self.version}"


@dataclass(frozen=True)
class PinnedFile:
    """A file with the checksum of its content; `member` is its exact name inside an archive."""

    name: str
    sha256: str
    bytes: int
    member: str = ""


@dataclass(frozen=True)
class Source:
    """One source of an entry's data."""

    kind: str
    """package, data, archive, https"""
    content: tuple[PinnedFile, ...]
    """The file, or the files of a folder."""
    folder: bool = False
    place: str = ""
    """Path, address or repository, to show to people."""
    parts: tuple[tuple[Distribution, str], ...] = ()
    """Archives; if several, each with the member to concatenate."""
    url: str = ""
    layout: Mapping[str, Any] = field(default_factory=dict)
    """The layout of this copy if copies differ: columns, format."""

    @property
    def key(self) -> str:
        """Return the checksum of the content: of the file, or of the folder's listing."""
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


def parse(table: Mapping[str, Any]) -> Source:
    """Return a `[[NAME.sources]]` table as a source; the keys are those of its kind."""
    kind, path, url = table["kind"], table.get("path", ""), table.get("url", "")
    parts = []
    for entry in table.get("parts", [table]) if kind == "archive" else ():
        checksum_fields = (entry.get("archive", ""), entry.get("archive_sha256", ""))
        parts.append((Distribution(entry["package"], entry["version"], *checksum_fields), entry.get("member", "")))
    # A single file is named after its source; only concatenated parts need a name of their own.
    name = table.get("name") or path or table.get("member") or unquote(urlsplit(url).path)
    files = table.get("files") or {Path(name).name: table}
    places = {
        "package": path,
        "data": f"$WORDWORTH_DATA/{path}",
        "archive": " + ".join(f"{entry.package} {entry.version}" for entry, _ in parts),
        "https": url,
    }
    return Source(
        kind=kind,
        content=tuple(PinnedFile(name, f["sha256"], f["bytes"], f.get("member", "")) for name, f in files.items()),
        folder="files" in table,
        place=places[kind],
        parts=tuple(parts),
        url=url,
        layout={key: table[key] for key in ("columns", "format", "delimiter") if key in table},
    )


@dataclass(frozen=True)
class Reference:
    """A publication, shown as a line of text or as BibTeX."""

    key: str
    type: str
    """The type in BibTeX: article, inproceedings, techreport, misc."""
    authors: tuple[str, ...]
    title: str
    venue: str
    year: int
    doi: str = ""
    url: str = ""

    @property
    def address(self) -> str:
        """Return the address of the publication."""
        return f"https://doi.org/{self.doi}" if self.doi else self.url

    def __str__(self) -> str:
        people = [author for author in self.authors if author != "others"]
        if len(people) < len(self.authors) or len(people) > 3:
            names = f"{people[0]} et al."
        else:
            names = " and ".join(filter(None, [", ".join(people[:-1]), people[-1]]))
        return " ".join(filter(None, [f"{names} ({self.year}). {self.title}. {self.venue}.", self.address]))

    def bibtex(self) -> str:
        """Return the reference as a BibTeX record; its braces keep the capitals of the title."""
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
    """An entry of the catalog: a lexicon, a word set, a model, …"""

    kind: str
    name: str
    title: str
    language: str
    licence: str
    reference: Reference
    count: int
    """Published number of rows (words, pairs, questions; a model's words or layers), which a reader must find."""
    scale: tuple[float, float] | None = None
    """The lowest and highest possible rating or score."""
    note: str = ""
    sources: tuple[Source, ...] = ()
    """Sources of its data, tried in order; none if it is derived from other entries or declared in full."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Fields of its kind: columns, family, word sets."""

    def layout(self, source: Source | None) -> dict[str, Any]:
        """Return the layout of a copy: the entry's, overridden by that of the source."""
        keys = ("columns", "format", "delimiter")
        return {key: self.details[key] for key in keys if key in self.details} | dict(source.layout if source else {})


ENTRY_KINDS = (
    *("models", "lexica", "word_sets", "tests", "pairs", "analogies", "corpora", "templates"),
    *("frequencies", "wordnets", "paraphrases", "nli", "sentence_pairs"),
)
_COMMON = ("title", "language", "licence", "reference", "count", "scale", "note", "sources")


def kind_named(kind: str) -> str:
    """Return the kind of that name: `word-sets` are `word_sets`."""
    if (kind_name := kind.replace("-", "_")) in ENTRY_KINDS:
        return kind_name
    raise WordworthError(f"the catalog has no kind {kind!r}; there are {', '.join(ENTRY_KINDS).replace('_', '-')}")


@cache
def toml_of(name: str) -> dict[str, Any]:
    """Return one of the catalog's TOML files unchanged."""
    return tomllib.loads((files("wordworth.catalog") / "entries" / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def references() -> dict[str, Reference]:
    """Return the references by key."""
    return {
        key: Reference(key=key, **{**table, "authors": tuple(table["authors"])})
        for key, table in toml_of("references").items()
    }


def parse_entry(kind: str, name: str, table: Mapping[str, Any]) -> Entry:
    """Return a `[NAME]` table as an entry; a test checks that all are complete."""
    scale = table.get("scale")
    return Entry(
        kind=kind,
        name=name,
        title=table["title"],
        language=table["language"],
        licence=table["licence"],
        reference=references()[table["reference"]],
        count=table["count"],
        scale=(float(scale[0]), float(scale[1])) if scale else None,
        note=table.get("note", ""),
        sources=tuple(parse(source) for source in table.get("sources", ())),
        details={key: value for key, value in table.items() if key not in _COMMON},
    )


@cache
def _of_kind(kind: str) -> dict[str, Entry]:
    kind_entries: dict[str, Entry] = {}
    for name, table in toml_of(kind).items():
        members = table.get("members")
        if members is None:
            kind_entries[name] = parse_entry(kind, name, table)
            continue
        # A collection: each member is an entry of its own, with the collection's licence and sources.
        collection_fields = {key: value for key, value in table.items() if key != "members"}
        for member, member_fields in members.items():
            title = f"{table['title']}: {member.replace('_', ' ').replace('-', ' ')}"
            kind_entries[member] = parse_entry(kind, member, {**collection_fields, "title": title, **member_fields})
    return kind_entries


def entries(kind: str | None = None) -> tuple[Entry, ...]:
    """Return all entries, or those of one kind, in the order of their declaration."""
    kinds = ENTRY_KINDS if kind is None else (kind_named(kind),)
    return tuple(entry for entry_kind in kinds for entry in _of_kind(entry_kind).values())


def entry(name: str, kind: str | None = None) -> Entry:
    """Return the entry of that name; raise with the nearest names if it is unknown."""
    kinds = ENTRY_KINDS if kind is None else (kind_named(kind),)
    for entry_kind in kinds:
        if name in _of_kind(entry_kind):
            return _of_kind(entry_kind)[name]
    names = [entry_name for entry_kind in kinds for entry_name in _of_kind(entry_kind)]
    location = f"the {kind_named(kind)} of the catalog" if kind else "the catalog"
    command = f"wordworth ls {kind_named(kind)}" if kind else "wordworth ls"
    raise WordworthError(f"{name!r} is not in {location}{nearest(name, names)} (run `{command}` to list them)")


def knows(name: str, kind: str) -> bool:
    """Return whether the catalog has an entry of that kind and name."""
    return name in _of_kind(kind_named(kind))


def is_name(kind: str, text: str) -> bool:
    """Return whether a text is the name of an entry of that kind, or of a language."""
    if kind == "languages":
        return language_named(text) in toml_of("languages")
    return kind in ENTRY_KINDS and knows(text, kind)


def _about(language: str) -> dict[str, Any]:
    """Return the declaration of a language; empty if there is none."""
    return dict(toml_of("languages").get(language, {}))


@cache
def is_spaced(language: str) -> bool:
    """Return whether spaces separate the words of a language."""
    return bool(_about(language).get("spaced", True))


def code_of(language: str) -> str:
    """Return the language's code in ISO 639-1, for ICU and pages; blank if it is not declared."""
    return str(_about(language).get("code", ""))


def language_named(language: str) -> str:
    """Return the name of a language by its code in ISO 639-1; return any other text unchanged."""
    by_code = {about.get("code"): name for name, about in toml_of("languages").items()}
    return by_code.get(language.lower(), language)


@cache
def abbreviations(language: str) -> frozenset[str]:
    """Return the lower-case abbreviations before full stops that end no sentence; by default those of English."""
    words = _about(language).get("abbreviations") or _about("english")["abbreviations"]
    return frozenset(words.split())


def in_its_script(word: str, language: str) -> bool:
    """Return whether a word has a letter of its language's scripts; true for words without letters."""
    scripts = tuple(_about(language).get("scripts", ()))
    letters = [unicodedata.name(letter, "") for letter in word if letter.isalpha()]
    return not scripts or not letters or any(name.startswith(scripts) for name in letters)
