"""Accuracy, diversity and surprise of the predicted words, and their coverage by band of frequency."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.measure.prediction import NOT_FOUND, nats, perplexity
from wordworth.predict.frequency import BELOW, UNSEEN, Bands
from wordworth.run import Findings
from wordworth.statistics.bootstrap import Estimate, Summing, ratio
from wordworth.task.predicted_words import PredictedWords, shares
from wordworth.task.settings import Intervals
from wordworth.task.valence import drawn


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
    _record_authors_diversity(findings, overall, words, k, bands)
    _surprise(findings, overall, words, k, settings)
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
