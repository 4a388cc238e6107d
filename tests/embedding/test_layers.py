"""`Layers`: words chosen, spelled, missing with their reasons; slots read one at a time; transforms of each."""

import numpy as np
import pytest

from wordworth.embedding import NOT_FOUND, Embedding, Layers, Provenance, Slot, spellings
from wordworth.errors import WordworthError

VECTORS = np.random.default_rng(0).normal(size=(3, 4, 5)).astype(np.float32)
"""layers × words × dimensions"""


@pytest.fixture
def static() -> Layers:
    words = ["dog", "Paris", "hot_dog", "cat"]
    return Layers.of(Embedding(words, VECTORS[0], Provenance("small", steps=("centred",))))


@pytest.fixture
def encoded() -> Layers:
    """Five words asked for, four of them encoded in three layers: “murk” could not be."""
    return Layers(
        words=("dog", "cat", "sun", "sea"),
        slots=tuple(Slot(layer) for layer in range(3)),
        read=lambda slot: VECTORS[slot.layer],
        provenance=Provenance("tiny"),
        context="bleached",
        pooling="last",
        requested_words=("dog", "murk", "cat", "sun", "sea"),
        positions=np.array([0, 2, 3, 4]),
        reasons={1: "no context in the corpus"},
        subwords=np.array([1, 2, 3, 1]),
    )


def test_an_embedding_is_layers_of_one(static: Layers) -> None:
    assert static.slots == (Slot(None, None),)
    assert static.layers == (None,)
    assert (static.name, len(static), static.vocabulary) == ("small", 4, True)
    assert static.columns == {"model": "small", "context": None, "sentences": None, "pooling": None}
    assert static.at() is static.source
    assert static.index["cat"] == 3
    assert static.vectors().dtype == np.float64
    np.testing.assert_array_equal(static.vectors(), VECTORS[:1])
    assert static.missing() == []


def test_select_tries_spellings_in_a_vocabulary_and_keeps_the_order(static: Layers) -> None:
    chosen = static.select(["cat", "paris", "ghost", "hot dog"], spellings("english"))
    assert chosen.words == ("cat", "paris", "hot dog")
    assert chosen.found_as() == [None, "Paris", "hot_dog"]
    assert chosen.missing() == [("ghost", NOT_FOUND)]
    assert chosen.positions.tolist() == [0, 1, 3]
    assert not chosen.vocabulary
    np.testing.assert_array_equal(chosen.vectors()[0], VECTORS[0][[3, 1, 2]])
    assert static.select(["paris"]).missing() == [("paris", NOT_FOUND)]


def test_words_that_were_encoded_are_looked_up_as_written(encoded: Layers) -> None:
    chosen = encoded.select(["Dog", "sea"], spellings("english"))
    assert chosen.words == ("sea",)
    assert chosen.missing() == [("Dog", NOT_FOUND)]


def test_a_word_without_a_vector_has_its_reason(encoded: Layers) -> None:
    assert encoded.missing() == [("murk", "no context in the corpus")]
    chosen = encoded.select(["sea", "murk", "ghost", "dog"])
    assert chosen.words == ("sea", "dog")
    assert chosen.missing() == [("murk", "no context in the corpus"), ("ghost", NOT_FOUND)]
    assert chosen.subwords.tolist() == [1, 1]
    np.testing.assert_array_equal(chosen.vectors(), VECTORS[:, [3, 0]])
    nothing = encoded.select(["murk"])
    assert len(nothing) == 0
    assert nothing.missing() == [("murk", "no context in the corpus")]


def test_rows_lack_nothing(encoded: Layers, static: Layers) -> None:
    chosen = encoded.rows(np.array([2, 0]))
    assert chosen.words == chosen.requested_words == ("sun", "dog")
    assert chosen.missing() == []
    assert chosen.positions.tolist() == [0, 1]
    assert chosen.subwords.tolist() == [3, 1]
    np.testing.assert_array_equal(chosen.vectors(), VECTORS[:, [2, 0]])
    spelled = static.select(["paris", "dog"], spellings("english")).rows(np.array([0]))
    assert spelled.found_as() == ["Paris"]


def test_keep_records_why_others_are_missing(encoded: Layers) -> None:
    kept = encoded.keep(np.array([1, 3]), "dropped at random")
    assert kept.words == ("cat", "sea")
    assert kept.positions.tolist() == [2, 4]
    why = "dropped at random"
    assert kept.missing() == [("dog", why), ("murk", "no context in the corpus"), ("sun", why)]
    assert kept.select(["sun", "sea"]).missing() == [("sun", why)]
    np.testing.assert_array_equal(kept.vectors(), VECTORS[:, [1, 3]])


def test_some_layers_alone_and_one_as_an_embedding(encoded: Layers) -> None:
    some = encoded.only([2, 0])
    assert some.layers == (0, 2)
    np.testing.assert_array_equal(some.vectors(), VECTORS[[0, 2]])
    top = some.at(2)
    assert isinstance(top, Embedding)
    assert list(top.words) == list(encoded.words)
    np.testing.assert_array_equal(top.matrix, VECTORS[2])
    assert top.provenance.steps == ("bleached", "layer 2", "pooling last")
    with pytest.raises(WordworthError, match=r"tiny has the layers \[0, 2\] here, not 1"):
        some.at(1)


def test_a_transform_is_applied_to_every_slot(encoded: Layers, static: Layers) -> None:
    def doubled(embedding: Embedding) -> Embedding:
        return embedding.with_matrix(embedding.matrix * 2, "doubled")

    twice = encoded.map(doubled)
    np.testing.assert_array_equal(twice.vectors(), VECTORS * 2)
    assert twice.missing() == encoded.missing()
    of_one = static.map(doubled)
    np.testing.assert_array_equal(of_one.vectors(), VECTORS[:1] * 2)
    assert of_one.vocabulary
    assert of_one.provenance.steps == ("centred", "doubled")
