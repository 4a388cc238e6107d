"""A report as Markdown: the answers and every table; or its tables as LaTeX for `booktabs`, for a paper."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from wordworth.errors import visible
from wordworth.pages.cautions import plain_missing
from wordworth.pages.leads import plain_answers
from wordworth.pages.tables import Column, cell_of, columns, tables
from wordworth.results.runs import Runs
from wordworth.results.table import Aspect, Cell, Table, format_exact_p, format_interval, format_number
from wordworth.results.vocabulary import CAUTION_MARK

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_ESCAPES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_ESCAPES |= {character: f"\\{character}" for character in "&%$#_{}"}
_ESCAPES |= {"[": "{[}", "*": "{*}"}  # after the end of a row they would be its arguments
_ESCAPES |= {"<": "$<$", ">": "$>$", "|": "$|$", "−": "$-$", "†": r"$^\dagger$", "ρ": r"$\rho$", "τ": r"$\tau$"}
_ESCAPES |= {"→": r"$\to$", "⇒": r"$\Rightarrow$", "·": r"$\cdot$", "×": r"$\times$", "\u00a0": "~"}
_TRANSLATION = str.maketrans(_ESCAPES)
_FORMS = {"value": "r", "interval": r"@{\hspace{.35em}}l", "p": "r", "n": "r"}


def markdown(runs: Runs, ids: Sequence[str] = ()) -> str:
    """Return what is missing and the answers as lists, then every table; or only the tables that are wanted."""
    lines = [f"# What a word is worth to {escape_md(', '.join(runs.models))}", ""]
    answers = {} if ids else plain_answers(runs)
    for question, sentences in answers.items():
        lines += [f"**{question}**", "", *(f"- {escape_md(sentence)}" for sentence in sentences), ""]
    for table in tables(runs, ids):
        numbers = [column for column in columns(table) if column.part != "interval"]  # which is next to its value
        lines += [f"## {escape_md(table.title)}", "", *markdown_table(table, numbers), ""]
        lines += [f"{escape_md(sentences)}\n" for sentences in (table.caption, table.note) if sentences]
    return "\n".join(lines)


def markdown_table(table: Table, number_columns: Sequence[Column]) -> Iterator[str]:
    """Yield the rows of a table with these columns of numbers."""
    heads = [_markdown_head(table, column) for column in number_columns]
    yield _markdown_row([escape_md(name) for name in (*table.names, *heads)])
    yield _markdown_row([*["---"] * len(table.names), *["---:"] * len(number_columns)])
    for row in table.rows:
        numbers = [_markdown_part(cell_of(row, column), column.part) for column in number_columns]
        yield _markdown_row([*map(escape_md, row.names), *numbers])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_head(table: Table, column: Column) -> str:
    if column.at is None or (len(table.heads) == 1 and column.part in ("p", "n")):
        return column.part
    head = table.heads[column.at]
    return head if column.part == "value" else f"{head}: {column.part}"


def _markdown_part(cell: Cell | None, aspect: Aspect) -> str:
    if cell is None or not cell.has(aspect):
        return ""
    if aspect == "value":
        text = format_number(cell.value) + (CAUTION_MARK if cell.cautions else "")
        text = f"**{text}**" if cell.is_best else text
        if cell.low is None or cell.high is None:
            return text
        return f"{text} {escape_md(format_interval(cell.low, cell.high))}"
    if aspect == "n":
        return f"{cell.n:,}"
    return "" if cell.p is None else escape_md(format_exact_p(cell.p, cell.partitions, _markdown_power))


def _markdown_power(mantissa: str, exponent: int) -> str:
    """Return 7.8 × 10⁻⁵."""
    return f"{f'{mantissa} × ' if mantissa else ''}10{str(exponent).translate(_SUPERSCRIPTS)}"


def escape_md(text: str) -> str:
    """Escape what would be read as Markdown or HTML."""
    safe = re.sub(r"([\\`*_\[\]|#~$])", r"\\\1", visible(text))
    safe = re.sub(r"^(\d*)([-+.)])(?=\s)", r"\1\\\2", safe)  # no list begins inside a line
    safe = safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(safe.split())


def latex(runs: Runs, ids: Sequence[str] = ()) -> str:
    """Return every table in an environment of its own; comments at the top list them and what is missing."""
    every_table = tables(runs, ids)
    opening = [r"% \usepackage{booktabs,graphicx}; names in other scripts need XeLaTeX or LuaLaTeX and a font for them"]
    opening += [rf"% \ref{{tab:{table.id}}}  {_comment(table.title)}" for table in every_table]
    for question, sentences in plain_missing(runs).items():
        opening += [f"% {question} {_comment(sentence)}" for sentence in sentences]
    return "\n\n".join(["\n".join(opening), *("\n".join(_latex_table(table)) for table in every_table)]) + "\n"


def escape_latex(text: str) -> str:
    """Return a text that is safe in a cell, a caption or a heading."""
    return visible(text).translate(_TRANSLATION).replace("--", "-{}-")  # and no dash


def _comment(text: str) -> str:
    return " ".join(visible(text).split())


def _latex_table(table: Table) -> Iterator[str]:
    title = escape_latex(table.title)
    yield r"\begin{table*}[tbp]"
    yield r"\centering"
    yield rf"\caption[{{{title}}}]{{{title}. {escape_latex(table.caption)}}}"
    yield rf"\label{{tab:{table.id}}}\small\smallskip"
    yield r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    yield from _tabular(table)
    yield "}"
    if table.note:
        yield rf"\par\smallskip{{\footnotesize {escape_latex(table.note)}\par}}"
    yield r"\end{table*}"


def _tabular(table: Table) -> Iterator[str]:
    numbers = columns(table)
    text = "l" if table.heads else rf"p{{{0.9 / len(table.names):.2f}\linewidth}}"
    form = text * len(table.names) + "".join(_FORMS[column.part] for column in numbers)
    yield rf"\begin{{tabular}}{{{form}}}"
    yield r"\toprule"
    yield from _heads(table, numbers)
    yield r"\midrule"
    for row in table.rows:
        cells = [_latex_part(cell_of(row, column), column.part) for column in numbers]
        yield _line([*map(escape_latex, row.names), *cells])
    yield from (r"\bottomrule", r"\end{tabular}")


def _heads(table: Table, numbers: Sequence[Column]) -> Iterator[str]:
    """Yield the headings, each over its columns; p and n are named below them."""
    names = list(map(escape_latex, table.names))
    headings, rules, at = [], [], len(names) + 1
    for head, group in groupby(numbers, key=lambda column: column.at):
        width = len(list(group))
        title = "" if head is None else escape_latex(table.heads[head])
        headings.append(rf"\multicolumn{{{width}}}{{c}}{{{title}}}")
        rules += [rf"\cmidrule(lr){{{at}-{at + width - 1}}}"] if head is not None else []
        at += width
    if all(column.part in ("value", "interval") for column in numbers):
        yield _line([*names, *headings])
        return
    yield _line([*[""] * len(names), *headings])
    yield "".join(rules)
    subheadings = {"value": "value", "interval": r"\footnotesize 95\,\%", "p": "$p$", "n": "$n$"}
    yield _line([*names, *(subheadings[column.part] for column in numbers)])


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_part(cell: Cell | None, aspect: Aspect) -> str:
    if cell is None or not cell.has(aspect):
        return ""
    if aspect == "value":
        text = escape_latex(format_number(cell.value))
        mark = escape_latex(CAUTION_MARK if cell.cautions else "")
        return (rf"\textbf{{{text}}}" if cell.is_best else text) + mark
    if aspect == "interval" and cell.low is not None and cell.high is not None:
        return rf"{{\footnotesize{escape_latex(format_interval(cell.low, cell.high))}}}"
    if aspect == "n":
        return f"{cell.n:,}"
    return format_exact_p(cell.p, cell.partitions, _latex_power).replace("< ", "$<$") if cell.p is not None else ""


def _latex_power(mantissa: str, exponent: int) -> str:
    times = rf"{mantissa}\times " if mantissa else ""
    return rf"${times}10^{{{exponent}}}$"
