"""The error view as scores and items: what is said instead, between which bands, and what is never said."""

from typing import Any

import polars as pl

from wordworth.predict.error_tables import band_confusion, confused_pairs, never_predicted, said_instead
from wordworth.run import Findings

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
    for row in band_confusion(predicted).with_columns(by_name).sort("band", "guess_band").iter_rows(named=True):
        setting = f"{row['band']}>{row['guess_band']}"
        findings.score(**here, setting=setting, measure="share", value=row["share"], n=row["misses"])
    instead = said_instead(predicted, MOST)
    if len(instead):
        value = instead["misses"].cast(pl.Float64)
        here = where | {"experiment": "instead"}
        findings.item(**here, item=instead["guess"], group=instead["band"], value=value, reference=instead["share"])
        pairs = confused_pairs(predicted, MOST)
        value = pairs["misses"].cast(pl.Float64)
        findings.item(**where, experiment="confused", item=pairs["word"], found_as=pairs["guess"], value=value)
    never = never_predicted(predicted)
    types = predicted.select("word").unique().select(pl.len()).collect(engine="streaming").item()
    findings.score(**where, experiment="never-predicted", measure="types", value=len(never) / types, n=types)
    if len(never):
        value = never["occurrences"].cast(pl.Float64)
        findings.item(**where, experiment="never-predicted", item=never["word"], group=never["band"], value=value)
    return findings
