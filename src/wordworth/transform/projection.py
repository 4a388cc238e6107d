"""Take a subspace out of vectors: by projection, by hard debiasing, or by LEACE.

Projection (Dev et al. 2020): x − Σ ⟨x, v⟩ v over an orthonormal basis v. Hard debiasing (Bolukbasi et al. 2016, §6)
neutralizes and equalizes.

LEACE (Belrose et al. 2023) is least-squares concept erasure: no linear classifier can tell a concept after it.
r(x) = x − P (x − E x), with P = W⁺ U Uᵀ W, where W is the square root of the pseudo-inverse of the covariance Σxx, and
U has an orthonormal basis of W Σxz as its columns. The cross-covariance of r(x) and the concept z is 0, and of all
affine maps of which that is true, r changes the vectors least: in the mean square over those that Σxx was taken of.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wordworth.embedding import Embedding
from wordworth.embedding.core import Matrix, Vectors
from wordworth.errors import WordworthError
from wordworth.transform.subspace import EIGENVALUE_ROUNDING, Subspace

BLOCK_ROWS = 1 << 15
"""Rows that are turned into float64 at a time: a large embedding stays in its own precision."""


def project_out(vectors: Vectors, basis: Matrix) -> Matrix:
    """Return vectors (words, dim) without their part in the span of the orthonormal rows of `basis`."""
    x = np.asarray(vectors, dtype=np.float64)
    return x - (x @ basis.T) @ basis


def remove(embedding: Embedding, basis: Matrix, name: str) -> Embedding:
    """Remove the part of every vector in the span of the orthonormal rows of `basis`, in the embedding's precision.

    `name` says in the provenance what the basis is, such as “he − she”.
    """
    if basis.ndim != 2 or basis.shape[1] != embedding.dim:
        raise WordworthError(
            f"{name} has directions of shape {basis.shape} and {embedding.name} {embedding.dim} dimensions; "
            "learn the subspace from the same embedding"
        )
    matrix = by_blocks(embedding, lambda rows, _: project_out(rows, basis))
    return embedding.with_matrix(matrix, f"projected out: {sign_name(name, basis)}")


def sign_name(name: str, basis: Matrix) -> str:
    """Return a subspace's name with its dimensions and a checksum, so that two of one name differ."""
    return stamp_name(name, len(basis), basis.T @ basis)  # which is the same for any basis of the span


def stamp_name(name: str, dimensions: int, projector: Matrix) -> str:
    """Return a name with the dimensions and a checksum of a projector, which may be oblique."""
    rounded = np.round(projector, 6) + 0.0  # no negative zeros
    return f"{name} ({dimensions}; {hashlib.sha256(rounded.astype('<f4').tobytes()).hexdigest()[:8]})"


def by_blocks(embedding: Embedding, change: Callable[[Matrix, slice], Matrix]) -> Vectors:
    """Apply `change(rows, which)` to every block of rows in float64; the result has the embedding's precision."""
    precision = np.result_type(embedding.matrix.dtype, np.float32)  # half precision would keep some of the direction
    matrix = np.empty(embedding.matrix.shape, dtype=precision)
    for which in blocks(len(embedding)):
        matrix[which] = change(np.asarray(embedding.matrix[which], dtype=np.float64), which)
    return matrix


def with_lengths_of(embedding: Embedding, other: Embedding) -> Embedding:
    """Give every vector the length that its word has in `other`, row by row.

    For networks that were trained on `other`: hard debiasing gives vectors of length one, unlike those.
    """
    if embedding.words != other.words:
        raise WordworthError(f"{embedding.name} and {other.name} do not hold the same words; give two versions of one")

    def stretch(rows: Matrix, which: slice) -> Matrix:
        wanted = np.linalg.norm(np.asarray(other.matrix[which], dtype=np.float64), axis=1, keepdims=True)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(np.divide(rows * wanted, lengths, out=np.zeros_like(rows), where=lengths > 0))

    return embedding.with_matrix(by_blocks(embedding, stretch), f"lengths of {other.name}")


def find_vanished(before: Embedding, after: Embedding, share: float = 1e-5) -> list[str]:
    """Return words that keep no more than `share` of their length: they were in what was removed."""
    gone: list[str] = []
    for which in blocks(len(before)):
        lengths = [np.linalg.norm(np.asarray(one.matrix[which], dtype=np.float64), axis=1) for one in (before, after)]
        gone += [before.words[which.start + int(at)] for at in np.flatnonzero(lengths[1] <= share * lengths[0])]
    return gone


def blocks(count: int) -> Iterator[slice]:
    """Yield slices of at most `ROWS` rows."""
    return (slice(start, min(start + BLOCK_ROWS, count)) for start in range(0, count, BLOCK_ROWS))


@dataclass(frozen=True, eq=False)
class HardDebiasResult:
    """The embedding, of unit vectors, and which words were treated how."""

    embedding: Embedding
    neutralized: int
    specific: int
    """Words that keep their part in the subspace."""
    equalized: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]
    """Pairs to equalize that the embedding lacks a word of, in every case they are tried in."""


def hard_debias(
    embedding: Embedding, subspace: Subspace, specific: Iterable[str], equalize: Sequence[tuple[str, str]]
) -> HardDebiasResult:
    """Neutralize every word that is not `specific`, then equalize the pairs.

    All vectors are made unit length first. Neutralized: w → unit(w − w_B). Equalized: with μ the middle of a pair and
    ν = μ − μ_B, a word goes to ν + √(1 − ‖ν‖²) · unit(w_B − μ_B), so that both words of a pair are equally far from
    every neutralized one. Words to equalize are specific by definition, so they are equalized from where they are.
    Pairs are also tried in lower case, with capitals and all in capitals, as the authors' code does.
    """
    basis, index = subspace.basis, embedding.index
    keep = np.zeros(len(embedding), dtype=bool)
    keep[[index[word] for word in specific if word in index]] = True
    pairs, missing = _match_spellings(embedding, equalize)
    keep[[index[word] for pair in pairs for word in pair]] = True

    def neutralize(rows: Matrix, which: slice) -> Matrix:
        unit = _unit(rows, embedding, which.start)
        kept = keep[which]
        unit[~kept] = _unit(project_out(unit[~kept], basis), embedding, which.start)
        return unit

    matrix = by_blocks(embedding, neutralize)
    for pair in pairs:
        rows = np.array([index[word] for word in pair])
        matrix[rows] = equalize_pair(_unit(embedding.vectors(rows), embedding, 0), basis, pair)
    # Other lists make another embedding, so the step tells them apart too.
    kept = [embedding.words[at] for at in np.flatnonzero(keep).tolist()]
    lists = hashlib.sha256("\n".join([*(" ".join(pair) for pair in pairs), "", *kept]).encode()).hexdigest()[:8]
    step = f"hard debias: {sign_name(subspace.name, basis)}, {len(kept)} words kept, {len(pairs)} pairs ({lists})"
    total = len(embedding)
    return HardDebiasResult(
        embedding.with_matrix(matrix, step), total - int(keep.sum()), int(keep.sum()), tuple(pairs), tuple(missing)
    )


def equalize_pair(unit: Matrix, basis: Matrix, pair: tuple[str, str]) -> Matrix:
    """Move two unit vectors (2, dim) to be mirror images about the subspace's complement, still of length one."""
    outside = project_out(unit.mean(axis=0, keepdims=True), basis)
    inside = unit @ basis.T @ basis
    apart = inside - inside.mean(axis=0)
    lengths = np.linalg.norm(apart, axis=1, keepdims=True)
    if (lengths < 1e-12).any():
        raise WordworthError(
            f"{pair[0]!r} and {pair[1]!r} do not differ in the subspace, so they cannot be equalized; drop the pair"
        )
    height = np.sqrt(max(0.0, 1 - float(np.square(outside).sum())))
    return np.asarray(outside + height * apart / lengths, dtype=np.float64)


def _unit(rows: Matrix, embedding: Embedding, start: int) -> Matrix:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise WordworthError(
            f"a vector of {embedding.name} from row {start} on is zero or not finite, or lies in the subspace wholly; "
            "drop such words first"
        )
    return np.asarray(rows / lengths, dtype=np.float64)


def _match_spellings(
    embedding: Embedding, equalize: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the pairs in each case that the embedding has, and those it has in none. A word is used once."""
    pairs: dict[tuple[str, str], None] = {}
    missing = []
    taken: set[str] = set()
    for first, second in equalize:
        tried = [(change(first), change(second)) for change in (str, str.lower, str.title, str.upper)]
        there = [pair for pair in dict.fromkeys(tried) if all(word in embedding for word in pair)]
        for pair in there:
            if pair[0] != pair[1] and not taken & set(pair):
                pairs[pair] = None
                taken |= set(pair)
        if not there:
            missing.append((first, second))
    return list(pairs), missing


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


def fit_leace(subspace: Subspace, moments: Moments) -> Leace:
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
    basis = basis[spread > EIGENVALUE_ROUNDING * spread[0]]
    return Leace(subspace.name, moments.mean, (basis * roots) @ axes.T, (basis / roots) @ axes.T)


def erase(embedding: Embedding, eraser: Leace) -> Embedding:
    """Erase the concept from every vector of an embedding, in the embedding's own precision."""
    if len(eraser.mean) != embedding.dim:
        raise WordworthError(
            f"{eraser.name} was learnt in {len(eraser.mean)} dimensions and {embedding.name} has {embedding.dim}; "
            "learn it from the same embedding"
        )
    matrix = by_blocks(embedding, lambda rows, _: eraser(rows))
    return embedding.with_matrix(matrix, f"leace: {stamp_name(eraser.name, len(eraser), eraser.P)}")
