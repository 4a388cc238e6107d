"""Language models as `Layers`: the vectors are those of the encoder, and a word that has none has its reason."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from wordworth.contexts import Finder, draw_sentences, in_template, make_decontextualized
from wordworth.embedding import SAME_VECTOR
from wordworth.encode import Aggregating, LanguageModel, aggregate, encode, in_contexts, over_sentences
from wordworth.encode.layers import NO_CONTEXT, NO_VECTOR

Tiny = Callable[[str], LanguageModel]
LONG = "xq" * 40
"""Longer than a tiny model admits, alone or in a sentence."""
LINES = ["I think of love and of the old garden.", "A garden without a river is no garden.", "Love is all we think of."]


def test_words_in_contexts(tiny_model: Tiny) -> None:
    model, words = tiny_model("gpt2"), ["love", "storm", LONG, "garden"]
    contexts = [None if word == "storm" else in_template("This is WORD", word) for word in words]
    layers = in_contexts(model, words, contexts, "bleached").layers("mean")
    assert layers.words == ("love", "garden")
    assert layers.layers == (0, 1, 2, 3)
    assert layers.columns == {"model": "tiny-gpt2", "context": "bleached", "sentences": None, "pooling": "mean"}
    (_, first), (missed, second) = layers.missing()
    assert first == NO_CONTEXT
    assert missed == LONG
    assert "60" in second  # tokens that the model admits
    alone = encode(model, [in_template("This is WORD", word) for word in layers.words], ["mean"])
    np.testing.assert_allclose(layers.vectors(), alone.vectors["mean"].swapaxes(0, 1), rtol=1e-4, atol=1e-5)
    assert layers.subwords is not None
    assert layers.select(["storm", "garden"]).missing() == [("storm", NO_CONTEXT)]


def test_words_over_sentences_and_alone(tiny_model: Tiny, tmp_path: Path) -> None:
    """A word never met has the decontextualized vector; one that has none at all has its reason."""
    model, words = tiny_model("bert"), ("love", "garden", "knife", LONG)
    sample = draw_sentences(LINES, Finder(words), tmp_path / "sample", count=3)
    found = over_sentences(model, words, sample, Aggregating(poolings=("mean/mean",)))
    (plain,) = aggregate(model, words, sample, Aggregating(poolings=["mean/mean"]))
    met = found.pool_contexts("mean/mean")
    assert met.words == ("love", "garden", "knife")
    assert met.missing() == [(LONG, NO_VECTOR)]
    assert found.never_met == ("knife",)
    assert set(found.without_vector) == {LONG}
    alone = found.pool_decontextualized("mean")
    expected = (
        encode(model, make_decontextualized(("love", "garden", "knife")), ["mean"]).vectors["mean"].swapaxes(0, 1)
    )
    np.testing.assert_allclose(alone.vectors(), expected, rtol=1e-4, atol=1e-5)
    for layer in range(4):
        np.testing.assert_allclose(met.at(layer).matrix[:2], plain.vectors(layer, "mean/mean")[:2], rtol=1e-5)
        np.testing.assert_array_equal(met.at(layer).matrix[2], alone.at(layer).matrix[2])


def test_words_that_a_tokenizer_reads_alike_are_one(tiny_model: Tiny) -> None:
    """The tiny BERT has no capitals and no accents, GPT-2 has both; that vectors are equal is seen in the vectors."""
    words = ["love", "LOVE", "garden", "Gárden", "old"]
    contexts = [in_template("This is WORD", word) for word in words]
    layers = in_contexts(tiny_model("bert"), words, contexts, "bleached").layers("mean")
    assert layers.matched_words == ("love", "love", "garden", "garden", "old")
    np.testing.assert_allclose(layers.vectors()[:, 0], layers.vectors()[:, 1], atol=1e-5)
    np.testing.assert_allclose(layers.vectors()[:, 2], layers.vectors()[:, 3], atol=1e-5)
    once = layers.distinct()
    assert once.words == ("love", "garden", "old")
    assert once.missing() == [("LOVE", SAME_VECTOR), ("Gárden", SAME_VECTOR)]
    assert layers.select(["LOVE", "old"]).matched_words == ("love", "old")
    cased = in_contexts(tiny_model("gpt2"), words, contexts, "bleached").layers("mean")
    assert cased.distinct() is cased
