"""Our scores next to published ones, on the same model or the nearest; only like is compared with like.

A mitigated network is one of two things: it was trained on vectors that something was removed from, or it is given such
vectors only at test. Runs tell them apart (`trained_without` of a model), and so do `version` and `removed` of a
published number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import polars as pl

from wordworth.measure import find_measure
from wordworth.papers.published import (
    ANY_KIND,
    NEAREST,
    PaperNumber,
    Quantity,
    citation,
    declarations,
    kind_of,
    load_published,
    nearest,
)
from wordworth.results.main_scores import LEXICON, best_layers
from wordworth.results.runs import AS_IT_IS, Runs, Score, describe, show_value
from wordworth.results.table import format_number
from wordworth.results.vocabulary import ORIGINAL, RANDOM, RANDOM_RETRAINED

COMPARED_COLUMNS = ["quantity", "here", "published", "difference", "published for", "where"]
PAPER_SAMPLE = 100_000
"""Sentences of the paper's main table; our whole sample is compared with it where its size is unknown."""
MAX_SIZE_RATIO = 2.0  # results over numbers of sentences that differ by more than this factor are not compared
RETRAINED, IN_ALL_LAYERS = "retrained", "retrained in all layers"
AT_TEST = ("projection", RANDOM)
Treatment = tuple[str, str]  # the version of a network and what was removed, as published numbers have them
OTHER_TREATMENT: Treatment = ("otherwise", "")  # treated in a way that no paper has
WIKITEXT = ("wikitext", "wiki.train", "wiki-103")
"""How the names of WikiText-103's train part begin; files of users' own too."""
PAPER_LANGUAGE_COUNT = 7


@dataclass(frozen=True)
class Comparison:
    """One of our scores and a published one."""

    ours: Score
    published: PaperNumber
    nearness: str
    """“same model”, or why it is the nearest."""
    unlike: str = ""
    """Why the two are not comparable; there is then no difference to speak of."""

    @property
    def difference(self) -> float:
        """Return ours minus theirs, or the distance to a range."""
        value: float = self.ours["value"]
        if self.published.value is not None:
            return value - self.published.value
        low, high = self.published.low or 0.0, self.published.high or 0.0
        return 0.0 if low <= value <= high else value - (high if value > high else low)


@dataclass(frozen=True)
class Networks:
    """What the networks of some runs were trained without, and what was removed at test."""

    without: dict[str, Treatment]
    """Name → treatment of those that were trained without something."""
    layered: frozenset[str]
    """Networks over ELMo that several layers were changed of at test, which no paper does."""
    debiased: dict[str, str]
    """Embedding → the kind of bias that `debias` removed from it; blank: one that no paper removes."""

    def treatment(self, score: Score) -> Treatment:
        """Return a score's version and what was removed; a retrained network is not the original one."""
        version, model = score["version"] or ORIGINAL, score["name"]
        if version == RANDOM_RETRAINED:
            return RETRAINED, RANDOM
        if version in self.without:
            return self.without[version]
        if model in self.without:
            return self.without[model] if version == ORIGINAL else OTHER_TREATMENT
        if version not in AT_TEST:
            return ("" if version == ORIGINAL else version, "")
        if model in self.layered:
            return OTHER_TREATMENT
        is_accuracy = score["measure"] == "accuracy"
        if score["study"] != "debias" or model not in self.debiased:
            return version, (score["variant"] or "") if is_accuracy else ""
        if is_accuracy:  # labelled pairs do not say which bias was removed
            return version, self.debiased[model]
        return (version, "") if self.debiased[model] == score["dataset"] else OTHER_TREATMENT

    def quantity(self, score: Score) -> Quantity:
        """Return what a score is of, as published numbers have it."""
        version, removed_bias = self.treatment(score)
        quantity = Quantity.of_score(score)._replace(version=version, removed=removed_bias)
        return quantity._replace(variant="") if quantity.measure == "accuracy" else quantity


def networks_of(runs: Runs) -> Networks:
    """Return what the networks of these runs were trained without, or given without."""
    rows = runs.scores.filter(pl.col("experiment") == "subspace", pl.col("measure") == "dimensions")
    subspaces = rows.select("name", "dataset", "value").iter_rows()
    models = runs.facts.values()
    debiased_models = [model for model in models if model.get("trained_without")]
    treatments = {str(model["name"]): _describe_retraining(model["trained_without"]) for model in debiased_models}
    elmo_networks = frozenset(str(model["name"]) for model in models if model.get("elmo_layers"))
    return Networks(treatments, elmo_networks, {model: _kind(name, int(size)) for model, name, size in subspaces})


def _kind(subspace: str, dimensions: int) -> str:
    """Return gender, nationality, religion or random; blank for a subspace that no paper removes."""
    for kind, declaration in declarations()["without"].items():
        if subspace in declaration["subspaces"] and dimensions == declaration.get("dimensions", dimensions):
            return str(kind)
    return ""


def _describe_retraining(training: Mapping[str, Any]) -> Treatment:
    layers = training.get("layers") or ()
    kind = _kind(str(training["subspace"]), int(training["dimensions"]))
    if not kind or len(layers) == 1:
        return OTHER_TREATMENT
    return (IN_ALL_LAYERS if layers else RETRAINED), kind


def _treatment_in_words(quantity: Quantity) -> str:
    """Return what a published number says of the network; blank where it says nothing."""
    if quantity.version in (RETRAINED, IN_ALL_LAYERS):
        bias = "a random direction" if quantity.removed == RANDOM else quantity.removed
        return f"trained without {bias}{', in all layers' if quantity.version == IN_ALL_LAYERS else ''}"
    return "only at test" if quantity.version in AT_TEST else ""


def _unlike(theirs: PaperNumber, nearness: str, ours: Score, facts: Mapping[str, Any]) -> str:
    """Return why ours is not like theirs; blank where it is."""
    if theirs.unstated:
        return theirs.unstated
    if nearness != "same model" and find_measure(theirs.quantity.measure).grows_with_vectors:
        return "distances grow with the length of a model’s vectors"
    if theirs.condition == "fine-tuned":
        text = str(facts.get("fine_tuned") or "")
        here = f"on {text}" if text else "not fine-tuned"
        return "" if text.startswith(WIKITEXT) else f"fine-tuned on WikiText-103 there, {here} here"
    if theirs.condition == "seven languages" and ours["n"] != PAPER_LANGUAGE_COUNT:
        return f"over {PAPER_LANGUAGE_COUNT} languages there, over {ours['n']} here"
    return ""


def comparisons(runs: Runs, targets: Sequence[PaperNumber] | None = None) -> Iterator[Comparison]:
    """Yield every score of these runs that a paper has too.

    Where published numbers are `wanted`, they are next to any model, also of another kind.
    """
    # What debiasing measures before and after on the vectors themselves is another quantity than the papers'.
    behaviour = pl.col("measure").is_in(ANY_KIND) | (pl.col("experiment") == "stability")
    is_whole = pl.col("control").is_null() & pl.col("draw").is_null()
    scores = runs.scores.filter(AS_IT_IS | behaviour, is_whole, pl.col("value").is_not_null())
    index = _index(scores, networks_of(runs))
    best = {(model, dataset): layer for model, dataset, layer in best_layers(scores).select(*LEXICON, "layer").rows()}
    first = {model: layer for (model, _), layer in reversed(best.items())}
    tops = dict(scores.group_by("model").agg(pl.col("layer").max()).iter_rows())
    # The top is the model's own, also where only some layers were measured.
    tops |= {model: facts["layers"] for model, facts in runs.facts.items() if tops.get(model) and facts.get("layers")}
    questions: dict[tuple[Quantity, tuple[str, int | None]], list[PaperNumber]] = {}
    for target in load_published() if targets is None else targets:
        questions.setdefault((target.quantity, (target.role, target.layer)), []).append(target)
    for (quantity, (role, number)), candidates in questions.items():
        for model in scores.get_column("model").unique(maintain_order=True).to_list():
            facts = runs.facts.get(model, {})
            name = str(facts.get("base") or facts.get("name", model))
            match = nearest(name, kind_of(facts), candidates)
            if match is None and targets is not None:
                match = candidates[0], f"{NEAREST} available"
            layer = _layer(role, tops.get(model), best.get((model, quantity.dataset), first.get(model)))
            if match is None or (role and layer is None):
                continue
            ours = index.get((model, layer if role else number, quantity))
            if ours is None and role == "best":  # a set of words with a best layer of its own
                layers = [row for (name, _, key), row in index.items() if name == model and key == quantity]
                ours = max(layers, key=lambda row: row["value"], default=None)
            if ours is not None:
                yield Comparison(ours, *match, _unlike(*match, ours, facts))


def _published_sizes(scores: pl.DataFrame) -> dict[tuple[str, int | None], int]:
    """Return model and `sentences` of a sample → the published number of sentences nearest to what it really has.

    That is n of the score `contexts`. Without it, our whole sample is compared with the paper's main table.
    """
    sizes = {number.quantity.sentences for number in load_published() if number.quantity.sentences}
    rows = scores.filter(pl.col("measure") == "contexts", pl.col("n").is_not_null()).select("model", "sentences", "n")
    nearest_sizes: dict[tuple[str, int | None], int] = {}
    for model, sample, count in rows.iter_rows():
        near = min(sizes, key=lambda size: abs(log(max(count, 1) / size)))
        nearest_sizes[model, sample] = near if 1 / MAX_SIZE_RATIO <= count / near <= MAX_SIZE_RATIO else count
    return nearest_sizes


def _layer(role: str, top: int | None, best: int | None) -> int | None:
    """Return the layer of a role; None where the model has none."""
    if not role or top is None:
        return None
    return {"top": top, "top-1": top - 1, "quarter": top // 4, "best": best}[role]


def _index(scores: pl.DataFrame, networks: Networks) -> dict[tuple[str, int | None, Quantity], Score]:
    """Return model, layer and quantity → score, with and without its data set and pooling; the last one counts."""
    index: dict[tuple[str, int | None, Quantity], Score] = {}
    sizes = _published_sizes(scores)
    measures = {number.quantity.measure for number in load_published()}
    for row in scores.filter(pl.col("measure").is_in(measures)).iter_rows(named=True):
        quantity = networks.quantity(row)
        if quantity.context == "aggregated":
            size = sizes.get((row["model"], row["sentences"]), row["sentences"])
            quantity = quantity._replace(sentences=size or PAPER_SAMPLE)
        layer = None if quantity.variant == "best" else row["layer"]
        for dataset in {quantity.dataset, ""}:
            for pooling in {quantity.pooling, ""}:
                index[row["model"], layer, quantity._replace(dataset=dataset, pooling=pooling)] = row
    return index


def comparison_row(comparison: Comparison) -> list[str]:
    """Return what, ours, theirs, difference, model and place."""
    ours, theirs = comparison.ours, comparison.published
    value, difference = format_number(theirs.value), format_number(comparison.difference, is_signed=True)
    if theirs.value is None:
        value = f"{format_number(theirs.low)} to {format_number(theirs.high)}"
        difference = difference if comparison.difference else "inside"
    difference = f"{difference} (other model)" if comparison.nearness.startswith(NEAREST) else difference
    difference = f"not comparable: {comparison.unlike}" if comparison.unlike else difference
    layer = f"layer {theirs.layer}" if theirs.layer is not None else theirs.role and f"{theirs.role} layer"
    size = f"n = {theirs.n}" if theirs.n else ""
    details = [_treatment_in_words(theirs.quantity), layer, size, theirs.computed, theirs.unstated, theirs.note]
    published_for = f"{theirs.model or '–'} ({'; '.join(filter(None, [comparison.nearness, *details]))})"
    source = f"{citation(theirs.paper)}, {theirs.place}"
    return [describe(ours), show_value(ours), value, difference, published_for, source]
