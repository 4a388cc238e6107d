"""Directions that mean nothing, as the control: what taking *any* direction out does (Dev et al. 2020, Tables 8–15)."""

import numpy as np

from wordworth.embedding import Embedding
from wordworth.embedding.cosine import Matrix
from wordworth.errors import WordworthError
from wordworth.transform.projection import orthonormal
from wordworth.transform.subspace import Subspace, set_components

COUNT = 8
"""Draws that the paper averages over."""
WORDS = 20
"""Random words whose first component is the other kind of random direction."""


def random_directions(dim: int, *, count: int = COUNT, k: int = 1, seed: int = 0) -> list[Subspace]:
    """`count` subspaces of k dimensions, spanned by Gaussian vectors: any direction is as likely as any other."""
    if not 0 < k < dim:
        raise WordworthError(f"a random subspace of {k} dimensions in {dim} is not a proper part; take 1 to {dim - 1}")
    drawn: Matrix = np.random.default_rng(seed).normal(size=(count, k, dim))
    return [Subspace(f"random:{at}", orthonormal(one), np.ones(k)) for at, one in enumerate(drawn, start=1)]


def random_components(
    embedding: Embedding, *, count: int = COUNT, k: int = 1, words: int = WORDS, seed: int = 0
) -> list[Subspace]:
    """`count` times the first k components of some random words: directions that the vectors do spread along."""
    if words > len(embedding):
        raise WordworthError(f"{embedding.name} has {len(embedding)} words, so {words} cannot be drawn; draw fewer")
    rng = np.random.default_rng(seed)
    subspaces = []
    for at in range(1, count + 1):
        rows = rng.choice(len(embedding), words, replace=False)
        drawn = [embedding.words[int(row)] for row in rows]
        subspaces.append(set_components(embedding, drawn, k, name=f"random:{at}", spelled=lambda word: (word,)))
    return subspaces
