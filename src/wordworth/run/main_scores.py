"""Which numbers stand for a run: one a question, where a better side is declared and nothing was taken off."""

import polars as pl

from wordworth.measure import MEASURES, named

BESIDE = ("coverage",)
"""Of the data rather than of a model."""


def better_side(measure: str, declared: str = "") -> str:
    """higher, lower, zero or blank: as the run declares it, else as this version does."""
    return declared or named(measure).better


def main_scores(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores of plain measures with a better side, on whole data sets and untouched vectors.

    A measure beside another one (`valence:spearman`), a slice of a data set (`gender/occupation=nurse`) and a single
    draw of a control (`random:3`) stand for nothing by themselves.
    """
    names = scores.get_column("measure").unique().to_list()
    plain = [name for name in names if name not in BESIDE and named(name).better and not _beside_another(name)]
    return scores.filter(
        pl.col("measure").is_in(plain),
        pl.col("value").is_finite(),
        pl.col("pcs").is_null(),
        ~pl.col("dataset").fill_null("").str.contains("[/:]"),
        ~pl.col("setting").fill_null("").str.starts_with("random:"),
    )


def _beside_another(name: str) -> bool:
    return ":" in name and name.partition(":")[0] in MEASURES
