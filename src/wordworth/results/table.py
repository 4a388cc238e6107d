"""The one model of a table: names down, names across, and numbers with all that is known of them.

Pages make tables; text (here), Markdown, LaTeX and HTML each have one writer of them. Only this module formats a score,
an interval or a p.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import isfinite
from typing import Any, Literal, Self

from rich.cells import cell_len, set_cell_size

from wordworth.errors import visible
from wordworth.results.vocabulary import CAUTION_MARK, Caution, caution_legend

Aspect = Literal["value", "interval", "p", "n"]
ASPECTS: tuple[Aspect, ...] = ("value", "interval", "p", "n")
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

    def has(self, part: Aspect) -> bool:
        """Return whether there is this to show."""
        if part == "interval":
            return self.low is not None and self.high is not None and isfinite(self.low) and isfinite(self.high)
        return getattr(self, part) is not None


@dataclass(frozen=True)
class Row:
    """The names of a row, and its numbers: None where there is none."""

    names: Names
    cells: tuple[Cell | None, ...] = ()
    remark: str = ""
    """What there is to say of the row, for a line of its own."""


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

    def transpose(self) -> Self:
        """Return the table with its headings down and its rows across; one of text stays."""
        if not (self.heads and self.rows):
            return self
        heads = tuple(" ".join(filter(None, row.names)) for row in self.rows)
        rows = (Row((head,), tuple(row.cells[at] for row in self.rows)) for at, head in enumerate(self.heads))
        return replace(self, names=(self.across,), heads=heads, rows=tuple(rows))


def text_table(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]], **more: str) -> Table:
    """Return a table of text only."""
    return Table(title, tuple(heads), (), tuple(Row(tuple(row)) for row in rows), **more)


def legend_of(rows: Iterable[Row]) -> str:
    """Return the line that explains the marked numbers of these rows, blank where none is marked."""
    return caution_legend(
        (" ".join(filter(None, row.names)), cell.cautions) for row in rows for cell in row.cells if cell
    )


WIDTH = 80
"""Columns of a table as text, where there is no window to fit."""
MAX_NAME = 24
"""Letters of a name that keep their place in a row; a longer one may have a line of its own."""
GAP, UNBROKEN = "  ", "\u00a0"
"""What is between columns, and the space within a number."""
PART_HEADS = {"interval": "95 %", "p": "p", "n": "n"}


def text_lines(table: Table, width: int = WIDTH) -> Iterator[str]:
    """Yield a table's title, columns and note, wrapped at words in this width; it is turned if it is too wide."""
    fitted = [(one, columns := _columns(one), _fit(columns, width)) for one in (table, table.transpose())]
    shown, columns, widths = next((one for one in fitted if _total(one[-1]) <= width), fitted[0])
    yield visible(table.title)
    for at, texts in enumerate(zip(*columns, strict=True)):
        wrapped = [*map(wrap_words, texts, widths)]
        if any(cell_len(line) > widths[0] for line in wrapped[0]):  # a long name has a line of its own
            yield texts[0]
            wrapped[0] = []
        for line in zip_longest(*wrapped, fillvalue=""):
            names, numbers = line[: len(shown.names)], line[len(shown.names) :]
            aligned = [*map(set_cell_size, names, widths), *map(str.rjust, numbers, widths[len(names) :])]
            yield GAP.join(aligned).rstrip().replace(UNBROKEN, " ")
        remark = shown.rows[at - 1].remark if at else ""
        yield from (GAP + line for line in wrap_words(visible(remark), width - len(GAP)))
        if at == 0:
            yield "─" * _total(widths)
    yield from wrap_words(visible(table.note or legend_of(table.rows)), width)


def _columns(table: Table) -> list[list[str]]:
    """Return the names of a table, and of its numbers value, interval, p and n where there are any, under a heading."""
    columns = [[visible(name), *(visible(row.names[at]) for row in table.rows)] for at, name in enumerate(table.names)]
    for at, head in enumerate(table.heads):
        for part in ASPECTS:
            cells = [format_part(row.cells[at], part).replace(" ", UNBROKEN) for row in table.rows]
            if part == "value" or any(cells):
                columns.append([visible(PART_HEADS.get(part, head)), *cells])
    return columns


def _fit(columns: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the widths of columns, as narrow as their words allow where they are too wide together."""
    widths = [max(map(cell_len, column)) for column in columns]
    least = [max(cell_len(word) for text in column for word in text.split(" ")) for column in columns]
    least[0] = min(least[0], MAX_NAME)
    while _total(widths) > width and widths != least:
        widest = max(range(len(widths)), key=lambda at: widths[at] - least[at])
        widths[widest] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def wrap_words(text: str, width: int) -> list[str]:
    """Return the lines of a text; only a word that is wider than a line overflows."""
    lines: list[str] = []
    for word in text.split(" ") if text else ():
        if lines and cell_len(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


LEAST_P = 1e-300
"""What a p of 0 is below, where no partitions were counted."""
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


def format_cell(cell: Cell | None) -> str:
    """Return a number with what is known of it: 1.71† [1.48, 1.83], p = 8e-05, n = 16."""
    value, interval, p, n = (format_part(cell, part) for part in ASPECTS)
    p = f"p {p}" if p.startswith("<") else f"p = {p}" if p else ""
    return ", ".join(filter(None, [f"{value} {interval}".strip(), p, f"n = {n}" if n else ""]))


def format_part(cell: Cell | None, part: Aspect) -> str:
    """Return one part of a number: 1.71†, [1.48, 1.83], 8e-05, 16; blank where it has none."""
    if cell is None or not (part == "value" or cell.has(part)):
        return ""
    if part == "interval":
        return format_interval(cell.low or 0.0, cell.high or 0.0)
    if part == "n" or cell.form == "count":
        count = cell.n if part == "n" else cell.value
        return "" if count is None else f"{count:,.0f}"
    if part == "p" or cell.form == "p":
        p = cell.p if part == "p" else cell.value
        return format_p(p) if p else f"< {format_p(1 / cell.partitions if cell.partitions else LEAST_P)}"
    return format_number(cell.value) + (CAUTION_MARK if cell.cautions else "")


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
