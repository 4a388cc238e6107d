"""VAST on the screen: valence by layer and setting, and by components nullified; the rest is in scores.csv."""

from collections.abc import Iterator

import polars as pl

from wordworth.study.declaration import Table
from wordworth.study.tables import pivot


def layer_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """For each model and language, the tables of the experiments that were run."""
    for (model, language), mine in scores.group_by(["model", "language"], maintain_order=True):
        name = " · ".join(str(part) for part in (model, language) if part and part != "english")
        yield from _by_layer(name, mine)
        isolated = mine.filter(pl.col("experiment") == "isolation", pl.col("measure") == "valence")
        for (dataset, layer), some in isolated.group_by(["dataset", "layer"], maintain_order=True):
            yield pivot(some, "pcs", "setting", f"{name} · valence {dataset}, layer {layer}, by components nullified")
        validated = mine.filter(pl.col("experiment") == "validation")
        for (layer,), some in validated.group_by(["layer"], maintain_order=True):
            yield pivot(some, "pcs", "dataset", f"{name} · similarity, layer {layer}, by components nullified")
        biased = mine.filter(pl.col("experiment") == "bias", pl.col("layer") == pl.col("layer").max())
        if len(biased):
            yield pivot(biased, "dataset", "pcs", f"{name} · weat d, top layer, by components nullified")
        tokens = mine.filter(pl.col("experiment") == "tokenization", pl.col("measure") == "valence")
        for (setting,), some in tokens.group_by(["setting"], maintain_order=True):
            labelled = some.with_columns(set=pl.concat_str(pl.col("dataset"), pl.lit(" "), pl.col("pooling")))
            yield pivot(labelled, "layer", "set", f"{name} · valence by tokenization and pooling, {setting}")
        probed = mine.filter(pl.col("experiment") == "probes")
        if len(probed):
            labelled = probed.with_columns(task=pl.concat_str(pl.col("measure"), pl.lit(" from "), pl.col("setting")))
            yield pivot(labelled, "task", "pcs", f"{name} · weighted F1 of probes, by components")


def _by_layer(name: str, scores: pl.DataFrame) -> Iterator[Table]:
    shown = scores.filter(
        pl.col("experiment").is_in(["contextualization", "languages"]),
        pl.col("pcs").is_null(),
        pl.col("measure") == "valence",
    )
    for (dataset,), some in shown.group_by(["dataset"], maintain_order=True):
        yield pivot(some, "layer", "setting", f"{name} · valence {dataset or ''} by layer")
    above = scores.filter(pl.col("experiment") == "control", pl.col("measure") == "valence:above")
    untrained = above.filter(pl.col("setting").str.starts_with("untrained:"))
    for (dataset,), some in untrained.group_by(["dataset"], maintain_order=True):
        yield pivot(some, "layer", "setting", f"{name} · valence {dataset} above the same network untrained, by layer")
