"""Association tests: two sets of targets, X and Y, held against two sets of attributes, A and B."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wordworth.catalog.entry import Entry
from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read.tables import parsed_json, read_text, read_toml, tidy, unique
from wordworth.catalog.read.word_sets import Translations, load_translations, load_word_set, polar_words
from wordworth.catalog.registry import entries, entry
from wordworth.catalog.resolve import located, resolve, split_label
from wordworth.errors import WordworthError, nearest

GROUPS = ("x", "y", "a", "b")
FIELDS = ("name", "title", "language", "names", *GROUPS)
Groups = Mapping[str, tuple[str, Sequence[str]]]
"""For each of `GROUPS` its label and its words."""
PUBLISHED, BY_MACHINE = "xweat-", "weat-by-machine-"
"""How the tables begin that put tests into other languages."""
_SEAT = dict(zip(GROUPS, ("targ1", "targ2", "attr1", "attr2"), strict=True))


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
    """A test of the catalog by its name (`weat1` … `weat10`, `seat-…`)."""
    return _of_catalog(entry(name, "tests"))


def load_tests(name_or_path: str | Path) -> tuple[AssociationTest, ...]:
    """The test of that name, or the tests of a user's file: TOML with `[test]` or `[[test]]`, or SEAT's JSON.

    A label takes the place of a test's name, and stands before the names of several.
    """
    resolved = resolve(name_or_path, "tests")
    if resolved.entry is not None:
        return (replace(_of_catalog(resolved.entry), name=resolved.name),)
    path = located(resolved).where
    if path.suffix in (".json", ".jsonl"):
        return (_checked(resolved.name, resolved.name, _seat_groups(path), path=path, lenient=True),)
    tests = _of_toml(path)
    label, _ = split_label(name_or_path)
    if not label:
        return tests
    return tuple(replace(test, name=f"{label}/{test.name}" if len(tests) > 1 else label) for test in tests)


def _of_catalog(declared: Entry) -> AssociationTest:
    if declared.sources:
        path = locate(declared.name, declared.sources).path
        test = _checked(declared.name, declared.title, _seat_groups(path), path=path, lenient=True)
    else:
        sets = {group: declared.details[group] for group in GROUPS}
        groups = {group: (one["label"], load_word_set(one["set"]).words) for group, one in sets.items()}
        test = _checked(declared.name, declared.title, groups)
    return replace(
        test,
        names=_names(test, declared.details.get("names", ()), declared.name),
        language=declared.language,
        reference=str(declared.reference),
        stand_ins=declared.details.get("stand_ins", {}),
    )


def languages() -> list[str]:
    """Those that the words of tests can be put into: XWEAT's, and those that WEAT 1, 2 and 8 are in by machine."""
    return list(dict.fromkeys([*xweat_languages(), *_of_tables(BY_MACHINE)]))


def xweat_languages() -> list[str]:
    """Those that XWEAT's tables put the words of tests into."""
    return _of_tables(PUBLISHED)


def _of_tables(begin: str) -> list[str]:
    return [table.language for table in entries("word_sets") if table.name.startswith(begin)]


def translated(test: AssociationTest, language: str) -> AssociationTest:
    """The test in another language: through XWEAT's tables, or where they are not to be had by our own, by machine.

    Every form of a word is taken (masculine and feminine); a word without a translation, such as a name, stays as it
    is; a form that two words of a set share is taken once. The sets need not stay of one size. `remarks` lists it all.
    Our own have WEAT 1, 2 and 8 alone: pleasant and unpleasant words are then the published polar words.
    """
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
        f"{test.name} cannot be put into {language!r}{nearest(language, languages())} (XWEAT has "
        f"{', '.join(of_xweat)}; WEAT 1, 2 and 8 are by machine in {', '.join(of_machine)})"
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
    for one, other, these, those in ((0, 1, X, Y), (2, 3, A, B)):
        remarks += [f"{w} is in both {test.labels[one]} and {test.labels[other]}" for w in these if w in those]
    sets: dict[str, Any] = {"X": X, "Y": Y, "A": A, "B": B, "stand_ins": {}, "names": frozenset(names)}
    sets |= {"remarks": (*test.remarks, *remarks), "by_machine": table.by_machine}
    return replace(test, name=f"{test.name}-{language}", language=language, **sets)


def _checked(
    name: str, title: str, groups: Groups, *, path: Path | None = None, lenient: bool = False
) -> AssociationTest:
    """The four sets as a test. A repeated word is an error in a user's own test, a remark in a published one."""
    remarks = []
    words: dict[str, tuple[str, ...]] = {}
    for group, (label, listed) in groups.items():
        words[group], again = unique(listed)
        if again and not lenient:
            raise WordworthError(f"{path or name}: {again[0]!r} stands twice in {group} of {name}; keep it once")
        if again:
            remarks.append(f"{label}: {len(again)} repeated words taken once, {again[0]} among them")
    for one, other in (("x", "y"), ("a", "b")):
        shared = next((word for word in words[one] if word in words[other]), None)
        if shared is not None and not lenient:
            raise WordworthError(f"{path or name}: {shared!r} is in both {one} and {other} of {name}; keep it in one")
        if shared is not None:
            remarks.append(f"{shared} is in both {groups[one][0]} and {groups[other][0]}")
    labels = (groups["x"][0], groups["y"][0], groups["a"][0], groups["b"][0])
    return AssociationTest(name, title, words["x"], words["y"], words["a"], words["b"], labels, remarks=tuple(remarks))


def _seat_groups(path: Path) -> dict[str, tuple[str, Sequence[str]]]:
    """SEAT's JSON: targ1, targ2, attr1, attr2, each with a category and examples."""
    table = parsed_json(read_text(path), str(path), "SEAT's files are JSON")
    groups: dict[str, tuple[str, Sequence[str]]] = {}
    for group, key in _SEAT.items():
        side = table.get(key) if isinstance(table, dict) else None
        side = side if isinstance(side, dict) else {}
        examples = side.get("examples")
        if not isinstance(examples, list) or not examples or not all(isinstance(one, str) for one in examples):
            raise WordworthError(f"{path}: {key} has no list of examples; SEAT's files have one for {key}")
        groups[group] = (str(side.get("category", key)), [tidy(one) for one in examples])
    return groups


def _of_toml(path: Path) -> tuple[AssociationTest, ...]:
    contents = read_toml(path)
    extra = next((key for key in contents if key != "test"), None)
    tables = contents.get("test")
    if extra is not None or not tables:
        what = f"{extra!r} is not a field of a test file" if extra else "there is no [test]"
        raise WordworthError(f"{path}: {what}; write [test], or [[test]] for each of several, with name, x, y, a and b")
    if isinstance(tables, dict):
        tables = [tables]
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise WordworthError(f"{path}: test is not a table; write [test], or [[test]] for each of several")
    tests = tuple(_of_table(path, one, at) for at, one in enumerate(tables, start=1))
    _, again = unique(test.name for test in tests)
    if again:
        raise WordworthError(f"{path}: two tests are named {again[0]!r}; give each a name of its own")
    return tests


def _of_table(path: Path, table: Mapping[str, Any], at: int) -> AssociationTest:
    for key in table:
        if key not in FIELDS:
            close = nearest(key, list(FIELDS))
            raise WordworthError(
                f"{path}: test {at} has a field {key!r} that tests have not{close or ';'} "
                f"the fields are {', '.join(FIELDS)}"
            )
    for key in ("name", "title", "language"):
        if (key == "name" or key in table) and (not isinstance(table.get(key), str) or not table[key].strip()):
            raise WordworthError(f"{path}: {key} of test {at} must be a text that is not blank")
    name = table["name"]
    groups = {group: _group(path, name, group, table.get(group)) for group in GROUPS}
    test = _checked(name, table.get("title", name), groups, path=path)
    names = _names(test, table.get("names", []), str(path))
    return replace(test, language=table.get("language", "english"), names=names)


def _names(test: AssociationTest, declared: Any, where: str) -> frozenset[str]:
    """The words of the sets that are declared to be names (x, y, a, b), and the single words that are."""
    sets = dict(zip(GROUPS, test.groups, strict=True))
    words = {word for group in test.groups for word in group}
    if not isinstance(declared, list | tuple) or not all(one in sets or one in words for one in declared):
        raise WordworthError(
            f'{where}: names of {test.name} must list sets or words of the test, such as ["x", "y"] or ["Einstein"]'
        )
    return frozenset(word for one in declared for word in sets.get(one, (one,)))


def _group(path: Path, name: str, group: str, table: Any) -> tuple[str, Sequence[str]]:
    """`{ label = "…", words = ["…", …] }`, or `{ label = "…", set = "NAME" }` for a word set of the catalog."""
    if not isinstance(table, dict):
        raise WordworthError(
            f'{path}: {group} of {name} is missing; write {group} = {{ label = "…", words = ["…", "…"] }}'
        )
    extra = next((key for key in table if key not in ("label", "words", "set")), None)
    if extra is not None:
        raise WordworthError(
            f"{path}: {group} of {name} has a field {extra!r}; the fields are label and words (or set)"
        )
    label = table.get("label", group)
    if not isinstance(label, str):
        raise WordworthError(f"{path}: label of {group} of {name} must be a text")
    if "set" in table and "words" not in table and isinstance(table["set"], str):
        return label, load_word_set(table["set"]).words
    words = table.get("words")
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise WordworthError(f"{path}: words of {group} of {name} must be a list of words, none of them blank")
    return label, [tidy(word) for word in words]
