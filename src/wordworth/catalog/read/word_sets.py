"""Word sets by name: polar words, lists to fill templates with, translations; and the association tests made of them.

An association test has two sets of targets, X and Y, and two sets of attributes, A and B.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, Field, model_validator

from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read.tables import check_table, parsed_json, read_table, read_text, read_toml, tidy, unique
from wordworth.catalog.registry import Entry, entries, entry
from wordworth.catalog.resolve import NameLike, find, locate_files
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
    """Return a word set of the catalog. Repeated words are taken once, and listed in `dropped`."""
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
    """Return the rows of a JSON file at the place the entry says, or the lines of a text."""
    path = locate(declared.name, declared.sources).path
    text = read_text(path)
    if path.suffix != ".json":
        return [tidy(line) for line in text.splitlines() if line.strip()]
    rows: list[Any] = json.loads(text)
    for step in declared.details.get("at", ()):
        rows = rows[step]
    return rows


def polar_languages() -> list[str]:
    """List the languages that have polar words."""
    return [one.language for one in entries("word_sets") if one.name.startswith("pleasant-")]


def polar_words(language: str = "english") -> PolarWords:
    """Return the 25 pleasant and 25 unpleasant words of WEAT in a language, as ValNorm and VAST published them.

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
    """Load a table of translations by its name in the catalog: one column per language, or one with all forms."""
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


TEST_GROUPS = ("x", "y", "a", "b")
PUBLISHED, BY_MACHINE = "xweat-", "weat-by-machine-"
"""How the names of the tables begin that put tests into other languages."""
Tidy = Annotated[str, AfterValidator(tidy), Field(min_length=1)]


class _Set(BaseModel, extra="forbid"):
    """`{ label = "…", words = ["…", "…"] }`, or `{ label = "…", set = "NAME" }` for a word set of the catalog."""

    label: str = Field("", validation_alias=AliasChoices("label", "category"))
    words: list[Tidy] = Field(default_factory=list, validation_alias=AliasChoices("words", "examples"))
    set: str = ""

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if bool(self.words) == bool(self.set):
            raise ValueError('write words = ["…", "…"], or set = "NAME" of the catalog')
        return self


class _Test(BaseModel, extra="forbid"):
    """A test of the catalog, of a user's file, or of a file of SEAT's (targ1 … attr2)."""

    name: Tidy
    title: Tidy = ""
    language: Tidy = "english"
    names: list[str] = Field(default_factory=list)
    stand_ins: dict[str, str] = Field(default_factory=dict)
    x: _Set = Field(validation_alias=AliasChoices("x", "targ1"))
    y: _Set = Field(validation_alias=AliasChoices("y", "targ2"))
    a: _Set = Field(validation_alias=AliasChoices("a", "attr1"))
    b: _Set = Field(validation_alias=AliasChoices("b", "attr2"))


def _as_list(table: object) -> object:
    return [table] if isinstance(table, dict) else table


class _TestFile(BaseModel, extra="forbid"):
    """A user's file: `[test]`, or `[[test]]` for each of several."""

    test: Annotated[list[_Test], BeforeValidator(_as_list), Field(min_length=1)]


@dataclass(frozen=True)
class AssociationTest:
    """Words and labels of one test."""

    name: str
    title: str
    X: tuple[str, ...]
    Y: tuple[str, ...]
    A: tuple[str, ...]
    B: tuple[str, ...]
    labels: tuple[str, str, str, str]
    """What X, Y, A and B are called."""
    language: str = "english"
    reference: str = ""
    remarks: tuple[str, ...] = ()
    """What was changed on the way: repeated words, words without a translation."""
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """Words that take the place of one that a vocabulary lacks."""
    names: frozenset[str] = frozenset()
    """Words that are proper names: in a vocabulary with capitals they keep theirs."""
    by_machine: bool = False
    """Whether its words were translated by machine."""

    @property
    def groups(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        return self.X, self.Y, self.A, self.B


def load_test(name: str) -> AssociationTest:
    """Return a test of the catalog by its name (`weat1` … `weat10`, `seat-…`)."""
    return _of_catalog(entry(name, "tests"))


def load_tests(name_or_path: NameLike) -> tuple[AssociationTest, ...]:
    """Return the test of that name, or the tests of a user's file: TOML with `[test]` or `[[test]]`, or SEAT's JSON.

    A label takes the place of a test's name, and stands before the names of several.
    """
    resolved = find(name_or_path, "tests")
    if resolved.entry is not None:
        return (replace(_of_catalog(resolved.entry), name=resolved.name),)
    path = locate_files(resolved).where
    if path.suffix in (".json", ".jsonl"):
        return (_of_seat(path, {"name": resolved.name}),)
    tables = check_table(_TestFile, read_toml(path), str(path)).test
    tests = tuple(_of_table(table, str(path)) for table in tables)
    _, again = unique(test.name for test in tests)
    if again:
        raise WordworthError(f"{path}: two tests are named {again[0]!r}; give each a name of its own")
    label = resolved.label
    if not label:
        return tests
    return tuple(replace(test, name=f"{label}/{test.name}" if len(tests) > 1 else label) for test in tests)


def _of_catalog(declared: Entry) -> AssociationTest:
    about = {"name": declared.name, "title": declared.title, "language": declared.language, **declared.details}
    if declared.sources:
        test = _of_seat(locate(declared.name, declared.sources).path, about)
    else:
        test = _of_table(_Test.model_validate(about), declared.name)
    return replace(test, reference=str(declared.reference))


def _of_seat(path: Path, about: dict[str, Any]) -> AssociationTest:
    table = parsed_json(read_text(path), str(path), "SEAT's files are JSON")
    return _of_table(check_table(_Test, table | about if isinstance(table, dict) else table, str(path)), str(path))


def _of_table(table: _Test, where: str) -> AssociationTest:
    """Return a table as a test. A word that repeats in a set is taken once, with a remark."""
    groups, labels, remarks = {}, [], []
    for group, one in zip(TEST_GROUPS, (table.x, table.y, table.a, table.b), strict=True):
        groups[group], again = unique(one.words or load_word_set(one.set).words)
        labels.append(one.label or group)
        if again:
            remarks.append(f"{labels[-1]}: {len(again)} repeated words taken once, {again[0]} among them")
    words = {word for group in groups.values() for word in group}
    if not all(one in groups or one in words for one in table.names):
        raise WordworthError(
            f'{where}: names of {table.name} must list sets or words of the test, such as ["x", "y"] or ["Einstein"]'
        )
    X, Y, A, B = groups.values()
    return AssociationTest(
        table.name,
        table.title or table.name,
        *(X, Y, A, B),
        (labels[0], labels[1], labels[2], labels[3]),
        language=table.language,
        remarks=(*remarks, *_list_shared_words(labels, (X, Y, A, B))),
        stand_ins=table.stand_ins,
        names=frozenset(word for one in table.names for word in groups.get(one, (one,))),
    )


def _list_shared_words(labels: Sequence[str], groups: Sequence[Sequence[str]]) -> list[str]:
    """Return a remark for every word that both sets of targets, or both of attributes, have."""
    pairs = ((0, 1), (2, 3))
    return [
        f"{word} is in both {labels[one]} and {labels[other]}"
        for one, other in pairs
        for word in groups[one]
        if word in groups[other]
    ]


def languages() -> list[str]:
    """List the languages of tests: XWEAT's, and those into which WEAT 1, 2 and 8 are translated by machine."""
    return list(dict.fromkeys([*xweat_languages(), *_of_tables(BY_MACHINE)]))


def xweat_languages() -> list[str]:
    """List the languages of XWEAT's tables."""
    return _of_tables(PUBLISHED)


def _of_tables(begin: str) -> list[str]:
    return [table.language for table in entries("word_sets") if table.name.startswith(begin)]


def translate_test(test: AssociationTest, language: str) -> AssociationTest:
    """Translate a test: by XWEAT's tables, or if they are missing by our own, made by machine.

    Every form of a word is taken (masculine and feminine); a word without a translation, such as a name, stays as it
    is; a form that two words of a set share is taken once. The sets need not stay of one size. `remarks` lists it all.
    Our own have WEAT 1, 2 and 8 alone: pleasant and unpleasant words are then the published polar words.
    """
    if test.language == language:
        return test
    of_xweat, of_machine = xweat_languages(), _of_tables(BY_MACHINE)
    missing = None
    if language in of_xweat:
        try:
            return _put(test, language, load_translations(f"{PUBLISHED}{language}"))
        except WordworthError as error:
            missing = error
    if language in of_machine:
        table = load_translations(f"{BY_MACHINE}{language}")
        if all(group in _polar() or set(group) <= table.forms.keys() | table.blank for group in test.groups):
            put = _put(test, language, table)
            how = "its words were translated by machine" + ("; XWEAT's are not at hand" if missing else "")
            return replace(put, remarks=(*put.remarks, how))
    if missing is not None:
        raise missing
    raise WordworthError(
        f"{test.name} is not translated into {language!r}{nearest(language, languages())} (XWEAT has "
        f"{', '.join(of_xweat)}; WEAT 1, 2 and 8 are machine-translated into {', '.join(of_machine)})"
    )


def _polar(language: str = "english") -> tuple[tuple[str, ...], tuple[str, ...]]:
    polar = polar_words(language)
    return polar.pleasant, polar.unpleasant


def _put(test: AssociationTest, language: str, table: Translations) -> AssociationTest:
    folded = {word.lower(): of_word for word, of_word in table.forms.items()}
    groups, remarks, names = [], [], set()
    for label, words in zip(test.labels, test.groups, strict=True):
        if table.by_machine and words in _polar():
            groups.append(_polar(language)[_polar().index(words)])
            continue
        put: list[str] = []
        for word in words:
            if word in table.blank:
                remarks.append(f"{label}: {word} has no counterpart of its own")
                continue
            of_word = table.forms.get(word) or folded.get(word.lower())
            if of_word is None:
                remarks.append(f"{label}: {word} has no translation and stays as it is")
            names |= set(of_word or (word,)) if word in test.names else set()
            for form in of_word or (word,):
                if form in put:
                    remarks.append(f"{label}: {form} translates more than one word and is taken once")
                else:
                    put.append(form)
        groups.append(tuple(put))
    X, Y, A, B = groups
    remarks += _list_shared_words(test.labels, groups)
    sets: dict[str, Any] = {"X": X, "Y": Y, "A": A, "B": B, "stand_ins": {}, "names": frozenset(names)}
    sets |= {"remarks": (*test.remarks, *remarks), "by_machine": table.by_machine}
    return replace(test, name=f"{test.name}-{language}", language=language, **sets)
