"""Tables of translations: an English word and its forms in another language (XWEAT; ValNorm's Bellezza words)."""

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


def load_translations(name: str) -> Translations:
    """A table of translations by its name in the catalog; rows without a translation are passed over."""
    declared = entry(name, "word_sets")
    if not declared.details.get("translations"):
        known = [other.name for other in entries("word_sets") if other.details.get("translations")]
        raise WordworthError(f"{name} is a word set, not a table of translations; those are {', '.join(known)}")
    table = read_table(locate(name, declared.sources).path, delimiter=",", header=declared.details["header"])
    forms: dict[str, tuple[str, ...]] = {}
    for row in table.rows:
        english, *others = (tidy(cell) for cell in row.cells)
        translated = tuple(dict.fromkeys(form for form in others if form))
        if english and translated:
            forms[english] = forms.get(english, ()) + tuple(
                form for form in translated if form not in forms.get(english, ())
            )
    return Translations(name, declared.language, forms)
