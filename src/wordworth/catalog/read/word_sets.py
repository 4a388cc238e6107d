"""Load word sets by name (polar words, words for templates, translations) and the association tests made of them.

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
from wordworth.catalog.read.tables import check_table, parse_json, read_table, read_text, read_toml, tidy, unique
from wordworth.catalog.registry import Entry, entries, entry
from wordworth.catalog.resolve import NameLike, find, locate_files
from wordworth.errors import WordworthError, nearest


@dataclass(frozen=True, eq=False)
class WordSet:
    """Words without repeats, in the published order."""

    name: str
    language: str
    words: tuple[str, ...]
    """Words; of a set of pairs, the distinct words of all pairs."""
    pairs: tuple[tuple[str, str], ...] = ()
    """The pairs of a set of pairs."""
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Numbers published with the words, one per word."""
    repeats: tuple[str, ...] = ()
    """Repeated words, once per repetition."""

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class PolarWords:
    """The pleasant and unpleasant words of a language, A and B of the valence tests."""

    language: str
    pleasant: tuple[str, ...]
    unpleasant: tuple[str, ...]
    repeats: tuple[str, ...]
    """Repeated words of either set."""
    by_machine: bool = False
    """Whether they were translated by machine."""


def load_word_set(name: str) -> WordSet:
    """Return a word set of the catalog, with repeated words in `repeats`."""
    word_set_entry = entry(name, "word_sets")
    if word_set_entry.details.get("translations"):
        raise WordworthError(f"{name} is a table of translations, not a word set; see `wordworth show {name}`")
    rows = word_set_entry.details.get("words") or _rows(word_set_entry)
    if word_set_entry.details.get("pairs"):
        pairs = tuple((str(first), str(second)) for first, second in rows)
        words = tuple(dict.fromkeys(word for pair in pairs for word in pair))
        return WordSet(name, word_set_entry.language, words, pairs=pairs)
    columns = word_set_entry.details.get("scores", ())
    scores = {key: np.array([row[column + 1] for row in rows], dtype=np.float64) for column, key in enumerate(columns)}
    published_words = [str(row[0]) if columns else str(row) for row in rows]
    words, repeats = unique(published_words)
    return WordSet(name, word_set_entry.language, words, scores=scores, repeats=repeats)


def _rows(entry: Entry) -> list[Any]:
    """Return the rows of a JSON file at the location in the entry, or the lines of a text."""
    path = locate(entry.name, entry.sources).path
    text = read_text(path)
    if path.suffix != ".json":
        return [tidy(line) for line in text.splitlines() if line.strip()]
    rows: list[Any] = json.loads(text)
    for step in entry.details.get("at", ()):
        rows = rows[step]
    return rows


def polar_languages() -> list[str]:
    """List the languages that have polar words."""
    return [word_set.language for word_set in entries("word_sets") if word_set.name.startswith("pleasant-")]


def polar_words(language: str = "english") -> PolarWords:
    """Return the 25 pleasant and 25 unpleasant words of WEAT in a language, as ValNorm and VAST published them.

    The sets may differ in size (Spanish has 22 and 25); a measure may balance them.
    """
    known_languages = polar_languages()
    if language not in known_languages:
        raise WordworthError(
            f"there are no polar words for {language!r}{nearest(language, known_languages)} (there are "
            f"some for {', '.join(known_languages)})"
        )
    pleasant, unpleasant = (load_word_set(f"{side}-{language}") for side in ("pleasant", "unpleasant"))
    by_machine = bool(entry(pleasant.name, "word_sets").details.get("by_machine"))
    return PolarWords(language, pleasant.words, unpleasant.words, pleasant.repeats + unpleasant.repeats, by_machine)


@dataclass(frozen=True)
class Translations:
    """English word → its forms, in the order of the table (masculine before feminine in XWEAT)."""

    name: str
    language: str
    forms: Mapping[str, tuple[str, ...]]
    blank: frozenset[str]
    """English words without a counterpart of their own, according to the table."""
    by_machine: bool = False


def load_translations(name: str) -> Translations:
    """Load a table of translations by its name in the catalog: one column per language, or one with all forms."""
    source = entry(name, "word_sets")
    if not source.details.get("translations"):
        names = [word_set.name for word_set in entries("word_sets") if word_set.details.get("translations")]
        raise WordworthError(f"{name} is a word set, not a table of translations; those are {', '.join(names)}")
    table = read_table(locate(name, source.sources).path, delimiter=",", header=source.details["header"])
    of_language = source.details.get("column")
    columns = slice(1, None) if of_language is None else slice(start := table.header.index(of_language), start + 1)
    forms: dict[str, tuple[str, ...]] = {}
    blanks: set[str] = set()
    for row in table.rows:
        english, cells = tidy(row.cells[0]), [tidy(cell) for cell in row.cells[columns]]
        translations = tuple(dict.fromkeys(form for form in cells if form))
        if english and translations:
            present = forms.get(english, ())
            forms[english] = present + tuple(form for form in translations if form not in present)
        elif english and of_language is not None:
            blanks.add(english)
    return Translations(name, source.language, forms, frozenset(blanks), bool(source.details.get("by_machine")))


TEST_GROUPS = ("x", "y", "a", "b")
PUBLISHED, BY_MACHINE = "xweat-", "weat-by-machine-"
"""Prefixes of the names of tables that translate tests."""
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
    """The labels of X, Y, A and B."""
    language: str = "english"
    reference: str = ""
    remarks: tuple[str, ...] = ()
    """Changes to the test: repeated words, words without a translation."""
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """Word → its replacement if a vocabulary lacks it."""
    names: frozenset[str] = frozenset()
    """Proper names, which keep their capitals in a vocabulary with capitals."""
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

    A label replaces the name of a single test, and precedes the names of several.
    """
    origin = find(name_or_path, "tests")
    if origin.entry is not None:
        return (replace(_of_catalog(origin.entry), name=origin.name),)
    path = locate_files(origin).where
    if path.suffix in (".json", ".jsonl"):
        return (_of_seat(path, {"name": origin.name}),)
    tables = check_table(_TestFile, read_toml(path), str(path)).test
    tests = tuple(_of_table(table, str(path)) for table in tables)
    _, repeated_names = unique(test.name for test in tests)
    if repeated_names:
        raise WordworthError(f"{path}: two tests are named {repeated_names[0]!r}; give each a name of its own")
    label = origin.label
    if not label:
        return tests
    return tuple(replace(test, name=f"{label}/{test.name}" if len(tests) > 1 else label) for test in tests)


def _of_catalog(entry: Entry) -> AssociationTest:
    fields = {"name": entry.name, "title": entry.title, "language": entry.language, **entry.details}
    if entry.sources:
        test = _of_seat(locate(entry.name, entry.sources).path, fields)
    else:
        test = _of_table(_Test.model_validate(fields), entry.name)
    return replace(test, reference=str(entry.reference))


def _of_seat(path: Path, fields: dict[str, Any]) -> AssociationTest:
    table = parse_json(read_text(path), str(path), "SEAT's files are JSON")
    return _of_table(check_table(_Test, table | fields if isinstance(table, dict) else table, str(path)), str(path))


def _of_table(table: _Test, location: str) -> AssociationTest:
    """Return a table as a test. A repeated word of a set counts once, with a remark."""
    groups, labels, remarks = {}, [], []
    for group, words_of_group in zip(TEST_GROUPS, (table.x, table.y, table.a, table.b), strict=True):
        groups[group], repeats = unique(words_of_group.words or load_word_set(words_of_group.set).words)
        labels.append(words_of_group.label or group)
        if repeats:
            remarks.append(f"{labels[-1]}: {len(repeats)} repeated words taken once, such as {repeats[0]}")
    words = {word for group in groups.values() for word in group}
    if not all(set_or_word in groups or set_or_word in words for set_or_word in table.names):
        raise WordworthError(
            f'{location}: names of {table.name} must list sets or words of the test, such as ["x", "y"] or ["Einstein"]'
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
        names=frozenset(word for set_or_word in table.names for word in groups.get(set_or_word, (set_or_word,))),
    )


def _list_shared_words(labels: Sequence[str], groups: Sequence[Sequence[str]]) -> list[str]:
    """Return a remark for every word in both sets of targets or in both sets of attributes."""
    remarks = []
    for first, second in ((0, 1), (2, 3)):
        shared_words = [word for word in groups[first] if word in groups[second]]
        remarks += [f"{word} is in both {labels[first]} and {labels[second]}" for word in shared_words]
    return remarks


def languages() -> list[str]:
    """List the languages of tests: those of XWEAT, and those with machine translations of WEAT 1, 2 and 8."""
    return list(dict.fromkeys([*xweat_languages(), *_of_tables(BY_MACHINE)]))


def xweat_languages() -> list[str]:
    """List the languages of XWEAT's tables."""
    return _of_tables(PUBLISHED)


def _of_tables(begin: str) -> list[str]:
    return [table.language for table in entries("word_sets") if table.name.startswith(begin)]


def translate_test(test: AssociationTest, language: str) -> AssociationTest:
    """Translate a test by XWEAT's tables, or else by our machine translations.

    Every form of a word counts (masculine and feminine), and a form shared by two words of a set counts once. A word
    without a translation, such as a name, is not changed. So sets may differ in size; `remarks` lists all changes. The
    machine translations cover WEAT 1, 2 and 8; pleasant and unpleasant words are then the published polar words.
    """
    if test.language == language:
        return test
    of_xweat, of_machine = xweat_languages(), _of_tables(BY_MACHINE)
    failure = None
    if language in of_xweat:
        try:
            return _translate(test, language, load_translations(f"{PUBLISHED}{language}"))
        except WordworthError as error:
            failure = error
    if language in of_machine:
        table = load_translations(f"{BY_MACHINE}{language}")
        if all(group in _polar() or set(group) <= table.forms.keys() | table.blank for group in test.groups):
            translation = _translate(test, language, table)
            remark = "its words were translated by machine" + ("; XWEAT's table is missing" if failure else "")
            return replace(translation, remarks=(*translation.remarks, remark))
    if failure is not None:
        raise failure
    raise WordworthError(
        f"{test.name} is not translated into {language!r}{nearest(language, languages())} (XWEAT has "
        f"{', '.join(of_xweat)}; WEAT 1, 2 and 8 are machine-translated into {', '.join(of_machine)})"
    )


def _polar(language: str = "english") -> tuple[tuple[str, ...], tuple[str, ...]]:
    polar = polar_words(language)
    return polar.pleasant, polar.unpleasant


def _translate(test: AssociationTest, language: str, table: Translations) -> AssociationTest:
    by_lower_case = {word.lower(): translations for word, translations in table.forms.items()}
    groups, remarks, names = [], [], set()
    for label, words in zip(test.labels, test.groups, strict=True):
        if table.by_machine and words in _polar():
            groups.append(_polar(language)[_polar().index(words)])
            continue
        forms: list[str] = []
        for word in words:
            if word in table.blank:
                remarks.append(f"{label}: {word} has no counterpart of its own")
                continue
            translations = table.forms.get(word) or by_lower_case.get(word.lower())
            if translations is None:
                remarks.append(f"{label}: {word} has no translation and stays as it is")
            names |= set(translations or (word,)) if word in test.names else set()
            for form in translations or (word,):
                if form in forms:
                    remarks.append(f"{label}: {form} translates more than one word and is taken once")
                else:
                    forms.append(form)
        groups.append(tuple(forms))
    X, Y, A, B = groups
    remarks += _list_shared_words(test.labels, groups)
    sets: dict[str, Any] = {"X": X, "Y": Y, "A": A, "B": B, "stand_ins": {}, "names": frozenset(names)}
    sets |= {"remarks": (*test.remarks, *remarks), "by_machine": table.by_machine}
    return replace(test, name=f"{test.name}-{language}", language=language, **sets)
