"""How far vectors point one way (anisotropy), and how few neurons make up their length (VAST, “Semantic Isolation”)."""

import numpy as np

from wordworth.embedding.core import Matrix, Vectors, norms, unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare

declare("anisotropy", "Mean cosine over all pairs of different words.", "ethayarajh2019a", "lower", is_main=True)
declare(
    "neuron-share",
    "Mean share of a vector's length that the {k} largest neurons hold, ranked by their mean square.",
    "wolfe2022",
)
declare("variance-share", "Share of the vectors' variance along one principal component.", "wolfe2022")


def anisotropy(vectors: Vectors) -> float:
    """Return the mean cosine over all pairs of different words: (|Σ v̂|² − n) / (n (n − 1)) for vectors (n, dim).

    Ethayarajh (2019) estimates it from random pairs; the sum of unit vectors gives all pairs at once.
    """
    n = len(vectors)
    if n < 2:
        raise WordworthError(f"the mean cosine of pairs needs at least 2 words, and there are {n}")
    total = unit_rows(vectors).sum(axis=0)
    return float((total @ total - n) / (n * (n - 1)))


def neuron_share(vectors: Vectors, k: int) -> Matrix:
    """Return the share of vector length that the 1, 2, … k largest neurons hold: mean over words of |v_top| / |v|.

    Neurons are ranked by their mean square over the words (n, dim). Returns (k,), rising to 1.
    """
    x = np.asarray(vectors, dtype=np.float64) ** 2
    if not 1 <= k <= x.shape[1]:
        raise WordworthError(f"vectors of {x.shape[1]} neurons have no {k} largest ones")
    largest = np.argsort(-x.mean(axis=0), kind="stable")[:k]
    shares = np.cumsum(x[:, largest], axis=1) / np.square(norms(vectors))[:, None]
    return np.asarray(np.sqrt(shares).mean(axis=0), dtype=np.float64)
