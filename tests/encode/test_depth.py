"""A pass that goes no deeper than asked: the same states to the bit, less work, for every architecture."""

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from wordworth.contexts import in_template
from wordworth.encode import LanguageModel, encode
from wordworth.encode.passes import Stop, hidden_states

TEMPLATES = ("It is neither pleasant nor unpleasant to think of WORD", "The garden of WORD is old, and my friends too.")


def _flops(model: LanguageModel, ids: torch.Tensor, stop: Stop | None) -> int:
    with FlopCounterMode(display=False) as counted, torch.no_grad():
        hidden_states(model.network, ids, stop)
    return int(counted.get_total_flops())


def test_the_same_states_for_less_work(model: LanguageModel) -> None:
    ids = torch.arange(4, 28).reshape(3, 8)
    with torch.inference_mode():
        whole = hidden_states(model.network, ids)
    flops = []
    for layers in range(1, model.layers):
        stop = model.stop_at(layers)
        if "xlnet" in model.name:  # whose layers are given tokens × texts: it is run whole
            assert stop is None
            return
        with torch.inference_mode():
            states = hidden_states(model.network, ids, stop)
        assert len(states) == layers + 1
        assert all(map(torch.equal, states, whole))
        flops.append(_flops(model, ids, stop))
    assert model.stop_at(model.layers) is None
    steps = np.diff([*flops, _flops(model, ids, None)])
    assert steps[0] > 0
    assert (steps >= steps[0]).all(), "every layer costs the same, and a pooler comes with the last"


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
