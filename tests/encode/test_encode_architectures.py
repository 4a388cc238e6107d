"""Every architecture through the same test, against a plain pass of one text at a time written here."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from wordworth.contexts import Context, in_template
from wordworth.encode import POOLINGS, LanguageModel, encode
from wordworth.encode.encoding import unique

TEMPLATE = "It is neither pleasant nor unpleasant to think of WORD"
MIDDLE = "The garden of WORD is old, and the rest of my friends are words."
SHARING = {"gpt2", "gpt-neo", "gpt-j", "llama-bpe", "llama-unigram"}
BY_HAND = {
    "first": lambda states: states[:, 0],
    "last": lambda states: states[:, -1],
    "mean": lambda states: states.mean(1),
    "max": lambda states: states.max(1),
    "min": lambda states: states.min(1),
}


def plain_states(model: LanguageModel, context: Context) -> NDArray[np.float32]:
    """layers × subwords × dim of the word, from the library alone.

    The word's first token is the first that differs from the text with the word cut off, the number of its tokens
    that of the word behind a space, less a lone marker.
    """
    tokenizer = model.tokenizer
    inputs = tokenizer(context.text, return_tensors="pt")
    with torch.no_grad():
        hidden = model.network(**inputs, output_hidden_states=True).hidden_states
    before = tokenizer(context.text[: context.start].rstrip(), add_special_tokens=False).input_ids
    through = tokenizer(context.text[: context.end], add_special_tokens=False).input_ids
    assert through[: len(before)] == before
    start, pieces = len(before), tokenizer.convert_ids_to_tokens(through[len(before) :])
    while pieces[0] in ("▁", "Ġ"):
        start, pieces = start + 1, pieces[1:]
    whole = inputs.input_ids[0].tolist()
    bare = tokenizer(context.text, add_special_tokens=False).input_ids
    shift = next(at for at in range(len(whole)) if whole[at : at + len(bare)] == bare)
    return torch.stack(hidden)[:, 0, shift + start : shift + start + len(pieces)].numpy()


def test_equals_one_at_a_time(model: LanguageModel, words: list[str]) -> None:
    contexts = [in_template(template, word) for template in (TEMPLATE, MIDDLE) for word in words]
    encoded = encode(model, contexts, POOLINGS)
    assert not encoded.failures
    assert encoded.vectors["first"].shape[:2] == (2 * len(words), model.layers + 1)
    for at, context in enumerate(contexts):
        expected = plain_states(model, context)
        assert encoded.subwords[at] == expected.shape[1]
        for pooling, by_hand in BY_HAND.items():
            np.testing.assert_allclose(encoded.vectors[pooling][at], by_hand(expected), rtol=1e-4, atol=1e-4)
    assert {1} < set(encoded.subwords.tolist()), "words of one token and of several must both be tried"


@pytest.mark.parametrize("batch_tokens", [1, 37, 100_000])
def test_batch_size_does_not_matter(model: LanguageModel, words: list[str], batch_tokens: int) -> None:
    contexts = [in_template(template, word) for template in ("This is WORD", MIDDLE) for word in words[::3]]
    usual = encode(model, contexts, ["mean"]).vectors["mean"]
    other = encode(model, contexts, ["mean"], batch_tokens=batch_tokens)
    np.testing.assert_allclose(other.vectors["mean"], usual, rtol=1e-4, atol=1e-4)


def test_shared_prefixes_change_nothing(model: LanguageModel, words: list[str]) -> None:
    contexts = [in_template(TEMPLATE, word) for word in words]
    shared = encode(model, contexts, ["last", "max"])
    plain = encode(model, contexts, ["last", "max"], share_prefixes=False)
    for pooling in ("last", "max"):
        np.testing.assert_allclose(shared.vectors[pooling], plain.vectors[pooling], rtol=1e-4, atol=1e-4)
    kind = model.name.removeprefix("tiny-")
    assert model.reuses_kv_cache == (kind in SHARING)
    assert plain.tally.shared_context == 0
    if model.reuses_kv_cache:
        assert shared.tally.shared_context == len(words)
        assert shared.tally.tokens < plain.tally.tokens / 2
    else:
        assert shared.tally == plain.tally


def test_several_words_of_one_text_share_its_pass(model: LanguageModel) -> None:
    text = "the old garden and the river are the old friends of the storm"
    contexts = [
        Context(word, text, text.index(word), text.index(word) + len(word))
        for word in ("storm", "old", "river", "friends", "old")
    ]
    encoded = encode(model, contexts, ["mean"])
    assert encoded.tally.sentences == 1
    assert encoded.tally.passes == 1
    for at, context in enumerate(contexts):
        expected = plain_states(model, context).mean(1)
        np.testing.assert_allclose(encoded.vectors["mean"][at], expected, rtol=1e-4, atol=1e-4)
    distinct, place = unique(contexts)
    assert len(distinct) == 4
    assert [distinct[at].word for at in place] == [context.word for context in contexts]
