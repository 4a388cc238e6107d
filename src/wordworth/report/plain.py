"""The same numbers as Markdown, or as LaTeX tables."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from wordworth.report.answers import plain_answers
from wordworth.report.figures import Figure, figures_of
from wordworth.report.leaderboard import leaderboard
from wordworth.report.method import FAILED, failed_rows
from wordworth.report.missing import plain_missing
from wordworth.report.naming import marked
from wordworth.report.page import COMPARED, comparison_row
from wordworth.report.published import comparisons
from wordworth.report.runs import Runs
from wordworth.run.flags import MARK
from wordworth.visible import visible

Table = tuple[str, list[str], list[list[str]], str]
"""Title, header, rows, and what is to be known of some of the numbers."""


def pivoted(figure: Figure) -> Table:
    """The table behind a figure: names down, names across, blank where there is no number."""

    def name(row: dict[str, Any], columns: Sequence[str]) -> tuple[str, ...]:
        return tuple(_cell(column, row[column]) for column in columns)

    rows = figure.rows.to_dicts()
    across = list(dict.fromkeys(name(row, figure.across) for row in rows))
    cells: dict[tuple[str, ...], dict[tuple[str, ...], str]] = {}
    for row in rows:
        cells.setdefault(name(row, figure.down), {})[name(row, figure.across)] = marked(row)
    header = [*figure.down, *(" ".join(filter(None, names)) for names in across)]
    lines = [[*down, *(row.get(one, "") for one in across)] for down, row in cells.items()]
    return figure.title, header, lines, figure.note


def _cell(column: str, value: Any) -> str:
    if value is None:
        return "raw" if column == "pcs" else ""
    return str(value)


def tables(runs: Runs) -> list[Table]:
    """Leaderboard, figures, published numbers, and what failed."""
    board = leaderboard(runs)
    every: list[Table] = []
    if len(board.models) > 1:
        rows = [[model, *(column.cell(model) for column in board.columns)] for model in board.models]
        every.append(("Leaderboard", ["model", *(column.title for column in board.columns)], rows, board.note))
    every += [pivoted(figure) for figures in figures_of(runs.scores).values() for figure in figures]
    compared = [comparison_row(one) for one in comparisons(runs)]
    if compared:
        every.append(("Published numbers beside ours", COMPARED, compared, ""))
    failed = failed_rows(runs)
    return [*every, ("What failed", FAILED, failed, "")] if failed else every


def markdown(runs: Runs) -> str:
    """What is missing and the answers as lists, then every table."""
    lines = [f"# What a word is worth to {_markdown(', '.join(runs.models))}", ""]
    for question, sentences in plain_answers(runs).items():
        lines += [f"**{question}**", "", *(f"- {_markdown(sentence)}" for sentence in sentences), ""]
    for title, header, rows, note in tables(runs):
        right = _numeric(rows, len(header))
        rule = ["---:" if at in right else "---" for at in range(len(header))]
        lines += [f"## {_markdown(title)}", "", _line(header), _line(rule, str), *(_line(row) for row in rows), ""]
        lines += [_markdown(note), ""] if note else []
    return "\n".join(lines)


def _line(cells: Sequence[str], escaped: Callable[[str], str] | None = None) -> str:
    return f"| {' | '.join((escaped or _markdown)(cell) for cell in cells)} |"


def _markdown(text: str) -> str:
    """Nothing in a name is taken for Markdown or HTML."""
    safe = re.sub(r"([\\`*_\[\]|#~$])", r"\\\1", visible(text))
    safe = re.sub(r"^(\d*)([-+.)])(?=\s)", r"\1\\\2", safe)  # no list begins inside a line
    safe = safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(safe.split())


def latex(runs: Runs) -> str:
    """Tables for `booktabs`, each to be taken into a paper by itself."""
    blocks = ["% \\usepackage{booktabs}; compile with XeLaTeX or LuaLaTeX (Unicode)"]
    for question, sentences in plain_missing(runs).items():
        blocks += [f"% {question} {' '.join(sentence.split())}" for sentence in sentences]
    for title, header, rows, note in tables(runs):
        right = _numeric(rows, len(header))
        form = "".join("r" if at in right else "l" for at in range(len(header)))
        body = [" & ".join(map(_latex, row)) + r" \\" for row in rows]
        head = " & ".join(map(_latex, header)) + r" \\"
        blocks.append(
            "\n".join(
                [r"\begin{table}", rf"\caption{{{_latex(title)}}}", rf"\begin{{tabular}}{{{form}}}", r"\toprule", head,
                 r"\midrule", *body, r"\bottomrule", r"\end{tabular}",
                 *([rf"\par\smallskip {_latex(note)}"] if note else []), r"\end{table}"]
            )
        )  # fmt: skip
    return "\n\n".join(blocks) + "\n"


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {character: f"\\{character}" for character in "&%$#_{}"}
_LATEX |= {"[": "{[}", "*": "{*}"}  # behind the end of a row they would be its arguments


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in visible(text)).replace("--", "-{}-")


def _numeric(rows: list[list[str]], width: int) -> set[int]:
    """Columns that hold numbers alone."""
    table = pl.DataFrame(rows, schema=[str(at) for at in range(width)], orient="row") if rows else pl.DataFrame()
    pattern = re.compile(rf"[−+]?\d*\.?\d+{MARK}?|–|inside|raw|")
    return {at for at, column in enumerate(table.get_columns()) if all(pattern.fullmatch(cell) for cell in column)}
