import bz2
import gzip
import lzma
import zipfile

import numpy as np
import pytest

from wordworth.embedding import load, save, word2vec
from wordworth.errors import WordworthError


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(embedding):
    return dict(zip(embedding.words, embedding.matrix.tolist(), strict=True))


def test_glove_has_no_header_and_words_with_spaces(tmp_path):
    path = written(tmp_path / "glove.840B.txt", "the 1 2 3\n. . . 4 5 6\nat name@domain.com 7 8 9\nat 1 2 3 4\n")
    assert rows(load(path)) == {
        "the": [1, 2, 3],
        ". . .": [4, 5, 6],
        "at name@domain.com": [7, 8, 9],
        "at 1": [2, 3, 4],
    }


def test_fasttext_ends_lines_with_a_space(tmp_path):
    path = written(tmp_path / "cc.vec", "2 2\nein 0.5 -1 \nzwei 1e-3 2 \n")
    assert rows(load(path)) == {"ein": [0.5, -1], "zwei": [np.float32(1e-3), 2]}


def test_windows_lines_byte_order_mark_tabs_and_empty_lines_at_the_end(tmp_path):
    path = written(tmp_path / "w.txt", b"\xef\xbb\xbf2 2\r\na 1 2\r\nb\t3  4\r\n\r\n\r\n")
    assert rows(load(path)) == {"a": [1, 2], "b": [3, 4]}


def test_line_breaks_of_unicode_are_part_of_words(tmp_path):
    words = ["a\u2028b", "c\x85d", "e\u00a0f", "\ufeffg"]
    path = written(tmp_path / "w.vec", "4 1\n" + "".join(f"{word} {i + 1}\n" for i, word in enumerate(words)))
    assert load(path).words == words


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zip"])
@pytest.mark.parametrize("inner", [".txt", ".bin"])
def test_compressed(tmp_path, embedding, suffix, inner):
    plain = tmp_path / f"v{inner}"
    save(embedding, plain)
    packed = tmp_path / f"v{inner}{suffix}"
    if suffix == ".zip":
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(plain, f"folder/{plain.name}")
    else:
        opener = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}[suffix]
        with opener(packed, "wb") as stream:
            stream.write(plain.read_bytes())
    back = load(packed)
    assert back.words == embedding.words
    assert np.array_equal(back.matrix, embedding.matrix)
    assert back.name == "v"


def test_a_zip_of_several_files_is_refused(tmp_path):
    path = tmp_path / "glove.6B.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("glove.6B.50d.txt", "a 1 2\n")
        archive.writestr("glove.6B.100d.txt", "a 1 2\n")
    with pytest.raises(WordworthError, match=r"several files \(glove.6B.50d.txt, glove.6B.100d.txt\)"):
        load(path)


NUMBERBATCH = "5 2\n/c/de/hund 1 2\n/c/en/dog 3 4\n/c/en/hot_dog 5 6\n/c/fr/chien 7 8\n/c/en/cat 9 1\n"


def test_numberbatch_keeps_one_language(tmp_path):
    path = written(tmp_path / "numberbatch.txt", NUMBERBATCH)
    english = load(path)
    assert rows(english) == {"dog": [3, 4], "hot_dog": [5, 6], "cat": [9, 1]}
    assert english.provenance.language == "english"
    assert english.provenance.dropped == ("2 rows of other languages than en",)
    assert rows(load(path, language="german")) == {"hund": [1, 2]}
    assert rows(load(path, language="fr")) == {"chien": [7, 8]}
    assert rows(load(path, language="french")) == {"chien": [7, 8]}
    with pytest.raises(WordworthError, match=r"has no usable rows .5 rows of other languages than zh."):
        load(path, language="chinese")
    with pytest.raises(WordworthError, match="Numberbatch has no language 'klingon'"):
        load(path, language="klingon")


def slowly(content: bytes, dim: int) -> dict[str, list[float]]:
    """An independent reader, a line at a time, that leaves out what cannot be used."""
    found: dict[str, list[float]] = {}
    for line in content.split(b"\n"):
        fields = [field for field in line.split(b" ") if field]
        try:
            word = b" ".join(fields[:-dim]).decode()
            values = [float(field) for field in fields[-dim:]]
        except ValueError:
            continue
        if line.startswith(b" ") or b"_" in line or any(abs(value) > 3.4e38 for value in values):
            continue
        too_many = len(fields) > dim + 1 and b"." in fields[-dim - 1]
        if word and len(fields) > dim and not too_many and np.isfinite(values).all() and any(values):
            found.setdefault(word, values)
    return found


@pytest.mark.parametrize("size", [200, 4000, 1 << 20])
def test_agrees_with_a_plain_reader_on_mangled_files(tmp_path, monkeypatch, size):
    """Whole chunks, halved chunks and single lines give the same rows as reading line by line."""
    monkeypatch.setattr(word2vec, "CHUNK_BYTES", size)
    rng = np.random.default_rng(size)
    odd = [b"w", b"a b", b"w 0.5", b"\xff\xfe", b"", b"w7", b"\xef\xbb\xbfx", "é".encode()]
    ends = [b" 0.25", b" nan", b" x", b"", b" 0", b"  1e-3", b" 0.1 0.2", b" inf", b" 1_0", b" 1e60"]
    lines = []
    for i in range(3000):
        values = b" ".join(f"{value:.4f}".encode() for value in rng.normal(size=3))
        if rng.random() < 0.05:
            line = odd[rng.integers(len(odd))] + b" " + values + ends[rng.integers(len(ends))]
        else:
            line = f"w{i} ".encode() + values + b" 0.5"
        lines.append(line)
    content = b"\n".join(lines) + b"\n"
    path = written(tmp_path / "v.txt", content)
    read = load(path, on_bad="drop")
    plain = slowly(content, 4)
    assert read.words == list(plain)
    assert np.allclose(read.matrix, np.array(list(plain.values())), rtol=2e-7, atol=0)
    assert len(read) > 2800


def test_a_format_on_request(tmp_path):
    path = written(tmp_path / "v.txt", "3 1\n5 2\n7 9\n")  # numbers as words: it looks as if it had a header
    with pytest.raises(WordworthError, match="the header says 3 rows and there are 2"):
        load(path)
    assert rows(load(path, format="glove")) == {"3": [1], "5": [2], "7": [9]}
    with pytest.raises(WordworthError, match="it is not word2vec-binary"):
        load(written(tmp_path / "w.txt", "a 1\n"), format="word2vec-binary")
    with pytest.raises(WordworthError, match=r"it is not word2vec .text with a header line."):
        load(tmp_path / "w.txt", format="word2vec")
    with pytest.raises(WordworthError, match="unknown format 'word2vek'; did you mean word2vec"):
        load(path, format="word2vek")


@pytest.mark.parametrize(
    "content", [b"hello\nworld\n", b"\x00\x01\x02\x03", b"<html>\n<body> 1 2\n" * 0 + b"a,1,2\nb,3,4\n"]
)
def test_unknown_formats_are_not_guessed(tmp_path, content):
    path = written(tmp_path / "something", content)
    with pytest.raises(WordworthError, match=r"its format is not recognised; .* word2vec, fasttext, glove"):
        load(path)


def test_files_of_other_kinds_are_named(tmp_path):
    with pytest.raises(WordworthError, match=r"is a fastText model; give the \.vec file"):
        load(written(tmp_path / "cc.en.300.bin", (793712314).to_bytes(4, "little") + bytes(100)))
    with pytest.raises(WordworthError, match=r"there is no file .*nowhere.txt"):
        load(tmp_path / "nowhere.txt")
    with pytest.raises(WordworthError, match="on_bad is 'skip'; choose stop or drop"):
        load(tmp_path / "v.h5", on_bad="skip")
