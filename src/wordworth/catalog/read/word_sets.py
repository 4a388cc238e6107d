"""Word sets by name: polar words, the sets of the association tests, lists to fill templates with, translations."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read.tables import read_table, read_text, tidy, unique
from wordworth.catalog.registry import Entry, entries, entry
from wordworth.errors import WordworthError, nearest


@dataclass(frozen=True, eq=False)
class WordSet:
    """Words without repeats, in the published order."""

    name: str
    language: str
    words: tuple[str, ...]
    """For a set of pairs, the words of the pairs one after the other."""
    pairs: tuple[tuple[str, str], ...] = ()
    """The pairs, where the set is one of pairs."""
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Numbers that were published with the words, one a word."""
    dropped: tuple[str, ...] = ()
    """Words that stand more than once, for each time too often."""

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class PolarWords:
    """The pleasant and unpleasant words of a language, A and B of the valence tests."""

    language: str
    pleasant: tuple[str, ...]
    unpleasant: tuple[str, ...]
    dropped: tuple[str, ...]
    """Repeated words of either set that were taken once."""
    by_machine: bool = False
    """Whether they were translated by machine."""


def load_word_set(name: str) -> WordSet:
    """A word set of the catalog. Repeated words are taken once, and listed in `dropped`."""
    declared = entry(name, "word_sets")
    if declared.details.get("translations"):
        raise WordworthError(f"{name} is a table of translations, not a word set; see `wordworth show {name}`")
    rows = declared.details.get("words") or _rows(declared)
    if declared.details.get("pairs"):
        pairs = tuple((str(first), str(second)) for first, second in rows)
        words = tuple(dict.fromkeys(word for pair in pairs for word in pair))
        return WordSet(name, declared.language, words, pairs=pairs)
    columns = declared.details.get("scores", ())
    scores = {key: np.array([row[at + 1] for row in rows], dtype=np.float64) for at, key in enumerate(columns)}
    published = [str(row[0]) if columns else str(row) for row in rows]
    words, dropped = unique(published)
    return WordSet(name, declared.language, words, scores=scores, dropped=dropped)


def _rows(declared: Entry) -> list[Any]:
    """The rows of a JSON file at the place the entry says, or the lines of a text."""
    path = locate(declared.name, declared.sources).path
    text = read_text(path)
    if path.suffix != ".json":
        return [tidy(line) for line in text.splitlines() if line.strip()]
    rows: list[Any] = json.loads(text)
    for step in declared.details.get("at", ()):
        rows = rows[step]
    return rows


def polar_languages() -> list[str]:
    """Those that there are polar words in."""
    return [one.language for one in entries("word_sets") if one.name.startswith("pleasant-")]


def polar_words(language: str = "english") -> PolarWords:
    """The 25 pleasant and 25 unpleasant words of WEAT in a language, as ValNorm and VAST published them.

    The sets need not be of one size (Spanish has 22 and 25): whether to balance them is the measure's choice.
    """
    known = polar_languages()
    if language not in known:
        raise WordworthError(
            f"there are no polar words for {language!r}{nearest(language, known)} (there are for {', '.join(known)})"
        )
    pleasant, unpleasant = (load_word_set(f"{side}-{language}") for side in ("pleasant", "unpleasant"))
    by_machine = bool(entry(pleasant.name, "word_sets").details.get("by_machine"))
    return PolarWords(language, pleasant.words, unpleasant.words, pleasant.dropped + unpleasant.dropped, by_machine)


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
