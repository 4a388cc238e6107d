"""What goes wrong, to be looked at: which words are said instead, between which bands, and which are never said.

`predicted` is a table of predictions (words that were left out taken off) with the columns `band` and `guess_band`; it
may lie on disk, since only distinct words or pairs of word and guess are held.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from wordworth.predict.parting import Parting

MISSES = 1 << 19
"""Of so many the distinct pairs of word and guess are held at a time."""

Table = pl.DataFrame | pl.LazyFrame


def said_instead(predicted: Table, most: int = 50) -> pl.DataFrame:
    """guess, its band, the misses it was given for, the types it stood in for, and its share of all misses."""
    guesses = []
    for some in _parts(predicted):
        pairs = some.group_by("guess", "word").agg(pl.col("guess_band").first(), pl.len().alias("misses"))
        band, misses, types = (
            pl.col("guess_band").first().alias("band"),
            pl.col("misses").sum(),
            pl.len().alias("types"),
        )
        guesses.append(pairs.group_by("guess").agg(band, misses, types).collect(engine="streaming"))
    return (
        pl.concat(guesses)
        .with_columns(share=pl.col("misses") / pl.col("misses").sum())
        .sort("misses", "guess", descending=[True, False])
        .head(most)
    )


def confused_pairs(predicted: Table, most: int = 50) -> pl.DataFrame:
    """word, guess, and how often the guess was given for the word; the most frequent pairs."""

    def best(pairs: pl.LazyFrame) -> pl.LazyFrame:
        return pairs.sort("misses", "word", "guess", descending=[True, False, False]).head(most)

    some = [
        best(part.group_by("word", "guess").len("misses")).collect(engine="streaming") for part in _parts(predicted)
    ]
    return best(pl.concat(some).lazy()).collect()


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


def _parts(predicted: Table) -> list[pl.LazyFrame]:
    """The misses in parts, all of one guess in the same: distinct pairs grow with the text, and are held for one part
    at a time."""
    misses = _misses(predicted)
    count = misses.select(pl.len()).collect(engine="streaming").item()
    parts = max(1, -(-count // MISSES))
    which = pl.col("guess").hash() % parts
    return [misses.filter(which == part) for part in range(parts)] if parts > 1 else [misses]


@dataclass(frozen=True)
class Example:
    """One prediction in its sentence."""

    place: str
    """line:at"""
    before: str
    word: str
    guess: str
    after: str


def examples(
    predicted: pl.DataFrame,
    lines: Sequence[str],
    parting: Parting = Parting(),  # noqa: B008 - frozen
    *,
    word: str | None = None,
    guess: str | None = None,
    most: int = 10,
) -> list[Example]:
    """Misses of a word, or by a guess, in their lines, in the order of the text."""
    chosen = predicted.filter(~pl.col("hit1"))
    if word is not None:
        chosen = chosen.filter(pl.col("word") == word)
    if guess is not None:
        chosen = chosen.filter(pl.col("guess") == guess)
    chosen_examples = []
    for row in chosen.sort("line", "at").head(most).iter_rows(named=True):
        parted = parting(lines[row["line"]])
        before, upto = parted.first(row["at"]), parted.first(row["at"] + 1)
        after = parted.text[len(upto) :].strip()
        chosen_examples.append(Example(f"{row['line']}:{row['at']}", before, row["word"], row["guess"] or "", after))
    return chosen_examples
