"""Accuracy, diversity and surprise of the predicted words, and their coverage by band of frequency."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.measure.perplexity import nats, perplexity_of
from wordworth.predict.frequency import Bands
from wordworth.run import Findings
from wordworth.statistics.clustered import Estimate, Summing, ratio_of
from wordworth.task.predicted_words import PredictedWords, shares
from wordworth.task.settings import Intervals
from wordworth.task.valence import drawn

LOW = "low"


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
    _items(findings, where | {"experiment": "prediction"}, predictions, k)
    _scores(findings, where, words, k, bands, settings)
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


def _scores(
    findings: Findings, where: dict[str, Any], words: PredictedWords, k: int, bands: Bands, settings: Intervals
) -> None:
    """The measures over the whole text, and by band."""
    overall = where | {"experiment": "prediction"}
    _hits(findings, overall, words, k, settings)
    if LOW in bands.names:
        _as_the_authors_divide(findings, overall, words, bands.names.index(LOW))
    _surprise(findings, overall, words, settings)
    for number, band in enumerate(bands.names):
        _hits(findings, where | {"experiment": "coverage"}, words, k, settings, (number, band))


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


def _surprise(findings: Findings, where: dict[str, Any], words: PredictedWords, settings: Intervals) -> None:
    """Perplexity, and bits per word, character and byte."""
    sums = Summing(words.clusters, ("nats", "naive", "bits", "characters", "bytes"))
    before = 0
    for table in words.parts("cluster", "logp", "logp_naive", "characters", "bytes"):
        columns = {name: table[name].to_numpy() for name in table.columns}
        found, naive = (nats(columns[name], before) for name in ("logp", "logp_naive"))
        sizes = {name: columns[name] for name in ("characters", "bytes")}
        sums.add(columns["cluster"], nats=found, naive=naive, bits=found / np.log(2), **sizes)
        before += len(table)
    chosen = drawn(settings)
    record(findings, where, "perplexity", perplexity_of(sums.sums("nats"), **chosen))
    record(findings, where, "perplexity:naive", perplexity_of(sums.sums("naive"), **chosen))
    for unit, size in (("word", None), ("character", "characters"), ("byte", "bytes")):
        record(findings, where, f"bits-per-{unit}", ratio_of(sums.sums("bits", size), **chosen))


def _as_the_authors_divide(findings: Findings, where: dict[str, Any], words: PredictedWords, low: int) -> None:
    """T1:code: types predicted right at least once / types outside the low band, as the authors' script has it."""
    outside = words.types(pl.col("band") != low)
    if outside:
        findings.score(**where, measure="T1:code", value=words.types(pl.col("hit1")) / outside, n=outside)
