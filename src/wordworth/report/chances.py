"""p as a table shows it: never 0. A count of none is told with what was counted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import comb, isclose
from typing import Any

import polars as pl

from wordworth.report.best import run_of
from wordworth.report.runs import Runs
from wordworth.run import Run

SMALL = 1e-4
"""Below it p is written with a power of ten."""
TEST = ("experiment", "model", "language", "dataset", "setting")
"""What a test is told apart by from others; its targets are the same in every layer."""
UNDERFLOW = 10**300
"""A fitted normal gives 0 where p is smaller than numbers go."""


@dataclass(frozen=True)
class Chance:
    """p, or what it is below: 1 / `below`."""

    p: float
    below: int | None = None
    """Partitions of which none was counted; 0 where it is not known how many there were."""

    def written(self, power: Callable[[str, int], str]) -> str:
        """.0011, < 1/10,000, or 7.8 and a power of ten, which `power` writes; never 0."""
        if self.below is not None:
            below = power("", -300) if self.below == UNDERFLOW else f"1/{self.below:,}"
            return f"< {below}" if self.below else "none"
        if self.p >= SMALL:
            return f"{self.p:#.2g}".removeprefix("0")
        mantissa, exponent = f"{self.p:.1e}".split("e")
        return power(mantissa, int(exponent))


def chance(runs: Runs, score: Mapping[str, Any]) -> Chance | None:
    """p of a score; None where it has none.

    Where none of N partitions was counted it is below 1/N: of m random ones, p is then 1/(m + 1); of all that there
    are, counted strictly, it is 0, and N follows from the sizes of the two sets of targets.
    """
    p = score["p"]
    if p is None or p != p:
        return None
    run = run_of(runs, score)
    settings = run.manifest["settings"]
    drawn = int(settings.get("permutations") or 0)
    if p == 0:
        place = tuple((name, score[name]) for name in TEST)
        return Chance(p, UNDERFLOW if settings.get("p_method") == "normal" else _partitions(run, place))
    return Chance(p, drawn if drawn and isclose(p, 1 / (drawn + 1), rel_tol=1e-9) else None)


@lru_cache(maxsize=1024)
def _partitions(run: Run, place: tuple[tuple[str, Any], ...]) -> int:
    """How many ways there are to part the targets of a test into sets of their sizes; 0 where no items say."""
    here = (pl.col(name).eq_missing(pl.lit(value)) for name, value in place)
    used = run.items.filter(*here, pl.col("left_out").is_null(), pl.col("value").is_not_null())
    sides = used.select(pl.col("group").str.head(3), "item").unique().collect().get_column("group").to_list()
    first, second = sides.count("X: "), sides.count("Y: ")
    return comb(first + second, first) if first and second else 0
