"""Count errors: wrong guesses, confused bands, and words that are never predicted.

`predictions` is a table without the skipped words, with the columns `band` and `guess_band`. It may be on disk, since
only distinct words or pairs of word and guess are in memory.
"""

import polars as pl

Frame = pl.DataFrame | pl.LazyFrame


def count_wrong_guesses(predictions: Frame, count: int) -> pl.DataFrame:
    """Return each wrong guess with its band, misses, word types that it replaced, and share of all misses."""
    pairs = _misses(predictions).group_by("guess", "word").agg(pl.col("guess_band").first(), pl.len().alias("misses"))
    guesses = pairs.group_by("guess").agg(
        pl.col("guess_band").first().alias("band"), pl.col("misses").sum(), pl.len().alias("types")
    )
    shares = guesses.with_columns(share=pl.col("misses") / pl.col("misses").sum())
    return shares.sort("misses", "guess", descending=[True, False]).head(count).collect(engine="streaming")


def count_confused_pairs(table: Frame, count: int) -> pl.DataFrame:
    """Return the most frequent pairs of word and wrong guess, with their misses."""
    pairs = _misses(table).group_by("word", "guess").len("misses")
    first = pairs.sort("misses", "word", "guess", descending=[True, False, False]).head(count)
    return first.collect(engine="streaming")


def count_band_confusions(predictions: Frame) -> pl.DataFrame:
    """Return the misses per band and band of the guess, and their share of the band's misses."""
    misses = _misses(predictions).group_by("band", "guess_band").len("misses").collect(engine="streaming")
    return misses.with_columns(share=pl.col("misses") / pl.col("misses").sum().over("band"))


def list_never_predicted(predictions: Frame) -> pl.DataFrame:
    """Return the words that were never among the k best, the most frequent first."""
    columns = pl.col("band").first(), pl.len().alias("occurrences"), pl.col("hitk").any()
    missed_types = predictions.lazy().group_by("word").agg(*columns).filter(~pl.col("hitk")).drop("hitk")
    return missed_types.sort("occurrences", "word", descending=[True, False]).collect(engine="streaming")


def _misses(predictions: Frame) -> pl.LazyFrame:
    return predictions.lazy().filter(~pl.col("hit1"))
