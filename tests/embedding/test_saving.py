import numpy as np
import pytest
from gensim.models import KeyedVectors

from wordworth.embedding import Embedding, Provenance, load, save
from wordworth.errors import WordworthError

SUFFIXES = [".txt", ".vec", ".bin", ".npz", ".safetensors"]


def same(one, other):
    return list(one.words) == list(other.words) and np.array_equal(one.matrix, other.matrix)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_saved_vectors_are_loaded_to_the_last_bit(tmp_path, embedding, suffix):
    path = tmp_path / f"vectors{suffix}"
    save(embedding, path)
    back = load(path)
    assert same(back, embedding)
    assert back.matrix.dtype == np.float32
    assert not back.matrix.flags.writeable
    assert back.name == "vectors"
    assert back.provenance.source == str(path)


@pytest.mark.parametrize("suffix", [".txt", ".bin"])
def test_gensim_reads_saved_vectors(tmp_path, embedding, suffix):
    path = tmp_path / f"vectors{suffix}"
    save(embedding, path)
    theirs = KeyedVectors.load_word2vec_format(str(path), binary=suffix == ".bin")
    assert theirs.index_to_key == embedding.words
    assert np.array_equal(theirs.vectors, embedding.matrix)


@pytest.mark.parametrize(("binary", "header"), [(True, True), (False, True), (False, False)])
def test_vectors_saved_by_gensim_are_loaded(tmp_path, embedding, binary, header):
    theirs = KeyedVectors(embedding.dim)
    theirs.add_vectors(embedding.words, embedding.matrix)
    path = tmp_path / "theirs"
    theirs.save_word2vec_format(str(path), binary=binary, write_header=header)
    assert same(load(path), embedding)


@pytest.mark.parametrize("suffix", [".txt", ".bin"])
def test_word2vec_cannot_hold_a_space(tmp_path, suffix):
    spaced = Embedding(["a", "New York"], np.eye(2, dtype=np.float32), Provenance("spaced"))
    with pytest.raises(WordworthError, match=r"'New York' has a space .* save as \.npz or \.safetensors"):
        save(spaced, tmp_path / f"v{suffix}")
    assert list(tmp_path.iterdir()) == []
    save(spaced, tmp_path / "v.npz")
    assert load(tmp_path / "v.npz").words == ["a", "New York"]


def test_nothing_is_saved_that_could_not_be_loaded(tmp_path):
    broken = Embedding(["a\nb"], np.ones((1, 2)), Provenance("broken"))
    with pytest.raises(WordworthError, match=r"'a\\nb' cannot be saved as a word"):
        save(broken, tmp_path / "v.npz")
    infinite = Embedding(["a", "b"], np.array([[1.0, 1.0], [np.inf, 1.0]]), Provenance("infinite"))
    with pytest.raises(WordworthError, match="the vector of 'b' has NaN or infinity"):
        save(infinite, tmp_path / "v.npz")
    assert list(tmp_path.iterdir()) == []
