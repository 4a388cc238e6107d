"""Experiment 7: the seven languages of the paper with a multilingual model (VAST, Figures 20 to 22)."""

import polars as pl

from wordworth.study.findings import Findings

LANGUAGES = ("english", "chinese", "turkish", "polish", "french", "spanish", "portuguese")


def languages_mean(findings: Findings, model: str) -> None:
    """The mean of ρ over the languages, by setting and layer (Figure 20)."""
    mine = (pl.col("experiment") == "languages") & (pl.col("model") == model) & (pl.col("measure") == "valence")
    means = (
        findings.scores.filter(mine)
        .group_by("setting", "pooling", "layer", maintain_order=True)
        .agg(pl.col("value").mean(), pl.len().alias("n"))
    )
    for row in means.iter_rows(named=True):
        findings.score(experiment="languages", model=model, measure="valence:mean", **row)
