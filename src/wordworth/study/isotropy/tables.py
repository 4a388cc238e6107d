"""Isotropy on the screen: the mean cosine by layer and components nullified, and who holds the vectors' length."""

from collections.abc import Iterator

import polars as pl

from wordworth.study.declaration import Table
from wordworth.study.tables import pivot

LARGEST = ("neuron-share:1", "neuron-share:4", "neuron-share:16")


def isotropy_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """Two tables a model, lexicon and setting; a static embedding is one row."""
    keys = ["model", "dataset", "setting"]
    named = scores.with_columns(layer=pl.col("layer").cast(pl.String).fill_null("static"))
    for (model, dataset, setting), some in named.group_by(keys, maintain_order=True):
        title = " ".join(str(part) for part in (dataset, setting) if part)
        cosines = some.filter(pl.col("measure") == "anisotropy")
        yield pivot(cosines, "layer", "pcs", f"{model} · {title}: mean cosine, by components nullified")
        neurons = pl.col("measure").is_in(LARGEST) & pl.col("pcs").is_null()
        shares = some.filter(neurons | ((pl.col("measure") == "variance-share") & (pl.col("pcs") == 1)))
        largest = "length held by the largest neurons, variance along the first component"
        yield pivot(shares, "layer", "measure", f"{model} · {title}: {largest}")
