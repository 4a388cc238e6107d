"""`Layers` with components nullified, against each layer's own decomposition by hand."""

import numpy as np
import pytest

from wordworth.embedding import Embedding, Layers, Provenance, Slot
from wordworth.transform import fit_components, fit_layers, nullify, nullify_layers

pytestmark = pytest.mark.kernels

VECTORS = np.random.default_rng(0).normal(size=(3, 20, 6)) * np.linspace(4, 1, 6) + 2
"""layers × words × dimensions"""


def group(words: slice) -> Layers:
    names = tuple(f"w{at}" for at in range(20)[words])
    slots = tuple(Slot(layer) for layer in range(3))
    return Layers(names, slots, lambda slot: VECTORS[slot.layer, words], Provenance("tiny"))


def test_mean_and_components_are_those_of_all_groups() -> None:
    groups = [group(slice(0, 12)), group(slice(12, 20))]
    fitted = fit_layers(groups, 4)
    one, other = (nullify_layers(words, fitted) for words in groups)
    assert one.slots == tuple(Slot(layer, pcs) for layer in range(3) for pcs in (None, 0, 1, 2, 3, 4))
    assert one.layers == (0, 1, 2)
    for layer in range(3):
        components = fit_components(VECTORS[layer], 4)
        np.testing.assert_allclose(fitted[layer].shares, components.shares)
        for pcs in range(5):
            expected = nullify(VECTORS[layer], components, pcs)
            np.testing.assert_allclose(one.read(Slot(layer, pcs)), expected[:12], atol=1e-12)
            np.testing.assert_allclose(other.read(Slot(layer, pcs)), expected[12:], atol=1e-12)
        np.testing.assert_array_equal(one.read(Slot(layer)), VECTORS[layer, :12])


def test_only_the_chosen_layers_get_more_slots() -> None:
    fitted = fit_layers([group(slice(0, 20))], 2, [2])
    some = nullify_layers(group(slice(0, 20)), fitted)
    assert some.slots == (Slot(0), Slot(1), Slot(2), Slot(2, 0), Slot(2, 1), Slot(2, 2))
    assert set(fitted) == {2}
    picked = some.select(["w3", "w1"])
    expected = nullify(VECTORS[2], fit_components(VECTORS[2], 2), 1)[[3, 1]]
    np.testing.assert_allclose(picked.read(Slot(2, 1)), expected, atol=1e-12)


def test_never_so_many_that_nothing_is_left() -> None:
    fitted = fit_layers([group(slice(0, 4))], 12)
    few = nullify_layers(group(slice(0, 4)), fitted)
    assert [slot.components for slot in few.slots if slot.layer == 0] == [None, 0, 1, 2]
    assert len(fitted[0].directions) == 2


def test_a_static_embedding_has_slots_too() -> None:
    words = [f"w{at}" for at in range(20)]
    static = Layers.of(Embedding(words, VECTORS[0], Provenance("small")))
    layers = nullify_layers(static, fit_layers([static], 1))
    assert layers.slots == (Slot(), Slot(None, 0), Slot(None, 1))
    expected = nullify(VECTORS[0], fit_components(VECTORS[0], 1), 1)
    cut = layers.at(None, 1)
    np.testing.assert_allclose(cut.matrix, expected, atol=1e-12)
    assert cut.provenance.steps == ("1 components nullified",)
