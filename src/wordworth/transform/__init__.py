"""Transform embeddings: remove the mean, principal components or a subspace.

Import `wordworth.transform.inlp` by itself: it needs scikit-learn.
"""

from wordworth.transform.components import (
    Components,
    LayerComponents,
    fit_components,
    fit_layers,
    nullify,
    nullify_layers,
)
from wordworth.transform.projection import (
    HardDebiasResult,
    Leace,
    Moments,
    erase,
    find_vanished,
    fit_leace,
    hard_debias,
    project_out,
    remove,
    with_lengths_of,
)
from wordworth.transform.subspace import (
    NothingToRemoveError,
    Stability,
    Subspace,
    class_means,
    difference_direction,
    join_subspaces,
    orthonormal,
    pair_components,
    random_directions,
    set_components,
    stability,
)
