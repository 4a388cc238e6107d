"""Whom a model stereotypes: tests that are significant when all are corrected for, and whether estimators agree."""

from collections.abc import Iterator
from math import comb
from typing import Any

import polars as pl

from wordworth.report.insights import LEVEL, associations
from wordworth.report.naming import TESTS, listed, marked, number
from wordworth.report.runs import Runs
from wordworth.report.sentences import Sentence
from wordworth.run.vocabulary import HARMLESS
from wordworth.statistics.paired_tests import holm

STRONGEST = 3
PARTITIONS = 10_000
"""A p by Monte Carlo is no finer than one in so many; an exact one is taken to be no finer either."""
AGREE = 0.5
"""A mean rank correlation from which ways to measure are said to agree."""


def stereotypes(runs: Runs) -> Iterator[Sentence]:
    """The stereotypes that are significant, the strongest first, and those that are reversed."""
    social = associations(runs.scores).filter(~pl.col("dataset").is_in(HARMLESS))
    sides = _sides(runs)
    for (model,), mine in social.group_by(["model"], maintain_order=True):
        tested = mine.filter(pl.col("p").is_not_null()).sort(
            pl.col("value").abs(), descending=True, maintain_order=True
        )
        layer, picked = mine.row(0, named=True)["layer"], mine.row(0, named=True)["picked"]
        where = "" if layer is None else f" in {_layer(layer, picked)}"
        order = mine.select(pl.col("value").abs().mean()).item()
        figure = "weat" if layer is None else "weat-layers"
        text = _found(tested, [sides.get((row["study"], model), "one") for row in tested.iter_rows(named=True)], where)
        if tested.is_empty():
            text = f"has no p for {_count(mine.height)}{where}, so that none can be called significant."
        yield Sentence(text, figure, str(model), order, ends=("Strongest", "Weakest"))


def _found(tested: pl.DataFrame, sides: list[str], where: str) -> str:
    """The sentences for one model: what is significant as the tests have it, and what the other way around."""
    rows = tested.to_dicts()
    corrected = holm([two_sided(row["p"], row["n"], side) for row, side in zip(rows, sides, strict=True)])
    significant = [row for row, p in zip(rows, corrected, strict=True) if p < LEVEL]
    shown, reverse = ([row for row in significant if row["value"] * sign > 0] for sign in (1, -1))
    tests = f"{len(rows)} test{'s' * (len(rows) != 1)}"
    how = f"p < .05, two-sided, after Holm’s correction over {tests}{where}"
    if shown:
        text = f"shows {len(shown)} of {_count(len(rows))} ({how}): {_strongest(shown)}."
    else:
        text = f"shows none of {_count(len(rows))} ({how})."
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
        interval = f" [{number(row['low'])}, {number(row['high'])}]" if row["low"] is not None else ""
        n = f", {row['n']} words" if row["n"] is not None else ""
        unsure = ", other words might reverse it" if row["low"] is not None and row["low"] <= 0 <= row["high"] else ""
        said.setdefault(name.partition(" (")[0], f"{name} (d = {marked(row)}{interval}{n}{unsure})")
    first = list(said.values())[:STRONGEST]
    rest = len(rows) - len(first)
    return "; ".join(first) + (f"; and {rest} more" if rest else "")


def _layer(layer: int, picked: bool) -> str:
    return f"layer {layer}, which reads valence best" if picked else f"layer {layer}, the highest that was tested"


def _count(tests: int) -> str:
    return f"{tests} stereotype{'s' * (tests != 1)} tested"


def _sides(runs: Runs) -> dict[tuple[str, Any], str]:
    """(Study, model) → whether its p are of one side or two."""
    return {
        (run.manifest["study"], model): str(run.manifest["settings"].get("sides", "one"))
        for run in runs.each
        for model in run.scores.get_column("model").unique()
    }


def disagreement(runs: Runs) -> Iterator[Sentence]:
    """Whether ways to measure one bias put the layers of a model in the same order."""
    rows = runs.scores.filter(pl.col("measure") == "agreement")
    for (model,), mine in rows.group_by(["model"], maintain_order=True):
        ordered = mine.sort("value", maintain_order=True)
        lowest, highest = ordered.row(0, named=True), ordered.row(-1, named=True)
        if lowest["value"] >= AGREE:
            verdict = "put its layers in much the same order"
        elif highest["value"] < AGREE:
            verdict = "put its layers in different orders, so which one is least biased depends on the definition"
        else:
            verdict = f"put its layers in the same order for {highest['dataset']} but not for {lowest['dataset']}"
        ends = listed(
            list(dict.fromkeys(f"{number(one['value'])} ({one['dataset']})" for one in (lowest, highest)))
        ).replace(" and ", " to ")
        text = f"Estimators of one bias {verdict}: their mean rank correlation is {ends}."
        yield Sentence(text, "agreement", str(model), highest["value"], whole=True)
