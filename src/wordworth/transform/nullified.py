"""`Layers` with the mean and ever more principal components taken out (VAST's semantic isolation)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Layers, Slot
from wordworth.transform.components import Components, fit_components, nullify

Nullified = tuple[list[Layers], Mapping[int | None, Components]]


def nullified(
    groups: Sequence[Layers],
    most: int,
    layers: Sequence[int | None] | None = None,
    *,
    also: Sequence[Layers] = (),
) -> Nullified:
    """The same words with a slot for every number of components: none nullified (`pcs` blank), then 0, 1, … `most`.

    Mean and components of a layer are those of the words of all `groups` together; one decomposition serves every
    number. `layers` are the ones that get more slots; the others keep theirs as they are. `also` are words that these
    components are taken out of, without a part in them; they follow the groups. Gives the components too.
    """
    chosen = groups[0].layers if layers is None else layers

    @cache
    def components(layer: int | None) -> Components:
        vectors = np.concatenate([group.read(Slot(layer)) for group in groups])
        # Never so many that nothing is left.
        return fit_components(vectors, min(most, len(vectors) - 2, vectors.shape[1] - 1))

    slots = [
        Slot(layer, pcs)
        for layer in groups[0].layers
        for pcs in (None, *(range(len(components(layer).directions) + 1) if layer in chosen else ()))
    ]
    changed = [_with_slots(group, tuple(slots), components) for group in (*groups, *also)]
    return changed, {layer: components(layer) for layer in chosen}


def _with_slots(group: Layers, slots: tuple[Slot, ...], components: Callable[[int | None], Components]) -> Layers:
    read = lru_cache(maxsize=1)(group.read)  # the slots of a layer are read one after the other

    def nullified_slot(slot: Slot) -> NDArray[np.floating]:
        vectors = read(Slot(slot.layer))
        return vectors if slot.pcs is None else nullify(vectors, components(slot.layer), slot.pcs)

    return replace(group, slots=slots, read=nullified_slot, source=None)
