"""What writes into the stream, found by trying; folded into weights it is what hooks do, and the stream is without."""

import copy

import numpy as np
import pytest
import torch

from repair_models import OTHERS, PRE_NORM
from wordworth.encode.model import trial_ids
from wordworth.errors import WordworthError
from wordworth.repair.checkpoint import load_whole, states
from wordworth.repair.stream import fold, projected_writes, share_in, stream_of
from wordworth.transform import random_directions

NAMED = {
    "llama": {"embed_tokens": 1, "o_proj": 3, "down_proj": 3},
    "gpt2": {"wte": 1, "wpe": 1, "c_proj": 6},
    "neox": {"embed_in": 1, "dense": 3, "dense_4h_to_h": 3},
}
"""By the authors' names of the modules, which the search does not know."""


@pytest.mark.parametrize("name", PRE_NORM)
def test_the_writers_of_a_stream(folder_of, name):
    headed = load_whole(folder_of(name), device="cpu")
    stream = stream_of(headed.network, trial_ids(headed.tokenizer), name)
    names = {id(module): full.rpartition(".")[2] for full, module in headed.network.named_modules()}
    found = [names[id(module)] for module in stream.writers]
    assert {one: found.count(one) for one in found} == NAMED[name]


@pytest.mark.parametrize("name", PRE_NORM)
def test_folded_it_is_what_hooks_do_and_out_of_every_layer(folder_of, name):
    headed = load_whole(folder_of(name), device="cpu")
    network, ids = headed.network, trial_ids(headed.tokenizer)
    stream = stream_of(network, ids, name)
    basis = random_directions(24, count=1, k=3)[0].basis
    before = states(network, ids)
    head = network.get_output_embeddings().weight.clone()
    with projected_writes(stream, basis):
        expected = states(network, ids)
    for one, other in zip(before, states(network, ids), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)  # hooks leave nothing behind
    assert share_in(network, stream, basis, ids) > 0.01
    edited = copy.deepcopy(network)
    again = stream_of(edited, ids, name)
    fold(edited, again, basis)
    for one, other in zip(expected, states(edited, ids), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    assert share_in(edited, again, basis, ids) < 1e-6
    torch.testing.assert_close(edited.get_output_embeddings().weight, head, rtol=0, atol=0)
    # All but the last, which is behind the final norm, are the stream itself.
    for state in states(edited, ids)[:3]:
        assert np.abs(state.numpy() @ basis.T).max() < 1e-5 * np.abs(state.numpy()).max()


@pytest.mark.parametrize("name", OTHERS)
def test_a_norm_behind_the_writes_is_refused(folder_of, name):
    headed = load_whole(folder_of(name), device="cpu")
    with pytest.raises(WordworthError, match=f"{name} puts more than sums of linear maps .* choose --where subwords"):
        stream_of(headed.network, trial_ids(headed.tokenizer), name)
