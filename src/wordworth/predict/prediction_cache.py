"""Predictions on disk, an entry a chunk of text, keyed by all that they depend on: an interrupted run goes on."""

from pathlib import Path
from typing import Any

import polars as pl

from wordworth.engine.cache import CacheSlot, key_of, slot
from wordworth.predict.predictions import PREDICTIONS

LAYOUT = 3
TABLE = "predictions.parquet"


def slot_of(folder: Path | None, key: list[Any]) -> CacheSlot:
    """The place of what is predicted for this key. Without a folder, it is under the cache."""
    identity = [LAYOUT, *key]
    return CacheSlot("predictions", folder / key_of(identity)) if folder else slot("predictions", identity)


def write(entry: CacheSlot, table: pl.DataFrame) -> None:
    """Keeps a table, unless another process has meanwhile."""
    entry.get(lambda into: table.write_parquet(into / TABLE))


def read(entry: CacheSlot) -> pl.DataFrame:
    """What was written."""
    table = pl.read_parquet(entry.path / TABLE)
    return table.select(pl.col(name).cast(kind) for name, kind in PREDICTIONS.items())
