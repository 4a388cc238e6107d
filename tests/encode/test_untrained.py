"""The same network with random weights, for every architecture."""

import numpy as np
import torch

from wordworth.contexts import make_decontextualized
from wordworth.encode import LanguageModel, encode
from wordworth.encode.named import randomize_weights


def test_the_same_shape_with_other_weights(model: LanguageModel) -> None:
    before = torch.random.get_rng_state()
    one, again, other = randomize_weights(model), randomize_weights(model), randomize_weights(model, seed=1)
    assert torch.equal(before, torch.random.get_rng_state())
    assert (one.name, one.layers, one.dim, one.family) == (model.name, model.layers, model.dim, model.family)
    assert one.identity == again.identity
    assert len({model.identity, one.identity, other.identity}) == 3
    contexts = make_decontextualized(["word", "friends"])
    vectors = [encode(each, contexts).vectors["last"] for each in (model, one, again, other)]
    np.testing.assert_array_equal(vectors[1], vectors[2])
    for different in (vectors[0], vectors[3]):
        assert not np.allclose(vectors[1][:, -1], different[:, -1], atol=1e-4)
    own = dict(model.network.named_parameters())
    assert all(weight.shape == own[name].shape for name, weight in one.network.named_parameters())
