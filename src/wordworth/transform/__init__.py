"""Functions from an embedding to an embedding: take the mean, components or a subspace out.

`wordworth.transform.inlp` is imported by itself, since it brings scikit-learn along.
"""

from wordworth.transform.components import Components, LayerComponents, fit_components, fit_layers, nullified, nullify
from wordworth.transform.hard_debias import HardDebiased, hard_debias
from wordworth.transform.leace import Leace, Moments, erased, leace_of
from wordworth.transform.projection import orthonormal, project_out, remove, vanished, with_lengths_of
from wordworth.transform.subspace import (
    NothingToRemoveError,
    Stability,
    Subspace,
    class_means,
    difference_direction,
    joined,
    pair_components,
    random_directions,
    set_components,
    stability,
)
