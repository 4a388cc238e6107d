"""Memory that runs out, values that are not numbers, and the trie of shared tokens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch

from wordworth.contexts import in_template
from wordworth.encode import LanguageModel, encode
from wordworth.encode.passes import inference, layer_lists
from wordworth.encode.prefixes import trie_levels

Tiny = Callable[[str], LanguageModel]
TEMPLATE = "It is neither pleasant nor unpleasant to think of WORD"


def test_trie_by_hand() -> None:
    """Two prefixes; nodes with children come first in their level, and equal runs share their nodes."""
    suffixes = np.array([[7, 8, 0], [7, 0, 0], [7, 9, 8], [5, 0, 0], [7, 8, 0]])
    levels, nodes = trie_levels(np.array([0, 0, 1, 0, 0]), suffixes, np.array([2, 1, 3, 1, 2]))
    assert [level.tokens.tolist() for level in levels] == [[7, 7, 5], [9, 8], [8]]
    assert [level.parents.tolist() for level in levels] == [[0, 1, 0], [1, 0], [0]]
    assert [level.inner for level in levels] == [2, 1, 0]
    assert nodes.tolist() == [[0, 4, -1], [0, -1, -1], [1, 3, 5], [2, -1, -1], [0, 4, -1]]


@contextmanager
def small_memory(network: torch.nn.Module, tokens: int, error: type[RuntimeError], text: str) -> Iterator[None]:
    """A network that has room for so many tokens."""

    def refuse(_: torch.nn.Module, __: Any, given: dict[str, Any]) -> None:
        if given["input_ids"].numel() > tokens:
            raise error(text)

    refuse.__module__ = "torch"  # as of a library, so that batches go through several at a time
    hook = network.register_forward_pre_hook(refuse, with_kwargs=True)
    try:
        yield
    finally:
        hook.remove()


@pytest.mark.parametrize("kind", ["gpt2", "bert"])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (torch.OutOfMemoryError, "CUDA out of memory"),
        (RuntimeError, "[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory"),
    ],
)
def test_memory_runs_out(tiny_model: Tiny, words: list[str], kind: str, error: type[RuntimeError], text: str) -> None:
    model = tiny_model(kind)
    contexts = [in_template(TEMPLATE, word) for word in words]
    usual = encode(model, contexts)
    with small_memory(model.network, 25, error, text):
        small = encode(model, contexts)
    assert small.tally.halvings > 0
    np.testing.assert_allclose(small.vectors["last"], usual.vectors["last"], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("layers", [(0,), (2, 1)])
def test_some_layers_equal_those_of_all(model: LanguageModel, words: list[str], layers: tuple[int, ...]) -> None:
    contexts = [in_template(TEMPLATE, word) for word in words]
    every, some = (encode(model, contexts, ["last", "mean"], chosen) for chosen in (None, layers))
    for pooling in ("last", "mean"):
        np.testing.assert_array_equal(some.vectors[pooling], every.vectors[pooling][:, list(layers)])


@pytest.mark.parametrize("kind", ["gpt2", "llama-bpe", "bert", "t5"])
def test_layers_above_those_asked_for_are_not_computed(tiny_model: Tiny, words: list[str], kind: str) -> None:
    model = tiny_model(kind)
    (path,) = layer_lists(model.network)
    calls: list[object] = []
    contexts = [in_template(TEMPLATE, word) for word in words]
    last = model.network.get_submodule(f"{path}.{model.layers - 1}")
    hook = last.register_forward_hook(lambda *call: calls.append(call))
    try:
        encode(model, contexts, layers=(0,))
        assert len(calls) == 1, "only the trial runs them all"
        encode(model, contexts)
        assert len(calls) > 2
    finally:
        hook.remove()
    assert model.network.get_submodule(path)[-1] is last  # type: ignore[index]  # a list of modules


def test_products_by_onednn_are_those_of_float64() -> None:
    """States of several shapes, against float64; what is not float32 or has no batch goes torch's own way."""
    draw = torch.Generator().manual_seed(0)
    layer = torch.nn.Linear(96, 40)
    for shape in ((5, 96), (3, 7, 96), (96,), (0, 96)):
        states = torch.randn(shape, generator=draw)
        expected = layer.double()(states.double())
        layer.float()
        with inference():
            result = layer(states)
        assert result.shape == expected.shape
        assert result.dtype == torch.float32
        torch.testing.assert_close(result.double(), expected, rtol=1e-5, atol=1e-5)
    with inference():
        assert torch.equal(layer.double()(states.double()), expected)
