"""Answers from geometry: what vectors know of words, where context takes over, whom they stereotype."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from math import comb
from typing import Any

import polars as pl

from wordworth.pages.insights import APART, LEVEL, Best, above_chance, associations, best_layers, partings, recoveries
from wordworth.pages.naming import TESTS, Sentence, marked, with_interval
from wordworth.pages.published import Standing, kind_of, standing
from wordworth.pages.runs import AS_IT_IS, Runs
from wordworth.results.flags import parted
from wordworth.results.numbers import format_list, format_number
from wordworth.results.vocabulary import HARMLESS
from wordworth.statistics.paired_tests import holm

STRONGEST = 3
PARTITIONS = 10_000
"""A p by Monte Carlo is no finer than one in so many; an exact one is taken to be no finer either."""


def in_layers(runs: Runs) -> Iterator[Sentence]:
    """The best layer of a language model for valence, against an untrained network and against published models."""
    by_model: dict[str, list[Best]] = {}
    for best in best_layers(runs.scores):
        by_model.setdefault(best.model, []).append(best)
    for model, every in by_model.items():
        first = every[0]
        where = f" best in layer {first.layer} of {first.top}" if first.top else ""  # a sentence encoder has one layer
        words = "" if first.n is None else f" of {first.n:,} words"
        text = (
            f"reads valence{where}: ρ = {with_interval(asdict(first))} with people’s ratings{words} "
            f"({first.dataset}, {first.setting}){_at_its_best(runs, first)}{_control(first)}."
        )
        more = [f"{marked(asdict(one))} on {one.dataset} (layer {one.layer})" for one in every[1:]]
        if first.held_out is not None:
            more.insert(0, f"{format_number(first.held_out)} on words that had no part in picking the layer")
        text += f" It has {format_list(more)}." if more else ""
        yield Sentence(text, "valence-layers", model, first.value)


def _control(best: Best) -> str:
    if best.untrained is None:
        return ""
    if best.learnt is False:
        return f"; the same network untrained has as much ({format_number(best.untrained)}): training adds nothing"
    return f"; the same network untrained has {format_number(best.untrained)}"


def _at_its_best(runs: Runs, best: Best) -> str:
    """The best layer with as many components nullified as are best for it, against published models at their best."""
    rows = runs.scores.filter(
        pl.col("model") == best.model,
        pl.col("dataset") == best.dataset,
        pl.col("setting") == best.setting,
        pl.col("layer") == best.layer,
        pl.col("measure") == "valence",
        pl.col("experiment").is_in(["contextualization", "isolation"]),
    )
    row = rows.sort("value", descending=True, nulls_last=True, maintain_order=True).row(0, named=True)
    place = _standing(runs, row, layer="best")
    if place is None:
        return ""
    raw = row["pcs"] is None or row["value"] <= best.value
    what = "" if raw else f" and {format_number(row['value'])} with {_components(row['pcs'])} nullified,"
    return f",{what} {replace(place, whose=f'{place.whose} at best').said(row['value'], row['low'], row['high'])}"


def _standing(runs: Runs, row: dict[str, Any], **more: Any) -> Standing | None:
    """Where a score stands; nowhere, if it is of few of the words that the papers had."""
    if any(flag.startswith("coverage") for flag in parted(row["flags"])):
        return None
    kind = kind_of(runs.facts.get(row["model"], {}))
    quantity = {"measure": row["measure"], "dataset": row["dataset"], "setting": row["setting"] or "", **more}
    return standing(row["model"], kind, **quantity)


def of_vectors(runs: Runs) -> Iterator[Sentence]:
    """Valence of word vectors, against shuffled ratings and against published embeddings."""
    rows = runs.scores.filter(AS_IT_IS, pl.col("experiment") == "valence", pl.col("measure") == "valence")
    for (model,), mine in rows.group_by(["model"], maintain_order=True):
        text, value = _ranked(runs, mine, "words", "agrees with people on the valence of words by")
        yield Sentence(text, "intrinsic", str(model), value)


def similar(runs: Runs) -> Iterator[Sentence]:
    """Word similarity of word vectors, against published embeddings."""
    rows = runs.scores.filter(
        AS_IT_IS,
        pl.col("experiment").is_in(["similarity", "quality"]),
        pl.col("measure") == "similarity",
        pl.col("layer").is_null(),
    )
    for (model,), mine in rows.group_by(["model"], maintain_order=True):
        text, value = _ranked(runs, mine, "pairs", "agrees with people on how similar words are by")
        yield Sentence(text, "intrinsic", str(model), value)


def _ranked(runs: Runs, mine: pl.DataFrame, items: str, verb: str) -> tuple[str, float]:
    """Return a sentence and a value: a data set that papers have, with where it is among them; then the others."""
    rows = mine.unique("dataset", keep="first", maintain_order=True).to_dicts()
    places = {row["dataset"]: _standing(runs, row) for row in rows}
    first = next((row for row in rows if places[row["dataset"]]), rows[0])
    place = places[first["dataset"]]
    n = f" ({first['n']:,} {items})" if first["n"] is not None else ""
    text = f"{verb} ρ = {with_interval(first)} on {first['dataset']}{n}"
    text += f", {place.said(first['value'], first['low'], first['high'])}" if place else ""
    text += _shuffled(runs, first)
    others = [f"{marked(row)} on {row['dataset']}" for row in rows if row is not first]
    return f"{text}." + (f" It has {format_list(others)}." if others else ""), first["value"]


def _shuffled(runs: Runs, row: dict[str, Any]) -> str:
    """What shuffled ratings give, where that control was run."""
    same = [pl.col(key) == row[key] for key in ("model", "dataset")]
    control = runs.scores.filter(*same, pl.col("setting") == "shuffled")
    chance = control.filter(pl.col("measure") == "valence:control")
    if row["measure"] != "valence" or chance.is_empty():
        return ""
    above = control.filter(pl.col("measure") == "valence:above")
    learnt = above_chance(above.row(0, named=True) if len(above) else None)
    given = format_number(chance.get_column("value")[0])
    return f", no more than shuffled ratings give ({given})" if learnt is False else f"; shuffled ratings give {given}"


def _components(count: int) -> str:
    return f"{count} component{'s' * (count != 1)}"


def context(runs: Runs) -> Iterator[Sentence]:
    """Where vectors speak of the sentence rather than of the word."""
    for parting in partings(runs.scores):
        text = (
            f"What a vector says of its word depends least on the sentence in layer {parting.closest} (ρ differs by "
            f"{format_number(parting.within)} between kinds of sentence, {parting.dataset})"
        )
        if parting.parted is None:
            text += f" and by at most {format_number(APART)} up to the top"
        else:
            text += (
                f". From layer {parting.parted} of {parting.top} on it speaks of the context: ρ differs by "
                f"{format_number(parting.at_top)} in the top layer"
            )
        share = 1.0 if parting.parted is None else parting.parted / parting.top
        yield Sentence(f"{text}.", "valence-layers", parting.model, share, whole=True, ends=("Latest", "Earliest"))


def nullified(runs: Runs) -> Iterator[Sentence]:
    """What the top layer knows of words behind the directions that all of them share."""
    for recovery in recoveries(runs.scores):
        gain = recovery.nullified - recovery.raw
        where = f"({recovery.dataset}, {recovery.setting})"
        raw, after = format_number(recovery.raw), format_number(recovery.nullified)
        if gain > 0:
            what = "subtracting the mean" if recovery.pcs == 0 else f"nullifying {_components(recovery.pcs)}"
            text = f"Yes: in the top layer {what} raises ρ for valence from {raw} to {after} {where}."
        else:
            text = (
                f"No: in the top layer ρ for valence is {raw} as it is, and at most {after} after nullifying {where}."
            )
        yield Sentence(text, "isolation", recovery.model, gain, whole=True, ends=("Most", "Least"))


def stereotypes(runs: Runs) -> Iterator[Sentence]:
    """The stereotypes that are significant, the strongest first, and those that are reversed."""
    social = associations(runs.scores).filter(~pl.col("dataset").is_in(HARMLESS))
    strongest_first = social.sort("model_at", -pl.col("value").abs(), maintain_order=True)
    for (model,), mine in strongest_first.group_by(["model"], maintain_order=True):
        rows = mine.to_dicts()
        layer, picked = rows[0]["layer"], rows[0]["picked"]
        tested = [row for row in rows if row["p"] is not None]
        why = "which reads valence best" if picked else "the highest that was tested"
        where = "" if layer is None else f" in layer {layer}, {why}"
        untested = f"has no p for {_count(len(rows))}{where}, so that none can be called significant."
        text = _significant(runs, tested, where) if tested else untested
        order = mine.select(pl.col("value").abs().mean()).item()
        figure = "weat" if layer is None else "weat-layers"
        yield Sentence(text, figure, str(model), order, ends=("Strongest", "Weakest"))


def _significant(runs: Runs, rows: list[dict[str, Any]], where: str) -> str:
    """Return the sentences for one model: what is significant as the tests have it, and what the other way around."""
    sides = [str(runs.run_of(row).manifest["settings"].get("sides", "one")) for row in rows]
    corrected = holm([two_sided(row["p"], row["n"], side) for row, side in zip(rows, sides, strict=True)])
    significant = [row for row, p in zip(rows, corrected, strict=True) if p < LEVEL]
    shown, reverse = ([row for row in significant if row["value"] * sign > 0] for sign in (1, -1))
    tests = f"{len(rows)} test{'s' * (len(rows) != 1)}"
    how = f"p < .05, two-sided, after Holm’s correction over {tests}{where}"
    text = f"shows {len(shown) or 'none'} of {_count(len(rows))} ({how}){f': {_strongest(shown)}' if shown else ''}."
    return text + (f" Against the stereotype: the reverse of {_strongest(reverse)}." if reverse else "")


def two_sided(p: float, n: int | None, sides: str) -> float:
    """p in both directions: an effect against the stereotype is looked for as well.

    The p of the other direction is 1 − p and what is counted in both: the observed partition of the n target words,
    and as much again where partitions are drawn.
    """
    if sides == "two":
        return p
    finest = 2 / min(PARTITIONS, comb(n, n // 2)) if n else 2 / PARTITIONS
    return min(1.0, 2 * min(p, 1 - p + finest))


def _strongest(rows: list[dict[str, Any]]) -> str:
    """The strongest, each group of people once; the others are counted."""
    said: dict[str, str] = {}
    for row in rows:
        name = TESTS.get(row["dataset"], row["dataset"])
        n = f", {row['n']} words" if row["n"] is not None else ""
        unsure = ", other words might reverse it" if row["low"] is not None and row["low"] <= 0 <= row["high"] else ""
        said.setdefault(name.partition(" (")[0], f"{name} (d = {with_interval(row)}{n}{unsure})")
    first = list(said.values())[:STRONGEST]
    rest = len(rows) - len(first)
    return "; ".join(first) + (f"; and {rest} more" if rest else "")


def _count(tests: int) -> str:
    return f"{tests} stereotype{'s' * (tests != 1)} tested"
