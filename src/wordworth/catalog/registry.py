"""Everything that can be named, and what reading a language needs, read once from the TOML files in entries/."""

import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from wordworth.catalog.entry import Entry, Reference, parse
from wordworth.errors import WordworthError, nearest

KINDS = (
    *("models", "lexica", "word_sets", "tests", "pairs", "analogies", "corpora", "templates"),
    *("frequencies", "wordnets", "paraphrases", "nli"),
)
_SINGULAR = {"lexicon": "lexica", "corpus": "corpora", "analogy": "analogies", "frequency": "frequencies"}
_COMMON = ("title", "language", "licence", "reference", "count", "scale", "note", "sources")


def kind_named(kind: str) -> str:
    """The kind a user means: `word-sets` and `word_set` are `word_sets`."""
    spelled = kind.replace("-", "_").lower()
    spelled = _SINGULAR.get(spelled, spelled)
    for known in KINDS:
        if spelled in (known, known.removesuffix("s")):
            return known
    raise WordworthError(f"there is no kind {kind!r} in the catalog; there are {', '.join(KINDS).replace('_', '-')}")


@cache
def toml_of(name: str) -> dict[str, Any]:
    """One of the catalog's TOML files, as it stands."""
    return tomllib.loads((files("wordworth.catalog") / "entries" / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def references() -> dict[str, Reference]:
    """Key → reference."""
    return {
        key: Reference(key=key, **{**table, "authors": tuple(table["authors"])})
        for key, table in toml_of("references").items()
    }


def declared(kind: str, name: str, table: Mapping[str, Any]) -> Entry:
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
            named[name] = declared(kind, name, table)
            continue
        # A file of many sets: each member is an entry of its own, with the collection's terms and sources.
        shared = {key: value for key, value in table.items() if key != "members"}
        for member, own in members.items():
            title = f"{table['title']}: {member.replace('_', ' ').replace('-', ' ')}"
            named[member] = declared(kind, member, {**shared, "title": title, **own})
    return named


def entries(kind: str | None = None) -> tuple[Entry, ...]:
    """All entries, or those of one kind, in the order they are declared."""
    kinds = KINDS if kind is None else (kind_named(kind),)
    return tuple(entry for one in kinds for entry in _of_kind(one).values())


def entry(name: str, kind: str | None = None) -> Entry:
    """The entry of that name. An unknown name is an error that gives the nearest ones."""
    kinds = KINDS if kind is None else (kind_named(kind),)
    for one in kinds:
        if name in _of_kind(one):
            return _of_kind(one)[name]
    known = [other for one in kinds for other in _of_kind(one)]
    what = f"the {kind_named(kind)} of the catalog" if kind else "the catalog"
    see = f"wordworth ls {kind_named(kind)}" if kind else "wordworth ls"
    raise WordworthError(f"{name!r} is not in {what}{nearest(name, known)} (run `{see}` to see what there is)")


def knows(name: str, kind: str) -> bool:
    """Whether the catalog has an entry of that kind and name."""
    return name in _of_kind(kind_named(kind))


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
