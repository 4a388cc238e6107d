"""Accuracy, diversity and surprise of the predicted words, and their coverage by band of frequency."""

from typing import Any

import numpy as np
import polars as pl

from wordworth.errors import WordworthError
from wordworth.measure import accuracy, bits_per, perplexity, type_coverage
from wordworth.predict.frequency import Bands
from wordworth.run import Findings
from wordworth.statistics import Estimate
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
    predictions: pl.DataFrame, predicted: pl.DataFrame, where: dict[str, Any], k: int, bands: Bands, settings: Intervals
) -> Findings:
    """Accuracy, diversity and surprise over the text and by band of frequency; an item a word of the text.

    `predictions` are all words, `predicted` those that were predicted.
    """
    findings = Findings()
    _items(findings, where | {"experiment": "prediction"}, predictions, k)
    _scores(findings, where, predicted, k, bands, settings)
    return findings


def _items(findings: Findings, where: dict[str, Any], predictions: pl.DataFrame, k: int) -> None:
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
    findings.item(**where, **{name: table[name] for name in table.columns})


def predicted_of(predictions: pl.DataFrame, name: str, text: str) -> pl.DataFrame:
    """Only the words that were predicted."""
    found = predictions.filter(pl.col("left_out").is_null())
    if not len(found):
        reasons = predictions["left_out"].value_counts(sort=True)
        why = "; ".join(f"{count} {reason}" for reason, count in reasons.head(3).iter_rows())
        raise WordworthError(f"{name} predicted no word of {text} ({why or 'the text is empty'}); give more text")
    return found


def _scores(
    findings: Findings, where: dict[str, Any], predicted: pl.DataFrame, k: int, bands: Bands, settings: Intervals
) -> None:
    """The measures over the whole text, and by band."""
    chosen = drawn(settings)
    clusters = predicted["cluster"].to_numpy()
    types = predicted["word"].rank("dense").to_numpy()
    logp, naive = (predicted[column].to_numpy() for column in ("logp", "logp_naive"))
    overall = where | {"experiment": "prediction"}
    hits = {"1": predicted["hit1"].to_numpy(), str(k): predicted["hitk"].to_numpy()}
    for name, hit in hits.items():
        record(findings, overall, f"top-{name}", accuracy(hit, clusters, **chosen))
    for name, hit in hits.items():
        record(findings, overall, f"T{name}", type_coverage(hit, types, clusters, **chosen))
    if LOW in bands.names:
        _as_the_authors_divide(findings, overall, predicted)
    record(findings, overall, "perplexity", perplexity(logp, clusters, **chosen))
    record(findings, overall, "perplexity:naive", perplexity(naive, clusters, **chosen))
    words = predicted["word"].cast(pl.String)
    sizes = {
        "word": np.ones(len(words), dtype=np.intp),
        # The space that ends the word is counted, since its probability is in that of the word.
        "character": words.str.len_chars().to_numpy() + 1,
        "byte": words.str.len_bytes().to_numpy() + 1,
    }
    for unit, size in sizes.items():
        record(findings, overall, f"bits-per-{unit}", bits_per(logp, size, clusters, **chosen))
    for band in bands.names:
        some = (predicted["band"] == band).to_numpy()
        if not some.any():
            continue
        covered = where | {"experiment": "coverage"}
        for name, hit in hits.items():
            record(findings, covered, f"top-{name}", accuracy(hit[some], clusters[some], **chosen), band)
        for name, hit in hits.items():
            found = type_coverage(hit[some], types[some], clusters[some], **chosen)
            record(findings, covered, f"T{name}", found, band)


def _as_the_authors_divide(findings: Findings, where: dict[str, Any], predicted: pl.DataFrame) -> None:
    """T1:code: types predicted right at least once / types outside the low band, as the authors' script has it."""
    outside = predicted.filter(pl.col("band") != LOW)["word"].n_unique()
    if outside:
        right = predicted.filter("hit1")["word"].n_unique()
        findings.score(**where, measure="T1:code", value=right / outside, n=outside)
