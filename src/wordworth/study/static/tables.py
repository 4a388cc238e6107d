"""Contextual to static on the screen: the best layer by sentences and by pooling, bias, agreement."""

from collections.abc import Iterator

import polars as pl

from wordworth.run.flags import legend
from wordworth.study.declaration import Table
from wordworth.study.tables import cell, marked, pivot


def static_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """The best layers, bias a quarter of the way up, and the agreement of the estimators."""
    best = scores.filter(
        (pl.col("measure") == "similarity:best")
        | ((pl.col("experiment") == "quality") & (pl.col("measure") == "similarity") & pl.col("layer").is_null())
    )
    if len(best):
        mean = best.filter(pl.col("pooling").is_null() | pl.col("pooling").is_in(["mean", "mean/mean"]))
        yield _best_layers(mean, "setting", "similarity by sentences, mean/mean: best layer in brackets")
        pooled = best.filter(pl.col("setting").is_in(["aggregated", "decontextualized"]))
        yield _best_layers(pooled, "pooling", "similarity by pooling (subwords/contexts): best layer in brackets")
    biased = scores.filter(pl.col("experiment") == "bias")
    top, count = pl.col("layer").max().over("model"), pl.col("layer").n_unique().over("model")
    every = biased.drop_nulls("layer").select((count == top + 1).all()).item()
    where = "a quarter of the way up" if every else "the highest layer measured"
    chosen = biased.filter(pl.col("layer").is_null() | (pl.col("layer") == (top // 4 if every else top)))
    for name in ("professions", "adjectives"):
        some = chosen.filter(pl.col("dataset").str.ends_with(name))
        if len(some):
            attribute = pl.col("dataset").str.replace(f"/{name}", "")
            labelled = some.with_columns(definition=pl.concat_str(attribute, pl.lit(" "), pl.col("measure")))
            yield pivot(labelled, "definition", "model", f"bias of {name}, {where}")
    agreed = scores.filter(pl.col("measure") == "agreement").with_columns(pl.col("model").fill_null("all models"))
    if len(agreed):
        rows = [[row["model"], row["dataset"], cell(row)] for row in agreed.iter_rows(named=True)]
        title = "agreement of the estimators: mean rank correlation over layers, [95% over resampled lists]"
        flagged = agreed.select("dataset", "flags").iter_rows()
        yield Table(title, ["model", "bias", "ρ"], rows, [2], legend(flagged))


def _best_layers(scores: pl.DataFrame, by: str, title: str) -> Table:
    datasets = scores.get_column("dataset").unique(maintain_order=True).to_list()
    rows = []
    for (model, key), group in scores.group_by(["model", by], maintain_order=True):
        cells = {
            row["dataset"]: marked(row) + (f" ({row['layer']})" if row["layer"] is not None else "")
            for row in group.iter_rows(named=True)
        }
        rows.append([str(model), str(key or ""), *(cells.get(dataset, "") for dataset in datasets)])
    note = legend(scores.select("dataset", "flags").iter_rows())
    return Table(title, ["model", by, *datasets], rows, range(2, len(datasets) + 2), note)
