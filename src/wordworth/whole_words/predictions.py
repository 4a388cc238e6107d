"""What a model predicted, a row per word: the table that prediction fills and measures read, and where it is kept.

It grows with the text, so its types are small: a word is held once, however often it occurs. On disk there is an entry
per chunk of text, keyed by all that it depends on, so that an interrupted run goes on.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from wordworth.engine.cache import CacheSlot, key_of, slot
from wordworth.whole_words.search import Search
from wordworth.whole_words.segmentations import PreparedChunk
from wordworth.whole_words.words import Places

LAYOUT = 6
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
"""`line` (0, 1, … in the text) and `at` (0, 1, … in the line) say where the word is; `glued`, that no space is before
it, as before a comma. `guess` is what greedy decoding gives. `hit1`: the guess is the word; `hitk`: a path of units,
each among the k best, spells it. `logp` is the natural logarithm of the word's probability, its end included;
`logp_naive` that of the plain product over its units. `units` are the tokenizer's own for the word. Where `left_out`
gives a reason, the word was not predicted and the rest is null. `form` is the word as the model reads it (lower case,
say); guesses are in that form too, and a blank guess says that the model would end the text or the line."""


def table_of(chunk: PreparedChunk, searches: Sequence[Search]) -> pl.DataFrame:
    """Return the words that were predicted, and those that were skipped."""
    predicted, skipped = chunk.chunk.places[:0], chunk.chunk.skipped
    columns: dict[str, Any] = {}
    if searches:
        predicted = chunk.chunk.places[np.concatenate([one.places for one in searches])]
        entries = predicted["entry"]
        columns = {
            "guess": _guesses(chunk, searches, entries),
            "hit1": np.concatenate([one.hit1 for one in searches]),
            "hitk": np.concatenate([one.hitk for one in searches]),
            "logp": np.concatenate([one.logp for one in searches]),
            "logp_naive": np.concatenate([one.naive for one in searches]),
            "units": chunk.counts[entries],
            "form": pl.Series(chunk.forms, dtype=pl.Categorical).gather(entries),
        }
    reasons = [target if isinstance(target, str) else None for target in chunk.chunk.targets]
    left_out = pl.Series(reasons, dtype=pl.Categorical).gather(skipped["entry"])
    tables = _table(chunk, predicted, columns), _table(chunk, skipped, {"left_out": left_out})
    return pl.concat(tables).sort("line", "at")


def _table(chunk: PreparedChunk, places: Places, columns: dict[str, Any]) -> pl.DataFrame:
    """Return a table of some words with these columns; the others are null."""
    where = {name: places[name].copy() for name in ("document", "line", "at", "glued")}
    words = pl.Series(chunk.chunk.words, dtype=pl.Categorical).gather(places["entry"])
    table = pl.DataFrame({**where, "word": words, **columns})
    return table.select(
        (pl.col(name) if name in table.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in PREDICTIONS.items()
    )


def _guesses(chunk: PreparedChunk, searches: Sequence[Search], entries: Places) -> pl.Series:
    """Return the guesses: the words' own forms, what was said instead, or none."""
    others = [guess for one in searches for guess in one.decode_guesses()]
    guesses = pl.Series([*chunk.forms, *others, None], dtype=pl.Categorical)
    which = np.where(np.concatenate([one.own_hits for one in searches]), entries, len(guesses) - 1)
    before = np.cumsum([0, *(len(one.places) for one in searches)]).tolist()
    at = [first + word for one, first in zip(searches, before, strict=False) for word in one.guesses]
    which[at] = len(chunk.forms) + np.arange(len(others))
    return guesses.gather(which)


def slot_of(folder: Path | None, key: list[Any]) -> CacheSlot:
    """Return the place of what is predicted for this key. Without a folder, it is under the cache."""
    identity = [LAYOUT, *key]
    return CacheSlot("predictions", folder / key_of(identity)) if folder else slot("predictions", identity)


def write(table: pl.DataFrame, folder: Path) -> None:
    """Write the table of a chunk into its entry."""
    table.write_parquet(folder / TABLE)


def scan(entries: Sequence[CacheSlot]) -> pl.LazyFrame:
    """Return what was written, one entry behind the other; it is read when it is asked for, as far as needed."""
    if not entries:
        return pl.LazyFrame(schema=PREDICTIONS)
    tables = pl.scan_parquet([entry.path / TABLE for entry in entries], glob=False, hive_partitioning=False)
    return tables.select(pl.col(name).cast(kind) for name, kind in PREDICTIONS.items())
