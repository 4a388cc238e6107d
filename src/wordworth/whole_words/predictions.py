"""What a model predicted, a row per word: the table that prediction fills and measures read, and where it is kept.

It grows with the text, so its types are small: a word is held once, however often it occurs. On disk there is an entry
per chunk of text, keyed by all that it depends on, so that an interrupted run goes on.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.engine.cache import CacheSlot, key_of, slot

LAYOUT = 5
TABLE = "predictions.parquet"
PREDICTIONS = {
    "document": pl.Int32,
    "line": pl.Int32,
    "at": pl.Int32,
    "glued": pl.Boolean,
    "word": pl.Categorical,
    "guess": pl.Categorical,
    "hit1": pl.Boolean,
    "hitk": pl.Boolean,
    "logp": pl.Float64,
    "logp_naive": pl.Float64,
    "units": pl.Int32,
    "left_out": pl.Categorical,
    "form": pl.Categorical,
}
"""`line` (0, 1, … in the text) and `at` (0, 1, … in the line) say where the word stands; `glued`, that no space is
before it, as before a comma. `guess` is what greedy
decoding gives. `hit1`: the guess is the word; `hitk`: a path of units, each among the k best, spells it. `logp` is the
natural logarithm of the word's probability, its end included; `logp_naive` that of the plain product over its units.
`units` are the tokenizer's own for the word. Where `left_out` gives a reason, the word was not predicted and
the rest is null. `form` is the word as the model reads it (lower case, say); guesses are in that form too, and a blank
guess says that the model would end the text or the line."""


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
