"""The predicted words of a text on disk, gone through part by part: so measures hold none of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.files import cache_dir, scratch
from wordworth.measure.diversity import Part, type_coverages
from wordworth.statistics.bootstrap import Estimate, Summing, ratio

PART = 1 << 18
"""Words at a time."""
_WORD = pl.col("word").cast(pl.String)
COLUMNS = {
    "type": pl.col("word").to_physical(),
    "cluster": pl.col("cluster"),
    "band": pl.col("band").to_physical(),
    "hit1": pl.col("hit1"),
    "hitk": pl.col("hitk"),
    "logp": pl.col("logp"),
    "logp_naive": pl.col("logp_naive"),
    # The space before the word is counted, since its probability is in that of the word.
    "characters": _WORD.str.len_chars().cast(pl.Int32) + (~pl.col("glued")).cast(pl.Int32),
    "bytes": _WORD.str.len_bytes().cast(pl.Int32) + (~pl.col("glued")).cast(pl.Int32),
    # The guess is in the form that the model reads, so that is what it is compared with.
    "target": pl.coalesce("form", "word"),
    "guess": pl.col("guess"),
}
"""What measures look at, found once."""

Hits = Callable[[int, pl.DataFrame], Sequence[NDArray[np.bool_]]]
"""Which words of a part (its number, and its table) were hit, in each of some ways."""


class PredictedWords:
    """Of words that were predicted, in the order of the text."""

    def __init__(self, path: Path) -> None:
        self._table = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        counted = self._table.select(pl.len(), pl.col("cluster").max().fill_null(-1).alias("last")).collect()
        self.count: int = counted["len"].item()
        self.clusters = int(counted["last"].item()) + 1
        """All numbers of clusters are below it."""
        self.folder = path.parent
        """For what is found beside it."""

    def parts(self, *columns: str) -> Iterator[pl.DataFrame]:
        """Some columns, `PART` words at a time."""
        for first in range(0, self.count, PART):
            yield self._table.select(columns).slice(first, PART).collect()

    def types(self, condition: pl.Expr) -> int:
        """How many types have a word that satisfies it."""
        distinct = self._table.filter(condition).select(pl.col("type").unique()).select(pl.len())
        return int(distinct.collect(engine="streaming").item())


@contextmanager
def predicted_words(predicted: pl.LazyFrame) -> Iterator[PredictedWords]:
    """`predicted` has the columns of `PREDICTIONS`, `band` and `cluster`."""
    with scratch(cache_dir() / "measured") as folder:
        path = folder / "words.parquet"
        predicted.select(**COLUMNS).sink_parquet(path, compression="lz4", row_group_size=PART)
        yield PredictedWords(path)


def shares(
    words: PredictedWords, columns: Sequence[str], hits: Hits, drawn: dict[str, Any], band: int | None = None
) -> tuple[list[Estimate], list[Estimate]]:
    """For each way of hitting, the share of words and that of types that were hit; of one band's words, or of all."""

    def parts() -> Iterator[Part]:
        for number, table in enumerate(words.parts("type", "cluster", "band", *columns)):
            types, clusters = (table[name].to_numpy() for name in ("type", "cluster"))
            every = hits(number, table)
            if band is None:
                yield Part(types, clusters, every)
            else:
                some = table["band"].to_numpy() == band
                yield Part(types[some], clusters[some], [hit[some] for hit in every])

    sums: Summing | None = None
    for part in parts():
        named = {str(way): hit for way, hit in enumerate(part.hits)}
        sums = sums or Summing(words.clusters, named)
        sums.add(part.clusters, **named)
    if sums is None or not sums.items:
        return [], []
    tops = [ratio(sums.sums(name), **drawn) for name in sums.names]
    return tops, type_coverages(parts, **drawn)
