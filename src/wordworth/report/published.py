"""Published numbers beside ours: where a run measures what a paper measured, on the same model or the nearest."""

import csv
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log
from typing import Any

import polars as pl

from wordworth.report.conditions import Networks, at_test, networks, unlike
from wordworth.report.insights import best_layers
from wordworth.report.runs import AS_IT_IS, Runs

ANY_KIND = {"net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7", "accuracy", "hits", "weat:variance"}
ANY_KIND |= {"top-1", "top-10", "T1", "T1:code", "T10:code", "ppx@10"}
"""Measures of behaviour, for which a model of another kind is still the nearest there is."""
SAMPLE = "aggregated:100000"
"""What our whole sample is compared with where its number of sentences is unknown: the N of the paper's main table."""
NOT_STATED = "not stated"
"""In the note of a published number: how it was measured is not known, so it is like nothing."""
AT_TEST_HERE = "trained anew there, vectors changed at test alone here"
ALIKE = 2.0
"""Results over numbers of sentences that differ by more than this factor are not compared."""


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
        return str(_declared()["computed"].get(self.paper, {}).get(self.measure, ""))

    @property
    def condition(self) -> str:
        """Under which it was measured; blank: none that ours do not meet."""
        own: dict[str, str] = _declared()["conditions"].get(self.paper, {})
        return own.get(self.measure, own.get("all", ""))

    @property
    def quantity(self) -> tuple[Any, ...]:
        layer = "" if self.measure.endswith(":best") else self.layer
        return self.measure, self.dataset, self.setting, self.pooling, layer, self.pcs


@dataclass(frozen=True)
class Comparison:
    """One of our scores beside a published one."""

    row: int
    ours: dict[str, Any]
    published: Published
    nearness: str
    """“same model”, or why it is the nearest."""
    unlike: str = ""
    """Why the two are not to be held against each other; there is then no difference to speak of."""

    @property
    def difference(self) -> float:
        """Ours minus theirs; for a range the distance to it."""
        value: float = self.ours["value"]
        if self.published.value is not None:
            return value - self.published.value
        low, high = self.published.low or 0.0, self.published.high or 0.0
        return 0.0 if low <= value <= high else value - (high if value > high else low)


@cache
def published() -> tuple[Published, ...]:
    """The numbers of the papers' tables and texts, each with its place."""
    text = (files("wordworth.report") / "data" / "published.csv").read_text(encoding="utf-8")
    kinds = {"value": float, "low": float, "high": float, "pcs": int}

    def typed(line: dict[str, Any]) -> Published:
        numbers = {key: kind(line[key]) if line[key] else None for key, kind in kinds.items()}
        return Published(**(line | numbers))

    return tuple(typed(line) for line in csv.DictReader(text.splitlines()))


@cache
def _declared() -> dict[str, Any]:
    return tomllib.loads((files("wordworth.report") / "data" / "published.toml").read_text(encoding="utf-8"))


def published_models() -> dict[str, dict[str, Any]]:
    """Name → kind, stem, names."""
    models: dict[str, dict[str, Any]] = _declared()["models"]
    return models


def citation(paper: str) -> str:
    """A paper's authors, year and short title; its key where no number of it stands here."""
    return str(_declared()["papers"].get(paper, paper))


def nearest(model: str, kind: str, candidates: list[Published]) -> tuple[Published, str] | None:
    """The same model, else one of its name's stem, else one of its kind."""
    name = model.partition(" (")[0].lower()
    own = {name, name.rpartition("/")[2]}
    declared = published_models()
    for one in candidates:
        known = {one.model.lower(), *(other.lower() for other in declared.get(one.model, {}).get("names", ()))}
        if own & known:
            return one, "same model"
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


def comparisons(runs: Runs) -> Iterator[Comparison]:
    """Every score of these runs that a paper has too."""
    # What debiasing measures before and after on the vectors themselves is another quantity than the papers'.
    behaviour = pl.col("measure").is_in(ANY_KIND) | (pl.col("experiment") == "stability")
    scores = runs.scores.filter(AS_IT_IS | behaviour, pl.col("value").is_not_null())
    index = _indexed(scores, networks_of(runs))
    best = {(one.model, one.dataset): one.layer for one in best_layers(scores)}
    first = {model: layer for (model, _), layer in reversed(best.items())}
    tops = dict(scores.group_by("model").agg(pl.col("layer").max()).iter_rows())
    # The top is the model's own, also where only some layers were measured.
    tops |= {model: facts["layers"] for model, facts in runs.facts.items() if tops.get(model) and facts.get("layers")}
    sentences = _sentences(scores)
    quantities: dict[tuple[Any, ...], list[Published]] = {}
    for one in published():
        quantities.setdefault(one.quantity, []).append(one)
    for (measure, dataset, setting, pooling, layer, pcs), candidates in quantities.items():
        for model in scores.get_column("model").unique(maintain_order=True).to_list():
            at = _layer(layer, tops.get(model), best.get((model, dataset), first.get(model)))
            if at == ABSENT:
                continue
            facts, unlike_ours = runs.facts.get(model, {}), at_test(setting, measure)
            for named in (*_ours(setting, sentences.get(model, {})), *unlike_ours):
                key = (model, measure, dataset, named, pooling, at, pcs)
                ours = index.get(key)
                if ours is None and layer == "best":  # a set of words with a best layer of its own
                    ours = _highest(index, key)
                chosen = nearest(_trained_from(model, facts), kind_of(facts), candidates) if ours else None
                if ours is not None and chosen is not None:
                    reason = _unlike(*chosen, sentences.get(model, {}).get(named))
                    reason = AT_TEST_HERE if named in unlike_ours else reason
                    yield Comparison(ours["row"], ours, *chosen, reason or unlike(chosen[0].condition, ours, facts))
                    break


def _trained_from(model: str, facts: dict[str, Any]) -> str:
    """The name of a model, without that of the text that it was fine-tuned on."""
    text = facts.get("fine_tuned")
    return model.partition(" (")[0].removesuffix(f"+{text}") if text else model


def _sentences(scores: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Return model → setting → sentences that its words were aggregated over (n of the score `contexts`)."""
    counted: dict[str, dict[str, int]] = {}
    rows = scores.filter(pl.col("measure") == "contexts", pl.col("n").is_not_null()).select("model", "setting", "n")
    for model, setting, sentences in rows.iter_rows():
        counted.setdefault(model, {})[setting] = int(sentences)
    return counted


def _ours(setting: str, sentences: dict[str, int]) -> tuple[str, ...]:
    """Return our settings to compare with a paper's, best first: of samples, the one nearest in number of sentences."""
    wanted = _samples(setting)
    if not wanted or not sentences:
        return ("aggregated", setting) if setting == SAMPLE else (setting,)
    return (min(sentences, key=lambda ours: abs(log(max(sentences[ours], 1) / wanted))),)


def _samples(setting: str) -> int:
    """Return N of `aggregated:N`: sentences, as the code of Bommasani et al. counts (the paper's A.5 says contexts)."""
    kind, _, number = setting.partition(":")
    return int(number) if kind == "aggregated" and number.isdigit() else 0


def _unlike(theirs: Published, nearness: str, sentences: int | None) -> str:
    """Why ours is not like theirs; blank where it is."""
    if NOT_STATED in theirs.note:
        return theirs.note
    wanted = _samples(theirs.setting)
    if wanted and sentences is not None and not 1 / ALIKE <= sentences / wanted <= ALIKE:
        return f"{sentences:,} sentences here, {wanted:,} there"
    return "" if nearness == "same model" else str(_declared()["same_model"].get(theirs.measure, ""))


ABSENT = -1
"""The layer of a role that a model without layers cannot fill."""


def _layer(role: str, top: int | None, best: int | None) -> int | None:
    if not role:
        return None
    if top is None:
        return ABSENT
    roles = {"top": top, "top-1": top - 1, "quarter": top // 4, "best": best if best is not None else ABSENT}
    return int(role) if role.isdigit() else roles[role]


def networks_of(runs: Runs) -> Networks:
    """What the networks of these runs were trained without, or given without."""
    taken = runs.scores.filter(pl.col("experiment") == "subspace", pl.col("measure") == "dimensions")
    return networks(runs.facts, taken.select("model", "dataset", "value").iter_rows(), _declared()["without"])


def _indexed(scores: pl.DataFrame, trained: Networks) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Scores by what they measure, with their data set and pooling and without; the last one stands, as in figures."""
    index: dict[tuple[Any, ...], dict[str, Any]] = {}
    wanted = {one.measure for one in published()}
    for row in scores.filter(pl.col("measure").is_in(wanted)).iter_rows(named=True):
        layer = None if row["measure"].endswith(":best") else row["layer"]
        setting = trained.setting(row)
        for dataset in {row["dataset"] or "", ""}:
            for pooling in {row["pooling"] or "", ""}:
                key = (row["model"], row["measure"], dataset, setting, pooling, layer, row["pcs"])
                index[key] = row
    return index


def _highest(index: dict[tuple[Any, ...], dict[str, Any]], key: tuple[Any, ...]) -> dict[str, Any] | None:
    model, measure, dataset, setting, pooling, _, pcs = key
    rows = (index.get((model, measure, dataset, setting, pooling, layer, pcs)) for layer in range(200))
    return max(filter(None, rows), key=lambda row: row["value"], default=None)
