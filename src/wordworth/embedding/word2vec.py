"""Read word2vec's text and binary formats, and the text of fastText (`.vec`), GloVe and Numberbatch (`/c/en/word`).

Text has one line per word: the word, then `dim` numbers; a header `rows dim` comes first, except in GloVe. A word may
have spaces in it (GloVe 840B's `. . .`): the last `dim` fields are the numbers. A chunk of lines is parsed at once,
and line by line only if a line in it is irregular.

Binary has the header, then for each row the word, a space, and `dim` little-endian float32. The original tool puts a
line break after each vector, gensim does not; both are read.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.embedding.blocks import SAMPLE, Flaws, RowBlock, VectorFile, open_stream
from wordworth.errors import WordworthError, quote

CHUNK_BYTES = 1 << 20  # bytes of lines parsed at once
MAX_DIM = 1 << 16
"""The largest dimension of a header that is believed: memory is allocated for it before the vectors are read."""
_LINE_BYTES = 4 << 20  # more than the widest vector takes
_WORD_BYTES = 1 << 16  # a longer “word” means that the file is not word2vec binary
_READ_BYTES = 8 << 20
_BOM = b"\xef\xbb\xbf"
_DECIMAL = re.compile(rb"[-+]?\d*\.\d+([eE][-+]?\d+)?")


@dataclass(frozen=True)
class TextLayout:
    """Describe the lines of a text file, as its beginning shows them."""

    dim: int
    rows: int | None
    """From the header; None without one."""
    concepts: bool
    """Whether words are ConceptNet terms, `/c/LANGUAGE/word`."""


def header(line: bytes) -> tuple[int, int] | None:
    """Return (rows, dim) if the line is a word2vec header."""
    fields = line.removeprefix(_BOM).split()
    if len(fields) == 2 and all(field.isdigit() and len(field) < 16 for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def _number(field: bytes) -> float | None:
    try:
        return None if b"_" in field else float(field)
    except ValueError:
        return None


def numbers_at_end(line: bytes) -> int:
    """Count the numbers at the end of a line; the first field is the word."""
    count = 0
    for field in reversed(line.split()[1:]):
        if _number(field) is None:
            break
        count += 1
    return count


def layout(sample: bytes, has_header: bool | None = None) -> TextLayout | None:
    """Return the layout of a text file from its beginning, or None if it is not one.

    `has_header` is None if the first line decides. Without a header the dimension is the most common count of numbers
    at the end of a line.
    """
    lines = sample.removeprefix(_BOM).split(b"\n")
    if len(lines) == 1 and len(sample) == SAMPLE:
        return None  # too long for a line of vectors
    lines = lines[:-1] if len(lines) > 1 else lines  # the last one may be cut by the sample
    head = header(lines[0]) if has_header is not False else None
    body = [line for line in lines[head is not None :][:100] if line.strip()]
    counts = Counter(filter(None, map(numbers_at_end, body)))
    concepts = any(line.startswith(b"/c/") for line in body[:1])
    if head is not None and head[1] and (counts or not body):
        return TextLayout(head[1], head[0], concepts)
    if has_header or not counts:
        return None
    return TextLayout(counts.most_common(1)[0][0], None, concepts)


def _chunks(stream: BinaryIO, path: Path) -> Iterator[bytes]:
    """Yield whole lines, about `CHUNK_BYTES` at a time. Empty lines at the end are skipped."""
    remainder = b""
    while piece := stream.read(CHUNK_BYTES):
        text = remainder + piece
        text_length = len(text.rstrip())
        end = text.find(b"\n", text_length) + 1 or text.rfind(b"\n") + 1
        if text_length and end:
            yield text[:end]
            remainder = text[end:]
        else:
            remainder = text
        if len(remainder.strip()) > _LINE_BYTES:
            raise WordworthError(
                f"{path} has a line of more than {_LINE_BYTES:,} bytes, which is too long for a vector; fix it"
            )
    if remainder.strip():
        yield remainder


def _parse_lines(lines: bytes, count: int, dim: int) -> tuple[list[str], NDArray[np.float32]] | None:
    """Parse all lines at once; return None if any of them is not exactly `word number…`."""
    if dim > len(lines) // 2:  # each number takes a space and a digit
        return None
    end = lines.find(b"\n")
    if lines.count(b" ", 0, end if end >= 0 else None) != dim:  # polars allocates for each field of the first line
        return None
    if lines.startswith(_BOM):  # polars would drop a byte order mark, which is part of a word here
        return None
    schema = {"word": pl.String, **{str(i): pl.Float32 for i in range(dim)}}
    try:
        table = pl.read_csv(lines, has_header=False, separator=" ", quote_char=None, schema=schema, glob=False)
    except pl.exceptions.PolarsError:
        return None
    if table.height != count or any(table.null_count().row(0)):
        return None
    return table["word"].to_list(), table.drop("word").to_numpy(order="c")


def _line(line: bytes, dim: int, number: int, flaws: Flaws) -> tuple[str, list[float]] | None:
    """Parse one line; return None and add its flaw if it is unusable."""
    fields = line.rsplit(None, dim)
    word = fields[0] if fields else b""
    if line[:1].isspace() and line.strip():
        flaws.add("word", number, "the line begins without a word")
        return None
    extra = word.split()[1:]
    if len(fields) <= dim or (extra and _DECIMAL.fullmatch(extra[-1])):
        first_field, *other_fields = line.split() or [b""]
        text = quote(first_field) if first_field else "an empty line"
        flaws.add("fields", number, f"{text} has {len(other_fields):,} fields where {dim:,} numbers are expected")
        return None
    values: list[float] = []
    for field in fields[1:]:
        value = _number(field)
        if value is None:
            flaws.add("field", number, f"{quote(field)} in the vector of {quote(word)} is not a number")
            return None
        values.append(value)
    try:
        return word.decode(), values
    except UnicodeDecodeError:
        flaws.add("encoding", number, f"the word {word[:60]!r} is not UTF-8")
        return None


def _blocks(lines: bytes, numbers: Sequence[int], dim: int, flaws: Flaws) -> Iterator[RowBlock]:
    """Yield whole lines as a block: parsed at once, or one by one if any of them is irregular."""
    table = _parse_lines(lines, len(numbers), dim)
    if table is not None:
        yield RowBlock(*table, numbers)
        return
    separate_lines = lines.removesuffix(b"\n").split(b"\n")
    rows = [(number, _line(line, dim, number, flaws)) for line, number in zip(separate_lines, numbers, strict=True)]
    parsed_rows = [(number, *row) for number, row in rows if row is not None]
    matrix = np.array([values for *_, values in parsed_rows], dtype=np.float64).reshape(-1, dim)
    yield RowBlock([word for _, word, _ in parsed_rows], matrix, [number for number, *_ in parsed_rows])


def _concepts(lines: bytes, numbers: Sequence[int], code: str, flaws: Flaws) -> tuple[list[bytes], list[int], int]:
    """Return the lines of one language without `/c/LANGUAGE/`, their numbers, and how many are of other languages."""
    prefix, other_count = f"/c/{code}/".encode(), 0
    term_lines: list[bytes] = []
    line_numbers: list[int] = []
    for line, number in zip(lines.removesuffix(b"\n").split(b"\n"), numbers, strict=True):
        if line.startswith(prefix):
            term_lines.append(line[len(prefix) :])
            line_numbers.append(number)
        elif line.startswith(b"/c/"):
            other_count += 1
        else:
            flaws.add("word", number, f"{quote(line.partition(b' ')[0])} is not a term of the form /c/LANGUAGE/word")
    return term_lines, line_numbers, other_count


def _text_body(stream: BinaryIO, shape: TextLayout, code: str, flaws: Flaws) -> Iterator[RowBlock]:
    number = 0  # of the last line read
    other_count = 0
    for i, raw_chunk in enumerate(_chunks(stream, flaws.path)):
        chunk = raw_chunk.removeprefix(_BOM) if i == 0 else raw_chunk
        if i == 0 and shape.rows is not None:
            chunk = chunk.partition(b"\n")[2]
            number = 1
        chunk = chunk.replace(b"\r\n", b"\n").replace(b" \n", b"\n")  # fastText ends each line with a space
        if not chunk:
            continue
        last_line = b"" if chunk.endswith(b"\n") else chunk.rpartition(b"\n")[2]
        if last_line and len(last_line.rsplit(None, shape.dim)) <= shape.dim:
            raise flaws.describe_cut(f"the last line ends after {len(last_line.split()) - 1} of {shape.dim} numbers")
        count = chunk.count(b"\n") + bool(last_line)
        numbers: Sequence[int] = range(number + 1, number + 1 + count)
        number += count
        if shape.concepts:
            lines, numbers, skipped_count = _concepts(chunk, numbers, code, flaws)
            other_count += skipped_count
            chunk = b"\n".join(lines)
        if numbers:
            yield from _blocks(chunk, numbers, shape.dim, flaws)
    if other_count:
        flaws.notes.append(f"{other_count:,} rows of other languages than {code}")
    rows = number - 1
    if shape.rows is not None and rows < shape.rows:
        raise flaws.describe_cut(f"the header says {shape.rows:,} rows and there are {max(rows, 0):,}")
    if shape.rows is not None and rows > shape.rows:
        flaws.add("header", 1, f"the header says {shape.rows:,} rows and there are {rows:,}")


def read_text(path: Path, shape: TextLayout, code: str, flaws: Flaws) -> VectorFile:
    """Read any of the text formats, decompressed on the way. `code` is the language to keep of Numberbatch (`en`)."""

    def blocks() -> Iterator[RowBlock]:
        with open_stream(path) as stream:
            yield from _text_body(stream, shape, code, flaws)

    return VectorFile(shape.dim, blocks(), language="english" if code == "en" else "")


def _binary_body(stream: BinaryIO, rows: int, dim: int, flaws: Flaws) -> Iterator[RowBlock]:
    size = 4 * dim
    stream.readline()
    remainder, row = b"", 0
    while row < rows:
        piece = stream.read(_READ_BYTES)
        if not piece:
            raise flaws.describe_cut(f"it ends in row {row + 1:,} of the {rows:,} that its header says")
        buffer, offset = remainder + piece, 0
        view = memoryview(buffer)
        words: list[str] = []
        vectors: list[memoryview] = []
        numbers: list[int] = []
        while row < rows:
            space = buffer.find(b" ", offset)
            end = space + 1 + size
            if space < 0 or end > len(buffer):
                break
            row += 1
            word = buffer[offset:space].lstrip(b"\n")
            offset = end
            try:
                words.append(word.decode())
            except UnicodeDecodeError:
                flaws.add("encoding", row, f"the word {word[:60]!r} is not UTF-8")
                continue
            vectors.append(view[space + 1 : end])
            numbers.append(row)
        remainder = buffer[offset:]
        if words:
            yield RowBlock(words, np.frombuffer(b"".join(vectors), dtype="<f4").reshape(-1, dim), numbers)
        if len(remainder) > _WORD_BYTES + size and row < rows:
            raise WordworthError(
                f"{flaws.path}, row {row + 1:,}: no word in the next {_WORD_BYTES:,} bytes; this is not word2vec "
                "binary with the dimension its header says"
            )
    if (remainder + stream.read(_WORD_BYTES)).strip(b"\n"):
        flaws.add("header", 1, f"the header says {rows:,} rows and the file goes on after them")


def read_binary(path: Path, rows: int, dim: int, flaws: Flaws) -> VectorFile:
    """Read the binary format, decompressed on the way."""

    def blocks() -> Iterator[RowBlock]:
        with open_stream(path) as stream:
            yield from _binary_body(stream, rows, dim, flaws)

    return VectorFile(dim, blocks())
