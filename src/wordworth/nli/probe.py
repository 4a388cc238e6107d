"""Load probes: templates, the words that fill them, and the words whose subspace is removed.

The catalog has the probes of Dev et al. 2020: `gender`, `nationality`, `religion`. `NAME:formula` follows the formula
of the paper, every verb with each of the 95 objects. A user's own probe is a TOML file with a table `[probe]`; its
fields are those of `ProbeTable`.

A template is a sentence such as “The SUBJECT VERB a/an OBJECT.”; words replace the capitals.
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
    """A sentence with one SUBJECT, and at most one VERB and one OBJECT; the next word decides between a and an."""

    text: str
    """The sentence with the names of the slots."""
    slots: frozenset[str]

    def around(self, verb: str, object_: str, article: Callable[[str], str]) -> tuple[str, str]:
        """Return the text before and after the subject; `form` includes the article of the subject itself."""
        fillers = {SUBJECT: "\0", VERB: verb, OBJECT: object_}
        text = _SLOT.sub(lambda match: fillers[match.group()], _BEFORE_SUBJECT.sub("", self.text))
        before, after = _ARTICLE.sub(lambda match: _choose_article(match, article), text).split("\0")
        return before, after

    def form(self, subject: str, article: Callable[[str], str]) -> str:
        """Return the subject as the sentence has it: with its article, and with a capital if it begins the sentence."""
        match = _BEFORE_SUBJECT.search(self.text)
        form = f"{article(subject)} {subject}" if match else subject
        is_first = self.text.startswith(SUBJECT) or (match is not None and (match.start() == 0 or match[0][0] == "A"))
        return form[0].upper() + form[1:] if is_first else form

    def with_indefinite_subject(self) -> "Template":
        """Return the template with “A/an SUBJECT” in place of “The SUBJECT”."""
        return replace(self, text=_THE_SUBJECT.sub(lambda match: "A/an " if match[1] else "a/an ", self.text))


def _choose_article(match: re.Match[str], article: Callable[[str], str]) -> str:
    indefinite_article = article(match.group(2))
    return f"{indefinite_article.capitalize() if match.group(1) == 'A' else indefinite_article} "


def parse(text: object, label: str, location: str) -> Template:
    """Return a template; its subject's slot is SUBJECT, or the subjects' label in capitals (OCCUPATION)."""
    if not isinstance(text, str) or not text.strip():
        raise WordworthError(f"{location} must be a sentence, such as “The SUBJECT VERB a/an OBJECT.”")
    sentence = text.strip()
    if not re.search(rf"\b{SUBJECT}\b", sentence):
        sentence = re.sub(rf"\b{re.escape(label.upper())}\b", SUBJECT, sentence)
    slots = [match.group() for match in _SLOT.finditer(sentence)]
    if SUBJECT not in slots:
        label_hint = f" or {label.upper()}" if label.upper() != SUBJECT else ""
        raise WordworthError(f"{location} is {text!r}, without SUBJECT{label_hint}; write it in place of the subject")
    repeated_slot = next((slot for slot in slots if slots.count(slot) > 1), None)
    if repeated_slot is not None:
        raise WordworthError(f"{location} is {text!r}, with {repeated_slot} more than once; write it once")
    return Template(sentence, frozenset(slots))


# Vowel letters that sound like a consonant: “you” (unit, user, Ukrainian, European, ewe) and “w” (one, once, ouija).
_CONSONANT = re.compile(
    r"eu(?!ler)|ew|uni(?:c|di|f|l(?!l)|mod|o|p|q|s[eo]|t|v)|us[aeu]|ut(?:ah|e|il|o)|ur(?:a|e|i[cn]|o|u)|"
    r"ubiq|ugan|uk[ru]|uly|uv|u\b|on(?:e|ce)\b|ouija",
    re.IGNORECASE,
)
# A silent h, also in hourglass, heiress, honesty and honourable.
_SILENT_H = re.compile(r"hour|heir|honest|honou?r", re.IGNORECASE)
# Letters whose names begin with a vowel: an SUV, an MP; but a TV, a UFO.
_SPELLED_WITH_VOWEL = frozenset("AEFHILMNORSX")
# Abbreviations that are read as a word.
_READ_AS_WORD = frozenset(
    {"NASA", "NATO", "NAFTA", "FIFA", "LASER", "RADAR", "SCUBA", "SIM", "ROM", "RAM", "MASH", "FEMA"}
)
_NUMBER = re.compile(r"\d[\d,]*")


def by_sound(word: str) -> str:
    """Return the article by the first sound of a word: an hour, a unit, an SUV, a TV, an urchin, an 8, an X-ray."""
    first_word = re.split(r"[\s\-–'’./]", word.strip(), maxsplit=1)[0] if word.strip() else ""
    if not first_word:
        return "a"
    if number := _NUMBER.match(first_word):
        return "an" if _number_sounds_open(number.group().replace(",", "")) else "a"
    if first_word.isupper() and first_word not in _READ_AS_WORD:
        return "an" if first_word[0] in _SPELLED_WITH_VOWEL else "a"
    if first_word[0].lower() in "aeiouàáâäéèêëíìîïóòôöúùûü":
        return "a" if _CONSONANT.match(word.strip()) else "an"
    return "an" if _SILENT_H.match(first_word) else "a"


def _number_sounds_open(digits: str) -> bool:
    """Return whether a number begins like eight, eleven or eighteen: 8, 80, 800, 11, 18, 11,000, 18,000."""
    leading = digits[: (len(digits) - 1) % 3 + 1]
    return leading.startswith("8") or leading in ("11", "18")


def by_letter(word: str) -> str:
    """Return the article of the authors' code: “an” before a, e, i, o, u, whatever the sound (a SUV)."""
    return "an" if word[:1].lower() in "aeiou" and word else "a"


ARTICLES = {"sound": by_sound, "letter": by_letter, "dev2020": by_letter}
"""The rules for a/an. `dev2020` follows the authors' code, which also writes “A/An” before subjects, not “The”."""


FORMULA = ":formula"
SWAP = "/swap"
Side = Literal["premise", "hypothesis"]
SENTENCE_SIDES: tuple[Side, Side] = ("premise", "hypothesis")


class Action(NamedTuple):
    """The action of the subject of both sentences."""

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
    """All that pairs consist of: a `ProbeTable` with its words looked up."""

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
        texts = [template.text for template in self.templates]
        content = [texts, self.premises, self.hypotheses, self.actions, self.articles]
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()

    def swap_subjects(self) -> "Probe":
        """Return the control: two subjects of one kind (“the baker”, “the tailor”) that differ in one word."""
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


def list_words(declaration: Any) -> tuple[str, ...]:
    """Return the words of `"SET"`, `["SET", …]` or `{ words = ["…", …] }`, including repeated ones."""
    match declaration:
        case {"words": [*words]} if len(declaration) == 1 and all(
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
            'write your own words as { words = ["…", "…"] }'
        )
    word_set = load_word_set(name)
    return [*word_set.words, *word_set.repeats]


def _drop_repeated(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _check_name(name: str) -> str:
    if not name.strip() or "/" in name or name in Action._fields:
        raise ValueError(f"give a name that is not blank, has no “/” and is none of {', '.join(Action._fields)}")
    return name


Name = Annotated[str, AfterValidator(_check_name)]
_Words = tuple[str, ...]
AllWords = Annotated[_Words, PlainValidator(list_words)]
Words = Annotated[_Words, PlainValidator(lambda words: _drop_repeated(list_words(words)))]
OwnWords = Annotated[_Words, PlainValidator(lambda words: _drop_repeated(list_words({"words": words})))]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Verbs(_Table):
    """Verbs and the objects that they take."""

    kind: str = ""
    """The number of the entry unless given."""
    verbs: Words = ()
    objects: Words = ()


class SubspaceTable(_Table):
    """A pair, a word set of the catalog, or a list of words."""

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
        """Return the words to learn the subspace from."""
        if self.pair:
            return SubspaceWords(self.pair, 0, " − ".join(self.pair))
        words = _drop_repeated(list_words(self.set)) if self.set else self.words
        return SubspaceWords(words, self.components, self.set or f"words of {probe}")


class ProbeTable(_Table):
    """A probe as declared in TOML. Premise and hypothesis share verb and object; the subjects differ."""

    name: Name
    premise: str
    """The sentence, “The SUBJECT VERB a/an OBJECT.”"""
    hypothesis: str
    slots: dict[Side, AllWords] = Field(min_length=2)
    """The subjects of both sentences."""
    labels: dict[Side, Name] = {}
    """The keys of the subjects in slices; “premise” and “hypothesis” unless given."""
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
    return [entry.details["probe"] for entry in entries("templates") if "probe" in entry.details]


def load_probe(name_or_path: str | Path, *, articles: str = "sound") -> Probe:
    """Load a probe of the catalog (`gender`, `nationality:formula`, …) or of a TOML file."""
    if articles not in ARTICLES:
        raise WordworthError(f"there are no articles {articles!r}; choose {' or '.join(ARTICLES)}")
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
    base_name = name.removesuffix(FORMULA)
    for entry in entries("templates"):
        details = entry.details
        if "probe" in details and base_name in (details["probe"], entry.name):
            table = {key: value for key, value in details.items() if key in ProbeTable.model_fields}
            table["name"] = details["probe"] + name[len(base_name) :]
            probe = _build(table, f"templates.toml, {entry.name}", formula=name != base_name)
            return replace(probe, reference=str(entry.reference))
    names = probe_names()
    hint = nearest(base_name, names) or f"; there are {', '.join(names)}"
    raise WordworthError(f"there is no probe {name!r}{hint} (or name a TOML file)")


def _load_file(path: Path) -> Probe:
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise WordworthError(f"{path} is not TOML: {error}") from error
    if table.keys() != {"probe"}:
        raise WordworthError(f"{path} must have one table [probe] with name, premise, hypothesis and slots")
    return _build(table["probe"], str(path))


def _build(fields: Any, location: str, *, formula: bool = False) -> Probe:
    try:
        table = ProbeTable.model_validate(fields)
        subspace = table.subspace.list_words(table.name) if table.subspace else None
    except ValueError as error:
        raise WordworthError(f"{location}: {first_problem(error)}") from error
    labels = [table.labels.get(side, side) for side in SENTENCE_SIDES]
    sentences = zip((table.premise, table.hypothesis), labels, SENTENCE_SIDES, strict=True)
    templates = [parse(text, label, f"{location}: {side}") for text, label, side in sentences]
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
        actions=_list_actions(table, location, templates[0].slots | templates[1].slots, formula),
        subspace=subspace,
        paper=table.paper,
        groups=_group_subjects(table.groups, subjects[1], location),
        swap=table.swap,
    )


def _group_subjects(
    groups: Mapping[str, tuple[str, ...]], subjects: tuple[str, ...], location: str
) -> dict[str, tuple[str, ...]]:
    """Return the groups with words spelled as in the sentences."""
    remaining_words = {word.casefold(): word for word in subjects}
    words_by_group: dict[str, list[str]] = {}
    for name, words in groups.items():
        for word in words:
            if word.casefold() not in remaining_words:
                raise WordworthError(f"{location}: groups.{name}: {word!r} is in no hypothesis, or in two groups")
            words_by_group.setdefault(name, []).append(remaining_words.pop(word.casefold()))
    return {name: tuple(words) for name, words in words_by_group.items()}


def _list_actions(table: ProbeTable, location: str, slots: frozenset[str], formula: bool) -> tuple[Action, ...]:
    actions: dict[Action, None] = {}
    for number, group in enumerate(table.verbs or [Verbs()], start=1):
        for slot, words in ((VERB, group.verbs), (OBJECT, group.objects)):
            if (slot in slots) != bool(words):
                missing_slot = f"has no {slot.lower()}s, but the templates have {slot}"
                extra_slot = f"has {slot.lower()}s, but no template has {slot}"
                raise WordworthError(f"{location}: verbs: entry {number} {extra_slot if words else missing_slot}")
        objects = (table.formula_objects if formula else group.objects) or ("",)
        kind = group.kind or (str(number) if table.verbs else "")
        actions |= {Action(kind, verb, object_word): None for verb in group.verbs or ("",) for object_word in objects}
    return tuple(actions)
