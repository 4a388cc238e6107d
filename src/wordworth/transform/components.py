"""Nullified principal components (Mu & Viswanath 2018; VAST's semantic isolation).

One decomposition serves every number of components: the first k directions are the same whatever k is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from wordworth.embedding import Layers, Slot
from wordworth.embedding.core import Matrix, Vectors
from wordworth.errors import WordworthError

VARIANCE_ROUNDING = 1e-24
"""Vectors are the same if their variance is below this share of their mean square."""


@dataclass(frozen=True)
class Components:
    """The mean and the principal directions of a set of vectors."""

    mean: Matrix
    """(dim,)"""
    directions: Matrix
    """(k, dim), orthonormal, by falling variance."""
    shares: Matrix
    """(k,): the share of the total variance along each direction."""


LayerComponents = Mapping[int | None, Components]


def fit_components(vectors: Vectors, k: int) -> Components:
    """Compute the mean of `vectors` (words, dim) and their first k principal directions, in float64."""
    x = np.asarray(vectors, dtype=np.float64)
    words, dim = x.shape
    if k > min(words - 1, dim):
        raise WordworthError(
            f"{words} vectors of {dim} dimensions have {min(words - 1, dim)} components, so {k} cannot be nullified"
        )
    mean = x.mean(axis=0)
    if not k:
        return Components(mean, np.empty((0, dim)), np.empty(0))
    squares = float(np.einsum("wi,wi->", x, x))
    x = x - mean
    total = float(np.einsum("wi,wi->", x, x))
    if total <= VARIANCE_ROUNDING * squares:
        raise WordworthError("all vectors are the same, so they have no principal components")
    # The smaller of the two Gram matrices has the same spectrum.
    gram = x.T @ x if words >= dim else x @ x.T
    variances, basis = eigh(gram, subset_by_index=[len(gram) - k, len(gram) - 1])
    directions = basis.T[::-1]
    if words < dim:
        directions = directions @ x
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return Components(mean, directions, variances[::-1].clip(0) / total)


def nullify(vectors: Vectors, components: Components, k: int) -> Matrix:
    """Remove the mean and the projection on the first k directions. k = 0 only subtracts the mean."""
    if k > len(components.directions):
        raise WordworthError(f"{len(components.directions)} components were fitted, so {k} cannot be nullified")
    x = np.asarray(vectors, dtype=np.float64) - components.mean
    v = components.directions[:k]
    return x - (x @ v.T) @ v


def fit_layers(groups: Sequence[Layers], limit: int, layers: Sequence[int | None] | None = None) -> LayerComponents:
    """Fit mean and components per layer, on the words of all `groups` together; in all layers unless given."""
    components = {}
    for layer in groups[0].layers if layers is None else layers:
        vectors = np.concatenate([group.read(Slot(layer)) for group in groups])
        components[layer] = fit_components(vectors, min(limit, len(vectors) - 2, vectors.shape[1] - 1))
    return components


def nullify_layers(words: Layers, components: LayerComponents) -> Layers:
    """Return the same words with a slot per number of components: raw (blank), then 0, 1, … all of a layer's.

    A layer without components keeps only its raw slot.
    """
    slots = [
        Slot(layer, count)
        for layer in words.layers
        for count in (None, *(range(len(components[layer].directions) + 1) if layer in components else ()))
    ]
    read_slot = lru_cache(maxsize=1)(words.read)  # the slots of a layer are read one after the other

    def nullified_slot(slot: Slot) -> NDArray[np.floating]:
        vectors = read_slot(Slot(slot.layer))
        return vectors if slot.components is None else nullify(vectors, components[slot.layer], slot.components)

    return replace(words, slots=tuple(slots), read=nullified_slot, source=None)
