"""Predictions on disk, an entry a chunk of text, keyed by all that they depend on: an interrupted run goes on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.engine.cache import CacheSlot, key_of, slot
from wordworth.predict.predictions import PREDICTIONS

LAYOUT = 2
TABLE = "predictions.parquet"


def kept(folder: Path | None, key: list[Any], make: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """What `make` gave for this key before, else what it gives now. Without a folder, it is under the cache."""
    identity = [LAYOUT, *key]
    entry = CacheSlot("predictions", folder / key_of(identity)) if folder else slot("predictions", identity)
    table = pl.read_parquet(entry.get(lambda into: make().write_parquet(into / TABLE)) / TABLE)
    return table.select(pl.col(name).cast(kind) for name, kind in PREDICTIONS.items())
