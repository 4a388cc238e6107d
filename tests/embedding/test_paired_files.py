import numpy as np
import polars as pl
import pytest

from wordworth.embedding import histwords_decades, load
from wordworth.errors import WordworthError


def written(folder, words, matrix):
    np.save(folder / "vectors_50d.npy", matrix)
    pl.DataFrame({"index": words}).write_parquet(folder / "words_index.parquet")
    return folder / "vectors_50d.npy"


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", "<f2"])
@pytest.mark.parametrize("cache", [True, False])
def test_matrix_with_a_parquet_index(tmp_path, words, order, dtype, cache):
    matrix = np.asarray(np.random.default_rng(0).normal(size=(len(words), 4)), dtype=dtype, order=order)
    path = written(tmp_path, words, matrix)
    for place in (path, tmp_path):
        read = load(place, cache=cache)
        assert read.words == words
        assert np.array_equal(read.matrix, matrix.astype(np.float32))
        assert read.matrix.flags.c_contiguous  # so that taking a row touches one page, not one a column
    in_place = getattr(read.matrix, "filename", None) == path
    assert in_place == (order == "C" and dtype == "<f4")


def test_rows_left_out_of_a_file_that_could_be_mapped(tmp_path):
    path = written(tmp_path, ["a", "b", "c"], np.array([[1, 2], [0, 0], [3, 4]], dtype=np.float32))
    for cache in (True, False):
        with pytest.raises(WordworthError, match="row 2: the vector of 'b' is all zero"):
            load(path, cache=cache)
        read = load(path, on_bad="drop", cache=cache)
        assert read.words == ["a", "c"]
        assert read.matrix.tolist() == [[1, 2], [3, 4]]
        assert read.provenance.dropped == ("row 2: the vector of 'b' is all zero",)


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
    with pytest.raises(WordworthError, match="is a matrix without its words; put a parquet index"):
        load(path)
    with pytest.raises(WordworthError, match="has no words beside it; the format npy-parquet is"):
        load(path, format="npy-parquet")
    with pytest.raises(WordworthError, match=r"is a folder without one .npy matrix and its parquet index"):
        load(tmp_path)


def test_a_cut_or_foreign_matrix(tmp_path):
    path = written(tmp_path, ["a", "b"], np.ones((2, 2)))
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(WordworthError, match=r"vectors_50d\.npy is no whole array of numbers"):
        load(path)
    np.save(path, np.array([["a"], ["b"]], dtype=object))
    with pytest.raises(WordworthError, match=r"is no whole array of numbers .*Python objects"):
        load(path)
    np.save(path, np.ones(2))
    with pytest.raises(WordworthError, match=r"has float64 numbers of shape \(2,\), where a matrix"):
        load(path)


def test_decades_in_order_of_time(tmp_path):
    for name in ("1990-w.npy", "1800-w.npy", "1810-w.npy", "1810-c.npy", "all-w.npy"):
        (tmp_path / name).touch()
    assert [path.name for path in histwords_decades(tmp_path)] == ["1800-w.npy", "1810-w.npy", "1990-w.npy"]
    with pytest.raises(WordworthError, match="has no HistWords decades"):
        histwords_decades(tmp_path / "none")
