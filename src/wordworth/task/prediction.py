"""Accuracy, diversity and surprise of the predicted words, and their coverage by band of frequency."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.measure import accuracy, bits_per, perplexity, type_coverage
from wordworth.predict.frequency import Bands
from wordworth.run import Findings
from wordworth.statistics import Estimate
from wordworth.task.settings import Intervals
from wordworth.task.valence import drawn

LOW = "low"
TYPE = pl.col("word").to_physical().alias("type")
BAND = pl.col("band").to_physical().alias("band")


def record(
    findings: Findings, where: dict[str, Any], measure: str, found: Estimate, setting: str | None = None
) -> None:
    """One score with its interval; blank where one line leaves nothing to resample."""
    low, high = (None if np.isnan(end) else end for end in (found.low, found.high))
    findings.score(**where, setting=setting, measure=measure, value=found.value, low=low, high=high, n=found.n)


def prediction(
    predictions: pl.LazyFrame, predicted: pl.LazyFrame, where: dict[str, Any], k: int, bands: Bands, settings: Intervals
) -> Findings:
    """Accuracy, diversity and surprise over the text and by band of frequency; an item a word of the text.

    `predictions` are all words, `predicted` those that were predicted. Both lie on disk: of a word, no more is held at
    one time than a measure needs.
    """
    findings = Findings()
    _items(findings, where | {"experiment": "prediction"}, predictions, k)
    _scores(findings, where, predicted, k, bands, settings)
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


def held(predicted: pl.LazyFrame, *columns: str | pl.Expr, **named: pl.Expr) -> dict[str, NDArray[Any]]:
    """Columns as arrays, in the order of the text."""
    table = predicted.select(*columns, **named).collect(engine="streaming")
    return {column.name: column.to_numpy() for column in table}


def _scores(
    findings: Findings, where: dict[str, Any], predicted: pl.LazyFrame, k: int, bands: Bands, settings: Intervals
) -> None:
    """The measures over the whole text, and by band."""
    overall = where | {"experiment": "prediction"}
    columns = held(predicted, "cluster", "hit1", "hitk", TYPE, BAND)
    _hits(findings, overall, columns, k, settings)
    if LOW in bands.names:
        _as_the_authors_divide(findings, overall, columns, bands.names.index(LOW))
    _surprise(findings, overall, predicted, settings)
    for number, band in enumerate(bands.names):
        some = columns["band"] == number
        if some.any():
            of_band = {name: column[some] for name, column in columns.items()}
            _hits(findings, where | {"experiment": "coverage"}, of_band, k, settings, band)


def _hits(
    findings: Findings,
    where: dict[str, Any],
    columns: Mapping[str, NDArray[Any]],
    k: int,
    settings: Intervals,
    band: str | None = None,
) -> None:
    """top-1, top-k, T1 and Tk."""
    chosen, clusters = drawn(settings), columns["cluster"]
    hits = {"1": columns["hit1"], str(k): columns["hitk"]}
    for name, hit in hits.items():
        record(findings, where, f"top-{name}", accuracy(hit, clusters, **chosen), band)
    for name, hit in hits.items():
        record(findings, where, f"T{name}", type_coverage(hit, columns["type"], clusters, **chosen), band)


def _surprise(findings: Findings, where: dict[str, Any], predicted: pl.LazyFrame, settings: Intervals) -> None:
    """Perplexity, and bits per word, character and byte."""
    chosen = drawn(settings)
    naive = held(predicted, "cluster", "logp_naive")
    of_naive = perplexity(naive["logp_naive"], naive["cluster"], **chosen)
    del naive
    columns = held(predicted, "cluster", "logp")
    logp, clusters = columns["logp"], columns["cluster"]
    record(findings, where, "perplexity", perplexity(logp, clusters, **chosen))
    record(findings, where, "perplexity:naive", of_naive)
    word = pl.col("word").cast(pl.String)
    # The space that ends the word is counted, since its probability is in that of the word.
    lengths = {"character": word.str.len_chars(), "byte": word.str.len_bytes()}
    record(findings, where, "bits-per-word", bits_per(logp, np.ones(len(logp), dtype=np.int32), clusters, **chosen))
    for unit, length in lengths.items():
        size = held(predicted, length=length.cast(pl.Int32))["length"] + 1
        record(findings, where, f"bits-per-{unit}", bits_per(logp, size, clusters, **chosen))


def _as_the_authors_divide(
    findings: Findings, where: dict[str, Any], columns: Mapping[str, NDArray[Any]], low: int
) -> None:
    """T1:code: types predicted right at least once / types outside the low band, as the authors' script has it."""
    outside = len(np.unique(columns["type"][columns["band"] != low]))
    if outside:
        right = len(np.unique(columns["type"][columns["hit1"]]))
        findings.score(**where, measure="T1:code", value=right / outside, n=outside)
