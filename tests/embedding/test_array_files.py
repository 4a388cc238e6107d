"""Arrays of words and vectors: npz, safetensors, and a `.npy` matrix with a parquet index."""

import numpy as np
import polars as pl
import pytest
from safetensors.numpy import save_file

from wordworth.embedding import histwords_decades, load
from wordworth.errors import WordworthError


@pytest.mark.parametrize("kind", ["unicode", "bytes", "joined", "other names"])
def test_npz_layouts(tmp_path, words, kind):
    matrix = np.random.default_rng(0).normal(size=(len(words), 3))
    path = tmp_path / "v.npz"
    if kind == "unicode":
        np.savez_compressed(path, words=np.array(words), vectors=matrix)
    elif kind == "bytes":
        np.savez(path, words=np.array([word.encode() for word in words]), vectors=matrix)
    elif kind == "joined":
        np.savez(path, words=np.frombuffer("\n".join(words).encode(), np.uint8), vectors=matrix)
    else:
        np.savez(path, vocab=np.array(words), emb=matrix.astype(np.float16), counts=np.arange(len(words)))
    read = load(path)
    assert read.words == words
    expected = matrix.astype(np.float16) if kind == "other names" else matrix
    assert np.array_equal(read.matrix, expected.astype(np.float32))


def test_npz_never_unpickles(tmp_path):
    path = tmp_path / "v.npz"
    np.savez(path, words=np.array(["a", "b"], dtype=object), vectors=np.eye(2))
    with pytest.raises(WordworthError, match="Object arrays cannot be loaded"):
        load(path)


def test_npz_that_is_not_plain(tmp_path):
    path = tmp_path / "v.npz"
    np.savez(path, words=np.array(["a", "b"]), one=np.eye(2), two=np.eye(2))
    with pytest.raises(WordworthError, match=r"holds words <U1 \(2,\), one float64 \(2, 2\), two float64"):
        load(path)
    np.savez(path, words=np.array(["a", "b", "c"]), vectors=np.eye(2))
    with pytest.raises(WordworthError, match="has 3 words and 2 vectors"):
        load(path)


def test_safetensors_layouts(tmp_path):
    path = tmp_path / "v.safetensors"
    save_file({"vectors": np.eye(2, dtype=np.float16), "words": np.frombuffer("é\n狗".encode(), np.uint8)}, path)
    assert load(path).words == ["é", "狗"]
    save_file({"vectors": np.eye(2)}, path)
    with pytest.raises(WordworthError, match=r"holds vectors float64 \(2, 2\), where one array of words"):
        load(path)
    save_file({"vectors": np.eye(2), "words": np.frombuffer(b"a\n\xff", np.uint8)}, path)
    with pytest.raises(WordworthError, match=r"the words are not UTF-8 \(byte 2\)"):
        load(path)


def written(folder, words, matrix):
    np.save(folder / "vectors_50d.npy", matrix)
    pl.DataFrame({"index": words}).write_parquet(folder / "words_index.parquet")
    return folder / "vectors_50d.npy"


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", "<f2"])
def test_matrix_with_a_parquet_index(tmp_path, words, order, dtype):
    matrix = np.asarray(np.random.default_rng(0).normal(size=(len(words), 4)), dtype=dtype, order=order)
    path = written(tmp_path, words, matrix)
    for place in (path, tmp_path):
        read = load(place)
        assert read.words == words
        assert np.array_equal(read.matrix, matrix.astype(np.float32))
        assert read.matrix.flags.c_contiguous  # so that taking a row touches one page, not one a column


def test_pairs_that_do_not_fit(tmp_path):
    path = written(tmp_path, ["a", "b", "c"], np.ones((2, 2)))
    with pytest.raises(WordworthError, match="has 3 words and 2 vectors"):
        load(path)
    pl.DataFrame({"word": ["a", "b"], "lemma": ["a", "b"]}).write_parquet(tmp_path / "words_index.parquet")
    with pytest.raises(WordworthError, match=r"has the columns word \(String\), lemma \(String\), where one column"):
        load(path)
    (tmp_path / "words_index.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(WordworthError, match=r"words_index\.parquet is cut short or damaged"):
        load(path)
    (tmp_path / "words_index.parquet").unlink()
    with pytest.raises(WordworthError, match="is a matrix without words; put a parquet index"):
        load(path)
    with pytest.raises(WordworthError, match="npy-parquet is"):
        load(path, format="npy-parquet")
    with pytest.raises(WordworthError, match=r"is a folder without one .npy matrix and its parquet index"):
        load(tmp_path)


def test_decades_in_order_of_time(tmp_path):
    for name in ("1990-w.npy", "1800-w.npy", "1810-w.npy", "1810-c.npy", "all-w.npy"):
        (tmp_path / name).touch()
    assert [path.name for path in histwords_decades(tmp_path)] == ["1800-w.npy", "1810-w.npy", "1990-w.npy"]
    with pytest.raises(WordworthError, match="has no HistWords decades"):
        histwords_decades(tmp_path / "none")


def test_hdf5_layouts(tmp_path):
    """As sadedegel has its vectors: words with and without one, next to a group that has words only."""
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "v.hdf5"
    with h5py.File(path, "w") as stored:
        stored["plain/word"] = ["a", "b"]
        stored["lower/word"] = ["çay", "su", "ev"]
        stored["lower/df"] = np.arange(3)
        stored["lower/vector"] = np.array([[1, 2], [0, 0], [3, 4]], np.float32)
    read = load(path)
    assert read.words == ["çay", "ev"]
    assert read.matrix.tolist() == [[1, 2], [3, 4]]
    assert read.provenance.dropped == ("row 2: the vector of 'su' is all zero",)
    with h5py.File(path, "a") as stored:
        stored["plain/vector"] = np.eye(2)
    with pytest.raises(WordworthError, match="has 2 groups"):
        load(path)


def test_hdf5_is_never_read_from_another_file(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "other.hdf5", "w") as other:
        other["vector"] = np.eye(2)
    with h5py.File(tmp_path / "v.hdf5", "w") as stored:
        stored["word"] = ["a", "b"]
        stored["vector"] = h5py.ExternalLink(str(tmp_path / "other.hdf5"), "vector")
    with pytest.raises(WordworthError, match="lies in another file"):
        load(tmp_path / "v.hdf5")


def test_hdf5_cut_short(tmp_path):
    pytest.importorskip("h5py")
    (tmp_path / "v.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(WordworthError, match=r"v\.h5 is cut short or damaged"):
        load(tmp_path / "v.h5")


def test_hdf5_without_h5py(tmp_path, monkeypatch):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "v.hdf5", "w") as stored:
        stored["word"], stored["vector"] = ["a", "b"], np.eye(2)
    monkeypatch.setattr("wordworth.errors.find_spec", lambda name: None)
    with pytest.raises(WordworthError, match=r"HDF5 need h5py: pip install 'wordworth\[elmo\]'"):
        load(tmp_path / "v.hdf5")
