"""The numbers of the papers, and where one of ours is among them, in words."""

import csv
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from wordworth.results.numbers import format_list, format_number

ANY_KIND = {"net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7", "accuracy", "hits", "weat:variance"}
ANY_KIND |= {"top-1", "top-10", "T1", "T1:code", "T10:code", "ppx@10"}
"""Measures of behaviour, for which a model of another kind is still the nearest there is."""
NOT_STATED = "not stated"
"""In the note of a published number: how it was measured is not known, so it is like nothing."""
MAX_NAMED_MODELS = 3
"""Up to this many models are named; more are counted."""


@dataclass(frozen=True)
class Published:
    """A number in a paper; a range has `low` and `high` and no `value`."""

    paper: str
    place: str
    model: str
    dataset: str
    setting: str
    pooling: str
    layer: str
    """A number, or a role: `top`, `top-1`, `best`, `quarter`."""
    pcs: int | None
    measure: str
    value: float | None
    low: float | None
    high: float | None
    note: str

    @property
    def computed(self) -> str:
        """How it was computed, where that is not what the paper's formula says."""
        return str(declarations()["computed"].get(self.paper, {}).get(self.measure, ""))

    @property
    def condition(self) -> str:
        """Under which it was measured; blank: none that ours do not meet."""
        own: dict[str, str] = declarations()["conditions"].get(self.paper, {})
        return own.get(self.measure, own.get("all", ""))

    @property
    def quantity(self) -> tuple[Any, ...]:
        layer = "" if self.measure.endswith(":best") else self.layer
        return self.measure, self.dataset, self.setting, self.pooling, layer, self.pcs


@cache
def published() -> tuple[Published, ...]:
    """The numbers of the papers' tables and texts, each with its place."""
    text = (files("wordworth.pages") / "data" / "published.csv").read_text(encoding="utf-8")
    kinds = {"value": float, "low": float, "high": float, "pcs": int}

    def typed(line: dict[str, Any]) -> Published:
        numbers = {key: kind(line[key]) if line[key] else None for key, kind in kinds.items()}
        return Published(**(line | numbers))

    return tuple(typed(line) for line in csv.DictReader(text.splitlines()))


@cache
def declarations() -> dict[str, Any]:
    """Return what is declared of the papers and of the models in them."""
    return tomllib.loads((files("wordworth.pages") / "data" / "published.toml").read_text(encoding="utf-8"))


def published_models() -> dict[str, dict[str, Any]]:
    """Name → kind, stem, names."""
    models: dict[str, dict[str, Any]] = declarations()["models"]
    return models


def citation(paper: str) -> str:
    """A paper's authors, year and short title; its key where no number of it stands here."""
    return str(declarations()["papers"].get(paper, paper))


def nearest(model: str, kind: str, candidates: list[Published]) -> tuple[Published, str] | None:
    """The same model, else one of its name's stem, else one of its kind."""
    declared = published_models()
    for one in candidates:
        if _is(model, one):
            return one, "same model"
    name = model.partition(" (")[0].lower()
    stems = {one.model: str(declared.get(one.model, {}).get("stem", "")) for one in candidates}
    within = [one for one in candidates if stems[one.model] and stems[one.model] in name.rpartition("/")[2]]
    if within:  # distilbert before bert
        kin = max(within, key=lambda one: len(stems[one.model]))
        return kin, f"nearest: {stems[kin.model]}"
    for one in candidates:
        if not one.model or declared[one.model]["kind"] == kind:
            return one, f"nearest: {kind}" if one.model else "over languages"
    if candidates[0].measure in ANY_KIND:
        return candidates[0], "nearest there is"
    return None


def kind_of(facts: dict[str, Any]) -> str:
    """static, causal, masked, … as the run's manifest has it."""
    family = str(facts.get("family") or ("static" if "words" in facts else ""))
    return {"encoder": "masked"}.get(family, family)


@dataclass(frozen=True)
class Standing:
    """The published numbers of one quantity for models of one kind."""

    low: float
    high: float
    whose: str
    """“seven English embeddings”, “GPT-2 and GPT-Neo”, or “the same model”."""
    source: str

    @property
    def numbers(self) -> str:
        """“.82–.88”, or one number."""
        return "–".join(dict.fromkeys([format_number(self.low), format_number(self.high)]))

    def side(self, value: float, low: float | None = None, high: float | None = None) -> str:
        """below, just below, within …; “just” where the value's own interval reaches the numbers."""
        if self.low <= value <= self.high or format_number(value) in (
            format_number(self.low),
            format_number(self.high),
        ):
            return "within" if "–" in self.numbers else "like"
        if value < self.low:
            return "just below" if high is not None and high >= self.low else "below"
        return "just above" if low is not None and low <= self.high else "above"

    def said(self, value: float, low: float | None = None, high: float | None = None) -> str:
        """“just below the .82–.88 of seven English embeddings (Toney and Caliskan 2021)”."""
        return f"{self.side(value, low, high)} the {self.numbers} of {self.whose} ({self.source})"


def standing(model: str, kind: str | None, **quantity: Any) -> Standing | None:
    """The published numbers of a quantity for the same model, or else for models of its kind; None: there are none.

    `quantity` is `measure`, `dataset`, `setting`, `pooling`, `layer` (a role) and `pcs`, blank where it is not given.
    A `kind` of None is any, for measures of behaviour. What a paper reports as best it found over layers and
    components, so which ones they were does not matter.
    """
    wanted = {"dataset": "", "setting": "", "pooling": "", "layer": "", "pcs": None} | quantity
    if wanted["measure"].endswith(":best"):
        del wanted["layer"]
    best = wanted.get("layer") == "best"
    if best:
        del wanted["pcs"]
    like = [
        one
        for one in published()
        if one.model
        and all(getattr(one, key) == value for key, value in wanted.items())
        and (best or NOT_STATED not in one.note)
    ]
    own = [one for one in like if _is(model, one)]
    declared = published_models()
    found = own or [one for one in like if kind is None or declared[one.model]["kind"] == kind]
    # A range over many models says more than one of them.
    found = [one for one in found if declared[one.model].get("range")] or found
    if not found:
        return None
    ends = [end for one in found for end in (one.value, one.low, one.high) if end is not None]
    return Standing(min(ends), max(ends), "the same model" if own else _whose(found), _source(found))


def _is(model: str, one: Published) -> bool:
    """Whether a published number is of this very model."""
    name = model.partition(" (")[0].lower()
    known = {one.model, *published_models().get(one.model, {}).get("names", ())}
    return bool({name, name.rpartition("/")[2]} & {other.lower() for other in known})


def _whose(found: list[Published]) -> str:
    declared = published_models()
    names = list(dict.fromkeys(str(declared[one.model].get("called", one.model)) for one in found))
    if len(names) <= MAX_NAMED_MODELS:
        return format_list(names)
    kinds = {declared[one.model]["kind"] for one in found}
    return f"{len(names)} published {f'{kinds.pop()} ' if len(kinds) == 1 else ''}models"


def _source(found: list[Published]) -> str:
    """“Toney and Caliskan 2021”."""
    return format_list(list(dict.fromkeys(re.sub(r" \((\d{4})\).*", r" \1", citation(one.paper)) for one in found)))
