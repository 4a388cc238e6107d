"""Pickles are read without running anything in them."""

import os
import pickle
import subprocess

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors, Word2Vec

from wordworth.embedding import load
from wordworth.errors import WordworthError


@pytest.fixture
def keyed(embedding):
    made = KeyedVectors(embedding.dim)
    made.add_vectors(embedding.words, embedding.matrix)
    made.fill_norms()
    return made


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_keyed_vectors_in_one_file(tmp_path, keyed, embedding, protocol):
    path = tmp_path / "small.kv"
    keyed.save(str(path), pickle_protocol=protocol)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    read = load(path)
    assert read.words == embedding.words
    assert np.array_equal(read.matrix, embedding.matrix)


def test_keyed_vectors_with_an_array_file(tmp_path, keyed, embedding):
    path = tmp_path / "large.kv"
    keyed.save(str(path), sep_limit=1)
    beside = tmp_path / "large.kv.vectors.npy"
    assert beside.is_file()
    read = load(path)
    assert read.words == embedding.words
    assert np.array_equal(read.matrix, embedding.matrix)
    beside.unlink()
    with pytest.raises(WordworthError, match=r"keeps its vectors in large\.kv\.vectors\.npy"):
        load(path)


@pytest.mark.parametrize("limit", [1, 10**7])
def test_a_whole_word2vec_model(tmp_path, limit):
    model = Word2Vec([["one", "two", "three"]] * 20, vector_size=5, min_count=1, seed=1, workers=1)
    path = tmp_path / "trained.model"
    model.save(str(path), sep_limit=limit)
    read = load(path)
    assert read.words == model.wv.index_to_key
    assert np.array_equal(read.matrix, model.wv.vectors)


def test_fasttext_vectors_are_not_in_the_file(tmp_path):
    model = FastText([["one", "two"]] * 20, vector_size=5, min_count=1, bucket=20, workers=1)
    model.wv.save(str(tmp_path / "fast.kv"))
    with pytest.raises(WordworthError, match=r"no vectors of their own .*write them with save_word2vec_format"):
        load(tmp_path / "fast.kv")


class Attack:
    """Runs a command as soon as it is unpickled."""

    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


ATTACKS = [(os.system, "system"), (subprocess.check_call, "check_call"), (eval, "eval"), (getattr, "getattr")]


@pytest.mark.parametrize(("function", "name"), ATTACKS)
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_an_attack_does_not_run(tmp_path, keyed, function, name, protocol):
    mark = tmp_path / "ran"
    keyed.attack = Attack(function, f"touch {mark}")
    path = tmp_path / "attack.kv"
    path.write_bytes(pickle.dumps(keyed, protocol=protocol))
    with pytest.raises(WordworthError, match=rf"asks for \S+\.{name}, which .* nothing in it was run"):
        load(path, format="gensim")
    assert not mark.exists()


def test_a_class_of_gensim_is_not_called(tmp_path):
    """The names that are admitted are stand-ins: gensim's own functions are not reached either."""
    path = tmp_path / "attack.kv"
    path.write_bytes(b"\x80\x04cgensim.utils\nunpickle\n(V/etc/passwd\ntR.")
    with pytest.raises(WordworthError, match="a pickle without gensim word vectors in it"):
        load(path)


def test_other_and_damaged_pickles(tmp_path, keyed):
    path = tmp_path / "v.pkl"
    path.write_bytes(pickle.dumps({"a": [1.0]}))
    with pytest.raises(WordworthError, match="it is a pickle, and not one of gensim's"):
        load(path)
    keyed.save(str(path))
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(WordworthError, match=r"v\.pkl is a cut or damaged pickle"):
        load(path)


PYTHON_2 = b"(lp0\nS'the'\np1\naVcaf\xe9\np2\naVna\xefve\np3\naVwell-known\np4\na."
PYTHON_2_BINARY = b"\x80\x02]q\x01(U\x03theq\x02U\x05caf\xc3\xa9q\x03X\x06\x00\x00\x00na\xc3\xafveq\x04U\nwell-knowne."
PYTHON_2_BYTES = rb"(lp0\nS'the'\np1\naS'caf\xc3\xa9'\np2\naS'na\xc3\xafve'\np3\naS'well-known'\np4\na.".replace(
    rb"\n", b"\n"
)
VOCABULARY = ["the", "café", "naïve", "well-known"]


PICKLED = [PYTHON_2, PYTHON_2_BYTES, PYTHON_2_BINARY, pickle.dumps(VOCABULARY), pickle.dumps(VOCABULARY, 2)]


@pytest.mark.parametrize("pickled", PICKLED)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_histwords_drops_absent_words(tmp_path, pickled, dtype):
    matrix = np.arange(8, dtype=dtype).reshape(4, 2)
    matrix[2] = 0
    np.save(tmp_path / "1850-w.npy", matrix)
    (tmp_path / "1850-vocab.pkl").write_bytes(pickled)
    read = load(tmp_path / "1850-w.npy")
    assert read.words == ["the", "café", "well-known"]
    assert np.array_equal(read.matrix, matrix[[0, 1, 3]])
    assert read.name == "1850"
    assert read.provenance.dropped == ("row 3: the vector of 'naïve' is all zero",)


def test_histwords_still_stops_at_other_flaws(tmp_path):
    np.save(tmp_path / "1850-w.npy", np.array([[0, 0], [1, np.nan]]))
    (tmp_path / "1850-vocab.pkl").write_bytes(pickle.dumps(["a", "b"]))
    with pytest.raises(WordworthError, match="row 2: the vector of 'b' has NaN or infinity"):
        load(tmp_path / "1850-w.npy")


def test_histwords_vocabulary_admits_lists_and_strings_only(tmp_path):
    mark = tmp_path / "ran"
    np.save(tmp_path / "1850-w.npy", np.ones((1, 2)))
    for held, message in [
        (["a", Attack(os.system, f"touch {mark}")], r"asks for posix\.system"),
        (np.array(["a"]), "asks for numpy"),
        ({"a": 0}, "is not a pickled list of strings"),
        ([1], "is not a pickled list of strings"),
    ]:
        (tmp_path / "1850-vocab.pkl").write_bytes(pickle.dumps(held))
        with pytest.raises(WordworthError, match=message):
            load(tmp_path / "1850-w.npy")
    assert not mark.exists()
