"""Functions from an embedding to an embedding: take the mean, components or a subspace out.

`wordworth.transform.inlp` is imported by itself, since it brings scikit-learn along.
"""

from wordworth.transform.components import Components as Components
from wordworth.transform.components import fit_components as fit_components
from wordworth.transform.components import nullify as nullify
from wordworth.transform.hard_debias import HardDebiased as HardDebiased
from wordworth.transform.hard_debias import hard_debias as hard_debias
from wordworth.transform.projection import orthonormal as orthonormal
from wordworth.transform.projection import project_out as project_out
from wordworth.transform.projection import remove as remove
from wordworth.transform.projection import vanished as vanished
from wordworth.transform.projection import with_lengths_of as with_lengths_of
from wordworth.transform.random_directions import random_components as random_components
from wordworth.transform.random_directions import random_directions as random_directions
from wordworth.transform.stability import Stability as Stability
from wordworth.transform.stability import stability as stability
from wordworth.transform.subspace import Subspace as Subspace
from wordworth.transform.subspace import difference_direction as difference_direction
from wordworth.transform.subspace import joined as joined
from wordworth.transform.subspace import pair_components as pair_components
from wordworth.transform.subspace import set_components as set_components
from wordworth.transform.subspace import two_means as two_means
