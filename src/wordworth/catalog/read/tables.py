"""Delimited text as people publish it: BOM, `,` `;` or tab, decimal commas; all as strings."""

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
    """One record and the line of the file it ends on."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Records:
    """A header (none where the file has none) and its rows."""

    path: Path
    header: tuple[str, ...]
    rows: tuple[Record, ...]


def tidy(text: str) -> str:
    """Return a text without spaces at the ends, and with one plain space for any run of them (no-break spaces too)."""
    return " ".join(text.split())


def read_text(path: Path) -> str:
    """Return a file's text; other encodings than UTF-8 are an error that names the line."""
    if not path.is_file():
        raise WordworthError(
            f"there is no file {path}; give the path of a file that is there, or a name of the catalog"
        )
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


def parsed_json(text: str, where: str, advice: str) -> Any:
    """Parse a JSON text; the error names `where`: its file, and its line if it is one of many."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f", line {error.lineno}" if "\n" in text.strip() else ""
        raise WordworthError(f"{where}{line}: not JSON from character {error.colno} on; {advice}") from error
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, nesting without end
        raise WordworthError(f"{where}: not JSON that can be read ({reason_of(error)}); {advice}") from error


def check_table(model: type[Model], table: object, where: str) -> Model:
    """Return a table of TOML or JSON as a model of pydantic's; what does not fit is named with its place."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise WordworthError(f"{where}: {first_problem(error)}; correct it") from error


def unique(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words once each, and those that came again."""
    seen: dict[str, None] = {}
    again = []
    for word in words:
        if word in seen:
            again.append(word)
        seen.setdefault(word)
    return tuple(seen), tuple(again)


def sniff_delimiter(text: str, path: Path) -> str:
    """Return the delimiter, by its count in the first line: comma, semicolon or tab."""
    first = text.partition("\n")[0]
    counts = {delimiter: first.count(delimiter) for delimiter in _NAMES}
    best = max(counts, key=lambda delimiter: counts[delimiter])
    if not counts[best]:
        raise WordworthError(f"{path}, line 1: no comma, semicolon or tab found; is this a CSV or TSV file?")
    return best


def read_table(
    path: Path, *, delimiter: str | None = None, header: bool = True, quotes: bool = True, comments: bool = False
) -> Records:
    """Reads a table; the delimiter is found in the first line where it is not given. Blank lines are passed over, and
    with `comments` those that begin with #."""
    text = read_text(path)
    if comments:  # the lines stay, so that their numbers do
        text = "\n".join("" if line.startswith("#") else line for line in text.split("\n"))
    if not text.strip():
        raise WordworthError(f"{path} is empty; it needs a header and rows")
    delimiter = delimiter or sniff_delimiter(text, path)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        strict=True,
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
                f"(parted by {_NAMES.get(delimiter, repr(delimiter))}); put a field that holds the separator in quotes"
            )
    return Records(path, names, tuple(rows))


def read_rows(path: Path, marks: str) -> tuple[Record, ...]:
    """Read rows without a header, separated by the first of `marks` that is in the first line, else by spaces."""
    lines = [(at, line) for at, line in enumerate(read_text(path).splitlines(), start=1) if line.strip()]
    mark = next((mark for mark in marks if lines and mark in lines[0][1]), None)
    return tuple(Record(at, tuple(cell.strip() for cell in line.split(mark))) for at, line in lines)


def column(table: Records, wanted: str | int) -> int:
    """Return the position of a column: by name, or by position from 1."""
    if isinstance(wanted, int):
        return wanted - 1
    if table.header.count(wanted) != 1:
        amount = "several columns" if wanted in table.header else "no column"
        columns = format_names(name or "(blank)" for name in table.header)
        raise WordworthError(f"{table.path} has {amount} {wanted!r}; its columns are {columns}")
    return table.header.index(wanted)


def check_commas(path: Path, cells: Iterable[tuple[int, str]]) -> None:
    """Refuse a column, given as lines with their cells, in which a comma may separate thousands: `1,050` next to `950`.

    If another cell has a comma that can only be a decimal one, as in `7,5`, and none has a point, all commas are.
    """
    every = list(cells)
    if not any("," in text for _, text in every):
        return
    numbers = [(line, text.strip()) for line, text in every if number(text) is not None]
    grouped = [(line, text) for line, text in numbers if _GROUPED_NUMBER.fullmatch(text)]
    has_decimal_commas = any("," in text and not _GROUPED_NUMBER.fullmatch(text) for _, text in numbers)
    if grouped and (not has_decimal_commas or any("." in text for _, text in numbers)):
        line, text = grouped[0]
        raise WordworthError(
            f"{path}, line {line}: {text!r} can be {text.replace(',', '')} or {text.replace(',', '.')}; write numbers "
            "without thousands separators and with a decimal point"
        )


def number(text: str) -> float | None:
    """Return a decimal number, with a point or a comma; nothing for anything else (blank, nan, inf, words)."""
    text = text.strip()
    number = float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None  # 1e999 reads as infinite
