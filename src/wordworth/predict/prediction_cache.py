"""Predictions on disk, a file a chunk of text, keyed by all that they depend on: an interrupted run goes on."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.errors import WordworthError
from wordworth.files import cache_dir, replacing
from wordworth.predict.predictions import PREDICTIONS

LAYOUT = 1


def kept(folder: Path | None, key: list[Any], make: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """What `make` gave for this key before, else what it gives now. Without a folder, it is under the cache."""
    named = hashlib.sha256(json.dumps([LAYOUT, *key], ensure_ascii=True).encode()).hexdigest()
    path = (folder or cache_dir() / "predictions") / f"{named}.parquet"
    if path.exists():
        try:
            table = pl.read_parquet(path)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise WordworthError(f"{path} is damaged; delete it, and its words are predicted again") from error
        if dict(table.schema) != PREDICTIONS:
            raise WordworthError(f"{path} does not hold predictions; delete it, and its words are predicted again")
        return table
    made = make()
    with replacing(path) as part:
        made.write_parquet(part)
    return made
