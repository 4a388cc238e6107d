"""Whole words predicted: accuracy, diversity and surprise, overall and by frequency, and what is said instead.

The predicted words of a text lie on disk and are gone through part by part, so measures hold none of them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.files import cache_dir, scratch
from wordworth.measure.diversity import Part, type_coverages
from wordworth.measure.prediction import NOT_FOUND, nats, perplexity
from wordworth.results import Findings
from wordworth.statistics.bootstrap import Estimate, Summing, ratio
from wordworth.task.settings import Intervals
from wordworth.task.valence import drawn
from wordworth.whole_words.error_tables import (
    count_band_confusions,
    count_confused_pairs,
    count_wrong_guesses,
    list_never_predicted,
)
from wordworth.whole_words.frequency import BELOW, UNSEEN, Bands

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
    tops = [ratio(sums.sums(name), **drawn) for name in named]
    return tops, type_coverages(parts(), **drawn)


def record(
    findings: Findings, where: dict[str, Any], measure: str, found: Estimate, setting: str | None = None
) -> None:
    """One score with its interval; blank where one line leaves nothing to resample."""
    low, high = (None if np.isnan(end) else end for end in (found.low, found.high))
    findings.score(**where, setting=setting, measure=measure, value=found.value, low=low, high=high, n=found.n)


def prediction(
    predictions: pl.LazyFrame, words: PredictedWords, where: dict[str, Any], k: int, bands: Bands, settings: Intervals
) -> Findings:
    """Accuracy, diversity and surprise over the text and by band of frequency; an item a word of the text.

    `predictions` are all words, `words` those that were predicted. Both lie on disk: what is held grows with the types
    and with the clusters, and not with the words.
    """
    findings = Findings()
    overall = where | {"experiment": "prediction"}
    _items(findings, overall, predictions, k)
    _hits(findings, overall, words, k, settings)
    _record_authors_diversity(findings, overall, words, k, bands)
    _surprise(findings, overall, words, k, settings)
    for number, band in enumerate(bands.names):
        _hits(findings, where | {"experiment": "coverage"}, words, k, settings, (number, band))
    return findings


def _items(findings: Findings, where: dict[str, Any], predictions: pl.LazyFrame, k: int) -> None:
    """A row a word of the text: the guess, the surprisal in bits, at which k it was right, and where it stands."""
    rank = pl.when(pl.col("hit1")).then(1).when(pl.col("hitk")).then(k)
    table = predictions.select(
        item=pl.col("word"),
        found_as=pl.col("guess"),
        group=pl.col("band"),
        subwords=pl.col("units"),
        value=-pl.col("logp") / np.log(2),
        rank=rank,
        place=pl.format("{}:{}", "line", "at"),
        left_out=pl.col("left_out"),
    )
    findings.scanned_items(table, **where)


def _hits(
    findings: Findings,
    where: dict[str, Any],
    words: PredictedWords,
    k: int,
    settings: Intervals,
    band: tuple[int, str] | None = None,
) -> None:
    """top-1, top-k, T1 and Tk; of a band, where it has words."""
    number, setting = band or (None, None)

    def hits(_: int, table: pl.DataFrame) -> list[NDArray[np.bool_]]:
        return [table[name].to_numpy() for name in ("hit1", "hitk")]

    tops, types = shares(words, ("hit1", "hitk"), hits, drawn(settings), number)
    for letters, found in (("top-", tops), ("T", types)):
        for name, one in zip(("1", str(k)), found, strict=False):
            record(findings, where, f"{letters}{name}", one, setting)


def _surprise(findings: Findings, where: dict[str, Any], words: PredictedWords, k: int, settings: Intervals) -> None:
    """Record perplexity, the authors' ppx, and bits per word, character and byte."""
    sums = Summing(words.clusters, ("nats", "naive", "ppx", "bits", "characters", "bytes"))
    before = 0
    for table in words.parts("cluster", "hit1", "hitk", "logp", "logp_naive", "characters", "bytes"):
        columns = {name: table[name].to_numpy() for name in table.columns}
        found, naive = (nats(columns[name], before) for name in ("logp", "logp_naive"))
        sizes = {name: columns[name] for name in ("characters", "bytes")}
        ppx = np.where(columns["hit1"] | columns["hitk"], naive, NOT_FOUND)
        sums.add(columns["cluster"], nats=found, naive=naive, ppx=ppx, bits=found / np.log(2), **sizes)
        before += len(table)
    chosen = drawn(settings)
    record(findings, where, "perplexity", perplexity(sums.sums("nats"), **chosen))
    record(findings, where, "perplexity:naive", perplexity(sums.sums("naive"), **chosen))
    record(findings, where, f"ppx@{k}", ratio(sums.sums("ppx"), **chosen))
    for unit, size in (("word", None), ("character", "characters"), ("byte", "bytes")):
        record(findings, where, f"bits-per-{unit}", ratio(sums.sums("bits", size), **chosen))


def _record_authors_diversity(
    findings: Findings, where: dict[str, Any], words: PredictedWords, k: int, bands: Bands
) -> None:
    """Record T as the authors' script divides: by the types of its bins high, mid1 and mid2, which are our bands.

    Types of its fourth bin, `low` (seen in training, but below the bands), count above the line and not below it.
    """
    below, unseen = bands.names.index(BELOW), bands.names.index(UNSEEN)
    types = words.types(pl.col("band") < below)
    if not types:
        return
    for measure, hit in {"T1:code": "hit1", f"T{k}:code": "hitk"}.items():
        seen = words.types(pl.col(hit) & (pl.col("band") != unseen))
        findings.score(**where, measure=measure, value=seen / types, n=types)


MOST = 50
"""Guesses and pairs listed."""


def error_view(where: dict[str, Any], predicted: pl.LazyFrame) -> Findings:
    """`confusion`: of a band's misses, the share answered by a word of another band (setting `low>high`).

    Items: `instead` (a guess, and for how many misses it was given), `confused` (word → guess), and `never-predicted`
    (types that were not among the k best anywhere, and how often they were met).
    """
    findings = Findings()
    here = where | {"experiment": "confusion"}
    by_name = pl.col("band", "guess_band").cast(pl.String)  # else they are sorted from frequent to rare
    for row in count_band_confusions(predicted).with_columns(by_name).sort("band", "guess_band").iter_rows(named=True):
        setting = f"{row['band']}>{row['guess_band']}"
        findings.score(**here, setting=setting, measure="share", value=row["share"], n=row["misses"])
    instead = count_wrong_guesses(predicted, MOST)
    if len(instead):
        value = instead["misses"].cast(pl.Float64)
        here = where | {"experiment": "instead"}
        findings.item(**here, item=instead["guess"], group=instead["band"], value=value, reference=instead["share"])
        pairs = count_confused_pairs(predicted, MOST)
        value = pairs["misses"].cast(pl.Float64)
        findings.item(**where, experiment="confused", item=pairs["word"], found_as=pairs["guess"], value=value)
    never = list_never_predicted(predicted)
    types = predicted.select("word").unique().select(pl.len()).collect(engine="streaming").item()
    findings.score(**where, experiment="never-predicted", measure="types", value=len(never) / types, n=types)
    if len(never):
        value = never["occurrences"].cast(pl.Float64)
        findings.item(**where, experiment="never-predicted", item=never["word"], group=never["band"], value=value)
    return findings
