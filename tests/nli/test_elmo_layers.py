"""Directions in the layers of ELMo: means over a text, and projection of each layer, against a slow version."""

from pathlib import Path

import numpy as np
import pytest

from made_elmo import made_elmo, slow_sentence
from wordworth.errors import WordworthError
from wordworth.nli.contextual import DrawnSentences, ElmoVectors, averaged, draw_occurrences
from wordworth.nli.loading import vectors_to_train_on
from wordworth.nli.vocabulary import words_of
from wordworth.transform import Subspace, difference_direction

TEXT = [
    "He said that she saw him . Then he left , and he came back .",
    "Nobody saw her . And she , too , left .",
    "A line without any of them .",
    "He left .",
]
WORDS = ("he", "she", "king")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_elmo(tmp_path_factory.mktemp("elmo"))


@pytest.fixture
def vectors(folder: Path) -> ElmoVectors:
    read = vectors_to_train_on(folder, 0).embedder
    assert isinstance(read, ElmoVectors)
    return read


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
    found = averaged(vectors, WORDS, drawn, "the text")
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
        averaged(vectors, ["king"], DrawnSentences({}, 0), "the text")


def test_each_layer_is_projected_by_itself_behind_the_lstms(folder: Path, vectors: ElmoVectors) -> None:
    drawn = draw_occurrences(TEXT, WORDS, per_word=10)
    means = averaged(vectors, WORDS, drawn, "the text")
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
def test_a_network_keeps_the_layers_that_it_was_trained_without(
    folder: Path, tmp_path: Path, layers: tuple[int, ...]
) -> None:
    from wordworth.catalog.read.nli import NliData
    from wordworth.nli.examples import Sets
    from wordworth.nli.loading import load_attention_nli
    from wordworth.nli.nli import TrainedWithout, accuracy
    from wordworth.nli.train_nli import NetworkSize, Recipe, train_nli

    data = NliData("few", ("a man sleeps", "a dog runs"), ("he rests", "no dog"), ("entailment", "contradiction"))
    read = vectors_to_train_on(folder, 0)
    rng = np.random.default_rng(0)
    basis = {at: np.linalg.qr(rng.normal(size=(12 if at else 6, 2)))[0].T for at in layers or (0,)}
    found = {at: Subspace("he − she", one, np.ones(2)) for at, one in basis.items()}
    changed = read.without_in(found) if layers else read.without(found[0])
    made = train_nli(
        changed, Sets((data,), (data,), (data,)), tmp_path / "nli", NetworkSize(8), recipe=Recipe(epochs=1)
    )
    model = load_attention_nli(tmp_path / "nli")
    assert model.trained_without == TrainedWithout("he − she", 2, layers)
    assert accuracy(model, data.examples()) == made["test"][0]["accuracy"]
    ids = np.array([changed.embedder.ids("a man sleeps")])
    np.testing.assert_allclose(model.embedder.vectors(ids), changed.embedder.vectors(ids), atol=1e-6)
    assert not np.allclose(model.embedder.vectors(ids), read.embedder.vectors(ids), atol=1e-3)
