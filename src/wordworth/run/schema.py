"""The columns of `scores.csv` and `items.parquet`, declared once."""

import polars as pl

SCORES = {
    "study": pl.String,
    "experiment": pl.String,
    "model": pl.String,
    "language": pl.String,
    "dataset": pl.String,
    "setting": pl.String,
    "pooling": pl.String,
    "layer": pl.Int64,
    "pcs": pl.Int64,
    "measure": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "n": pl.Int64,
    "flags": pl.String,
}
"""The columns of `scores.csv`, blank where they do not apply; `flags` says why a number is to be read with care."""

ITEMS = {name: kind for name, kind in SCORES.items() if name not in ("measure", "low", "high", "n", "flags")} | {
    "item": pl.String,
    "found_as": pl.String,
    "subwords": pl.Int64,
    "group": pl.String,
    "reference": pl.Float64,
    "left_out": pl.String,
    "place": pl.String,
    "rank": pl.Int64,
    "entailment": pl.Float64,
    "contradiction": pl.Float64,
}
"""The columns of `items.parquet`: `reference` is the human's figure, `subwords` the tokens of a word, `left_out` the
reason an item was not used, `place` where in a text or a list it stands (of a variant: its choices beside that of
words, which `group` and `item` have), `rank` the smallest k at which a prediction was right (blank: never),
`entailment` and `contradiction` the two probabilities beside `value`, that of neutral."""
