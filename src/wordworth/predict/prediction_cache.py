"""Predictions on disk, an entry a chunk of text, keyed by all that they depend on: an interrupted run goes on."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.engine.cache import CacheSlot, key_of, slot
from wordworth.predict.predictions import PREDICTIONS

LAYOUT = 5
TABLE = "predictions.parquet"


def slot_of(folder: Path | None, key: list[Any]) -> CacheSlot:
    """The place of what is predicted for this key. Without a folder, it is under the cache."""
    identity = [LAYOUT, *key]
    return CacheSlot("predictions", folder / key_of(identity)) if folder else slot("predictions", identity)


def write(table: pl.DataFrame, folder: Path) -> None:
    """Writes the table of a chunk into its entry."""
    table.write_parquet(folder / TABLE)


def scan(entries: Sequence[CacheSlot]) -> pl.LazyFrame:
    """What was written, one entry behind the other; read when it is asked for, and no more than is needed."""
    if not entries:
        return pl.LazyFrame(schema=PREDICTIONS)
    tables = pl.scan_parquet([entry.path / TABLE for entry in entries], glob=False, hive_partitioning=False)
    return tables.select(pl.col(name).cast(kind) for name, kind in PREDICTIONS.items())
