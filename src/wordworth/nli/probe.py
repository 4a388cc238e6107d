"""A probe: templates, the words that fill them, and the words whose subspace is removed.

The catalog has those of Dev et al. 2020: `gender`, `nationality`, `religion`. `NAME:formula` follows the formula of
the paper, every verb with each of the 95 objects. A user's own is a TOML file with a table `[probe]`; its fields are
those of `ProbeTable`.

A template is a sentence such as “The SUBJECT VERB a/an OBJECT.”, with words in the place of the capitals.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, model_validator

from wordworth.catalog.read.tables import read_text, tidy
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entries, knows
from wordworth.errors import WordworthError, first_problem, nearest

SUBJECT, VERB, OBJECT = "SUBJECT", "VERB", "OBJECT"
_SLOT = re.compile(r"\b(?:SUBJECT|VERB|OBJECT)\b")
_THE_SUBJECT = re.compile(r"\b(?:(The)|the) (?=SUBJECT\b)")
_BEFORE_SUBJECT = re.compile(r"\b[Aa]/an (?=SUBJECT\b)")
_ARTICLE = re.compile(r"\b([Aa])/an (?=(\S+))")


@dataclass(frozen=True)
class Template:
    """A sentence with one SUBJECT, and at most one VERB and one OBJECT; “a/an” is settled by the word that follows."""

    text: str
    """With the plain names of the slots."""
    slots: frozenset[str]

    def around(self, verb: str, object_: str, article: Callable[[str], str]) -> tuple[str, str]:
        """Return what stands before and after the subject; `form` has the article before the subject itself."""
        filled = {SUBJECT: "\0", VERB: verb, OBJECT: object_}
        text = _SLOT.sub(lambda match: filled[match.group()], _BEFORE_SUBJECT.sub("", self.text))
        before, after = _ARTICLE.sub(lambda match: _choose_article(match, article), text).split("\0")
        return before, after

    def form(self, subject: str, article: Callable[[str], str]) -> str:
        """Return the subject as the sentence has it: with its article, and with a capital where it begins it."""
        own = _BEFORE_SUBJECT.search(self.text)
        form = f"{article(subject)} {subject}" if own else subject
        begins = self.text.startswith(SUBJECT) or (own is not None and (own.start() == 0 or own.group()[0] == "A"))
        return form[0].upper() + form[1:] if begins else form

    def with_indefinite_subject(self) -> "Template":
        """Return the template with “A/an SUBJECT” in place of “The SUBJECT”."""
        return replace(self, text=_THE_SUBJECT.sub(lambda match: "A/an " if match[1] else "a/an ", self.text))


def _choose_article(match: re.Match[str], article: Callable[[str], str]) -> str:
    chosen = article(match.group(2))
    return f"{chosen.capitalize() if match.group(1) == 'A' else chosen} "


def parse(text: object, label: str, where: str) -> Template:
    """Return a template; its subject's slot is SUBJECT, or the subjects' label in capitals (OCCUPATION)."""
    if not isinstance(text, str) or not text.strip():
        raise WordworthError(f"{where} must be a sentence such as “The SUBJECT VERB a/an OBJECT.”")
    plain = text.strip()
    if not re.search(rf"\b{SUBJECT}\b", plain):
        plain = re.sub(rf"\b{re.escape(label.upper())}\b", SUBJECT, plain)
    slots = [match.group() for match in _SLOT.finditer(plain)]
    if SUBJECT not in slots:
        own = f" or {label.upper()}" if label.upper() != SUBJECT else ""
        raise WordworthError(f"{where} is {text!r}, without SUBJECT{own}; write it in the place of the subject")
    again = next((slot for slot in slots if slots.count(slot) > 1), None)
    if again is not None:
        raise WordworthError(f"{where} is {text!r}, with {again} more than once; write it once")
    return Template(plain, frozenset(slots))


# Vowel letters that sound like a consonant: “you” (unit, user, Ukrainian, European, ewe) and “w” (one, once, ouija).
_CONSONANT = re.compile(
    r"eu(?!ler)|ew|uni(?:c|di|f|l(?!l)|mod|o|p|q|s[eo]|t|v)|us[aeu]|ut(?:ah|e|il|o)|ur(?:a|e|i[cn]|o|u)|"
    r"ubiq|ugan|uk[ru]|uly|uv|u\b|on(?:e|ce)\b|ouija",
    re.IGNORECASE,
)
# A silent h; hourglass, heiress, honesty and honourable with them.
_SILENT_H = re.compile(r"hour|heir|honest|honou?r", re.IGNORECASE)
# Letters whose name begins with a vowel: an SUV, an MP; but a TV, a UFO.
_SPELLED_WITH_VOWEL = frozenset("AEFHILMNORSX")
# Abbreviations that are read as a word.
_READ_AS_WORD = frozenset(
    {"NASA", "NATO", "NAFTA", "FIFA", "LASER", "RADAR", "SCUBA", "SIM", "ROM", "RAM", "MASH", "FEMA"}
)
_NUMBER = re.compile(r"\d[\d,]*")


def by_sound(word: str) -> str:
    """Return the article by how the word begins to sound: an hour, a unit, an SUV, a TV, an urchin, an 8, an X-ray."""
    first = re.split(r"[\s\-–'’./]", word.strip(), maxsplit=1)[0] if word.strip() else ""
    if not first:
        return "a"
    if number := _NUMBER.match(first):
        return "an" if _number_sounds_open(number.group().replace(",", "")) else "a"
    if first.isupper() and first not in _READ_AS_WORD:
        return "an" if first[0] in _SPELLED_WITH_VOWEL else "a"
    if first[0].lower() in "aeiouàáâäéèêëíìîïóòôöúùûü":
        return "a" if _CONSONANT.match(word.strip()) else "an"
    return "an" if _SILENT_H.match(first) else "a"


def _number_sounds_open(digits: str) -> bool:
    """Return whether a number begins like eight, eleven or eighteen: 8, 80, 800, 11, 18, 11,000, 18,000."""
    leading = digits[: (len(digits) - 1) % 3 + 1]
    return leading.startswith("8") or leading in ("11", "18")


def by_letter(word: str) -> str:
    """Return the article of the authors' code: “an” before a, e, i, o, u, whatever the sound (a SUV)."""
    return "an" if word[:1].lower() in "aeiou" and word else "a"


ARTICLES = {"sound": by_sound, "letter": by_letter, "dev2020": by_letter}
"""How a/an is chosen. `dev2020` follows the authors' code, which also writes “A/An” before subjects, not “The”."""


FORMULA = ":formula"
SWAP = "/swap"
Side = Literal["premise", "hypothesis"]
SENTENCE_SIDES: tuple[Side, Side] = ("premise", "hypothesis")


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
    """Everything that pairs are made of: a `ProbeTable` with its words looked up."""

    name: str
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
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    swap: str = ""

    @property
    def sha256(self) -> str:
        """Return the hash of all that its sentences depend on."""
        parts = [[one.text for one in self.templates], self.premises, self.hypotheses, self.actions, self.articles]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()

    def swap_subjects(self) -> "Probe":
        """Return the control: two subjects of one kind (“the baker”, “the tailor”) that differ in one word only."""
        side = int(self.swap == "hypothesis")
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


def list_words(declared: Any) -> tuple[str, ...]:
    """Return the words of `"SET"`, `["SET", …]` or `{ words = ["…", …] }`, repeated ones as often as listed."""
    match declared:
        case {"words": [*words]} if len(declared) == 1 and all(
            isinstance(word, str) and word.strip() for word in words
        ):
            words = [tidy(word) for word in words]
        case str(name):
            words = _list_set(name)
        case [*names] if all(isinstance(name, str) for name in names):
            words = [word for name in names for word in _list_set(name)]
        case _:
            raise ValueError('give the name of a word set, a list of names, or { words = ["…", "…"] } without blanks')
    if not words:
        raise ValueError("it is empty; give at least one word")
    return tuple(words)


def _list_set(name: str) -> list[str]:
    if not knows(name, "word_sets"):
        raise ValueError(
            f"{name!r} is no word set of the catalog (`wordworth ls word-sets`); "
            'words of your own are written { words = ["…", "…"] }'
        )
    word_set = load_word_set(name)
    return [*word_set.words, *word_set.dropped]


def _drop_repeated(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _check_name(name: str) -> str:
    if not name.strip() or "/" in name or name in Action._fields:
        raise ValueError(f"give a name that is not blank, without “/”, and none of {', '.join(Action._fields)}")
    return name


Name = Annotated[str, AfterValidator(_check_name)]
_Words = tuple[str, ...]
AllWords = Annotated[_Words, PlainValidator(list_words)]
Words = Annotated[_Words, PlainValidator(lambda words: _drop_repeated(list_words(words)))]
OwnWords = Annotated[_Words, PlainValidator(lambda words: _drop_repeated(list_words({"words": words})))]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Verbs(_Table):
    """Which verbs take which objects."""

    kind: str = ""
    """The number of the entry unless given."""
    verbs: Words = ()
    objects: Words = ()


class SubspaceTable(_Table):
    """One of a pair, a word set of the catalog, and words."""

    pair: tuple[str, str] | None = None
    set: str = ""
    words: OwnWords = ()
    components: int = Field(1, ge=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len(self.model_fields_set - {"components"}) != 1:
            raise ValueError('give { pair = ["he", "she"] } or { set = "…" | words = […], components = 1 }')
        return self

    def list_words(self, probe: str) -> SubspaceWords:
        """Return the words that the subspace is learnt from."""
        if self.pair:
            return SubspaceWords(self.pair, 0, " − ".join(self.pair))
        words = _drop_repeated(list_words(self.set)) if self.set else self.words
        return SubspaceWords(words, self.components, self.set or f"words of {probe}")


class ProbeTable(_Table):
    """A probe as TOML declares it. Premise and hypothesis share verb and object; the subjects differ."""

    name: Name
    premise: str
    """The sentence, “The SUBJECT VERB a/an OBJECT.”"""
    hypothesis: str
    slots: dict[Side, AllWords] = Field(min_length=2)
    """The subjects of both."""
    labels: dict[Side, Name] = {}
    """What slices call the subjects; “premise” and “hypothesis” unless given."""
    capitals: list[Side] = []
    """The sides whose subjects are written with a capital."""
    verbs: list[Verbs] = []
    formula_objects: Words = ()
    """The objects that each verb takes by the formula of the paper."""
    subspace: SubspaceTable | None = None
    groups: dict[str, OwnWords] = {}
    """Groups of the hypotheses' subjects; each subject is its own unless given."""
    swap: Side | Literal[""] = ""
    """The side whose subjects are exchanged among themselves as the control."""
    paper: str = ""
    """The number of pairs that the paper states."""


def probe_names() -> list[str]:
    """Return the names of the catalog's probes."""
    return [declared.details["probe"] for declared in entries("templates") if "probe" in declared.details]


def load_probe(name_or_path: str | Path, *, articles: str = "sound") -> Probe:
    """Load a probe of the catalog (`gender`, `nationality:formula`, …) or of a TOML file."""
    if articles not in ARTICLES:
        raise WordworthError(f"articles are chosen by {' or '.join(ARTICLES)}, not by {articles!r}")
    probe = _find_probe(name_or_path)
    if articles == "dev2020":
        first, second = (template.with_indefinite_subject() for template in probe.templates)
        probe = replace(probe, templates=(first, second))
    return replace(probe, articles=articles)


def _find_probe(name_or_path: str | Path) -> Probe:
    path = Path(name_or_path)
    if path.suffix == ".toml":
        return _load_file(path)
    name = str(name_or_path)
    plain = name.removesuffix(FORMULA)
    for declared in entries("templates"):
        details = declared.details
        if "probe" in details and plain in (details["probe"], declared.name):
            table = {key: value for key, value in details.items() if key in ProbeTable.model_fields}
            table["name"] = details["probe"] + name[len(plain) :]
            probe = _build(table, f"templates.toml, {declared.name}", formula=name != plain)
            return replace(probe, reference=str(declared.reference))
    known = probe_names()
    close = nearest(plain, known) or f"; there are {', '.join(known)}"
    raise WordworthError(f"there is no probe {name!r}{close} (or name a TOML file)")


def _load_file(path: Path) -> Probe:
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise WordworthError(f"{path} is not TOML: {error}") from error
    if table.keys() != {"probe"}:
        raise WordworthError(f"{path} must hold one table [probe] with name, premise, hypothesis and slots")
    return _build(table["probe"], str(path))


def _build(fields: Any, where: str, *, formula: bool = False) -> Probe:
    try:
        table = ProbeTable.model_validate(fields)
        subspace = table.subspace.list_words(table.name) if table.subspace else None
    except ValueError as error:
        raise WordworthError(f"{where}: {first_problem(error)}") from error
    labels = [table.labels.get(side, side) for side in SENTENCE_SIDES]
    templates = [
        parse(text, label, f"{where}: {side}")
        for text, label, side in zip((table.premise, table.hypothesis), labels, SENTENCE_SIDES, strict=True)
    ]
    subjects = []
    for side in SENTENCE_SIDES:
        words = table.slots[side] if formula else _drop_repeated(table.slots[side])
        subjects.append(tuple(word[0].upper() + word[1:] for word in words) if side in table.capitals else words)
    return Probe(
        name=table.name,
        templates=(templates[0], templates[1]),
        labels=(labels[0], labels[1]),
        premises=subjects[0],
        hypotheses=subjects[1],
        actions=_list_actions(table, where, templates[0].slots | templates[1].slots, formula),
        subspace=subspace,
        paper=table.paper,
        groups=_group_subjects(table.groups, subjects[1], where),
        swap=table.swap,
    )


def _group_subjects(
    groups: Mapping[str, tuple[str, ...]], subjects: tuple[str, ...], where: str
) -> dict[str, tuple[str, ...]]:
    """Return the groups with words as they stand in the sentences."""
    free = {word.casefold(): word for word in subjects}
    grouped: dict[str, list[str]] = {}
    for name, words in groups.items():
        for word in words:
            if word.casefold() not in free:
                raise WordworthError(f"{where}: groups.{name}: {word!r} is in no hypothesis, or in two groups")
            grouped.setdefault(name, []).append(free.pop(word.casefold()))
    return {name: tuple(words) for name, words in grouped.items()}


def _list_actions(table: ProbeTable, where: str, slots: frozenset[str], formula: bool) -> tuple[Action, ...]:
    actions: dict[Action, None] = {}
    for at, group in enumerate(table.verbs or [Verbs()], start=1):
        for slot, words in ((VERB, group.verbs), (OBJECT, group.objects)):
            if (slot in slots) != bool(words):
                lacks = f"has no {slot.lower()}s, but the templates have {slot}"
                has = f"has {slot.lower()}s, but no template has {slot}"
                raise WordworthError(f"{where}: verbs: entry {at} {has if words else lacks}")
        objects = (table.formula_objects if formula else group.objects) or ("",)
        kind = group.kind or (str(at) if table.verbs else "")
        actions |= {Action(kind, verb, thing): None for verb in group.verbs or ("",) for thing in objects}
    return tuple(actions)
