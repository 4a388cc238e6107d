"""The one model of a table: names down, names across, and numbers with all that is known of them.

Pages make tables; the terminal, Markdown, LaTeX and HTML each have one writer of them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, Self

from wordworth.results.notices import Caution, caution_legend

Part = Literal["value", "interval", "p", "n"]
PARTS: tuple[Part, ...] = ("value", "interval", "p", "n")
"""What a table can show of a number."""
Form = Literal["number", "count", "p"]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """A number with what is known of it."""

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    partitions: int | None = None
    """Over how many partitions p was counted: a p of 0 is below one of them."""
    n: int | None = None
    cautions: tuple[Caution, ...] = ()
    is_best: bool = False
    """Whether its model leads, or no worse than the leader."""
    form: Form = "number"

    @classmethod
    def of_score(cls, score: Mapping[str, Any], *, is_best: bool = False) -> Self:
        """Return the cell of a row of `scores.csv`."""
        numbers = {name: score[name] for name in ("value", "low", "high", "p", "partitions", "n")}
        return cls(**numbers, cautions=tuple(map(Caution, score["cautions"] or ())), is_best=is_best)

    def has(self, part: Part) -> bool:
        """Return whether there is this to show."""
        if part == "interval":
            return self.low is not None and self.high is not None and isfinite(self.low) and isfinite(self.high)
        return getattr(self, part) is not None


@dataclass(frozen=True)
class Row:
    """The names of a row, and its numbers: None where there is none."""

    names: Names
    cells: tuple[Cell | None, ...] = ()


@dataclass(frozen=True)
class Table:
    """Numbers by name; text only where there are no `heads`."""

    title: str
    names: Names
    """Headings of the columns of names."""
    heads: Names
    """Headings over the numbers."""
    rows: tuple[Row, ...]
    caption: str = ""
    """What, on what data, n, interval, test: sentences."""
    note: str = ""
    """What a reader must know about some of the numbers."""
    id: str = ""
    """What `--table` takes."""
    across: str = ""
    """What the headings over the numbers are names of."""


def text_table(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]], **more: str) -> Table:
    """Return a table of text only."""
    return Table(title, tuple(heads), (), tuple(Row(tuple(row)) for row in rows), **more)


def legend_of(rows: Iterable[Row]) -> str:
    """Return the line that explains the marked numbers of these rows, blank where none is marked."""
    return caution_legend(
        (" ".join(filter(None, row.names)), cell.cautions) for row in rows for cell in row.cells if cell
    )
