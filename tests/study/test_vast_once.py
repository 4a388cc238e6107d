"""A context goes through the model once, however many lists it stands in, and its vectors are those it has alone."""

import numpy as np
import pytest

from vast_runs import words_of
from wordworth.contexts import Context, load_templates, make_bleached
from wordworth.embedding import Slot
from wordworth.encode import LanguageModel, in_contexts

FIRST, SECOND = ("river", "abuse", "pleasant"), ("pleasant", "clock", "river", "unwieldiness")


def contexts_of(words: tuple[str, ...]) -> list[Context | None]:
    return list(make_bleached(words, load_templates()))


@pytest.mark.parametrize("pooling", ["last", "mean", "first"])
def test_vectors_are_those_of_encoding_alone(tiny: LanguageModel, pooling: str) -> None:
    once = words_of(tiny)
    for words in (FIRST, SECOND, FIRST[::-1]):
        ours = once.encode_contexts(words, contexts_of(words), "bleached")
        alone = in_contexts(tiny, words, contexts_of(words), "bleached")
        assert ours.positions.tolist() == alone.positions.tolist()
        assert ours.store.subwords.tolist() == alone.store.subwords.tolist()
        for layer in range(3):
            pair = (one.layers(pooling).read(Slot(layer)) for one in (ours, alone))
            np.testing.assert_allclose(*pair, atol=1e-5)


def test_words_without_a_vector_keep_place_and_reason(tiny: LanguageModel) -> None:
    once = words_of(tiny, layers=(2,))
    long = Context("end", "many words " * 100 + "end", 1100, 1103)
    known = contexts_of(("river",))
    once.encode_contexts(("end", "river"), [long, *known], "sentence")
    ours = once.encode_contexts(
        ("gone", "river", "end", "clock"), [None, *known, long, *contexts_of(("clock",))], "sentence"
    )
    assert ours.positions.tolist() == [1, 3]
    assert sorted(ours.reasons) == [0, 2]
    assert ours.reasons[0] == "no context in the corpus"
    assert "64" in ours.reasons[2]
    assert len(once.encode_contexts(("gone",), [None], "sentence").positions) == 0
