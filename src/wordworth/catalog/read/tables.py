"""Read published delimited text as strings: BOM, `,` `;` or tab, decimal commas."""

import csv
import io
import json
import math
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wordworth.errors import WordworthError, first_problem, format_names, reason_of
from wordworth.files import refuse_special

_NAMES = {",": "comma", ";": "semicolon", "\t": "tab"}
_GROUPED_NUMBER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Record:
    """A record and the last line of the file that it is on."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Records:
    """A header (empty if the file has none) and the rows."""

    path: Path
    header: tuple[str, ...]
    rows: tuple[Record, ...]


def tidy(text: str) -> str:
    """Strip a text, and replace each run of white space (also no-break spaces) by one space."""
    return " ".join(text.split())


def read_text(path: Path) -> str:
    """Return a file's text; raise with the line if it is not UTF-8."""
    if not path.is_file():
        raise WordworthError(f"there is no file {path}; give the path of an existing file, or a name of the catalog")
    refuse_special(path)
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise WordworthError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    try:
        return tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise WordworthError(f"{path} is not TOML: {reason_of(error)}; correct it") from error


def parse_json(text: str, location: str, advice: str) -> Any:
    """Parse a JSON text; the error names `location`: its file, and its line if it is one of many."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f", line {error.lineno}" if "\n" in text.strip() else ""
        raise WordworthError(f"{location}{line}: not JSON from character {error.colno} on; {advice}") from error
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, nesting without end
        raise WordworthError(f"{location}: not JSON that can be read ({reason_of(error)}); {advice}") from error


def check_table(model: type[Model], table: object, location: str) -> Model:
    """Validate a table of TOML or JSON by a pydantic model; the error names `location` and the field."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise WordworthError(f"{location}: {first_problem(error)}; correct it") from error


def unique(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the distinct words, and the repeated ones."""
    distinct_words: dict[str, None] = {}
    repeated_words = []
    for word in words:
        if word in distinct_words:
            repeated_words.append(word)
        distinct_words.setdefault(word)
    return tuple(distinct_words), tuple(repeated_words)


def sniff_delimiter(text: str, path: Path) -> str:
    """Return the delimiter, by its count in the first line: comma, semicolon or tab."""
    first_line = text.partition("\n")[0]
    counts = {delimiter: first_line.count(delimiter) for delimiter in _NAMES}
    delimiter = max(counts, key=lambda delimiter: counts[delimiter])
    if not counts[delimiter]:
        raise WordworthError(f"{path}, line 1: no comma, semicolon or tab found; is this a CSV or TSV file?")
    return delimiter


def read_table(
    path: Path, *, delimiter: str | None = None, header: bool = True, quotes: bool = True, comments: bool = False
) -> Records:
    """Read a table, by default with the delimiter of the first line. Skip blank lines, and with `comments` lines that
    begin with #."""
    text = read_text(path)
    if comments:  # blank lines keep the line numbers
        text = "\n".join("" if line.startswith("#") else line for line in text.split("\n"))
    if not text.strip():
        raise WordworthError(f"{path} is empty; it needs a header and rows")
    delimiter = delimiter or sniff_delimiter(text, path)
    lines = io.StringIO(text, newline="")
    reader = csv.reader(
        lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE, strict=True
    )
    try:
        rows = [Record(reader.line_num, tuple(cells)) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise WordworthError(f"{path}, line {reader.line_num}: {error}; check the quotation marks there") from error
    names: tuple[str, ...] = ()
    if header:
        names = tuple(cell.strip() for cell in rows.pop(0).cells)
    width = len(names) if header else len(rows[0].cells)
    for row in rows:
        if len(row.cells) != width:
            raise WordworthError(
                f"{path}, line {row.line}: {len(row.cells)} columns where there should be {width} "
                f"(separated by {_NAMES.get(delimiter, repr(delimiter))}); quote a field that contains the separator"
            )
    return Records(path, names, tuple(rows))


def read_rows(path: Path, marks: str) -> tuple[Record, ...]:
    """Read rows without a header, separated by the first of `marks` that is in the first line, else by spaces."""
    lines = [(number, line) for number, line in enumerate(read_text(path).splitlines(), start=1) if line.strip()]
    mark = next((mark for mark in marks if lines and mark in lines[0][1]), None)
    return tuple(Record(number, tuple(cell.strip() for cell in line.split(mark))) for number, line in lines)


def column(table: Records, name_or_position: str | int) -> int:
    """Return the position of a column: by name, or by position from 1."""
    if isinstance(name_or_position, int):
        return name_or_position - 1
    if table.header.count(name_or_position) != 1:
        amount = "several columns" if name_or_position in table.header else "no column"
        columns = format_names(name or "(blank)" for name in table.header)
        raise WordworthError(f"{table.path} has {amount} {name_or_position!r}; its columns are {columns}")
    return table.header.index(name_or_position)


def check_commas(path: Path, cells: Iterable[tuple[int, str]]) -> None:
    """Raise if a comma in a column of (line, cell) may separate thousands: `1,050` next to `950`.

    All commas are decimal if another cell has one that can only be decimal, as in `7,5`, and none has a point.
    """
    pairs = list(cells)
    if not any("," in text for _, text in pairs):
        return
    numbers = [(line, text.strip()) for line, text in pairs if number(text) is not None]
    ambiguous = [(line, text) for line, text in numbers if _GROUPED_NUMBER.fullmatch(text)]
    has_decimal_commas = any("," in text and not _GROUPED_NUMBER.fullmatch(text) for _, text in numbers)
    if ambiguous and (not has_decimal_commas or any("." in text for _, text in numbers)):
        line, text = ambiguous[0]
        raise WordworthError(
            f"{path}, line {line}: {text!r} can be {text.replace(',', '')} or {text.replace(',', '.')}; write numbers "
            "without thousands separators and with a decimal point"
        )


def number(text: str) -> float | None:
    """Return a decimal number with a point or a comma; None for anything else (blank, nan, inf, words)."""
    text = text.strip()
    number = float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None  # 1e999 reads as infinite
