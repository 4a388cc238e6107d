"""How files of running text are read, a line of text at a time.

A broken line goes to `report`, a sentence with its place; if that does not raise, the rest of the file is used.
"""

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from wordworth.catalog.read.tables import parsed_json
from wordworth.catalog.read.tagged import tagged_sentences
from wordworth.errors import WordworthError, listed, reason_of

Report = Callable[[str], None]

TEXT = "text"
"""The field or column of a user's own jsonl or parquet that is read when none is named."""
ROWS = 1 << 16
# What cut or damaged gz, bz2 and xz files raise.
DAMAGE = (EOFError, OSError, zlib.error, lzma.LZMAError)
_HEADING = re.compile(r"= .* =$")
_JOINED = re.compile(r" @([-,.])@ ")


def refuse(sentence: str) -> None:
    """The report of whoever wants a whole file."""
    raise WordworthError(sentence)


def opened(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked where its name says that it is packed."""
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path))
    if path.suffix == ".bz2":
        return cast(IO[bytes], bz2.open(path))
    return cast(IO[bytes], lzma.open(path)) if path.suffix == ".xz" else path.open("rb")


def numbered_lines(path: Path, report: Report) -> Iterator[tuple[int, str]]:
    """Every line that is UTF-8, with its number from 1 on."""
    with opened(path) as stream:
        try:
            for number, raw in enumerate(stream, start=1):
                try:
                    line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    report(f"{path}, line {number}: not UTF-8 ({error.reason}); convert the file")
                else:
                    yield number, line
        except DAMAGE as error:
            report(f"{path} is cut short or damaged ({error}); fetch or copy it again")


def text_lines(path: Path, report: Report) -> Iterator[str]:
    """Lines that are not blank, without the space around them."""
    yield from filter(None, (line.strip() for _, line in numbered_lines(path, report)))


def wikitext_lines(path: Path, report: Report) -> Iterator[str]:
    """WikiText's paragraphs without its headings, with `@-@`, `@,@` and `@.@` joined again."""
    for line in text_lines(path, report):
        if not is_heading(line):
            yield wikitext_line(line)


def is_heading(line: str) -> bool:
    """Whether a line of WikiText is a title or a heading."""
    return _HEADING.match(line) is not None


def wikitext_line(line: str) -> str:
    """A line of WikiText with its numbers and compounds joined again."""
    return _JOINED.sub(r"\1", line)


def joined_in(line: str) -> int:
    """How many marks `wikitext_line` joins to the words around them."""
    return len(_JOINED.findall(line))


def tsv_lines(path: Path, report: Report, column: int) -> Iterator[str]:
    """One column (from 1) of a table; a blank line, or one whose text is blank, is passed over."""
    for number, line in numbered_lines(path, report):
        cells = line.rstrip("\r\n").split("\t")
        if not line.strip():
            continue
        if len(cells) < column:
            report(f"{path}, line {number}: {len(cells)} columns, and the text is column {column}; correct the line")
            continue
        text = cells[column - 1].strip()
        if len(text) > 1 and text[0] == text[-1] == '"':
            text = text[1:-1].replace('""', '"')
        if text:
            yield text


def tagged_lines(path: Path, report: Report) -> Iterator[str]:
    """Sentences of a tagged corpus, without the tags."""
    for sentence in tagged_sentences(path):
        yield " ".join(word for word, _ in sentence)


def json_records(path: Path, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file, with their lines."""
    for number, line in numbered_lines(path, report):
        if not line.strip():
            continue
        try:
            record = parsed_json(line, f"{path}, line {number}", "correct the line")
        except WordworthError as error:
            report(str(error))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            report(f"{path}, line {number}: not a JSON object; write one on each line")


def jsonl_lines(path: Path, report: Report, field: str) -> Iterator[str]:
    """One field of the objects of a JSON Lines file; its line breaks part it into several texts."""
    wanted = field or TEXT
    for number, record in json_records(path, report):
        text = record.get(wanted)
        if not isinstance(text, str):
            fields = listed(sorted(record)) or "none"
            report(f"{path}, line {number}: no text in the field {wanted!r} (fields: {fields}); name one as PATH#FIELD")
            continue
        try:
            text.encode()
        except UnicodeEncodeError as error:
            report(f"{path}, line {number}: its text is not Unicode ({error.reason}); correct the line")
            continue
        yield from filter(None, map(str.strip, text.splitlines()))


def parquet_lines(path: Path, report: Report, field: str) -> Iterator[str]:
    """One column of a parquet file, a block of rows at a time; blank cells are passed over."""
    wanted = field or TEXT
    table = pl.scan_parquet(path)
    try:
        texts = [name for name, kind in table.collect_schema().items() if kind == pl.String]
        if wanted not in texts:
            columns = listed(texts) or "none"
            raise WordworthError(
                f"{path} has no text column {wanted!r} (there are: {columns}); name one as PATH#COLUMN"
            )
        start = 0
        while len(block := table.select(wanted).slice(start, ROWS).collect()):
            start += len(block)
            for text in block.get_column(wanted).drop_nulls():
                yield from filter(None, map(str.strip, text.splitlines()))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise WordworthError(f"{path} is not a parquet file ({reason_of(error)}); fetch or copy it again") from error
