"""Everything that can be named, read once from the TOML files in entries/: what it cites, and where its data is.

What reading a language needs is there too. All of it is plain data, so that reading the catalog is quick.
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
    """One archive of a package: `archive` names the file where one archive serves every platform."""

    package: str
    version: str
    archive: str = ""
    sha256: str = ""

    def __str__(self) -> str:
        return self.archive or f"{self.package} {self.version}"


@dataclass(frozen=True)
class PinnedFile:
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
    content: tuple[PinnedFile, ...]
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
        """Return the checksum that names the content: the file's own, or one over the folder's listing."""
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
    for part in table.get("parts", [table]) if kind == "archive" else ():
        pinned = (part.get("archive", ""), part.get("archive_sha256", ""))
        parts.append((Distribution(part["package"], part["version"], *pinned), part.get("member", "")))
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
        content=tuple(PinnedFile(name, f["sha256"], f["bytes"], f.get("member", "")) for name, f in files.items()),
        folder="files" in table,
        place=places[kind],
        parts=tuple(parts),
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
        """Return the address at which it can be read."""
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
        """Return the layout of a copy: the entry's, overruled by that of the source."""
        keys = ("columns", "format", "delimiter")
        return {key: self.details[key] for key in keys if key in self.details} | dict(source.layout if source else {})


ENTRY_KINDS = (
    *("models", "lexica", "word_sets", "tests", "pairs", "analogies", "corpora", "templates"),
    *("frequencies", "wordnets", "paraphrases", "nli", "sentence_pairs"),
)
_COMMON = ("title", "language", "licence", "reference", "count", "scale", "note", "sources")


def kind_named(kind: str) -> str:
    """Return the kind that a user means: `word-sets` are `word_sets`."""
    if (spelled := kind.replace("-", "_")) in ENTRY_KINDS:
        return spelled
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
    """Return a `[NAME]` table as an entry. That every one is complete is tested."""
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
    named: dict[str, Entry] = {}
    for name, table in toml_of(kind).items():
        members = table.get("members")
        if members is None:
            named[name] = parse_entry(kind, name, table)
            continue
        # A file of many sets: each member is an entry of its own, with the collection's terms and sources.
        shared = {key: value for key, value in table.items() if key != "members"}
        for member, own in members.items():
            title = f"{table['title']}: {member.replace('_', ' ').replace('-', ' ')}"
            named[member] = parse_entry(kind, member, {**shared, "title": title, **own})
    return named


def entries(kind: str | None = None) -> tuple[Entry, ...]:
    """Return all entries, or those of one kind, in the order they are declared."""
    kinds = ENTRY_KINDS if kind is None else (kind_named(kind),)
    return tuple(entry for one in kinds for entry in _of_kind(one).values())


def entry(name: str, kind: str | None = None) -> Entry:
    """Return the entry of that name. An unknown name is an error that gives the nearest ones."""
    kinds = ENTRY_KINDS if kind is None else (kind_named(kind),)
    for one in kinds:
        if name in _of_kind(one):
            return _of_kind(one)[name]
    known = [other for one in kinds for other in _of_kind(one)]
    what = f"the {kind_named(kind)} of the catalog" if kind else "the catalog"
    see = f"wordworth ls {kind_named(kind)}" if kind else "wordworth ls"
    raise WordworthError(f"{name!r} is not in {what}{nearest(name, known)} (run `{see}` to see what there is)")


def knows(name: str, kind: str) -> bool:
    """Return whether the catalog has an entry of that kind and name."""
    return name in _of_kind(kind_named(kind))


def is_name(kind: str, text: str) -> bool:
    """Return whether it is an entry of a kind of the catalog, or a language."""
    if kind == "languages":
        return language_named(text) in toml_of("languages")
    return kind in ENTRY_KINDS and knows(text, kind)


def _about(language: str) -> dict[str, Any]:
    """Return what is declared of a language; nothing of one that is not declared."""
    return dict(toml_of("languages").get(language, {}))


@cache
def is_spaced(language: str) -> bool:
    """Return whether spaces separate the words of a language."""
    return bool(_about(language).get("spaced", True))


def code_of(language: str) -> str:
    """Return the language's name in ISO 639-1, as ICU and pages take it; blank where it is not declared."""
    return str(_about(language).get("code", ""))


def language_named(language: str) -> str:
    """Return the name of a language that is given by its code in ISO 639-1; any other text as it is."""
    by_code = {about.get("code"): name for name, about in toml_of("languages").items()}
    return by_code.get(language.lower(), language)


@cache
def abbreviations(language: str) -> frozenset[str]:
    """Return lower-case words before a full stop that ends no sentence; those of English for a language without."""
    listed = _about(language).get("abbreviations") or _about("english")["abbreviations"]
    return frozenset(listed.split())


def in_its_script(word: str, language: str) -> bool:
    """Return whether a word has a letter that its language is written with; true of words without letters."""
    scripts = tuple(_about(language).get("scripts", ()))
    letters = [unicodedata.name(letter, "") for letter in word if letter.isalpha()]
    return not scripts or not letters or any(name.startswith(scripts) for name in letters)
