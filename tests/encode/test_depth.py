"""A network that goes no deeper than asked: the same states to the bit, less work, for every architecture."""

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pytest
import torch
import transformers as hf
from torch.utils.flop_counter import FlopCounterMode

from wordworth.contexts import in_template
from wordworth.encode import LanguageModel, encode, wrap
from wordworth.encode.capabilities import hidden_states
from wordworth.encode.depth import no_deeper

TEMPLATES = ("It is neither pleasant nor unpleasant to think of WORD", "The garden of WORD is old, and my friends too.")


def _flops(model: LanguageModel, ids: torch.Tensor) -> int:
    with FlopCounterMode(display=False) as counted, torch.no_grad():
        hidden_states(model.network, ids)
    return int(counted.get_total_flops())


def test_the_same_states_for_less_work(model: LanguageModel) -> None:
    ids = torch.arange(4, 28).reshape(3, 8)
    with torch.inference_mode():
        whole = hidden_states(model.network, ids)
    flops = []
    for layers in range(1, model.layers):
        short = no_deeper(model, layers)
        with torch.inference_mode():
            states = hidden_states(short.network, ids)
        assert len(states) == layers + 1
        assert all(map(torch.equal, states, whole))
        assert (short.left_only, short.reuses_kv_cache) == (model.left_only, model.reuses_kv_cache)
        flops.append(_flops(short, ids))
    steps = np.diff([*flops, _flops(model, ids)])
    assert steps[0] > 0
    assert (steps == steps[0]).all(), "every layer costs the same, and none is computed in vain"


def test_no_weight_is_copied_and_the_model_stays_as_it_was(model: LanguageModel) -> None:
    modules = [path for path, _ in model.network.named_modules()]
    own = {weight.data_ptr() for weight in (*model.network.parameters(), *model.network.buffers())}
    short = no_deeper(model, 1)
    assert {weight.data_ptr() for weight in (*short.network.parameters(), *short.network.buffers())} <= own
    assert [path for path, _ in model.network.named_modules()] == modules
    assert model.network.config.num_hidden_layers == model.layers
    assert no_deeper(model, 1) is no_deeper(model, 0) is short, "it is made once; the first layer always stays"
    assert no_deeper(model, model.layers) is model


def test_hooks_of_the_model_are_those_of_its_short_network(tiny_model: Callable[[str], LanguageModel]) -> None:
    """Also those set behind its making."""
    model, ids = tiny_model("gpt2"), torch.arange(4, 12)[None]
    short = no_deeper(model, 1)
    hook = model.network.get_input_embeddings().register_forward_hook(lambda *given: given[-1] + 1)
    with torch.inference_mode():
        hooked, shortened = (hidden_states(one.network, ids) for one in (model, short))
        hook.remove()
        plain = hidden_states(short.network, ids)
    assert torch.equal(hooked[1], shortened[1])
    assert not torch.equal(plain[1], shortened[1])


@pytest.mark.parametrize("layers", [(0,), (0, 1), (2, 1)])
@pytest.mark.parametrize("share_prefixes", [True, False])
def test_vectors_of_some_layers_are_those_of_all(
    model: LanguageModel, words: list[str], layers: tuple[int, ...], share_prefixes: bool
) -> None:
    contexts = [in_template(template, word) for template in TEMPLATES for word in words]
    every = encode(model, contexts, ["last", "mean"], share_prefixes=share_prefixes)
    some = encode(model, contexts, ["last", "mean"], layers, share_prefixes=share_prefixes)
    assert some.tally == every.tally
    for pooling in ("last", "mean"):
        np.testing.assert_array_equal(some.vectors[pooling], every.vectors[pooling][:, list(layers)])


def _made(words: Callable[[str], LanguageModel], network: type, config: hf.PretrainedConfig) -> LanguageModel:
    torch.manual_seed(0)
    return wrap(network(config), words("bert").tokenizer, name="made")


def test_an_architecture_that_cannot_be_cut_is_run_whole(
    tiny_model: Callable[[str], LanguageModel], words: list[str]
) -> None:
    """ALBERT's groups of layers are counted off the number of all layers: with two of four, others would be taken."""
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32, "embedding_size": 8}
    config = hf.AlbertConfig(vocab_size=300, num_hidden_layers=4, num_hidden_groups=2, **sizes)
    model = _made(tiny_model, hf.AlbertModel, config)
    assert no_deeper(model, 2) is model
    contexts = [in_template(TEMPLATES[0], word) for word in words[:5]]
    some, every = encode(model, contexts, layers=[2]), encode(model, contexts)
    np.testing.assert_array_equal(some.vectors["last"][:, 0], every.vectors["last"][:, 2])


def test_a_short_network_does_not_keep_the_model_in_memory(tiny_model: Callable[[str], LanguageModel]) -> None:
    config = hf.BertConfig(vocab_size=300, hidden_size=16, num_hidden_layers=3, num_attention_heads=2)
    model = _made(tiny_model, hf.BertModel, config)
    seen = weakref.ref(model.network)
    assert no_deeper(model, 1) is not model
    del model
    gc.collect()
    assert seen() is None
