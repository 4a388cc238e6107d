"""How far conclusions depend on choices: which hold whatever is chosen, and what flips the others."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from wordworth.report.figures.figure import CURVE_CHAPTERS, LEVEL, OF_SIDES, OF_TESTS, OPTION, TRIED, curve_id
from wordworth.report.naming import SHORT, TESTS, listed, number, percent
from wordworth.report.runs import Runs
from wordworth.report.sentences import Sentence
from wordworth.run import Run

HOLDS = 0.95
"""The share of variants from which a conclusion is said to hold."""
NAMED = 2
"""Tests and options that are named."""


def sensitivity(runs: Runs) -> Iterator[Sentence]:
    """For each model, the tests whose conclusion holds, and those that are least sure, with what flips them."""
    for at, run in enumerate(runs.each):
        scores = run.scores.filter(TRIED)
        for number_, (model,) in enumerate(scores.select("model").unique(maintain_order=True).iter_rows()):
            mine = scores.filter(pl.col("model") == model)
            tests = mine.filter(OF_SIDES).get_column("dataset").unique().to_list()
            for title in CURVE_CHAPTERS:
                kind = pl.col("dataset").is_in(tests)
                rows = mine.filter(kind if title == OF_TESTS else ~kind)
                if len(rows):
                    text, held = _said(run, rows, "d" if title == OF_TESTS else "ρ")
                    yield Sentence(text, curve_id(title, at, number_), str(model), held, ends=("Surest", "Least sure"))


def _said(run: Run, rows: pl.DataFrame, symbol: str) -> tuple[str, float]:
    whole = {
        str(dataset): {row["measure"].removeprefix("sensitivity:"): row for row in part.iter_rows(named=True)}
        for (dataset,), part in rows.filter(~OPTION).group_by(["dataset"], maintain_order=True)
    }
    flipped = {dataset: told["flipped"]["value"] for dataset, told in whole.items()}
    held = [dataset for dataset, share in flipped.items() if share <= 1 - HOLDS]
    what = "association test" if symbol == "d" else "lexicon"
    many = f"{what}s" if symbol == "d" else "lexica"
    surety = 1 - sum(flipped.values()) / len(flipped)
    most = f"{percent(HOLDS)} or more of the variants of"
    if len(held) == len(whole):
        ends = ", ".join(f"{SHORT.get(name, name)}: {symbol} {_range(told['median'])}" for name, told in whole.items())
        every = f"the one {what}" if len(whole) == 1 else f"all {len(whole)} {many}"
        return f"comes to the same conclusion in {most} {every} ({ends}).", surety
    counted = f"none of {len(whole)} {many}" if not held else f"{len(held)} of {len(whole)} {many}"
    first = f"comes to the same conclusion in {most} {f'no {what}' if len(whole) == 1 else counted}."
    unsure = sorted((name for name in whole if name not in held), key=lambda name: -flipped[name])[:NAMED]
    told = [_unsure(run, rows.filter(pl.col("dataset") == name), whole[name], symbol) for name in unsure]
    return f"{first} Least sure: {'; '.join(told)}.", surety


def _range(row: dict[str, Any]) -> str:
    return f"{number(row['low'])} to {number(row['high'])}"


def _unsure(run: Run, rows: pl.DataFrame, told: dict[str, Any], symbol: str) -> str:
    """One test: how many variants flip, with which options most, and which single words."""
    row = told["flipped"]
    options = rows.filter(OPTION).sort("value", descending=True, maintain_order=True).head(NAMED)
    named = [f"{one['setting'].partition(': ')[2]} {percent(one['value'])}" for one in options.iter_rows(named=True)]
    words = single_words(run, row["model"], row["dataset"])
    alone = f"; without {listed(words, 3)} alone it flips" if words else ""
    name = TESTS.get(row["dataset"], row["dataset"])
    share = f"{percent(row['value'])} of {row['n']:,} variants flip it"
    return f"{name} ({share}, {symbol} {_range(told['median'])}; most of all {listed(named)}{alone})"


def single_words(run: Run, model: str, dataset: str) -> list[str]:
    """The words without any one of which the conclusion is another, all other choices as they are."""
    mine = run.items.filter(TRIED, pl.col("model") == model, pl.col("dataset") == dataset, pl.col("left_out").is_null())
    table = mine.select("item", "group", "place", "value", "p").collect()
    concluded = pl.when(pl.col("p") < LEVEL).then(pl.col("value").sign()).otherwise(0.0)
    alike = table.filter(pl.col("place") == table.item(0, "place")).with_columns(concluded=concluded)
    single = alike.filter(pl.col("group").is_in(["one target out", "one attribute out"]))
    flips = single.filter(pl.col("concluded") != alike.item(0, "concluded"))
    return [str(word) for word in flips.get_column("item").unique(maintain_order=True)]
