"""The second load comes from the cache, and never gives what is no longer in the file."""

import hashlib
import os

import numpy as np
import pytest

from wordworth.embedding import load, reading, save


@pytest.fixture
def reads(monkeypatch):
    """Counts how often a file is read rather than mapped."""
    count = []
    build = reading._build

    def counted(*arguments):
        count.append(1)
        build(*arguments)

    monkeypatch.setattr(reading, "_build", counted)
    return count


@pytest.mark.parametrize("suffix", [".txt", ".bin", ".npz", ".safetensors"])
def test_second_load_is_mapped_and_the_same(tmp_path, embedding, reads, suffix):
    path = tmp_path / f"v{suffix}"
    save(embedding, path)
    for read in (load(path), load(path, name="again", language="english"), load(path, name="again")):
        assert isinstance(read.matrix, np.memmap)
        assert read.words == embedding.words
        assert np.array_equal(read.matrix, embedding.matrix)
        assert read.provenance.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert len(reads) == 2  # the language is part of what an entry is named by
    assert (read.name, read.provenance.source) == ("again", str(path))


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\n")
    stat = path.stat()
    old = load(path)
    path.unlink()
    path.write_text("b 3 4\n")  # of the same size
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert load(path).words == ["b"]
    assert old.matrix.tolist() == [[1, 2]]  # what is in use stays
