"""ELMo against a slow version in numpy, on a small weights file in the published layout."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from made_elmo import made_elmo, slow_sentence
from wordworth.errors import WordworthError
from wordworth.nli.contextual import ElmoVectors
from wordworth.nli.elmo import elmo_files, load_elmo

SENTENCE = ["Die", "Übermorgenwelt", "schläft", "."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_elmo(tmp_path_factory.mktemp("elmo"))


@pytest.fixture
def vectors(folder: Path) -> ElmoVectors:
    files = elmo_files(folder)
    assert files is not None
    return ElmoVectors(load_elmo(*files))


def test_all_layers_are_those_of_the_slow_version(folder, vectors):
    ids = np.array([vectors.ids(" ".join(SENTENCE))])
    assert (vectors.dim, vectors.layers) == (12, 3)
    found = vectors.vectors(ids)
    assert found.shape == (1, 4, 3, 12)
    np.testing.assert_allclose(found[0], slow_sentence(folder, SENTENCE), atol=1e-5)


def test_a_sentence_is_its_own(folder, vectors):
    texts = ["Die Welt schläft .", "a b c d", "Die b c Welt"]
    ids = np.array([vectors.ids(text) for text in texts])
    together = vectors.vectors(ids)
    for at, text in enumerate(texts):
        np.testing.assert_allclose(together[at], slow_sentence(folder, text.split()), atol=1e-5)
        torch.testing.assert_close(together[at], vectors.vectors(ids[at : at + 1])[0], atol=1e-6, rtol=1e-5)


def test_layer_one_is_the_word_alone_and_can_be_projected_before_the_lstms_or_everywhere(folder, vectors):
    static = vectors.context_free(["Die", "schläft"])
    np.testing.assert_allclose(static.matrix, slow_sentence(folder, ["Die", "schläft"])[:, 0, :6], atol=1e-5)
    direction = (static["Die"] - static["schläft"]) / np.linalg.norm(static["Die"] - static["schläft"])

    def out(x):
        return x - (x @ direction)[..., None] * direction

    v = torch.tensor(direction, dtype=torch.float32)
    first = vectors.changed("Die − schläft", first=lambda x: x - (x @ v)[..., None] * v)
    ids = np.array([vectors.ids(" ".join(SENTENCE))])
    found = first.vectors(ids)[0]
    np.testing.assert_allclose(found, slow_sentence(folder, SENTENCE, first=out), atol=1e-5)
    assert np.abs(found[:, 0, :6].numpy() @ direction).max() < 1e-5
    assert first.identity != vectors.identity
    every = vectors.changed("halved", every=lambda x: x / 2).vectors(ids)
    torch.testing.assert_close(every, vectors.vectors(ids) / 2)


def test_tanh_and_no_residual(folder, tmp_path):
    options = json.loads((folder / "small_options.json").read_text())
    options["lstm"]["use_skip_connections"] = False
    options["char_cnn"]["activation"] = "tanh"
    (tmp_path / "options.json").write_text(json.dumps(options))
    elmo = load_elmo(tmp_path / "options.json", folder / "small_weights.hdf5")
    plain = load_elmo(folder / "small_options.json", folder / "small_weights.hdf5")
    assert (elmo.residual, elmo.rectified, plain.residual, plain.rectified) == (False, False, True, True)
    codes = elmo.codes(["Welt"])
    assert not torch.allclose(elmo.words(codes), plain.words(codes))


def test_files_that_do_not_go_together(folder, tmp_path):
    options = json.loads((folder / "small_options.json").read_text())
    options["lstm"]["dim"] = 10
    (tmp_path / "options.json").write_text(json.dumps(options))
    with pytest.raises(WordworthError, match=r"W_0 is \(12, 36\), and options.json says \(12, 40\)"):
        load_elmo(tmp_path / "options.json", folder / "small_weights.hdf5")
    (tmp_path / "weights.hdf5").write_bytes(b"no HDF5")
    with pytest.raises(WordworthError, match="cannot be read as HDF5"):
        load_elmo(folder / "small_options.json", tmp_path / "weights.hdf5")
    with h5py.File(tmp_path / "other.hdf5", "w") as file:
        file["x"] = 1
    with pytest.raises(WordworthError, match="is not laid out as ELMo's published weights"):
        load_elmo(folder / "small_options.json", tmp_path / "other.hdf5")
    (tmp_path / "options.json").write_text("{}")
    with pytest.raises(WordworthError, match=r"is not ELMo.s options\.json"):
        load_elmo(tmp_path / "options.json", folder / "small_weights.hdf5")


def test_the_nli_model_over_elmo_is_trained_and_loaded_again(folder, tmp_path):
    from wordworth.catalog.read.nli import NliData
    from wordworth.nli.examples import Sets
    from wordworth.nli.loading import load_attention_nli, vectors_to_train_on
    from wordworth.nli.train_nli import NetworkSize, Recipe, train_nli

    data = NliData("few", ("a man sleeps", "a dog runs"), ("he rests", "no dog"), ("entailment", "contradiction"))
    made = train_nli(folder, Sets((data,), (data,), ()), tmp_path / "nli", NetworkSize(8), recipe=Recipe(epochs=1))
    assert made["shape"] | {"dropout": 0} == {
        "dim": 12,
        "layers": 3,
        "beside": True,
        "hidden": 8,
        "compare": 16,
        "dropout": 0,
        "labels": ["entailment", "neutral", "contradiction"],
    }
    model = load_attention_nli(tmp_path / "nli")
    assert model.network.shape.attend == 20  # as 200 + 1024 in the paper
    sentences = ["a man sleeps", "he rests", "no dog"]
    pairs = np.array([[0, 1], [0, 2], [1, 0]])
    found = model.probabilities(sentences, pairs)
    read = vectors_to_train_on(folder, 0).embedder
    for (premise, hypothesis), row in zip(pairs, found, strict=True):
        x = [read.vectors(np.array([read.ids(sentences[at])])) for at in (premise, hypothesis)]
        with torch.no_grad():
            np.testing.assert_allclose(model.network(*x).softmax(1)[0], row, atol=1e-5)


def test_an_array_of_2_to_the_40_numbers_is_refused(folder: Path, tmp_path: Path) -> None:
    """A hollow array takes no room in the file, and 4 TB in memory."""
    weights = tmp_path / "weights.hdf5"
    weights.write_bytes((folder / "small_weights.hdf5").read_bytes())
    with h5py.File(weights, "a") as stored:
        del stored["char_embed"]
        stored.create_dataset("char_embed", (2**20, 2**20), "f4", chunks=(1, 2**20), fillvalue=1)
    with pytest.raises(WordworthError, match="char_embed"):
        load_elmo(folder / "small_options.json", weights)


def test_no_array_is_read_from_another_file(folder: Path, tmp_path: Path) -> None:
    """Neither by a link to one, nor as numbers that lie there, nor as one array made of several."""
    numbers = np.zeros((261, 4), np.float32)
    (tmp_path / "other.bin").write_bytes(numbers.tobytes())
    with h5py.File(tmp_path / "other.hdf5", "w") as other:
        other["char_embed"] = numbers
    source = h5py.VirtualSource(str(tmp_path / "other.hdf5"), "char_embed", shape=numbers.shape)
    layout = h5py.VirtualLayout(shape=numbers.shape, dtype="f4")
    layout[:] = source
    for way in ("link", "external", "virtual"):
        weights = tmp_path / "weights.hdf5"
        weights.write_bytes((folder / "small_weights.hdf5").read_bytes())
        with h5py.File(weights, "a") as stored:
            del stored["char_embed"]
            if way == "link":
                stored["char_embed"] = h5py.ExternalLink(str(tmp_path / "other.hdf5"), "char_embed")
            elif way == "external":
                stored.create_dataset("char_embed", numbers.shape, "f4", external=str(tmp_path / "other.bin"))
            else:
                stored.create_virtual_dataset("char_embed", layout)
        with pytest.raises(WordworthError, match="char_embed lies in another file, which is never read"):
            load_elmo(folder / "small_options.json", weights)
