"""Least-squares concept erasure (LEACE, Belrose et al. 2023): no linear classifier can tell a concept after it.

r(x) = x − P (x − E x), with P = W⁺ U Uᵀ W, where W is the square root of the pseudo-inverse of the covariance Σxx, and
U has an orthonormal basis of W Σxz as its columns. The cross-covariance of r(x) and the concept z is 0, and of all
affine maps of which that is true, r changes the vectors least: in the mean square over those that Σxx was taken of.
"""

from dataclasses import dataclass

import numpy as np

from wordworth.embedding import Embedding
from wordworth.embedding.core import Matrix, Vectors
from wordworth.errors import WordworthError
from wordworth.transform.projection import blocks, by_blocks, stamped
from wordworth.transform.subspace import ROUNDING, Subspace

OUTSIDE = 1e-6
"""The share of a concept's directions that may lie where no vector does: more than rounding is an error."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What the least change is measured by: the mean and the covariance of many vectors."""

    mean: Matrix
    """(dim,)"""
    covariance: Matrix
    """(dim, dim)"""

    @classmethod
    def of(cls, vectors: Vectors) -> "Moments":
        """Compute them of vectors (words, dim) in any precision, by blocks and in float64."""
        words, dim = vectors.shape
        if words < 2:
            raise WordworthError(f"{words} vectors have no covariance; give at least two")
        mean = np.zeros(dim)
        for which in blocks(words):
            mean += np.asarray(vectors[which], dtype=np.float64).sum(axis=0) / words
        covariance = np.zeros((dim, dim))
        for which in blocks(words):
            x = np.asarray(vectors[which], dtype=np.float64) - mean
            covariance += x.T @ x / (words - 1)
        if not np.isfinite(covariance).all():
            raise WordworthError("a vector is not finite, so the vectors have no covariance; drop such words first")
        return cls(mean, covariance)


@dataclass(frozen=True, eq=False)
class Leace:
    """r(x) = x − (x − mean) Rᵀ L: the concept as `right` reads it is taken away along `left`."""

    name: str
    mean: Matrix
    """(dim,), which stays where it is."""
    left: Matrix
    """(k, dim): L. Its rows span the concept's directions."""
    right: Matrix
    """(k, dim): R, with R Lᵀ the identity."""

    def __len__(self) -> int:
        """Return the rank of P."""
        return len(self.left)

    @property
    def P(self) -> Matrix:  # noqa: N802 - the paper's letter
        """Return the oblique projection (dim, dim) that is removed."""
        return self.left.T @ self.right

    def __call__(self, vectors: Vectors) -> Matrix:
        """Return vectors (…, dim) without the concept, in float64."""
        x = np.asarray(vectors, dtype=np.float64)
        return x - ((x - self.mean) @ self.right.T) @ self.left


def leace_of(subspace: Subspace, moments: Moments) -> Leace:
    """Return the eraser of a concept whose cross-covariance with the vectors spans `subspace`, as class means do.

    Words that are in none of the classes count as neutral: they bear on the covariance, and so on what the least change
    is, and not on the concept. So few labelled words are enough, where those alone would have fewer dimensions than
    the vectors.
    """
    d = subspace.basis
    variances, axes = np.linalg.eigh(moments.covariance)
    within = variances > variances[-1] * len(variances) * np.finfo(np.float64).eps
    axes, roots = axes[:, within], np.sqrt(variances[within])
    if np.linalg.norm(d - (d @ axes) @ axes.T) > OUTSIDE * np.linalg.norm(d):
        raise WordworthError(
            f"{subspace.name} lies outside of what the vectors span, so it cannot be erased from them; learn it from "
            "the same vectors"
        )
    _, spread, basis = np.linalg.svd((d @ axes) / roots, full_matrices=False)
    basis = basis[spread > ROUNDING * spread[0]]
    return Leace(subspace.name, moments.mean, (basis * roots) @ axes.T, (basis / roots) @ axes.T)


def erased(embedding: Embedding, eraser: Leace) -> Embedding:
    """Erase the concept from every vector of an embedding, in the embedding's own precision."""
    if len(eraser.mean) != embedding.dim:
        raise WordworthError(
            f"{eraser.name} was learnt in {len(eraser.mean)} dimensions and {embedding.name} has {embedding.dim}; "
            "learn it from the same embedding"
        )
    matrix = by_blocks(embedding, lambda rows, _: eraser(rows))
    return embedding.with_matrix(matrix, f"leace: {stamped(eraser.name, len(eraser), eraser.P)}")
