"""Which items of two models are the same one, and which of them lean the same way: what a paired test is over."""

import polars as pl

ARROW = " → "
"""Between the two words that a pair of sentences differs in."""
KEY = ["item", "group", "place", "occurrence"]
"""What makes two rows the same item: the second time a list has a pair is not the first."""


def numbered(items: pl.DataFrame) -> pl.DataFrame:
    """Items with `occurrence`: the how-manieth of its kind each is."""
    again = pl.int_range(pl.len()).over("item", "place", "layer", "pcs", "group", "pooling").alias("occurrence")
    return items.with_columns(again)


def clusters() -> pl.Expr:
    """Items of one subject, or of one line of text, lean the same way: the name of what each belongs to."""
    subject = pl.col("item").str.split(ARROW).list.first()
    line = pl.col("place").str.split(":").list.first()
    apart = pl.when(pl.col("item").str.contains(ARROW, literal=True)).then(subject).otherwise(line)
    return pl.coalesce(apart, pl.int_range(pl.len()).cast(pl.String)).alias("cluster")
