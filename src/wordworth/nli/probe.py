"""A probe: templates, the words that fill them, and the words whose subspace is to be taken out.

Those of Dev et al. 2020 stand in the catalog: `gender`, `nationality`, `religion`. `NAME:formula` is the same by the
formula of the paper, every verb with each of the 95 objects. A user's own is a TOML file with a table `[probe]`:

    name, premise, hypothesis               the sentences, “The SUBJECT VERB a/an OBJECT.”
    slots = { premise = …, hypothesis = … } the subjects: a word set's name, or { words = ["…", …] }
    labels = { premise = …, hypothesis = … }  what slices call them; “premise” and “hypothesis” if not given
    verbs = [{ kind = "…", verbs = …, objects = … }, …]   which verbs take which objects
    subspace = { pair = ["he", "she"] }, or { set = "…" | words = […], components = 1 }   optional
    groups = { men = ["man", …], women = [ … ] }   of the hypotheses' subjects; each is its own group if not given
    swap = "premise" | "hypothesis"                whose subjects are exchanged among themselves as the control
"""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from wordworth.catalog.read.tables import read_text, tidy
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entries, knows
from wordworth.errors import WordworthError, nearest
from wordworth.nli.templates import ARTICLES, OBJECT, VERB, Template, parse

FORMULA = ":formula"
SWAP = "/swap"
_FIELDS = (
    "name", "title", "premise", "hypothesis", "slots", "labels", "capitals", "verbs", "subspace", "groups", "swap"
)  # fmt: skip
_SIDES = ("premise", "hypothesis")


class Action(NamedTuple):
    """What the subject of both sentences does."""

    kind: str
    verb: str
    object: str


@dataclass(frozen=True)
class SubspaceWords:
    """Words whose subspace holds the bias: a pair's difference, or the first components of a set."""

    words: tuple[str, ...]
    components: int
    """0 for a pair."""
    name: str


@dataclass(frozen=True)
class Probe:
    """Everything that pairs are made of. Premise and hypothesis share verb and object; the subjects differ."""

    name: str
    title: str
    templates: tuple[Template, Template]
    labels: tuple[str, str]
    premises: tuple[str, ...]
    """The subjects of the premises."""
    hypotheses: tuple[str, ...]
    actions: tuple[Action, ...]
    subspace: SubspaceWords | None
    articles: str = "sound"
    reference: str = ""
    paper: str = ""
    """The number of pairs that the paper states."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Subjects of the hypotheses that stand for one group, by its name; blank: each is a group of its own."""
    swap: str = ""
    """The side whose subjects are exchanged among themselves as the control."""

    @property
    def sha256(self) -> str:
        """Of all that its sentences depend on."""
        parts = [[one.text for one in self.templates], self.premises, self.hypotheses, self.actions, self.articles]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()

    def swapped(self) -> "Probe":
        """The control: both sentences have a subject of one kind (“the baker”, “the tailor”), so that they differ in
        one word as the probe's do, and no group is named in one alone."""
        side = _SIDES.index(self.swap)
        words, template, label = (self.premises, self.hypotheses)[side], self.templates[side], self.labels[side]
        return replace(
            self,
            name=self.name + SWAP,
            templates=(template, template),
            labels=(label, label),
            premises=words,
            hypotheses=words,
            paper="",
            groups={},
            swap="",
        )


def probe_names() -> list[str]:
    """The probes of the catalog."""
    return [declared.details["probe"] for declared in entries("templates") if "probe" in declared.details]


def load_probe(name_or_path: str | Path, *, articles: str = "sound") -> Probe:
    """A probe of the catalog (`gender`, `nationality:formula`, …) or of a TOML file."""
    if articles not in ARTICLES:
        raise WordworthError(f"articles are chosen by {' or '.join(ARTICLES)}, not by {articles!r}")
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return _of_file(path, articles)
    name = str(name_or_path)
    plain = name.removesuffix(FORMULA)
    for declared in entries("templates"):
        if plain in (declared.details.get("probe"), declared.name) and "probe" in declared.details:
            full = declared.details["probe"] + name[len(plain) :]
            table = {**declared.details, "name": full, "title": declared.title}
            return _probe(table, f"templates.toml, {declared.name}", articles, str(declared.reference), name != plain)
    known = probe_names()
    close = nearest(plain, known) or f"; there are {', '.join(known)}"
    raise WordworthError(f"there is no probe {name!r}{close} (or name a TOML file)")


def _of_file(path: Path, articles: str) -> Probe:
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise WordworthError(f"{path} is not TOML: {error}") from error
    fields = table.get("probe")
    if table.keys() != {"probe"} or not isinstance(fields, dict):
        raise WordworthError(f"{path} must hold one table [probe] with name, premise, hypothesis and slots")
    extra = next((key for key in fields if key not in _FIELDS), None)
    if extra is not None:
        close = nearest(extra, list(_FIELDS)) or f"; the fields are {', '.join(_FIELDS)}"
        raise WordworthError(f"{path}: a probe has no field {extra!r}{close}")
    name = fields.get("name")
    if not isinstance(name, str) or not name.strip() or "/" in name:
        raise WordworthError(f"{path}: name must be a text that is not blank, without “/”")
    return _probe(fields, str(path), articles, "", formula=False)


def _probe(table: Mapping[str, Any], where: str, articles: str, reference: str, formula: bool) -> Probe:
    labels = {side: _label(table, side, where) for side in _SIDES}
    slots = table.get("slots")
    if not isinstance(slots, Mapping) or slots.keys() != set(_SIDES):
        raise WordworthError(f"{where}: slots must be {{ premise = …, hypothesis = … }}, the subjects of both")
    subjects = {side: fillers(slots[side], f"{where}: slots.{side}", as_published=formula) for side in _SIDES}
    for side in table.get("capitals", ()):
        if side not in _SIDES:
            raise WordworthError(f"{where}: capitals lists premise, hypothesis or both, not {side!r}")
        subjects[side] = tuple(word[0].upper() + word[1:] for word in subjects[side])
    templates = {side: parse(table.get(side), labels[side], f"{where}: {side}") for side in _SIDES}
    needed = {slot for one in templates.values() for slot in one.slots}
    actions = _actions(table, where, needed, formula)
    return Probe(
        name=table["name"],
        title=table.get("title", table["name"]),
        templates=(templates["premise"], templates["hypothesis"]),
        labels=(labels["premise"], labels["hypothesis"]),
        premises=subjects["premise"],
        hypotheses=subjects["hypothesis"],
        actions=actions,
        subspace=_subspace(table.get("subspace"), table["name"], where),
        articles=articles,
        reference=reference,
        paper=table.get("paper", ""),
        groups=_groups(table.get("groups"), subjects["hypothesis"], where),
        swap=_swap(table.get("swap", ""), where),
    )


def _groups(declared: Any, subjects: tuple[str, ...], where: str) -> dict[str, tuple[str, ...]]:
    """Groups of the hypotheses' subjects, as they stand in the sentences; a word is of one group."""
    if declared is None:
        return {}
    if not isinstance(declared, Mapping) or len(declared) < 2:
        raise WordworthError(f'{where}: groups must be two or more, {{ men = ["man", …], women = ["woman", …] }}')
    known = {word.casefold(): word for word in subjects}
    groups = {}
    for name, words in declared.items():
        listed = fillers({"words": words} if isinstance(words, list) else words, f"{where}: groups.{name}")
        lost = next((word for word in listed if word.casefold() not in known), None)
        if lost is not None:
            raise WordworthError(f"{where}: groups.{name} has {lost!r}, which no hypothesis has or another group took")
        groups[str(name)] = tuple(known.pop(word.casefold()) for word in listed)
    return groups


def _swap(side: Any, where: str) -> str:
    if side not in ("", *_SIDES):
        raise WordworthError(f"{where}: swap is premise or hypothesis, not {side!r}")
    return str(side)


def _label(table: Mapping[str, Any], side: str, where: str) -> str:
    labels = table.get("labels", {})
    label = labels.get(side, side) if isinstance(labels, Mapping) else None
    if not isinstance(label, str) or not label.strip() or label in ("verb", "object", "kind"):
        raise WordworthError(f"{where}: labels.{side} must be a name for its subjects, such as “occupation”")
    return label


def _actions(table: Mapping[str, Any], where: str, needed: set[str], formula: bool) -> tuple[Action, ...]:
    groups = table.get("verbs", [])
    if not isinstance(groups, list) or not all(isinstance(group, Mapping) for group in groups):
        raise WordworthError(f"{where}: verbs must be a list of {{ verbs = …, objects = … }}")
    if not groups:
        if needed & {VERB, OBJECT}:
            raise WordworthError(f"{where}: the templates have VERB or OBJECT, but verbs is empty; list them")
        return (Action("", "", ""),)
    if not needed & {VERB, OBJECT}:
        raise WordworthError(f"{where}: verbs are listed, but no template has VERB or OBJECT")
    actions: dict[Action, None] = {}
    everything = fillers(table["formula_objects"], f"{where}: formula_objects") if formula else ()
    for at, group in enumerate(groups, start=1):
        each = f"{where}: verbs, entry {at}"
        words: dict[str, tuple[str, ...]] = {"verbs": ("",), "objects": ("",)}
        for key, slot in (("verbs", VERB), ("objects", OBJECT)):
            if slot in needed or key in group:
                if key not in group:
                    raise WordworthError(f"{each} has no {key}, and the templates have {slot}")
                words[key] = fillers(group[key], f"{each}, {key}")
        kind = str(group.get("kind", at))
        for verb in words["verbs"]:
            actions |= {Action(kind, verb, thing): None for thing in everything or words["objects"]}
    return tuple(actions)


def _subspace(declared: Any, name: str, where: str) -> SubspaceWords | None:
    if declared is None:
        return None
    wrong = f'{where}: subspace must be {{ pair = ["he", "she"] }} or {{ set = "…" | words = […], components = 1 }}'
    if not isinstance(declared, Mapping):
        raise WordworthError(wrong)
    if declared.keys() == {"pair"}:
        pair = declared["pair"]
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(word, str) and word for word in pair):
            raise WordworthError(wrong)
        return SubspaceWords(tuple(pair), 0, " − ".join(pair))
    components = declared.get("components", 1)
    words = {key: declared[key] for key in declared if key in ("set", "words")}
    if (
        not isinstance(components, int)
        or components < 1
        or len(words) != 1
        or declared.keys() - {"components"} != words.keys()
    ):
        raise WordworthError(wrong)
    named = words.get("set", f"words of {name}")
    return SubspaceWords(fillers(words, f"{where}: subspace"), components, str(named))


def fillers(declared: Any, where: str, *, as_published: bool = False) -> tuple[str, ...]:
    """`"SET"`, `["SET", …]` one after the other, `{ set = "SET" }` or `{ words = ["…", …] }`.

    A word that comes again is taken once, unless `as_published` keeps it: a formula that counts it needs it.
    """
    words: list[str] = []
    if isinstance(declared, Mapping) and declared.keys() == {"words"}:
        words = _own(declared["words"], where)
    else:
        for name in _names(declared, where):
            if not knows(name, "word_sets"):
                raise WordworthError(
                    f"{where}: {name!r} is no word set of the catalog (`wordworth ls word-sets`); "
                    'words of your own are written { words = ["…", "…"] }'
                )
            word_set = load_word_set(name)
            words += word_set.words + (word_set.dropped if as_published else ())
    if not words:
        raise WordworthError(f"{where} is empty; give at least one word")
    return tuple(words if as_published else dict.fromkeys(words))


def _names(declared: Any, where: str) -> list[str]:
    if isinstance(declared, Mapping) and declared.keys() == {"set"}:
        declared = declared["set"]
    names = [declared] if isinstance(declared, str) else declared
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise WordworthError(f'{where} must be the name of a word set, a list of names, or {{ words = ["…", "…"] }}')
    return names


def _own(words: Any, where: str) -> list[str]:
    if not isinstance(words, list) or not all(isinstance(word, str) and word.strip() for word in words):
        raise WordworthError(f"{where}: words must be a list of words, none of them blank")
    return [tidy(word) for word in words]
