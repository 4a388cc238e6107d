"""Every bad row stops the reading with its line and word, or is left out and told."""

import re

import numpy as np
import pytest

from wordworth.embedding import load
from wordworth.errors import WordworthError

GOOD = b"a 1 2 3\nb 4 5 6\n"
ROWS = {
    "nan": (b"bad 1 nan 3", r"line 3: the vector of 'bad' has NaN or infinity in it"),
    "infinite": (b"bad 1 inf 3", r"line 3: the vector of 'bad' has NaN or infinity in it"),
    "beyond float32": (b"bad 1 1e39 3", r"line 3: the vector of 'bad' has NaN or infinity in it"),
    "zero": (b"bad 0 0.0 -0", r"line 3: the vector of 'bad' is all zero"),
    "repeat": (b"a 7 8 9", r"line 3: the word 'a' occurs in an earlier row"),
    "too few": (b"bad 1 2", r"line 3: 'bad' has 2 fields where 3 numbers are expected"),
    "too many": (b"bad 0.5 1 2 3", r"line 3: 'bad' has 4 fields where 3 numbers are expected"),
    "empty line": (b"", r"line 3: an empty line has 0 fields where 3 numbers are expected"),
    "not a number": (b"bad 1 two 3", r"line 3: 'two' in the vector of 'bad' is not a number"),
    "encoding": (b"b\xffd 1 2 3", r"line 3: the word b'b\\xffd' is not UTF-8"),
    "no word": (b" 1 2 3", r"line 3: the line begins without a word"),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("header", [b"", b"4 3\n"])
def test_a_bad_row_stops_with_its_line_or_is_left_out(tmp_path, name, header):
    row, told = ROWS[name]
    told = told.replace("line 3", "line 4") if header else told
    path = tmp_path / "v.txt"
    path.write_bytes(header + GOOD + row + b"\nz 1 1 1\n")
    with pytest.raises(WordworthError, match=rf"v\.txt, {told}.* --on-bad drop"):
        load(path)
    read = load(path, on_bad="drop")
    assert read.words == ["a", "b", "z"]
    assert read.matrix.tolist() == [[1, 2, 3], [4, 5, 6], [1, 1, 1]]
    (dropped,) = read.provenance.dropped
    assert re.fullmatch(told, dropped)
    assert load(path, on_bad="drop").provenance.dropped == (dropped,)  # from the cache


def test_the_first_is_named_and_the_others_counted(tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(GOOD + b"z 0 0 0\nc 1 x 3\nd nan 1 1\ne nan 1 1\nb 1 1 1\n")
    with pytest.raises(WordworthError) as caught:
        load(path)
    message = str(caught.value)
    assert "line 3: the vector of 'z' is all zero" in message
    assert "1 more with a field that is not a number, 2 more with NaN or infinity, 1 more that repeat a word" in message
    read = load(path, on_bad="drop")
    assert read.words == ["a", "b"]
    assert [told.split(":")[0] for told in read.provenance.dropped] == [f"line {i}" for i in range(3, 8)]


CUT = {
    b"": "is empty",
    b"\n\n": "is empty",
    b"5 3\n" + GOOD: "the header says 5 rows and there are 2",
    b"5 3\n": "the header says 5 rows and there are 0",
    GOOD + b"c 1 2": "the last line ends after 2 of 3 numbers",
    b"a 0 0\nb 0 0\n": "line 1: the vector of 'a' is all zero",
}


@pytest.mark.parametrize("on_bad", ["stop", "drop"])
@pytest.mark.parametrize("content", CUT)
def test_a_file_without_rows_or_cut_stops(tmp_path, on_bad, content):
    path = tmp_path / "v.txt"
    path.write_bytes(content)
    with pytest.raises(WordworthError, match=CUT[content]):
        load(path, on_bad=on_bad)


def test_a_header_with_too_few_rows(tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(b"1 3\n" + GOOD)
    with pytest.raises(WordworthError, match="line 1: the header says 1 rows and there are 2"):
        load(path)
    read = load(path, on_bad="drop")
    assert read.words == ["a", "b"]
    assert read.provenance.dropped == ("line 1: the header says 1 rows and there are 2",)


def binary(rows, count=None, dim=2, gap=b""):
    body = b"".join(word + b" " + np.array(vector, "<f4").tobytes() + gap for word, vector in rows)
    return f"{len(rows) if count is None else count} {dim}\n".encode() + body


BINARY = {
    "nan": ([(b"x", [1, np.nan])], "row 3: the vector of 'x' has NaN or infinity in it"),
    "zero": ([(b"x", [0, 0])], "row 3: the vector of 'x' is all zero"),
    "repeat": ([(b"a", [1, 1])], "row 3: the word 'a' occurs in an earlier row"),
    "encoding": ([(b"\xe9t\xe9", [1, 1])], r"row 3: the word b'\\xe9t\\xe9' is not UTF-8"),
    "no word": ([(b"", [1, 1])], "row 3: there is no word"),
}


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("gap", [b"", b"\n"])
def test_bad_rows_of_a_binary_file(tmp_path, name, gap):
    bad, told = BINARY[name]
    path = tmp_path / "v.bin"
    path.write_bytes(binary([(b"a", [1, 2]), (b"b", [3, 4]), *bad, (b"z", [5, 6])], gap=gap))
    with pytest.raises(WordworthError, match=told):
        load(path)
    read = load(path, on_bad="drop")
    assert read.words == ["a", "b", "z"]
    assert read.matrix.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert len(read.provenance.dropped) == 1


@pytest.mark.parametrize("on_bad", ["stop", "drop"])
def test_a_cut_binary_file_stops(tmp_path, on_bad):
    path = tmp_path / "v.bin"
    whole = binary([(b"a", [1, 2]), (b"b", [3, 4])])
    for less in (1, 7, 8, 9):
        path.write_bytes(whole[:-less])
        with pytest.raises(WordworthError, match="is cut short: it ends in row 2 of the 2 that its header says"):
            load(path, on_bad=on_bad)


def test_a_binary_file_with_more_rows_than_its_header(tmp_path):
    path = tmp_path / "v.bin"
    path.write_bytes(binary([(b"a", [1, 2]), (b"b", [3, 4])], count=1))
    with pytest.raises(WordworthError, match="the header says 1 rows and the file goes on after them"):
        load(path)
    assert load(path, on_bad="drop").words == ["a"]
