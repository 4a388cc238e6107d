"""One number of ours beside the same number computed another way."""

from dataclasses import dataclass
from typing import Any

import polars as pl


@dataclass(frozen=True)
class Check:
    """What was measured, by both."""

    study: str
    what: str
    """The measure, the model and the data."""
    how: str
    """How it was computed the second time."""
    ours: float
    again: float
    tolerance: float
    """Of the difference, in units of the number (at least 1): what the arithmetic of either allows."""

    @property
    def agrees(self) -> bool:
        return abs(self.ours - self.again) <= self.tolerance * max(1.0, abs(self.again))


def score(scores: pl.DataFrame, **where: Any) -> dict[str, Any] | None:
    """The one row with these columns; None where the run has none."""
    rows = scores.filter(pl.col(key).eq_missing(pl.lit(value)) for key, value in where.items()).to_dicts()
    if len(rows) > 1:
        raise ValueError(f"{len(rows)} scores have {where}; say more of them")
    return rows[0] if rows else None
