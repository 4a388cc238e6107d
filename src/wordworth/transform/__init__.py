"""Functions from an embedding to an embedding: take the mean, components or a subspace out.

`wordworth.transform.inlp` is imported by itself, since it brings scikit-learn along.
"""

from wordworth.transform.components import Components, fit_components, nullify
from wordworth.transform.hard_debias import HardDebiased, hard_debias
from wordworth.transform.leace import Leace, Moments, erased, leace, leace_of
from wordworth.transform.nullified import LayerComponents, fit_layers, nullified
from wordworth.transform.projection import orthonormal, project_out, remove, vanished, with_lengths_of
from wordworth.transform.random_directions import random_components, random_directions
from wordworth.transform.stability import Stability, stability
from wordworth.transform.subspace import (
    NothingToRemoveError,
    Subspace,
    class_means,
    difference_direction,
    joined,
    pair_components,
    set_components,
    two_means,
)
