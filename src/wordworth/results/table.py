"""The one model of a table: names down, names across, and numbers with all that is known of them.

Pages make tables; the terminal, Markdown, LaTeX and HTML each have one writer of them. Only this
module formats a score, an interval or a p.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, Self

from wordworth.results.vocabulary import CAUTION_MARK, Caution, caution_legend

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


SMALL_P = 1e-4
"""Below it, p is written with a power of ten."""


def format_number(value: float | None, decimals: int = 2, *, signed: bool = False, missing: str = "–") -> str:
    """Return a number as papers set it: .87, −1.02, 34.8.

    `decimals` holds below 1; from 1 upward there are at most two, from 10 upward one less than given.
    `missing` stands for None and NaN.
    """
    if value is None or value != value:
        return missing
    places = decimals if abs(value) < 1 else min(decimals, 2) if abs(value) < 10 else decimals - 1
    return format_fixed(value, places, signed=signed)


def format_precise(value: float) -> str:
    """Return two decimals, and three where the number is small: .57, −.042, 12.34."""
    return format_fixed(value, 2 if abs(value) >= 0.095 or value == 0 else 3)


def format_fixed(value: float, decimals: int, *, signed: bool = False) -> str:
    """Return exactly so many decimals, without the zero before the point and with a true minus; never −.00."""
    if not signed and round(value, decimals) == 0:
        value = 0.0
    text = f"{value:+.{decimals}f}" if signed else f"{value:.{decimals}f}"
    return (text.replace("0.", ".", 1) if abs(value) < 1 else text).replace("-", "−")


def format_interval(low: float, high: float, decimals: int = 2) -> str:
    """Return an interval in brackets: [.12, .34]."""
    return f"[{format_number(low, decimals)}, {format_number(high, decimals)}]"


def format_cell(cell: Cell | None, decimals: int = 2) -> str:
    """Return a number with what is known of it: 1.71† [1.48, 1.83], p = 8e-05, n = 16."""
    if cell is None:
        return ""
    if cell.form == "count":
        return "" if cell.value is None else f"{cell.value:,.0f}"
    if cell.form == "p":
        return f"{'' if cell.value else '< '}{format_p(cell.value or 1 / (cell.partitions or 1))}"
    parts = [format_number(cell.value, decimals) + (CAUTION_MARK if cell.cautions else "")]
    if cell.low is not None and cell.high is not None and cell.has("interval"):
        parts[0] += f" {format_interval(cell.low, cell.high, decimals)}"
    if cell.p is not None:
        parts.append(f"p {'=' if cell.p else '<'} {format_p(cell.p or 1 / (cell.partitions or 1))}")
    return ", ".join([*parts, *([] if cell.n is None else [f"n = {cell.n:,}"])])


def format_p(p: float, smallest: float | None = None) -> str:
    """Return p with two significant digits: 0.0031, 8e-05.

    With a `smallest` one it has as many decimals as that, without the zero: .003, or < .001.
    """
    if smallest is None:
        return f"{p:.2g}"
    decimals = len(f"{smallest:g}".partition(".")[2])
    return f"< {format_fixed(smallest, decimals)}" if p < smallest else format_fixed(p, decimals)


def state_p(p: float, smallest: float = 0.001) -> str:
    """Return what p is, in a clause: p = .023, or p < .001."""
    text = format_p(p, smallest)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def format_exact_p(p: float, partitions: int | None, power: Callable[[str, int], str]) -> str:
    """Return .0011, < 1/10,000 where none of the partitions was counted, or 7.8 and a power of ten; never 0.

    `power` writes mantissa × 10^exponent.
    """
    if p == 0:
        return f"< 1/{partitions:,}" if partitions else f"< {power('', -300)}"
    if p >= SMALL_P:
        return f"{p:#.2g}".removeprefix("0")
    mantissa, exponent = f"{p:.1e}".split("e")
    return power(mantissa, int(exponent))


def format_percent(share: float | None) -> str:
    """Return a share in percent, with a decimal below ten and close to all."""
    if share is None or share != share:
        return "–"
    if 0.99 < share < 1:  # not all, and not to be rounded to it
        return f"{min(100 * share, 99.9):.1f} %"
    return f"{100 * share:.1f} %" if abs(share) < 0.1 else f"{100 * share:.0f} %"


def format_list(names: list[str], most: int = 6) -> str:
    """Return “a, b and c”; what is beyond `most` is counted."""
    shown, rest = names[:most], len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} and {rest:,} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""
