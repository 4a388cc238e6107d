"""Model a table: names of rows and columns, and numbers with interval, p, n and cautions.

Pages make tables; text (here), Markdown, LaTeX and HTML have one writer each. Only this module formats a score, an
interval or a p.
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
"""The aspects of a number that a table can show."""
Form = Literal["number", "count", "p"]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """Hold a number with its interval, p, n and cautions."""

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    partitions: int | None = None
    """How many partitions p was counted over: a p of 0 is below 1 / partitions."""
    n: int | None = None
    cautions: tuple[Caution, ...] = ()
    is_best: bool = False
    """Whether its model is best, or not worse than the best."""
    form: Form = "number"

    @classmethod
    def of_score(cls, score: Mapping[str, Any], *, is_best: bool = False) -> Self:
        """Return the cell of a row of `scores.csv`."""
        numbers = {name: score[name] for name in ("value", "low", "high", "p", "partitions", "n")}
        return cls(**numbers, cautions=tuple(map(Caution, score["cautions"] or ())), is_best=is_best)

    def has(self, aspect: Aspect) -> bool:
        """Return whether the cell has this aspect."""
        if aspect == "interval":
            return self.low is not None and self.high is not None and isfinite(self.low) and isfinite(self.high)
        return getattr(self, aspect) is not None


@dataclass(frozen=True)
class Row:
    """Hold the names of a row, and its numbers: None for a missing one."""

    names: Names
    cells: tuple[Cell | None, ...] = ()
    remark: str = ""
    """A remark on the row, in a line of its own."""


@dataclass(frozen=True)
class Table:
    """Hold numbers by name; a table without `heads` has only text."""

    title: str
    names: Names
    """Headings of the columns of names."""
    heads: Names
    """Headings over the numbers."""
    rows: tuple[Row, ...]
    caption: str = ""
    """Sentences about the measure, data, n, interval and test."""
    note: str = ""
    """A note on some of the numbers."""
    id: str = ""
    """The name of the table for `--table`."""
    across: str = ""
    """What the headings over the numbers name."""

    def transpose(self) -> Self:
        """Return the table with rows and columns swapped; a table of text stays."""
        if not (self.heads and self.rows):
            return self
        heads = tuple(" ".join(filter(None, row.names)) for row in self.rows)
        rows = (Row((head,), tuple(row.cells[column] for row in self.rows)) for column, head in enumerate(self.heads))
        return replace(self, names=(self.across,), heads=heads, rows=tuple(rows))


def text_table(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]], **fields: str) -> Table:
    """Return a table of text only."""
    return Table(title, tuple(heads), (), tuple(Row(tuple(row)) for row in rows), **fields)


def legend_of(rows: Iterable[Row]) -> str:
    """Return the line that explains the marked numbers of these rows; blank if none is marked."""
    return caution_legend(
        (" ".join(filter(None, row.names)), cell.cautions) for row in rows for cell in row.cells if cell
    )


WIDTH = 80
"""Columns of a table as text outside a terminal."""
MAX_NAME = 24
"""The longest name that stays in its row; a longer one may get a line of its own."""
GAP, UNBROKEN = "  ", "\u00a0"
"""The space between columns, and the one within a number."""
ASPECT_HEADS = {"interval": "95 %", "p": "p", "n": "n"}


def text_lines(table: Table, width: int = WIDTH) -> Iterator[str]:
    """Yield a table's title, columns and note, wrapped to this width; swap rows and columns if it is too wide."""
    layouts = [(layout, columns := _columns(layout), _fit(columns, width)) for layout in (table, table.transpose())]
    fitting_table, columns, widths = next((layout for layout in layouts if _total(layout[-1]) <= width), layouts[0])
    yield visible(table.title)
    for line_number, texts in enumerate(zip(*columns, strict=True)):
        wrapped_texts = [*map(wrap_words, texts, widths)]
        if any(cell_len(line) > widths[0] for line in wrapped_texts[0]):  # a long name has a line of its own
            yield texts[0]
            wrapped_texts[0] = []
        for line in zip_longest(*wrapped_texts, fillvalue=""):
            names, numbers = line[: len(fitting_table.names)], line[len(fitting_table.names) :]
            padded_texts = [*map(set_cell_size, names, widths), *map(str.rjust, numbers, widths[len(names) :])]
            yield GAP.join(padded_texts).rstrip().replace(UNBROKEN, " ")
        remark = fitting_table.rows[line_number - 1].remark if line_number else ""
        yield from (GAP + line for line in wrap_words(visible(remark), width - len(GAP)))
        if line_number == 0:
            yield "─" * _total(widths)
    yield from wrap_words(visible(table.note or legend_of(table.rows)), width)


def _columns(table: Table) -> list[list[str]]:
    """Return the names of a table, and of its numbers value, interval, p and n where there are any, under a heading."""
    columns = [[visible(name), *(visible(row.names[i]) for row in table.rows)] for i, name in enumerate(table.names)]
    for i, head in enumerate(table.heads):
        for aspect in ASPECTS:
            cells = [format_aspect(row.cells[i], aspect).replace(" ", UNBROKEN) for row in table.rows]
            if aspect == "value" or any(cells):
                columns.append([visible(ASPECT_HEADS.get(aspect, head)), *cells])
    return columns


def _fit(columns: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the widths of columns, narrowed to their longest words if the table is too wide."""
    widths = [max(map(cell_len, column)) for column in columns]
    min_widths = [max(cell_len(word) for text in column for word in text.split(" ")) for column in columns]
    min_widths[0] = min(min_widths[0], MAX_NAME)
    while _total(widths) > width and widths != min_widths:
        widest = max(range(len(widths)), key=lambda at: widths[at] - min_widths[at])
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


MIN_FLOAT_P = 1e-300
"""The upper bound of a p of 0 without a count of partitions."""
SMALL_P = 1e-4
"""Below it, p is written with a power of ten."""


def format_number(value: float | None, decimals: int = 2, *, is_signed: bool = False, missing: str = "–") -> str:
    """Return a number as papers set it: .87, −1.02, 34.8.

    `decimals` is for numbers below 1; from 1 there are at most two, from 10 one less. `missing` replaces None and NaN.
    """
    if value is None or value != value:
        return missing
    places = decimals if abs(value) < 1 else min(decimals, 2) if abs(value) < 10 else decimals - 1
    return format_fixed(value, places, is_signed=is_signed)


def format_precise(value: float) -> str:
    """Return two decimals, and three where the number is small: .57, −.042, 12.34."""
    return format_fixed(value, 2 if abs(value) >= 0.095 or value == 0 else 3)


def format_fixed(value: float, decimals: int, *, is_signed: bool = False) -> str:
    """Return exactly so many decimals, without the zero before the point and with a true minus; never −.00."""
    if not is_signed and round(value, decimals) == 0:
        value = 0.0
    text = f"{value:+.{decimals}f}" if is_signed else f"{value:.{decimals}f}"
    return (text.replace("0.", ".", 1) if abs(value) < 1 else text).replace("-", "−")


def format_interval(low: float, high: float, decimals: int = 2) -> str:
    """Return an interval in brackets: [.12, .34]."""
    return f"[{format_number(low, decimals)}, {format_number(high, decimals)}]"


def format_cell(cell: Cell | None) -> str:
    """Return a number with its aspects: 1.71† [1.48, 1.83], p = 8e-05, n = 16."""
    value, interval, p, n = (format_aspect(cell, part) for part in ASPECTS)
    p = f"p {p}" if p.startswith("<") else f"p = {p}" if p else ""
    return ", ".join(filter(None, [f"{value} {interval}".strip(), p, f"n = {n}" if n else ""]))


def format_aspect(cell: Cell | None, part: Aspect) -> str:
    """Return one aspect of a number: 1.71†, [1.48, 1.83], 8e-05 or 16; blank if it is missing."""
    if cell is None or not (part == "value" or cell.has(part)):
        return ""
    if part == "interval":
        return format_interval(cell.low or 0.0, cell.high or 0.0)
    if part == "n" or cell.form == "count":
        count = cell.n if part == "n" else cell.value
        return "" if count is None else f"{count:,.0f}"
    if part == "p" or cell.form == "p":
        p = cell.p if part == "p" else cell.value
        return format_p(p) if p else f"< {format_p(1 / cell.partitions if cell.partitions else MIN_FLOAT_P)}"
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
    """Return .0011, 7.8 and a power of ten, or < 1/10,000 for a p of 0.

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
    if 0.99 < share < 1:  # must not be rounded to 100 %
        return f"{min(100 * share, 99.9):.1f} %"
    return f"{100 * share:.1f} %" if abs(share) < 0.1 else f"{100 * share:.0f} %"


def format_list(names: list[str], max_names: int = 6) -> str:
    """Return “a, b and c”; what is beyond `most` is counted."""
    shown_names, hidden_count = names[:max_names], len(names) - max_names
    if hidden_count > 0:
        return f"{', '.join(shown_names)} and {hidden_count:,} more"
    return " and ".join(filter(None, [", ".join(shown_names[:-1]), shown_names[-1]])) if shown_names else ""
