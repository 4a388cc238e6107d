"""Short ways into a run, for tests."""

from typing import Any

import polars as pl

from wordworth.results.run import Run

BLANK = ("variant", "control", "subset", "draw", "components")
"""Columns that are blank in the rows that a test wants, unless it names them."""


def rows(frame: pl.DataFrame, *free: str, **where: Any) -> pl.DataFrame:
    """Return the rows with these values; in the columns that are `free` there may be anything."""
    wanted = dict.fromkeys(set(BLANK) & set(frame.columns) - set(free)) | where
    return frame.filter(pl.col(name).eq_missing(pl.lit(value)) for name, value in wanted.items())


def one(frame: pl.DataFrame, **where: Any) -> dict[str, Any]:
    """Return the only row with these values."""
    found = rows(frame, **where).to_dicts()
    assert len(found) == 1, (where, found)
    return found[0]


def value(run: Run, **where: Any) -> float:
    """Return the value of the only score with these values."""
    return float(one(run.scores, **where)["value"])


def values_by(run: Run, column: str, **where: Any) -> dict[Any, float]:
    """Return the scores with these values, by what is in another column."""
    found = rows(run.scores, column, **where)
    assert found.get_column(column).is_unique().all(), found
    return dict(found.select(column, "value").iter_rows())


def items_of(run: Run, table: str, **where: Any) -> pl.DataFrame:
    """Return the rows of an item table with these values."""
    same = [pl.col(name).eq_missing(pl.lit(value)) for name, value in where.items()]
    return run.item_table(table).filter(*same).collect()


def reasons(run: Run, *kinds: str) -> list[str]:
    """Return the notices of some kinds, or of all, as the terminal shows them."""
    return [str(notice) for notice in run.notices if not kinds or notice.kind in kinds]
