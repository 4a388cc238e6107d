"""The tables of the study as the paper sets them, as plain text: neutrality by setting, slices, pairs farthest off."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from wordworth.infer.probe import FORMULA, load_probe, probe_names
from wordworth.measure.neutrality import BY_PAIR
from wordworth.run import ORIGINAL, RANDOM
from wordworth.study.declaration import Table
from wordworth.study.tables import stability_tables
from wordworth.task.nli import CHANGE

SHOWN = 3
"""Pairs of each kind that are printed; the rest, and those of the other settings, are in items.parquet."""


def infer_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """For each model and probe: Tables 1, 3, 5 with 8 and 9; each slice; Tables 2, 4, 6."""
    accuracy = scores.filter(pl.col("experiment") == "accuracy")
    plain = scores.filter(
        ~pl.col("experiment").is_in(["accuracy", "stability"]),
        ~pl.col("measure").str.ends_with(BY_PAIR),
        ~pl.col("measure").str.ends_with(CHANGE),
        ~pl.col("measure").str.starts_with("lean:"),
        ~pl.col("setting").str.starts_with(f"{RANDOM}:"),
    )
    probe = pl.col("dataset").str.split("/").list.first()
    for (model, _), mine in plain.group_by(["model", probe], maintain_order=True):
        dataset = str(mine.item(0, "dataset"))  # the whole comes before its slices
        title = f"{dataset} · {model}"
        yield _by_setting(title, mine.filter(pl.col("dataset") == dataset))
        sliced = mine.filter(pl.col("dataset") != dataset)
        if len(sliced):
            yield _slices(f"{title} · slices", sliced)
        yield from _largest(title, items.filter(pl.col("model") == model, pl.col("dataset") == dataset))
    yield from stability_tables(scores)
    if len(accuracy):
        rows = [
            [str(row["model"]), row["dataset"], row["setting"], _with_interval(row), f"{row['n']:,}"]
            for row in accuracy.iter_rows(named=True)
        ]
        yield Table("accuracy", ["model", "data", "setting", "accuracy", "pairs"], rows, range(3, 5))


def _by_setting(title: str, scores: pl.DataFrame) -> Table:
    measures = scores.get_column("measure").unique(maintain_order=True).to_list()
    rows: list[list[str]] = []
    before: dict[str, float] = {}
    for (setting,), some in scores.group_by(["setting"], maintain_order=True):
        found = {row["measure"]: row for row in some.iter_rows(named=True)}
        rows.append([str(setting), *(_with_interval(found[one]) if one in found else "" for one in measures)])
        if setting == ORIGINAL:
            before = {measure: found[measure]["value"] for measure in measures if measure in found}
        elif before:
            both = found.keys() & before.keys()
            changes = (_percent(found[one]["value"], before[one]) if one in both else "" for one in measures)
            rows.append(["  diff", *changes])
    name, pairs = str(scores.item(0, "dataset")), scores.item(0, "n")
    stated = load_probe(name).paper if name.removesuffix(FORMULA) in probe_names() else ""
    heading = f"{title} · {pairs:,} pairs" + (f" (the paper: {stated})" if stated else "")
    return Table(heading, ["setting", *measures], rows, range(1, len(measures) + 1))


def _with_interval(row: dict[str, Any]) -> str:
    text = f"{row['value']:.3f}"
    return text if row["low"] is None else f"{text} [{row['low']:.2f}, {row['high']:.2f}]"


def _percent(value: float, before: float) -> str:
    return f"{(value - before) / before:+.1%}" if before else ""


def _slices(title: str, scores: pl.DataFrame) -> Table:
    measures = scores.get_column("measure").unique(maintain_order=True).to_list()
    rows = []
    for (dataset, setting), some in scores.group_by(["dataset", "setting"], maintain_order=True):
        found = dict(zip(some.get_column("measure"), some.get_column("value"), strict=True))
        name = str(dataset).partition("/")[2]
        cells = (f"{found[measure]:.3f}" if measure in found else "" for measure in measures)
        rows.append([name, str(setting), *cells, f"{some.item(0, 'n'):,}"])
    return Table(title, ["slice", "setting", *measures, "pairs"], rows, range(2, len(measures) + 3))


def _largest(title: str, items: pl.DataFrame) -> Iterator[Table]:
    far = items.filter(pl.col("group").str.starts_with("largest "), pl.col("setting") == ORIGINAL)
    rows = [
        [row["item"], *(f"{row[column]:.2f}" for column in ("entailment", "value", "contradiction"))]
        for _, some in far.group_by(["group"], maintain_order=True)
        for row in some.head(SHOWN).iter_rows(named=True)
    ]
    if rows:
        header = ["premise ⇒ hypothesis", "ent.", "neutral", "cont."]
        yield Table(f"{title} · farthest from neutral", header, rows, range(1, 4))
