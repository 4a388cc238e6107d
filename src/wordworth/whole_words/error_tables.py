"""What goes wrong, to be looked at: which words are said instead, between which bands, and which are never said.

`predicted` is a table of predictions (words that were left out taken off) with the columns `band` and `guess_band`; it
may lie on disk, since only distinct words or pairs of word and guess are held.
"""

import polars as pl

Table = pl.DataFrame | pl.LazyFrame


def said_instead(predicted: Table, most: int = 50) -> pl.DataFrame:
    """guess, its band, the misses it was given for, the types it stood in for, and its share of all misses."""
    pairs = _misses(predicted).group_by("guess", "word").agg(pl.col("guess_band").first(), pl.len().alias("misses"))
    guesses = pairs.group_by("guess").agg(
        pl.col("guess_band").first().alias("band"), pl.col("misses").sum(), pl.len().alias("types")
    )
    return (
        guesses.with_columns(share=pl.col("misses") / pl.col("misses").sum())
        .sort("misses", "guess", descending=[True, False])
        .head(most)
        .collect(engine="streaming")
    )


def confused_pairs(predicted: Table, most: int = 50) -> pl.DataFrame:
    """word, guess, and how often the guess was given for the word; the most frequent pairs."""
    pairs = _misses(predicted).group_by("word", "guess").len("misses")
    best = pairs.sort("misses", "word", "guess", descending=[True, False, False]).head(most)
    return best.collect(engine="streaming")


def band_confusion(predicted: Table) -> pl.DataFrame:
    """band, guess_band, misses: how many words of one band were answered by one of another, and the share of the
    band's misses."""
    misses = _misses(predicted).group_by("band", "guess_band").len("misses").collect(engine="streaming")
    return misses.with_columns(share=pl.col("misses") / pl.col("misses").sum().over("band"))


def never_predicted(predicted: Table) -> pl.DataFrame:
    """word, band, occurrences: the types that were not even among the k best, most frequent in the text first."""
    return (
        predicted.lazy()
        .group_by("word")
        .agg(pl.col("band").first(), pl.len().alias("occurrences"), pl.col("hitk").any())
        .filter(~pl.col("hitk"))
        .drop("hitk")
        .sort("occurrences", "word", descending=[True, False])
        .collect(engine="streaming")
    )


def _misses(predicted: Table) -> pl.LazyFrame:
    return predicted.lazy().filter(~pl.col("hit1"))
