"""What goes wrong: which words are said instead, which bands are confused, and which words are never predicted.

`predicted` is a table of predictions without the skipped words, with the columns `band` and `guess_band`; it may be on
disk, since only distinct words or pairs of word and guess are held.
"""

import polars as pl

Frame = pl.DataFrame | pl.LazyFrame


def count_wrong_guesses(predicted: Frame, most: int) -> pl.DataFrame:
    """Return guess, its band, the misses it was given for, the types it replaced, and its share of all misses."""
    pairs = _misses(predicted).group_by("guess", "word").agg(pl.col("guess_band").first(), pl.len().alias("misses"))
    guesses = pairs.group_by("guess").agg(
        pl.col("guess_band").first().alias("band"), pl.col("misses").sum(), pl.len().alias("types")
    )
    shares = guesses.with_columns(share=pl.col("misses") / pl.col("misses").sum())
    return shares.sort("misses", "guess", descending=[True, False]).head(most).collect(engine="streaming")


def count_confused_pairs(predicted: Frame, most: int) -> pl.DataFrame:
    """Return word, guess, and how often the guess was given for the word; the most frequent pairs."""
    pairs = _misses(predicted).group_by("word", "guess").len("misses")
    return pairs.sort("misses", "word", "guess", descending=[True, False, False]).head(most).collect(engine="streaming")


def count_band_confusions(predicted: Frame) -> pl.DataFrame:
    """Return band, guess_band, how many words of the one were answered by one of the other, and their share of the
    band's misses."""
    misses = _misses(predicted).group_by("band", "guess_band").len("misses").collect(engine="streaming")
    return misses.with_columns(share=pl.col("misses") / pl.col("misses").sum().over("band"))


def list_never_predicted(predicted: Frame) -> pl.DataFrame:
    """Return word, band, occurrences: types that were never among the k best, the most frequent first."""
    types = (
        predicted.lazy()
        .group_by("word")
        .agg(pl.col("band").first(), pl.len().alias("occurrences"), pl.col("hitk").any())
    )
    never = types.filter(~pl.col("hitk")).drop("hitk")
    return never.sort("occurrences", "word", descending=[True, False]).collect(engine="streaming")


def _misses(predicted: Frame) -> pl.LazyFrame:
    return predicted.lazy().filter(~pl.col("hit1"))
