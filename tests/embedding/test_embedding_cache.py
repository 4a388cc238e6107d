"""The second load comes from the cache, and never gives what is no longer in the file."""

import hashlib
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from wordworth import files
from wordworth.embedding import load, mapped, reading, save
from wordworth.errors import WordworthError
from wordworth.files import cache_dir


def entries():
    return list((cache_dir() / "embeddings").glob("[!.]*/[!.]*"))


@pytest.fixture
def reads(monkeypatch):
    """Counts how often a file is read rather than mapped."""
    count = []
    build = mapped._build

    def counted(*arguments):
        count.append(1)
        build(*arguments)

    monkeypatch.setattr(mapped, "_build", counted)
    return count


def test_second_load_is_mapped_and_the_same(tmp_path, embedding, reads):
    path = tmp_path / "v.txt"
    save(embedding, path)
    first, second = load(path), load(path, name="again", language="english")
    third = load(path, name="again")
    assert len(reads) == 2  # the language is part of what an entry is named by
    for read in (first, second, third):
        assert isinstance(read.matrix, np.memmap)
        assert read.words == embedding.words
        assert np.array_equal(read.matrix, embedding.matrix)
        assert read.provenance.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (third.name, third.provenance.source) == ("again", str(path))


@pytest.mark.parametrize("suffix", [".bin", ".npz", ".safetensors"])
def test_checksum_is_that_of_the_file(tmp_path, embedding, suffix):
    path = tmp_path / f"v{suffix}"
    save(embedding, path)
    for cache in (False, True, True):
        assert load(path, cache=cache).provenance.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_changed_file_is_read_anew_and_its_old_entry_goes(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\n")
    stat = path.stat()
    old = load(path)
    path.unlink()
    path.write_text("b 3 4\n")  # of the same size
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert load(path).words == ["b"]
    assert old.matrix.tolist() == [[1, 2]]  # what is in use stays
    assert len(entries()) == 1


def quietly_written(path, content):
    """Other content of the same size, time and inode, as a new process finds it."""
    stat = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    files._sum_in_state.cache_clear()


def test_a_file_that_was_changed_quietly_is_read_anew(tmp_path):
    """It was told by its time alone: the old numbers came, with the old checksum."""
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\n")
    load(path)
    quietly_written(path, b"b 3 4\n")
    read = load(path)
    assert (read.words, read.matrix.tolist()) == (["b"], [[3, 4]])
    assert read.provenance.sha256 == hashlib.sha256(b"b 3 4\n").hexdigest()


def test_a_matrix_with_its_words_beside_that_was_changed_quietly_is_read_anew(tmp_path):
    matrix = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    np.save(tmp_path / "1800-w.npy", matrix)
    (tmp_path / "1800-vocab.pkl").write_bytes(pickle.dumps(["a", "b", "c"]))
    before = load(tmp_path / "1800-w.npy").provenance.sha256
    content = (tmp_path / "1800-w.npy").read_bytes()
    quietly_written(tmp_path / "1800-w.npy", content[:-24] + (matrix + 1).tobytes())
    read = load(tmp_path / "1800-w.npy")
    assert np.array_equal(read.matrix, matrix + 1)
    assert read.provenance.sha256 != before


def test_options_have_entries_of_their_own(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\nb 3 4\n")
    load(path)
    load(path, on_bad="drop")
    load(path, format="glove")
    assert len(entries()) == 3


def cut(file):
    file.write_bytes(file.read_bytes()[:-2])


def altered(file):
    content = bytearray(file.read_bytes())
    content[-2] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(1, 1))


@pytest.mark.parametrize("name", ["words.txt", "matrix.npy", "meta.json", "SHA256SUMS"])
@pytest.mark.parametrize("harm", [cut, altered, os.unlink])
def test_a_harmed_entry_is_made_again(tmp_path, embedding, reads, name, harm):
    path = tmp_path / "v.bin"
    save(embedding, path)
    load(path)
    harm(entries()[0] / name)
    read = load(path)
    assert len(reads) == 2
    assert read.words == embedding.words
    assert np.array_equal(read.matrix, embedding.matrix)


def test_nothing_is_left_of_a_file_that_could_not_be_read(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\nb 3 nan\n")
    with pytest.raises(WordworthError, match="NaN"):
        load(path)
    assert entries() == []


@pytest.mark.parametrize("cache", [True, False])
def test_a_file_that_changes_while_it_is_read(tmp_path, monkeypatch, cache):
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\n")

    def meanwhile(*arguments):
        words = gather(*arguments)
        path.write_text("a 1 2\nb 3 4\n")
        return words

    gather = mapped.gather
    monkeypatch.setattr(mapped if cache else reading, "gather", meanwhile)
    with pytest.raises(WordworthError, match=r"v\.txt changed while it was read"):
        load(path, cache=cache)
    assert not cache or entries() == []


def test_without_the_cache_nothing_is_left(tmp_path, embedding):
    save(embedding, tmp_path / "v.txt")
    load(tmp_path / "v.txt", cache=False)
    assert not (cache_dir() / "embeddings").exists()


def test_processes_that_load_at_once(tmp_path, embedding):
    path = tmp_path / "v.txt"
    save(embedding, path)
    script = f"from wordworth.embedding import load; e = load({str(path)!r}); print(len(e), e.provenance.sha256)"
    started = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) for _ in range(3)]
    answers = {process.communicate()[0] for process in started}
    assert answers == {f"{len(embedding)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()}
    assert len(entries()) == 1
