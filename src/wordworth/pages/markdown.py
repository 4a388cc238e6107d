"""A report as Markdown: the answers, and every table."""

import re
from collections.abc import Iterator, Sequence

from wordworth.errors import visible
from wordworth.pages.answers import plain_answers
from wordworth.pages.runs import Runs
from wordworth.pages.tables import Column, cell_of, columns, tables
from wordworth.results.table import Cell, Part, Table, format_exact_p, format_interval, format_number
from wordworth.results.vocabulary import CAUTION_MARK

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def markdown(runs: Runs, wanted: Sequence[str] = ()) -> str:
    """Return what is missing and the answers as lists, then every table; or only the tables that are wanted."""
    lines = [f"# What a word is worth to {escaped(', '.join(runs.models))}", ""]
    answers = {} if wanted else plain_answers(runs)
    for question, sentences in answers.items():
        lines += [f"**{question}**", "", *(f"- {escaped(sentence)}" for sentence in sentences), ""]
    for table in tables(runs, wanted):
        lines += [f"## {escaped(table.title)}", "", *_lines(table), ""]
        lines += [f"{escaped(sentences)}\n" for sentences in (table.caption, table.note) if sentences]
    return "\n".join(lines)


def _lines(table: Table) -> Iterator[str]:
    shown = [column for column in columns(table) if column.part != "interval"]  # which is next to its value
    yield line([*map(escaped, table.names), *(escaped(_head(table, column)) for column in shown)])
    yield line([*["---"] * len(table.names), *["---:"] * len(shown)])
    for row in table.rows:
        yield line([*map(escaped, row.names), *(_part(cell_of(row, column), column.part) for column in shown)])


def line(cells: Sequence[str]) -> str:
    """Return a row of a table, of cells that are Markdown already."""
    return f"| {' | '.join(cells)} |"


def _head(table: Table, column: Column) -> str:
    if column.at is None or (len(table.heads) == 1 and column.part in ("p", "n")):
        return column.part
    head = table.heads[column.at]
    return head if column.part == "value" else f"{head}: {column.part}"


def _part(cell: Cell | None, part: Part) -> str:
    if cell is None or not cell.has(part):
        return ""
    if part == "value":
        text = format_number(cell.value) + (CAUTION_MARK if cell.cautions else "")
        return (f"**{text}**" if cell.is_best else text) + interval(cell.low, cell.high)
    if part == "n":
        return f"{cell.n:,}"
    return p_text(cell.p, cell.partitions)


def interval(low: float | None, high: float | None) -> str:
    """Return an interval behind its value; blank without one."""
    return "" if low is None or high is None else f" {escaped(format_interval(low, high))}"


def p_text(p: float | None, partitions: int | None) -> str:
    """Return p; blank without one."""
    return "" if p is None else escaped(format_exact_p(p, partitions, _power))


def _power(mantissa: str, exponent: int) -> str:
    """Return 7.8 × 10⁻⁵."""
    return f"{f'{mantissa} × ' if mantissa else ''}10{str(exponent).translate(_RAISED)}"


def escaped(text: str) -> str:
    """Escape what would be read as Markdown or HTML."""
    safe = re.sub(r"([\\`*_\[\]|#~$])", r"\\\1", visible(text))
    safe = re.sub(r"^(\d*)([-+.)])(?=\s)", r"\1\\\2", safe)  # no list begins inside a line
    safe = safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(safe.split())
