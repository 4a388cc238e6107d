"""The tables of the study `predict`, as its paper sets them: plain cells, for the terminal and for pages."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from wordworth.study.declaration import Table

ORDER = ("high", "mid", "low", "below", "unseen", "end")
SHOWN = 12
"""Guesses and types listed."""


def predict_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """Table 1, Figures 1 to 3 as numbers, Table 2, and the errors; what was not run is not shown."""
    yield from _overall(scores.filter(pl.col("experiment") == "prediction"))
    yield from _coverage(scores.filter(pl.col("experiment") == "coverage"))
    yield from _soft(scores.filter(pl.col("experiment") == "soft-match"))
    yield from _paraphrase(scores.filter(pl.col("experiment") == "paraphrase"))
    yield from _confusion(scores.filter(pl.col("experiment") == "confusion"))
    yield from _instead(items)


def percent(row: dict[str, Any] | None) -> str:
    """A share and its interval in per cent."""
    if row is None:
        return ""
    text = f"{100 * row['value']:.1f}"
    return text if row["low"] is None else f"{text} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


def _plain(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    text = f"{row['value']:.2f}"
    return text if row["low"] is None else f"{text} [{row['low']:.2f}, {row['high']:.2f}]"


def _place(band: str) -> tuple[int, float]:
    """From frequent to rare; bands that are named by their ends, by the lower one."""
    if band in ORDER:
        return ORDER.index(band), 0.0
    return -1, -float(band[1:].partition(",")[0])


def _by_measure(scores: pl.DataFrame) -> dict[str, dict[str, Any]]:
    return {row["measure"]: row for row in scores.iter_rows(named=True)}


def _overall(scores: pl.DataFrame) -> Iterator[Table]:
    for (dataset,), some in scores.group_by(["dataset"], maintain_order=True):
        ours = ~pl.col("measure").str.contains(r":code$|^ppx@")  # not the authors' own, for published numbers only
        measures = some.filter(ours)["measure"].unique(maintain_order=True).to_list()
        rows = []
        for (model,), mine in some.group_by(["model"], maintain_order=True):
            found = _by_measure(mine)
            cells = [(percent if name[:1] in "tT" else _plain)(found.get(name)) for name in measures]
            rows.append([str(model), *cells, f"{found['top-1']['n']:,}"])
        # More than a line holds: shares and surprise apart.
        shares = [at for at, name in enumerate(measures) if name[:1] in "tT"]
        others = [at for at, name in enumerate(measures) if name[:1] not in "tT"]
        for title, chosen in (("% of words and of types predicted", shares), ("surprise", others)):
            header = ["model", *(measures[at] for at in chosen), "words"]
            shown = [[row[0], *(row[1 + at] for at in chosen), row[-1]] for row in rows]
            yield Table(f"{dataset} · {title}", header, shown, list(range(1, len(header))))


def _coverage(scores: pl.DataFrame) -> Iterator[Table]:
    for (dataset,), some in scores.group_by(["dataset"], maintain_order=True):
        rows, measures = [], some["measure"].unique(maintain_order=True).to_list()
        for (model, band), mine in some.group_by(["model", "setting"], maintain_order=True):
            found = _by_measure(mine)
            tokens, types = (next(row["n"] for name, row in found.items() if name[0] == first) for first in "tT")
            cells = [percent(found.get(name)) for name in measures]
            rows.append([str(model), str(band), *cells, f"{tokens:,}", f"{types:,}"])
        header = ["model", "band", *measures, "words", "types"]
        yield Table(f"{dataset} · % covered, by training frequency", header, rows, list(range(2, len(header))))


def _soft(scores: pl.DataFrame) -> Iterator[Table]:
    accurate = scores.filter(~pl.col("measure").str.starts_with("T1:"))
    if not len(accurate):
        return
    measures = accurate["measure"].unique(maintain_order=True).to_list()
    rows = []
    for (model, setting), mine in accurate.group_by(["model", "setting"], maintain_order=True):
        found = _by_measure(mine)
        cells = [f"{100 * found[name]['value']:.1f}" if name in found else "" for name in measures]
        rows.append([str(model), str(setting), *cells])
    header = ["model", "by", *(name.removeprefix("soft-match") or "similar" for name in measures)]
    yield Table("% of words predicted, near misses counted (soft match)", header, rows, list(range(2, len(header))))


def _paraphrase(scores: pl.DataFrame) -> Iterator[Table]:
    if not len(scores):
        return
    rows = []
    for row in scores.iter_rows(named=True):
        text = f"{row['value']:.0f} of {row['n']}" if row["measure"] == "hits" else f"{row['value']:.2f}"
        p = "" if row["p"] is None else f"{row['p']:.2g}"
        rows.append([row["model"], row["dataset"], str(row["layer"]), row["measure"], text, p])
    header = ["model", "set", "layer", "measure", "value", "p"]
    yield Table("paraphrases recognised, of rare and of common words", header, rows, [2, 4, 5])


def _confusion(scores: pl.DataFrame) -> Iterator[Table]:
    for (model, dataset), mine in scores.group_by(["model", "dataset"], maintain_order=True):
        cells = {tuple(row["setting"].split(">")): row for row in mine.iter_rows(named=True)}
        down, across = (sorted({pair[side] for pair in cells}, key=_place) for side in (0, 1))
        rows = [[one, *(percent(cells.get((one, other))) for other in across)] for one in down]
        title = f"{model} · {dataset} · % of a band's misses, by the band of the guess"
        yield Table(title, ["band missed", *across], rows, list(range(1, len(across) + 1)))


def _instead(items: pl.DataFrame) -> Iterator[Table]:
    for (model,), mine in items.filter(pl.col("experiment") == "instead").group_by(["model"], maintain_order=True):
        rows = [
            [row["item"] or "(ends the line)", row["group"], f"{row['value']:,.0f}", f"{100 * row['reference']:.1f}"]
            for row in mine.head(SHOWN).iter_rows(named=True)
        ]
        yield Table(f"{model} · said instead", ["guess", "band", "misses", "% of misses"], rows, [2, 3])
    never = items.filter(pl.col("experiment") == "never-predicted")
    for (model,), mine in never.group_by(["model"], maintain_order=True):
        rows = [
            [str(band), f"{len(some):,}", ", ".join(some["item"].head(SHOWN))]
            for (band,), some in sorted(mine.group_by(["group"]), key=lambda group: _place(str(group[0][0])))
        ]
        yield Table(f"{model} · never among the best", ["band", "types", "most frequent in the text"], rows, [1])
