"""Scores as a training's log has them: a short name and a number."""

import re

import polars as pl

PREFIX = "wordworth"
LOGGED = {
    "contextualization": ("valence",),
    "bias": ("weat",),
    "prediction": ("top-1", "bits-per-word"),
    "coverage": ("top-1",),
    "quality": ("similarity",),
    "isotropy": ("anisotropy",),
}
"""Experiment → the measures of it that are logged; all others are in the run's folder."""
_UNUSUAL = re.compile(r"[^\w./ -]")
"""What some of the services that take logs do not admit in a name."""


def logged(scores: pl.DataFrame) -> dict[str, float]:
    """`wordworth/MEASURE/DATASET/SETTING/layer-N` → value, with nothing nullified."""
    logs: dict[str, float] = {}
    for row in scores.filter(pl.col("pcs").is_null(), pl.col("value").is_not_null()).iter_rows(named=True):
        if row["measure"] in LOGGED.get(row["experiment"], ()):
            layer = None if row["layer"] is None else f"layer-{row['layer']}"
            parts = [PREFIX, row["measure"], row["dataset"], row["setting"], layer]
            logs[_UNUSUAL.sub("_", "/".join(filter(None, parts)))] = row["value"]
    return logs
