"""`Layers` with the mean and a growing number of principal components nullified (VAST's semantic isolation)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Layers, Slot
from wordworth.transform.components import Components, fit_components, nullify

LayerComponents = Mapping[int | None, Components]


def fit_layers(groups: Sequence[Layers], most: int, layers: Sequence[int | None] | None = None) -> LayerComponents:
    """Fit mean and components per layer, on the words of all `groups` together; in all layers unless given."""
    fitted = {}
    for layer in groups[0].layers if layers is None else layers:
        vectors = np.concatenate([group.read(Slot(layer)) for group in groups])
        # Never so many that nothing is left.
        fitted[layer] = fit_components(vectors, min(most, len(vectors) - 2, vectors.shape[1] - 1))
    return fitted


def nullified(words: Layers, components: LayerComponents) -> Layers:
    """Return the same words with a slot per number of components: raw (`pcs` blank), then 0, 1, … all of a layer's.

    A layer without components keeps its raw slot only.
    """
    slots = [
        Slot(layer, pcs)
        for layer in words.layers
        for pcs in (None, *(range(len(components[layer].directions) + 1) if layer in components else ()))
    ]
    read = lru_cache(maxsize=1)(words.read)  # the slots of a layer are read one after the other

    def nullified_slot(slot: Slot) -> NDArray[np.floating]:
        vectors = read(Slot(slot.layer))
        return vectors if slot.pcs is None else nullify(vectors, components[slot.layer], slot.pcs)

    return replace(words, slots=tuple(slots), read=nullified_slot, source=None)
