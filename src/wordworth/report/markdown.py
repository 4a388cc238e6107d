"""A report as Markdown: the answers, and every table."""

import re
from collections.abc import Iterator, Sequence

from wordworth.report.answers import plain_answers
from wordworth.report.naming import number
from wordworth.report.runs import Runs
from wordworth.report.tables import Cell, Column, Row, Table, cell_of, columns, tables
from wordworth.run.flags import MARK
from wordworth.visible import visible

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
    shown = list(_together(columns(table)))
    heads = [_head(table, group) for group in shown]
    yield line([*map(escaped, table.names), *map(escaped, heads)])
    yield line([*["---"] * len(table.names), *["---:"] * len(heads)])
    for row in table.rows:
        yield line([*map(escaped, row.names), *(_cell(row, group) for group in shown)])


def line(cells: Sequence[str]) -> str:
    """A row of a table, of cells that are Markdown already."""
    return f"| {' | '.join(cells)} |"


def _together(every: Sequence[Column]) -> Iterator[list[Column]]:
    """The columns of a table, where a value and its interval are one."""
    for at, column in enumerate(every):
        before = every[at - 1] if at else None
        if column.part != "interval" or before != Column(column.at, "value"):
            after = Column(column.at, "interval")
            yield [column, *([after] if column.part == "value" and after in every else [])]


def _head(table: Table, group: Sequence[Column]) -> str:
    column = group[0]
    if column.at is None or (len(table.heads) == 1 and column.part in ("p", "n")):
        return column.part
    head = table.heads[column.at]
    return head if column.part == "value" else f"{head}: {column.part}"


def _cell(row: Row, group: Sequence[Column]) -> str:
    cell = cell_of(row, group[0])
    return " ".join(filter(None, (_part(cell, column) for column in group))) if cell else ""


def _part(cell: Cell, column: Column) -> str:
    if column.part == "value":
        text = number(cell.value) + (MARK if cell.flags else "")
        return f"**{text}**" if cell.best else text
    if not cell.has(column.part):
        return ""
    if column.part == "interval":
        return rf"\[{number(cell.low)}, {number(cell.high)}\]"
    if column.part == "n":
        return f"{cell.n:,}"
    return escaped(cell.chance.written(power)) if cell.chance else ""


def power(mantissa: str, exponent: int) -> str:
    """7.8 × 10⁻⁵."""
    return f"{f'{mantissa} × ' if mantissa else ''}10{str(exponent).translate(_RAISED)}"


def escaped(text: str) -> str:
    """Nothing in a name is taken for Markdown or HTML."""
    safe = re.sub(r"([\\`*_\[\]|#~$])", r"\\\1", visible(text))
    safe = re.sub(r"^(\d*)([-+.)])(?=\s)", r"\1\\\2", safe)  # no list begins inside a line
    safe = safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(safe.split())
