"""Shards on a device: several at once, what runs out of memory, what is not a number."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from wordworth.contexts import Context, in_template, make_decontextualized
from wordworth.encode import LanguageModel, encode, encode_shards, encode_to_store, encoding, store
from wordworth.encode.units import Work, size_work
from wordworth.engine.batching import Budget, budget_for
from wordworth.errors import WordworthError

Tiny = Callable[[str], LanguageModel]
TEMPLATES = ("This is WORD", "It is pleasant to think of WORD", "the old WORD of the river")


def contexts_of(words: list[str]) -> list[Context]:
    one_by_one = [in_template(template, word) for template in TEMPLATES for word in [*words, "😀"]]
    twice = [Context("love", "love and love", 9, 13), Context("love", "love and love", 0, 4)]
    return [*one_by_one, *twice, *make_decontextualized(words[:5])]


def as_on_a_gpu(monkeypatch: pytest.MonkeyPatch, contexts: int, tokens: int = 512) -> None:
    """Units of several shards, and large groups of prefixes."""

    def work(model: LanguageModel, batch_tokens: int | None = None) -> Work:
        usual = budget_for(model.device, batch_tokens or tokens)
        return Work(Budget(usual.tokens, 40, 4096), contexts)

    monkeypatch.setattr(encoding, "work_for", work)


def test_shards_do_not_depend_on_others(
    model: LanguageModel, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts = contexts_of(words[::4])
    shards = [contexts[start : start + 17] for start in range(0, len(contexts), 17)]
    shards.insert(2, [])
    expected = [list(encode_shards(model, [[context] for context in shard])) for shard in shards]
    for unit in (1, 50, 1000):
        as_on_a_gpu(monkeypatch, unit)
        found = list(encode_shards(model, iter(shards), None))
        for shard, alone in zip(found, expected, strict=True):
            assert shard.subwords == [one.subwords[0] for one in alone]
            failed = [(at, one.failures[0]) for at, one in enumerate(alone) if one.failures]
            reasons = [(at, failure.word, failure.reason) for at, failure in failed]
            assert [(failure.row, failure.word, failure.reason) for failure in shard.failures] == reasons
            if alone:
                states = torch.cat([one.states for one in alone], dim=1)
                np.testing.assert_allclose(shard.states.numpy(), states.numpy(), rtol=1e-4, atol=1e-4)
            assert shard.states.untyped_storage().nbytes() == shard.states.nbytes, "nothing else travels with a shard"
        assert sum(shard.tally.sentences for shard in found) == len({context.text for context in contexts}) - (
            len(TEMPLATES) if any(shard.failures for shard in found) else 0
        )


def test_paths_without_room_are_sentences(tiny_model: Tiny, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model("gpt2")
    contexts = [in_template(TEMPLATES[1], word) for word in words]
    expected = encode(model, contexts, share_prefixes=False)

    def no_room(*_: object) -> None:
        raise torch.OutOfMemoryError("no more")

    monkeypatch.setattr("wordworth.encode.forward.run_group", no_room)
    found = encode(model, contexts)
    assert (found.tally.shared_context, found.tally.halvings) == (0, 1)
    np.testing.assert_allclose(found.vectors["last"], expected.vectors["last"], rtol=1e-4, atol=1e-4)


def test_not_a_number_among_several_shards(tiny_model: Tiny, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model("bert")
    token = model.tokenizer("pleasant", add_special_tokens=False).input_ids[0]

    def spoil(_: torch.nn.Module, given: tuple[torch.Tensor], output: torch.Tensor) -> torch.Tensor:
        output[given[0] == token] = torch.inf
        return output

    as_on_a_gpu(monkeypatch, 3)
    shards = [[in_template("This is WORD", word)] for word in ("garden", "storm", "love", "river", "pleasant", "old")]
    hook = model.network.get_input_embeddings().register_forward_hook(spoil)
    try:
        with pytest.raises(WordworthError, match="no finite values in float32 for 'pleasant' in layer 0"):
            list(encode_shards(model, shards))
    finally:
        hook.remove()


@pytest.mark.parametrize("writers", [0, 2])
def test_the_store_is_the_same_behind_a_gpu(
    tiny_model: Tiny, words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any, writers: int
) -> None:
    """The same chunks under the same keys, whether shards go one by one or several at once and are written behind."""
    model, contexts = tiny_model("gpt2"), contexts_of(words)
    monkeypatch.setattr(encoding, "SHARD_BYTES", 1)
    kept = encode_to_store(model, contexts)
    expected = [kept.vectors(layer, "mean") for layer in range(4)]
    names = [chunk.relative_to(kept.folder.parent.parent) for chunk in kept.chunks]
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / "other"))
    as_on_a_gpu(monkeypatch, 100)
    monkeypatch.setitem(store.WRITERS, "cpu", writers)
    steps: list[float] = []
    found = encode_to_store(model, contexts, advance=steps.append)
    assert [chunk.relative_to(found.folder.parent.parent) for chunk in found.chunks] == names
    assert sum(steps) == len({(one.text, one.start) for one in contexts})
    for layer, vectors in enumerate(expected):
        np.testing.assert_allclose(found.vectors(layer, "mean"), vectors, rtol=1e-4, atol=1e-4)


def make_shape(layers: int, dim: int, parameters: float, dtype: torch.dtype, heads: int, keys: int) -> Any:
    config = SimpleNamespace(num_attention_heads=heads, num_key_value_heads=keys)
    network = SimpleNamespace(dtype=dtype, config=config, num_parameters=lambda exclude_embeddings: int(parameters))
    return SimpleNamespace(layers=layers, dim=dim, network=network)


def test_work_follows_the_model_and_the_memory() -> None:
    """Llama of 8B and of 135M, by hand: 32 layers at 0.3 ms a launch are 9.6 ms, in which 4e14 operations a second do
    3.84e12, those of 275 tokens of 7e9 parameters each."""
    large = size_work(make_shape(32, 4096, 7e9, torch.bfloat16, 32, 8), 120 << 30)
    small = size_work(make_shape(30, 576, 1.06e8, torch.bfloat16, 9, 3), 120 << 30)
    assert large.budget.pass_cost == int(3.84e12 / 14e9) == 274
    assert large.budget.tokens == 1 << 14
    assert (small.budget.pass_cost, small.budget.tokens) == (int(30 * 3e-4 * 4e14 / 2.12e8), 1 << 17)
    assert large.contexts == 8192
    # Keys and values of a token: 2 × 32 × 8 × 128 numbers of two bytes; 16 tokens in a quarter of the memory.
    assert large.budget.max_texts == (30 << 30) // (16 * 2 * 32 * 8 * 128 * 2)
    tight = size_work(make_shape(32, 4096, 7e9, torch.bfloat16, 32, 8), 1 << 30)
    # The states of a token: 33 × 4096 numbers of two bytes, in an eighth of the memory.
    assert tight.contexts == (128 << 20) // (33 * 4096 * 2)
    assert tight.budget.tokens < large.budget.tokens
