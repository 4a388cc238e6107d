"""How well-defined a subspace is (Dev et al. 2020, Tables 7 and 12)."""

from dataclasses import dataclass

import numpy as np

from wordworth.errors import WordworthError
from wordworth.transform.subspace import Subspace


@dataclass(frozen=True)
class Stability:
    """A sharp drop after the first value, and a cosine near one, mean that there is one direction to take out."""

    ratios: tuple[float, ...]
    """The 2nd, 3rd, 4th principal value over the 1st; fewer where there are fewer."""
    cosine: float
    """|cos| between the first component of the full set and the subspace that is taken out: with its nearest vector,
    where it has more than one dimension."""


def stability(full: Subspace, derived: Subspace, values: int = 4) -> Stability:
    """`full` is learnt from all words of a kind, `derived` is the subspace to take out, such as he − she."""
    if full.basis.shape[1] != derived.basis.shape[1]:
        raise WordworthError(f"{full.name} and {derived.name} come from embeddings of different dimensions")
    ratios = tuple(float(value) for value in full.values[1:values] / full.values[0])
    return Stability(ratios, float(np.linalg.norm(derived.basis @ full.basis[0])))
