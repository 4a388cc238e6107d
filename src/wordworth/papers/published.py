"""The numbers of the papers, and where one of ours is among them, in words."""

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from wordworth.results.runs import Score
from wordworth.results.table import format_list, format_number
from wordworth.results.vocabulary import ORIGINAL

ANY_KIND = {"net-neutral", "fraction-neutral", "threshold", "accuracy", "hits", "top", "T", "ppx"}
"""Measures of behaviour, for which a model of another kind is still the nearest there is."""
MIN_ACCURACY = 0.5
"""A network for three labels with a lower accuracy is too near chance, a third, to be compared with a paper's."""
SAME, NEAREST = "same model", "nearest"  # how near a published number's model is
MAX_NAMED_MODELS = 3  # up to this many models are named; more are counted


class Quantity(NamedTuple):
    """What a number is of, apart from its model and layer: columns of the scores, blank where they do not apply."""

    measure: str
    variant: str = ""
    k: int | None = None
    threshold: float | None = None
    dataset: str = ""
    subset: str = ""
    context: str = ""
    sentences: int | None = None
    version: str = ""
    """What was done to the model: `projection`, `random`, `retrained` or `retrained in all layers`."""
    removed: str = ""
    """The bias that a retrained network was trained without."""
    pooling: str = ""
    components: int | None = None

    @classmethod
    def of_score(cls, score: Score) -> "Quantity":
        """Return the quantity of a score; `comparisons.Networks` knows what was removed from its model."""
        columns = {name: score.get(name) for name in cls._fields}
        values = {name: value for name, value in columns.items() if value is not None}
        return cls(**values)._replace(version="" if score["version"] in (None, ORIGINAL) else score["version"])


@dataclass(frozen=True)
class PaperNumber:
    """A number in a paper; a range has `low` and `high` and no `value`."""

    paper: str
    place: str
    """Every table, figure or section that has it, with semicolons between."""
    model: str
    quantity: Quantity
    role: str
    """Of the layer: `top`, `top-1`, `best` or `quarter`; blank where `layer` is its number, or there is none."""
    layer: int | None
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    """Of how many words, pairs or trials it is; None where the paper does not say."""
    condition: str
    """The condition under which it was measured; blank where ours always meet it: `fine-tuned`, `seven languages`."""
    computed: str
    """How it was computed, where that is not what the paper's formula says."""
    unstated: str
    """What the paper does not say about how it was measured; such a number is comparable with nothing."""
    note: str

    @property
    def places(self) -> list[str]:
        """Return the places one by one."""
        return self.place.split("; ")


@cache
def load_published() -> tuple[PaperNumber, ...]:
    """Return the numbers of the papers' tables and texts, each with its place."""
    text = (files("wordworth.papers") / "data" / "published.csv").read_text(encoding="utf-8")
    integers, reals = ("k", "sentences", "components", "layer", "n"), ("threshold", "value", "low", "high")

    def read(line: dict[str, str]) -> PaperNumber:
        row: dict[str, Any] = dict(line)
        row |= {name: int(line[name]) if line[name] else None for name in integers}
        row |= {name: float(line[name]) if line[name] else None for name in reals}
        quantity = Quantity(**{name: row.pop(name) for name in Quantity._fields})
        return PaperNumber(quantity=quantity, **row)

    return tuple(map(read, csv.DictReader(text.splitlines())))


@cache
def declarations() -> dict[str, Any]:
    """Return what is declared of the papers and of the models in them."""
    return tomllib.loads((files("wordworth.papers") / "data" / "published.toml").read_text(encoding="utf-8"))


def citation(paper: str) -> str:
    """Return a paper's authors, year and short title; its key where none of its numbers is here."""
    facts = declarations()["papers"].get(paper)
    if facts is None:
        return paper
    title = f", {facts['title']}" if "title" in facts else ""
    return f"{facts['authors']} ({facts['year']}){title}"


def nearest(model: str, kind: str, candidates: list[PaperNumber]) -> tuple[PaperNumber, str] | None:
    """Return the number of the same model, otherwise of one of its name's stem, otherwise of one of its kind."""
    model_facts = declarations()["models"]
    for number in candidates:
        if _is_same(model, number):
            return number, SAME
    stems = {number.model: str(model_facts.get(number.model, {}).get("stem", "")) for number in candidates}
    kin_numbers = [number for number in candidates if stems[number.model] and stems[number.model] in _base_name(model)]
    if kin_numbers:  # distilbert before bert
        kin = max(kin_numbers, key=lambda number: len(stems[number.model]))
        return kin, f"{NEAREST}: {stems[kin.model]}"
    for number in candidates:
        if not number.model or model_facts[number.model]["kind"] == kind:
            return number, f"{NEAREST}: {kind}" if number.model else "over languages"
    return (candidates[0], f"{NEAREST} available") if candidates[0].quantity.measure in ANY_KIND else None


def kind_of(facts: Mapping[str, Any]) -> str:
    """Return static, causal, masked, …: the family of a model as its run has it."""
    family = str(facts.get("family") or ("static" if facts.get("words") else ""))
    return {"encoder": "masked"}.get(family, family)


@dataclass(frozen=True)
class Standing:
    """The published numbers of one quantity for models of one kind."""

    low: float
    high: float
    whose: str
    """“seven English embeddings”, “GPT-2 and GPT-Neo”, or “the same model”."""
    source: str
    """“Toney and Caliskan 2021”."""

    def __str__(self) -> str:
        """Return “.82–.88, seven English embeddings (Toney and Caliskan 2021)”."""
        return f"{self.range}, {self.whose} ({self.source})"

    @property
    def range(self) -> str:
        """Return “.82–.88”, or one number."""
        return "–".join(dict.fromkeys([format_number(self.low), format_number(self.high)]))

    def side(self, value: float, low: float | None = None, high: float | None = None) -> str:
        """Return below, just below, within …; “just” where the value's own interval reaches the numbers."""
        ends = format_number(self.low), format_number(self.high)
        if self.low <= value <= self.high or format_number(value) in ends:
            return "like" if ends[0] == ends[1] else "within"
        if value < self.low:
            return "just below" if high is not None and high >= self.low else "below"
        return "just above" if low is not None and low <= self.high else "above"


def standing(model: str, kind: str | None, quantity: Quantity, *, is_best: bool = False) -> Standing | None:
    """Return the published numbers of a quantity for the same model, otherwise for models of its kind.

    A `kind` of None is any, for measures of behaviour. `is_best` is for what a paper reports as best over layers and
    components, so which ones they were does not matter. None where there are no such numbers.
    """
    target = quantity._replace(components=None) if is_best else quantity
    candidates = [number for number in load_published() if number.model and _is_like(number, target, is_best=is_best)]
    matches = [number for number in candidates if _is_same(model, number)]
    model_facts = declarations()["models"]
    numbers = matches or [number for number in candidates if kind is None or model_facts[number.model]["kind"] == kind]
    # A range over many models says more than one of them.
    numbers = [number for number in numbers if model_facts[number.model].get("range")] or numbers
    if not numbers:
        return None
    ends = [end for number in numbers for end in (number.value, number.low, number.high) if end is not None]
    papers = (declarations()["papers"][number.paper] for number in numbers)
    source = format_list(list(dict.fromkeys(f"{paper['authors']} {paper['year']}" for paper in papers)))
    return Standing(min(ends), max(ends), "the same model" if matches else _whose(numbers), source)


def _is_like(number: PaperNumber, quantity: Quantity, *, is_best: bool) -> bool:
    if is_best:
        return number.role == "best" and number.quantity._replace(components=None) == quantity
    return number.quantity == quantity and not number.role and number.layer is None and not number.unstated


def _base_name(model: str) -> str:
    """Return a model's name without its owner, in lower case."""
    return model.lower().rpartition("/")[2]


def _is_same(model: str, number: PaperNumber) -> bool:
    """Return whether a published number is of this very model."""
    names = {number.model, *declarations()["models"].get(number.model, {}).get("names", ())}
    return bool({model.lower(), _base_name(model)} & {name.lower() for name in names})


def _whose(numbers: list[PaperNumber]) -> str:
    model_facts = declarations()["models"]
    names = list(dict.fromkeys(str(model_facts[number.model].get("called", number.model)) for number in numbers))
    if len(names) <= MAX_NAMED_MODELS:
        return format_list(names)
    kinds = {model_facts[number.model]["kind"] for number in numbers}
    return f"{len(names)} published {f'{kinds.pop()} ' if len(kinds) == 1 else ''}models"
