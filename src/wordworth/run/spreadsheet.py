"""Texts that a spreadsheet would take for a formula: in `scores.csv`, an apostrophe before them makes them text."""

import polars as pl

_FORMULA = r"'*[=+\-@\t\r\n＝＋－＠]"


def as_text(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores as they are written. Numbers are numbers: only columns of text are looked at."""
    return scores.with_columns(pl.col(pl.String).str.replace(f"^({_FORMULA})", "'$1"))


def from_text(scores: pl.DataFrame) -> pl.DataFrame:
    """Scores as they were before they were written."""
    return scores.with_columns(pl.col(pl.String).str.replace(f"^'({_FORMULA})", "$1"))
