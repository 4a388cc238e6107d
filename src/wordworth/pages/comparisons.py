"""Our scores next to published ones, on the same model or the nearest; only like is compared with like.

A mitigated network is one of two things: it was trained on vectors that something was taken out of, or it is given such
vectors at test only. Runs tell them apart (`trained_without` of a model), and so does `setting` of a published number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import Any

import polars as pl

from wordworth.pages.insights import best_layers
from wordworth.pages.naming import marked
from wordworth.pages.published import (
    ANY_KIND,
    NOT_STATED,
    Published,
    citation,
    declarations,
    kind_of,
    nearest,
    published,
)
from wordworth.pages.runs import AS_IT_IS, Runs
from wordworth.results import ORIGINAL, RANDOM
from wordworth.results.numbers import format_number

COMPARED = ["quantity", "here", "published", "difference", "published for", "where"]
SAMPLE = "aggregated:100000"
"""What our whole sample is compared with where its number of sentences is unknown: the N of the paper's main table."""
AT_TEST_HERE = "trained anew there, vectors changed at test alone here"
ALIKE = 2.0
"""Results over numbers of sentences that differ by more than this factor are not compared."""
ABSENT = -1
"""The layer of a role that a model without layers cannot fill."""
RETRAINED = "retrained"
AT_TEST = ("projection", RANDOM)
OTHERWISE = f"{RETRAINED}:otherwise"
"""Trained without something that no paper takes out."""
ALL_LAYERS = "all-layers"
WIKITEXT = ("wikitext", "wiki.train", "wiki-103")
"""How the names of WikiText-103's train part begin; files of users' own too."""
LANGUAGES = 7


@dataclass(frozen=True)
class Comparison:
    """One of our scores and a published one."""

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


@dataclass(frozen=True)
class Networks:
    """What the networks of some runs were trained without, and what was taken out at test."""

    without: dict[str, str]
    """Name → setting, such as `retrained:gender`, of those that were trained without something."""
    layered: frozenset[str]
    """Networks over ELMo that several layers were changed of at test, which no paper does."""
    debiased: dict[str, str]
    """Embedding → the kind of bias that a `debias` took out of it; blank: one that no paper takes out."""

    def setting(self, row: dict[str, Any]) -> str:
        """Return a score's setting as published numbers have it: a network trained anew is not the original one."""
        setting, model = str(row["setting"] or ""), str(row["model"])
        if setting in self.without:
            return self.without[setting]
        if model in self.without:
            return self.without[model] if setting in ("", ORIGINAL) else OTHERWISE
        if setting.partition(":")[0] not in AT_TEST:
            return setting
        if model in self.layered:
            return OTHERWISE
        if row.get("study") != "debias" or model not in self.debiased:
            return setting
        if row["experiment"] == "accuracy":  # as `infer` names it: which bias is not said by the labelled pairs
            return f"{setting}:{self.debiased[model]}"
        return setting if self.debiased[model] == row["dataset"] else OTHERWISE


def networks_of(runs: Runs) -> Networks:
    """Return what the networks of these runs were trained without, or given without."""
    rows = runs.scores.filter(pl.col("experiment") == "subspace", pl.col("measure") == "dimensions")
    subspaces = rows.select("model", "dataset", "value").iter_rows()
    # A label may say which run a model is of; settings have the name alone.
    names = [(name, one) for label, one in runs.facts.items() for name in {label, label.partition(" (")[0]}]
    trained = {name: _retrained(one["trained_without"]) for name, one in names if one.get("trained_without")}
    layered = frozenset(name for name, one in names if one.get("elmo_layers"))
    return Networks(trained, layered, {model: _kind(name, int(size)) for model, name, size in subspaces})


def _kind(subspace: str, dimensions: int) -> str:
    """Return gender, nationality or religion; blank for a subspace that no paper takes out."""
    declared: dict[str, dict[str, Any]] = declarations()["without"]
    kinds = (kind for kind, one in declared.items() if subspace in one["subspaces"] and dimensions == one["dimensions"])
    return next(kinds, "")


def _retrained(taken: dict[str, Any]) -> str:
    subspace, layers = str(taken["subspace"]), taken.get("layers") or []
    kind = RANDOM if subspace.partition(":")[0] == RANDOM else _kind(subspace, int(taken["dimensions"]))
    if not kind or len(layers) == 1:
        return OTHERWISE
    return f"{RETRAINED}:{kind}:{ALL_LAYERS}" if layers else f"{RETRAINED}:{kind}"


def _at_test(published: str, measure: str) -> tuple[str, ...]:
    """Return our settings that are nearest to a network trained anew, and unlike it; none for other settings."""
    kind, _, what = published.partition(":")
    if kind != RETRAINED or what.endswith(ALL_LAYERS):
        return ()
    if measure == "accuracy":
        return (f"projection:{what}",)
    return (RANDOM,) if what == RANDOM else ("projection",)


def _in_words(setting: str) -> str:
    """Return what a published setting says of the network; blank where it says nothing."""
    kind, _, what = setting.partition(":")
    if kind == RETRAINED:
        what, _, layers = what.partition(":")
        taken = "a random direction" if what == RANDOM else what
        return f"trained without {taken}{', in all layers' if layers else ''}"
    return "at test alone" if setting in AT_TEST else ""


def _unmet_condition(condition: str, ours: dict[str, Any], facts: dict[str, Any]) -> str:
    """Return why one of our numbers does not meet the condition of a published one; blank where it does."""
    if condition == "fine-tuned":
        text = str(facts.get("fine_tuned") or "")
        if not text:
            return "fine-tuned on WikiText-103 there, as it is here"
        return "" if text.startswith(WIKITEXT) else f"fine-tuned on WikiText-103 there, on {text} here"
    if condition == "seven languages" and ours["n"] != LANGUAGES:
        return f"over {LANGUAGES} languages there, over {ours['n']} here"
    return ""


def comparisons(runs: Runs) -> Iterator[Comparison]:
    """Yield every score of these runs that a paper has too."""
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
            facts, unlike_ours = runs.facts.get(model, {}), _at_test(setting, measure)
            for named in (*_ours(setting, sentences.get(model, {})), *unlike_ours):
                key = (model, measure, dataset, named, pooling, at, pcs)
                ours = index.get(key)
                if ours is None and layer == "best":  # a set of words with a best layer of its own
                    ours = _highest(index, key)
                chosen = nearest(_trained_from(model, facts), kind_of(facts), candidates) if ours else None
                if ours is not None and chosen is not None:
                    reason = _not_alike(*chosen, sentences.get(model, {}).get(named))
                    reason = AT_TEST_HERE if named in unlike_ours else reason
                    yield Comparison(
                        ours["row"], ours, *chosen, reason or _unmet_condition(chosen[0].condition, ours, facts)
                    )
                    break


def _trained_from(model: str, facts: dict[str, Any]) -> str:
    """Return the name of a model, without that of the text that it was fine-tuned on."""
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


def _not_alike(theirs: Published, nearness: str, sentences: int | None) -> str:
    """Return why ours is not like theirs; blank where it is."""
    if NOT_STATED in theirs.note:
        return theirs.note
    wanted = _samples(theirs.setting)
    if wanted and sentences is not None and not 1 / ALIKE <= sentences / wanted <= ALIKE:
        return f"{sentences:,} sentences here, {wanted:,} there"
    return "" if nearness == "same model" else str(declarations()["same_model"].get(theirs.measure, ""))


def _layer(role: str, top: int | None, best: int | None) -> int | None:
    if not role:
        return None
    if top is None:
        return ABSENT
    roles = {"top": top, "top-1": top - 1, "quarter": top // 4, "best": best if best is not None else ABSENT}
    return int(role) if role.isdigit() else roles[role]


def _indexed(scores: pl.DataFrame, trained: Networks) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Index scores by what they measure, with and without their data set and pooling; the last one counts."""
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


def comparison_row(one: Comparison) -> list[str]:
    """Return what, ours, theirs, difference, where."""
    ours, theirs = one.ours, one.published
    what = [ours["model"], ours["measure"], ours["dataset"], ours["setting"], ours["pooling"]]
    what += [f"layer {ours['layer']}" if ours["layer"] is not None else None]
    what += [f"{ours['pcs']} nullified" if ours["pcs"] is not None else None]
    value = (
        format_number(theirs.value)
        if theirs.value is not None
        else f"{format_number(theirs.low)} to {format_number(theirs.high)}"
    )
    difference = (
        "inside" if theirs.value is None and one.difference == 0 else format_number(one.difference, signed=True)
    )
    difference = f"not comparable: {one.unlike}" if one.unlike else difference
    layer = f"layer {theirs.layer}" if theirs.layer.isdigit() else theirs.layer and f"{theirs.layer} layer"
    told = [one.nearness, _in_words(theirs.setting), layer, theirs.computed, theirs.note]
    nearness = "; ".join(filter(None, told))
    place = f"{citation(theirs.paper)}, {theirs.place}"
    return [
        " · ".join(filter(None, what)),
        marked(ours),
        value,
        difference,
        f"{theirs.model or '–'} ({nearness})",
        place,
    ]
