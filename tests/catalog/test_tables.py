"""Delimited text with every quirk, and every message."""

import pytest

from wordworth.catalog.read.tables import column, number, read_table
from wordworth.errors import WordworthError


def write(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_separators_line_ends_and_bom(tmp_path, delimiter, end, bom):
    text = bom + end.join(delimiter.join(cells) for cells in [("word", "rating"), ("null", "1"), ("nan", "2")]) + end
    table = read_table(write(tmp_path, text))
    assert table.header == ("word", "rating")
    assert [(row.line, row.cells) for row in table.rows] == [(2, ("null", "1")), (3, ("nan", "2"))]


def test_quoted_fields_and_blank_lines(tmp_path):
    table = read_table(write(tmp_path, 'word,rating\n\n"a, b",1\n"say ""so""",2\n'))
    assert [(row.line, row.cells[0]) for row in table.rows] == [(3, "a, b"), (4, 'say "so"')]


def test_columns_by_name_or_position(tmp_path):
    table = read_table(write(tmp_path, "word,Mean,SD,Mean\na,1,2,3\n"))
    assert (column(table, "word"), column(table, 4)) == (0, 3)
    for asked, amount in (("Mean", "several columns"), ("mean", "no column")):
        with pytest.raises(WordworthError, match=f"{amount} '{asked}'; its columns are word, Mean, SD, Mean"):
            column(table, asked)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "table.csv is empty; it needs a header and rows"),
        (b"word,rating\na,1\n\xff,2\n", "table.csv, line 3: not UTF-8; save the file as UTF-8"),
        (b"word\na\n", "table.csv, line 1: no comma, semicolon or tab found; is this a CSV or TSV file?"),
        (b"word,rating\na,1,2\n", "table.csv, line 2: 3 columns where there should be 2 (separated by comma)"),
        (b'word,rating\n"a,1\n', "check the quotation marks there"),
    ],
)
def test_bad_tables_are_errors_with_their_line(tmp_path, content, message):
    with pytest.raises(WordworthError) as raised:
        read_table(write(tmp_path, content))
    assert message in str(raised.value)


def test_numbers():
    assert [number(text) for text in ("1", " 2.5 ", "-3,25", "+.5", "1e-3")] == [1.0, 2.5, -3.25, 0.5, 0.001]
    assert [number(text) for text in ("", "nan", "inf", "NA", "1.2.3", "-", "1,234.5", "1e999")] == [None] * 8
