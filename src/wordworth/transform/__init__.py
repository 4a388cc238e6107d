"""Functions from an embedding to an embedding: take the mean, components or a subspace out.

`wordworth.transform.inlp` is imported by itself, since it brings scikit-learn along.
"""

from wordworth.transform.components import Components, LayerComponents, fit_components, fit_layers, nullified, nullify
from wordworth.transform.projection import (
    HardDebiased,
    Leace,
    Moments,
    erased,
    hard_debias,
    leace_of,
    project_out,
    remove,
    vanished,
    with_lengths_of,
)
from wordworth.transform.subspace import (
    NothingToRemoveError,
    Stability,
    Subspace,
    class_means,
    difference_direction,
    joined,
    orthonormal,
    pair_components,
    random_directions,
    set_components,
    stability,
)
