"""ELMo against a slow version in numpy, on a small weights file in the published layout."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from made_elmo import slow_sentence, write_elmo
from wordworth.catalog.read.nli import NliData
from wordworth.errors import WordworthError
from wordworth.nli.contextual import ElmoVectors, SentenceSample, average_occurrences, draw_occurrences, words_of
from wordworth.nli.elmo import load_elmo
from wordworth.nli.loading import load_attention_nli, vectors_to_train_on
from wordworth.nli.nli import TrainedWithout, accuracy
from wordworth.nli.train_nli import TrainingRecipe, TrainingSets, train_nli
from wordworth.transform import Subspace, difference_direction

SENTENCE = ["Die", "Übermorgenwelt", "schläft", "."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_elmo(tmp_path_factory.mktemp("elmo"))


@pytest.fixture
def vectors(folder: Path) -> ElmoVectors:
    return ElmoVectors(load_elmo(folder / "small_options.json", folder / "small_weights.hdf5"))


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


def test_layer_one_is_the_word_alone_and_can_be_projected_before_the_lstms(folder, vectors):
    static = vectors.context_free(["Die", "schläft"])
    np.testing.assert_allclose(static.matrix, slow_sentence(folder, ["Die", "schläft"])[:, 0, :6], atol=1e-5)
    direction = (static["Die"] - static["schläft"]) / np.linalg.norm(static["Die"] - static["schläft"])

    def out(x):
        return x - (x @ direction)[..., None] * direction

    first = vectors.without(Subspace("Die − schläft", direction[None], np.ones(1)))
    ids = np.array([vectors.ids(" ".join(SENTENCE))])
    found = first.vectors(ids)[0]
    np.testing.assert_allclose(found, slow_sentence(folder, SENTENCE, first=out), atol=1e-5)
    assert np.abs(found[:, 0, :6].numpy() @ direction).max() < 1e-5
    assert first.identity != vectors.identity


def test_tanh_and_no_residual(folder, tmp_path):
    options = json.loads((folder / "small_options.json").read_text())
    options["lstm"]["use_skip_connections"] = False
    options["char_cnn"]["activation"] = "tanh"
    (tmp_path / "options.json").write_text(json.dumps(options))
    elmo = load_elmo(tmp_path / "options.json", folder / "small_weights.hdf5")
    plain = load_elmo(folder / "small_options.json", folder / "small_weights.hdf5")
    assert (elmo.residual, elmo.is_relu, plain.residual, plain.is_relu) == (False, False, True, True)
    codes = elmo.codes(["Welt"])
    assert not torch.allclose(elmo.words(codes), plain.words(codes))


def test_files_that_do_not_go_together(folder, tmp_path):
    options = json.loads((folder / "small_options.json").read_text())
    options["lstm"]["dim"] = 10
    (tmp_path / "options.json").write_text(json.dumps(options))
    with pytest.raises(WordworthError, match=r"W_0 is \(12, 36\), but options.json says \(12, 40\)"):
        load_elmo(tmp_path / "options.json", folder / "small_weights.hdf5")
    (tmp_path / "weights.hdf5").write_bytes(b"no HDF5")
    with pytest.raises(WordworthError, match="cannot be read as HDF5"):
        load_elmo(folder / "small_options.json", tmp_path / "weights.hdf5")
    with h5py.File(tmp_path / "other.hdf5", "w") as file:
        file["x"] = 1
    with pytest.raises(WordworthError, match="does not have the layout of ELMo's published weights"):
        load_elmo(folder / "small_options.json", tmp_path / "other.hdf5")
    (tmp_path / "options.json").write_text("{}")
    with pytest.raises(WordworthError, match=r"is not ELMo.s options\.json"):
        load_elmo(tmp_path / "options.json", folder / "small_weights.hdf5")


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


TEXT = [
    "He said that she saw him . Then he left , and he came back .",
    "Nobody saw her . And she , too , left .",
    "A line without any of them .",
    "He left .",
]
WORDS = ("he", "she", "king")


def test_sentences_with_the_words_as_written_are_drawn() -> None:
    drawn = draw_occurrences(TEXT, WORDS, per_word=10)
    assert drawn.words == {
        "He said that she saw him .": {"she"},
        "Then he left , and he came back .": {"he"},
        "And she , too , left .": {"she"},
    }
    assert drawn.too_long == 0


def test_no_more_than_so_many_different_ones_a_word_and_by_the_seed() -> None:
    lines = [f"he has {number} of them ." for number in range(50)] * 2 + [" ".join(["he"] * 75)]
    few = draw_occurrences(lines, ["he", "has"], per_word=7, seed=1)
    assert len(few.words) == 7
    assert few == draw_occurrences(reversed(lines), ["has", "he"], per_word=7, seed=1)
    assert few.words.keys() != draw_occurrences(lines, ["he", "has"], per_word=7, seed=2).words.keys()
    assert few.too_long == 1
    assert len(draw_occurrences(lines, ["he"], per_word=1000).words) == 50


def test_means_are_those_of_the_slow_version(folder: Path, vectors: ElmoVectors) -> None:
    drawn = draw_occurrences(TEXT, WORDS, per_word=10)
    found = average_occurrences(vectors, WORDS, drawn, "the text")
    assert [one.name for one in found] == [f"{vectors.name} layer {layer}" for layer in (1, 2, 3)]
    assert list(found[0].words) == ["he", "she"]  # there is no king
    for word in ("he", "she"):
        every = [
            slow_sentence(folder, words_of(sentence))[at]
            for sentence, of in drawn.words.items()
            for at, token in enumerate(words_of(sentence))
            if token == word and word in of
        ]
        assert len(every) == 2
        for layer in range(3):
            np.testing.assert_allclose(found[layer][word], np.mean(every, axis=0)[layer], atol=1e-5)
    # Layer 1 is the word's own wherever it stands, once for each direction.
    own = vectors.context_free(["he"])["he"]
    np.testing.assert_allclose(found[0]["he"], [*own, *own], rtol=1e-5)
    with pytest.raises(WordworthError, match="the text has none of the words king"):
        average_occurrences(vectors, ["king"], SentenceSample({}, 0), "the text")


def test_each_layer_is_projected_by_itself_behind_the_lstms(folder: Path, vectors: ElmoVectors) -> None:
    drawn = draw_occurrences(TEXT, WORDS, per_word=10)
    means = average_occurrences(vectors, WORDS, drawn, "the text")
    found = {layer: difference_direction(means[layer - 1], "he", "she") for layer in (1, 3)}
    sentence = "she saw nobody"
    ids = np.array([vectors.ids(sentence)])
    slow = slow_sentence(folder, sentence.split())
    for layer, subspace in found.items():
        v = subspace.basis[0]
        one, other = (means[layer - 1][word] / np.linalg.norm(means[layer - 1][word]) for word in ("he", "she"))
        np.testing.assert_allclose(v, (one - other) / np.linalg.norm(one - other), atol=1e-6)
        slow[:, layer - 1] -= np.outer(slow[:, layer - 1] @ v, v)
    without = vectors.without_in(found)
    np.testing.assert_allclose(without.vectors(ids)[0], slow, atol=1e-5)
    assert without.identity != vectors.identity


@pytest.mark.parametrize("layers", [(), (1, 2, 3), (2,)])
def test_a_network_keeps_what_it_was_trained_without(folder: Path, tmp_path: Path, layers: tuple[int, ...]) -> None:
    data = NliData("few", ("a man sleeps", "a dog runs"), ("he rests", "no dog"), ("entailment", "contradiction"))
    read = vectors_to_train_on(folder, 0)
    rng = np.random.default_rng(0)
    basis = {at: np.linalg.qr(rng.normal(size=(12 if at else 6, 2)))[0].T for at in layers or (0,)}
    found = {at: Subspace("he − she", one, np.ones(2)) for at, one in basis.items()}
    changed = read.without_in(found) if layers else read.without(found[0])
    made = train_nli(
        changed, TrainingSets((data,), (data,), (data,)), tmp_path / "nli", recipe=TrainingRecipe(epochs=1, hidden=8)
    )
    assert (made["shape"]["beside"], made["shape"]["compare"]) == (True, 16)
    model = load_attention_nli(tmp_path / "nli")
    assert model.network.shape.attend == 20  # as 200 + 1024 in the paper
    assert model.trained_without == TrainedWithout("he − she", 2, layers)
    assert accuracy(model, data.examples()) == made["test"][0]["accuracy"]
    ids = np.array([changed.embedder.ids("a man sleeps")])
    np.testing.assert_allclose(model.embedder.vectors(ids), changed.embedder.vectors(ids), atol=1e-6)
    assert not np.allclose(model.embedder.vectors(ids), read.embedder.vectors(ids), atol=1e-3)
