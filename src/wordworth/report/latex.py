"""The tables as LaTeX: `booktabs`, plain pdfLaTeX, each to be taken into a paper by itself."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from textwrap import wrap

from wordworth.report.asked import Asked, Part
from wordworth.report.letters import latex_text, spelled
from wordworth.report.missing import plain_missing
from wordworth.report.naming import number
from wordworth.report.runs import Runs
from wordworth.report.tables import Cell, Column, Row, Table, cell_of, columns, tables
from wordworth.run.flags import MARK
from wordworth.visible import visible

PAGE = 34
"""Rows of a table; one that is longer is parted by name, and what is still longer goes on in the next."""
ONE_COLUMN, WIDEST = 235.0, 560.0
"""Points. A table that is wider than a column of two is set over both; one wider than `WIDEST`, which is a page's width
before it is shrunk to two thirds, goes on in the next."""
LINE, EM = 18, 0.52
"""Letters that a line of a cell has where its text is long, and the width of one."""
LINES, TEXT = 38, 95
"""Lines of text that a page holds, and letters in each, before it is shrunk to the width."""
CLEARED = 12
"""Tables after which those that wait are set: TeX holds back only so many."""
_POINTS = {"value": 4.9, "interval": 3.6, "p": 4.7, "n": 4.9}
"""Of one character."""
_SYMBOLS = {"weat": "$d$", "valence": r"$\rho$", "similarity": r"$\rho$"}
_FIT = r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi"


def latex(runs: Runs, asked: Asked | None = None) -> str:
    """Every table in an environment of its own, with what is in the file as comments before them."""
    parts = [part for table in tables(runs, asked, longest=PAGE) for part in _parts(table)]
    opening = [
        r"% \usepackage{array,booktabs,graphicx}; any LaTeX, pdfLaTeX too. Put into a paper by \input, or one by one:"
    ]
    opening += [rf"% \ref{{tab:{part.label}}}  {_comment(part.title)}" for part in parts]
    opening += [f"% {question} {_comment(one)}" for question, some in plain_missing(runs).items() for one in some]
    opening += _unknown(parts)
    blocks = ["\n".join(opening)]
    for at, part in enumerate(parts, 1):
        blocks.append("\n".join(part.lines()))
        blocks += [r"\clearpage % so that TeX does not hold back too many tables"] if at % CLEARED == 0 else []
    return "\n\n".join(blocks) + "\n"


def _comment(text: str) -> str:
    return " ".join(visible(text).split())


def _unknown(parts: Sequence["_Part"]) -> list[str]:
    """Which characters pdfLaTeX has no letter for, and what to do."""
    texts = [part.title for part in parts] + [name for part in parts for row in part.rows for name in row.names]
    texts += [head for part in parts for head in part.table.heads]
    characters = dict.fromkeys(one for text in texts for one in spelled(text))
    if not characters:
        return []
    return [
        f"% (U+…): characters that pdfLaTeX has no letter for ({' '.join(characters)}); name models in Latin letters",
        "% with LABEL=… when they are run, or write the names here and compile with XeLaTeX and a font that has them.",
    ]


@dataclass(frozen=True)
class _Part:
    """A table, or as much of one as fits a page."""

    table: Table
    rows: Sequence[Row]
    columns: Sequence[Column]
    at: int
    of: int

    @property
    def label(self) -> str:
        return self.table.id if self.at == 1 else f"{self.table.id}-part{self.at}"

    @property
    def title(self) -> str:
        return self.table.title if self.of == 1 else f"{self.table.title} (part {self.at} of {self.of})"

    def lines(self) -> Iterator[str]:
        """The environment, line by line."""
        wide = not self.table.heads or _width(self.table, self.columns) > ONE_COLUMN
        kind = "table*" if wide else "table"
        caption = latex_text(self.title), latex_text(f"{self.title}. {self.table.caption}")
        yield from (rf"\begin{{{kind}}}[tbp]", r"\centering", rf"\caption[{{{caption[0]}}}]{{{caption[1]}}}")
        yield rf"\label{{tab:{self.label}}}\small\smallskip"
        yield from (r"\sbox0{%", *(self._tabular() if self.table.heads else self._text()), r"}%", _FIT)
        if self.table.note:
            yield rf"\par\smallskip{{\footnotesize {latex_text(self.table.note)}\par}}"
        yield rf"\end{{{kind}}}"

    def _tabular(self) -> Iterator[str]:
        form = "".join(_FORMS[column.part] for column in self.columns)
        yield rf"\begin{{tabular}}{{{'l' * len(self.table.names)}{form}}}"
        yield r"\toprule"
        yield from self._heads()
        yield r"\midrule"
        before: tuple[str, ...] = ()
        for row in self.rows:
            if before and len(row.names) > 1 and row.names[0] != before[0]:
                yield r"\addlinespace"
            numbers = [_part(cell_of(row, column), column.part) for column in self.columns]
            yield _line([*_unrepeated(row.names, before), *numbers])
            before = row.names
        yield from (r"\bottomrule", r"\end{tabular}")

    def _heads(self) -> Iterator[str]:
        """The headings, each over its columns; below them what these are, where that is not the value alone."""
        at, over, rules, under = len(self.table.names) + 1, [], [], []
        names = list(map(latex_text, self.table.names))
        for head, group in groupby(self.columns, key=lambda column: column.at):
            mine = list(group)
            title = "" if head is None else _stacked(_broken(self.table, head, mine))
            over.append(rf"\multicolumn{{{len(mine)}}}{{c}}{{{title}}}")
            rules += [rf"\cmidrule(lr){{{at}-{at + len(mine) - 1}}}"] if head is not None else []
            under += [self._under(column) for column in mine]
            at += len(mine)
        if all(column.part in ("value", "interval") for column in self.columns):
            yield _line([*names, *over])
            return
        yield _line([*[""] * len(names), *over])
        yield "".join(rules)
        yield _line([*names, *under])

    def _under(self, column: Column) -> str:
        if column.part in ("p", "n"):
            return f"${column.part}$"
        if column.part == "interval":
            return r"\footnotesize 95\,\%"
        measures = {cell.measure for row in self.rows if (cell := cell_of(row, column))}
        symbols = {_SYMBOLS.get(measure, "value") for measure in measures}
        return symbols.pop() if len(symbols) == 1 else "value"

    def _text(self) -> Iterator[str]:
        """Columns in lines that break, as wide as what stands in them asks for."""
        widths = (EM * letters for letters in _letters(self.table))
        form = "".join(rf">{{\raggedright\arraybackslash}}p{{{width:.1f}em}}" for width in widths)
        yield rf"\footnotesize\setlength{{\tabcolsep}}{{3pt}}\begin{{tabular}}{{{form}}}"
        yield from (r"\toprule", _line(map(latex_text, self.table.names)), r"\midrule")
        yield from (_line(map(_breaking, row.names)) for row in self.rows)
        yield from (r"\bottomrule", r"\end{tabular}")


_FORMS = {"value": "r", "interval": r"@{\hspace{.35em}}l", "p": "r", "n": "r"}


def _breaking(text: str) -> str:
    """Text whose long names may end a line inside: behind a hyphen, as TeX has it, and behind these."""
    return re.sub(r"([/:@)]|\\_)(?=\w)", r"\1\\hspace{0pt}", latex_text(text))


def _letters(table: Table) -> list[int]:
    """How many a line has in each column of text: as many as its longest word, and more where texts are long."""
    columns = zip(table.names, *(row.names for row in table.rows), strict=True)
    words = [[word for text in texts for word in re.split(r"(?<=[-/:@_)\s])", text)] for texts in columns]
    longest = [max(map(len, texts)) for texts in zip(table.names, *(row.names for row in table.rows), strict=True)]
    return [max([*map(len, mine), min(long, LINE)]) for mine, long in zip(words, longest, strict=True)]


def _over(table: Table) -> Iterator[Sequence[Row]]:
    """The rows of a table, as many at a time as a page holds: of text, by the lines that they break into."""
    letters = [] if table.heads else _letters(table)
    page = PAGE if table.heads else LINES * max(1.0, sum(letters) / TEXT)
    rows: list[Row] = []
    lines = 0
    for row in table.rows:
        high = max((ceil(1.15 * len(name) / room) for name, room in zip(row.names, letters, strict=False)), default=1)
        if rows and lines + high > page:
            yield rows
            rows, lines = [], 0
        rows.append(row)
        lines += high
    if rows:
        yield rows


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _unrepeated(names: Sequence[str], before: Sequence[str]) -> Iterator[str]:
    """Names as a reader wants them: a leading one that is that of the row above is left blank."""
    same = True
    for at, name in enumerate(names):
        same = same and at < len(names) - 1 and before[at : at + 1] == (name,)
        yield "" if same else latex_text(name)


def _part(cell: Cell | None, part: Part) -> str:
    if cell is None or not cell.has(part):
        return ""
    if part == "value":
        mark = latex_text(MARK if cell.flags else "")
        text = latex_text(number(cell.value))
        return (rf"\textbf{{{text}}}" if cell.best else text) + mark
    if part == "interval":
        return rf"{{\footnotesize[{latex_text(number(cell.low))}, {latex_text(number(cell.high))}]}}"
    if part == "n":
        return f"{cell.n:,}"
    return cell.chance.written(_power).replace("< ", "$<$") if cell.chance else ""


def _power(mantissa: str, exponent: int) -> str:
    times = rf"{mantissa}\times " if mantissa else ""
    return rf"${times}10^{{{exponent}}}$"


def _parts(table: Table) -> list[_Part]:
    """The table in as many parts as it takes to fit pages."""
    over, beside = list(_over(table)), list(_beside(table)) or [[]]
    every = [(rows, shown) for shown in beside for rows in over]
    return [_Part(table, rows, shown, at, len(every)) for at, (rows, shown) in enumerate(every, 1)]


def _beside(table: Table) -> Iterator[list[Column]]:
    """The columns of a table, as many at a time as fit beside each other; those under one heading stay together."""
    shown: list[Column] = []
    for _, group in groupby(columns(table), key=lambda column: column.at):
        mine = list(group)
        if shown and _width(table, [*shown, *mine]) > WIDEST:
            yield shown
            shown = []
        shown = [*shown, *mine]
    if shown:
        yield shown


def _broken(table: Table, head: int, below: Sequence[Column]) -> list[str]:
    """A heading in lines about as wide as what stands below it; names are not broken."""
    room = int(sum(_column_width(table, column) for column in below) / 5)
    return wrap(table.heads[head], max(room, 8), break_long_words=False, break_on_hyphens=False) or [""]


def _stacked(lines: Sequence[str]) -> str:
    every = r" \\ ".join(map(latex_text, lines))
    return rf"\shortstack{{{every}}}" if len(lines) > 1 else every


def _width(table: Table, shown: Sequence[Column]) -> float:
    """About how wide a table is, in points of ten-point type."""
    names = zip(table.names, *(row.names for row in table.rows), strict=True)
    width = sum(5.0 * max(map(len, column)) + 12 for column in names)
    for at, group in groupby(shown, key=lambda column: column.at):
        mine = list(group)
        head = 0 if at is None else 5.0 * max(map(len, _broken(table, at, mine)))
        width += max(head, sum(_column_width(table, column) for column in mine)) + 6
    return width


def _column_width(table: Table, column: Column) -> float:
    parts = [_plain(cell_of(row, column), column.part) for row in table.rows]
    return _POINTS[column.part] * max(map(len, parts), default=0) + (4 if column.part == "interval" else 12)


def _plain(cell: Cell | None, part: Part) -> str:
    """What is set, without commands."""
    if cell is None or not cell.has(part):
        return ""
    if part == "p" and cell.chance:
        return cell.chance.written(lambda mantissa, exponent: f"{mantissa}x10{abs(exponent) // 10:2}")
    return {
        "value": number(cell.value) + (MARK if cell.flags else ""),
        "interval": f"[{number(cell.low)}, {number(cell.high)}]",
        "n": f"{cell.n or 0:,}",
    }[part]
