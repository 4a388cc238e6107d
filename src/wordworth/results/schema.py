"""The columns of `scores.csv` and `items.parquet`, and which rows of them stand for a run or pair with another's."""

import polars as pl

from wordworth.measure import MEASURES, named

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


_FORMULA = r"'*[=+\-@\t\r\n＝＋－＠]"


def as_text(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores as they are written. Numbers are numbers: only columns of text are looked at."""
    return scores.with_columns(pl.col(pl.String).str.replace(f"^({_FORMULA})", "'$1"))


def from_text(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores as they were before they were written."""
    return scores.with_columns(pl.col(pl.String).str.replace(f"^'({_FORMULA})", "$1"))


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


BESIDE = ("coverage",)
"""Of the data rather than of a model."""


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
