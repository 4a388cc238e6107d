"""What a debiasing cost, as one table: a row a measure, a column a version."""

from collections.abc import Iterator

import polars as pl

from wordworth.run import ORIGINAL, RANDOM
from wordworth.run.numbers import format_number
from wordworth.study.declaration import Table
from wordworth.study.tables import stability_tables

SHOWN = {
    "valence": ("valence",),
    "similarity": ("similarity",),
    "weat": ("weat",),
    "bias": ("direct-bias", "garg-cosine", "manzini"),
    "prediction": ("top-1", "top-10", "perplexity"),
    "accuracy": ("accuracy",),
}
"""Experiments in the table, and of each the measures."""
NEUTRALITY = ("gender", "nationality", "religion")
"""Probes of inference: of these, every measure that the paper prints."""
NEUTRAL = ("net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7")

Row = tuple[str, dict[str, float], int | None]


def cost_rows(scores: pl.DataFrame) -> list[Row]:
    """(what, setting → value, items) of every measure that was taken before and after, in the order of the report."""
    rows: dict[str, Row] = {}
    for score in scores.iter_rows(named=True):
        setting, measure, experiment = score["setting"] or "", score["measure"], score["experiment"]
        wanted = NEUTRAL if experiment in NEUTRALITY else SHOWN.get(experiment, ())
        if not setting or setting.startswith(f"{RANDOM}:") or measure not in wanted:
            continue
        if experiment == "bias" and not score["dataset"].endswith("/professions"):
            continue
        name = " ".join(part for part in (score["dataset"], measure) if part and part != experiment)
        key = f"{experiment}: {name}" + ("" if score["layer"] is None else f", layer {score['layer']}")
        rows.setdefault(key, (key, {}, score["n"]))[1][setting] = score["value"]
    return [row for row in rows.values() if ORIGINAL in row[1]]


def versions(scores: pl.DataFrame) -> list[str]:
    """The settings that have a column: the original, the method, the mean of the random ones."""
    found = scores.get_column("setting").drop_nulls().unique(maintain_order=True).to_list()
    between = [name for name in found if name not in (ORIGINAL, RANDOM) and not name.startswith(f"{RANDOM}:")]
    return [ORIGINAL, *between, *([RANDOM] if RANDOM in found else [])]


def changed(what: str, value: float | None, before: float) -> str:
    """The change against the original: of neutrality in per cent, as the paper gives it, else in the measure's unit."""
    if value is None or not before:
        return ""
    share = what.partition(":")[0] in NEUTRALITY
    return f"{(value - before) / before:+.1%}" if share else f"{value - before:+.3f}"


def debias_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """Before, after, and without random directions; and how well-defined the subspaces are."""
    columns = versions(scores)
    header = ["measure", columns[0], *(name for column in columns[1:] for name in (column, "diff")), "n"]
    rows = []
    for what, values, count in cost_rows(scores):
        cells = [format_number(values[columns[0]], 3)]
        for column in columns[1:]:
            cells += [
                format_number(values.get(column), 3, missing=""),
                changed(what, values.get(column), values[columns[0]]),
            ]
        rows.append([what, *cells, f"{count:,}" if count else ""])
    if rows:
        yield Table("what it cost", header, rows, range(1, len(header)))
    yield from stability_tables(scores)
