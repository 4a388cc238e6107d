import numpy as np
import pytest
from safetensors.numpy import save_file

from wordworth.embedding import load
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
    with pytest.raises(WordworthError, match="arrays of Python objects in it, which are never read"):
        load(path)


def test_npz_that_is_not_plain(tmp_path):
    path = tmp_path / "v.npz"
    np.savez(path, words=np.array(["a", "b"]), one=np.eye(2), two=np.eye(2))
    with pytest.raises(
        WordworthError, match=r"holds words <U1 \(2,\), one float64 \(2, 2\), two float64 .* are expected"
    ):
        load(path)
    np.savez(path, words=np.array(["a", "b", "c"]), vectors=np.eye(2))
    with pytest.raises(WordworthError, match="has 3 words and 2 vectors"):
        load(path)


def test_cut_array_files(tmp_path, embedding):
    path = tmp_path / "v.npz"
    np.savez(path, words=np.array(embedding.words), vectors=embedding.matrix)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(WordworthError, match=r"v\.npz is cut short or damaged"):
        load(path)
    path = tmp_path / "v.safetensors"
    save_file({"words": np.frombuffer(b"a\nb", np.uint8), "vectors": np.eye(2)}, path)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(WordworthError, match=r"v\.safetensors is cut short or damaged"):
        load(path)


def test_safetensors_layouts(tmp_path):
    path = tmp_path / "v.safetensors"
    save_file({"vectors": np.eye(2, dtype=np.float16)}, path, metadata={"words": "é\n狗"})
    assert load(path).words == ["é", "狗"]
    save_file({"vectors": np.eye(2)}, path)
    with pytest.raises(WordworthError, match=r"holds vectors F64 \(2, 2\), where one matrix .* and words"):
        load(path)
    save_file({"vectors": np.eye(2), "words": np.frombuffer(b"a\n\xff", np.uint8)}, path)
    with pytest.raises(WordworthError, match=r"the words are not UTF-8 \(byte 2\)"):
        load(path)
