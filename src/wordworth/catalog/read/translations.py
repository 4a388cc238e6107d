"""Tables of translations: an English word and its forms in another language (XWEAT; ours; ValNorm's Bellezza words)."""

from collections.abc import Mapping
from dataclasses import dataclass

from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read.tables import read_table, tidy
from wordworth.catalog.registry import entries, entry
from wordworth.errors import WordworthError


@dataclass(frozen=True)
class Translations:
    """English word → its forms, in the order of the table (masculine before feminine in XWEAT)."""

    name: str
    language: str
    forms: Mapping[str, tuple[str, ...]]
    blank: frozenset[str]
    """English words that have no counterpart of their own, where the table says so."""
    by_machine: bool = False


def load_translations(name: str) -> Translations:
    """A table of translations by its name in the catalog: a language a column, or one with all forms of a word."""
    declared = entry(name, "word_sets")
    if not declared.details.get("translations"):
        known = [other.name for other in entries("word_sets") if other.details.get("translations")]
        raise WordworthError(f"{name} is a word set, not a table of translations; those are {', '.join(known)}")
    table = read_table(locate(name, declared.sources).path, delimiter=",", header=declared.details["header"])
    of_language = declared.details.get("column")
    taken = slice(1, None) if of_language is None else slice(at := table.header.index(of_language), at + 1)
    forms: dict[str, tuple[str, ...]] = {}
    blank: set[str] = set()
    for row in table.rows:
        english, others = tidy(row.cells[0]), [tidy(cell) for cell in row.cells[taken]]
        translated = tuple(dict.fromkeys(form for form in others if form))
        if english and translated:
            forms[english] = forms.get(english, ()) + tuple(
                form for form in translated if form not in forms.get(english, ())
            )
        elif english and of_language is not None:
            blank.add(english)
    return Translations(name, declared.language, forms, frozenset(blank), bool(declared.details.get("by_machine")))
