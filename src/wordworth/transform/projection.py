"""Remove a subspace from vectors: by projection, by hard debiasing, or by LEACE.

Projection (Dev et al. 2020): x − Σ ⟨x, v⟩ v over an orthonormal basis v. Hard debiasing (Bolukbasi et al. 2016, §6)
neutralizes and equalizes.

LEACE (Belrose et al. 2023) is least-squares concept erasure: no linear classifier can tell a concept after it.
r(x) = x − P (x − E x), with P = W⁺ U Uᵀ W, where W is the square root of the pseudo-inverse of the covariance Σxx, and
U has an orthonormal basis of W Σxz as its columns. The cross-covariance of r(x) and the concept z is 0. Of all affine
maps with this property, r changes the vectors least, in the mean square over the vectors that Σxx was computed from.
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
"""Rows converted to float64 at a time: a large embedding stays in its own precision."""


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
    return stamp_name(name, len(basis), basis.T @ basis)  # the projector is the same for any basis of the span


def stamp_name(name: str, dimensions: int, projector: Matrix) -> str:
    """Return a name with the dimensions and a checksum of a projector, which may be oblique."""
    entries = np.round(projector, 6) + 0.0  # no negative zeros
    return f"{name} ({dimensions}; {hashlib.sha256(entries.astype('<f4').tobytes()).hexdigest()[:8]})"


def by_blocks(embedding: Embedding, change: Callable[[Matrix, slice], Matrix]) -> Vectors:
    """Apply `change(rows, block)` to every block of rows in float64; the result has the embedding's precision."""
    precision = np.result_type(embedding.matrix.dtype, np.float32)  # half precision would keep some of the direction
    matrix = np.empty(embedding.matrix.shape, dtype=precision)
    for block in blocks(len(embedding)):
        matrix[block] = change(np.asarray(embedding.matrix[block], dtype=np.float64), block)
    return matrix


def with_lengths_of(embedding: Embedding, other: Embedding) -> Embedding:
    """Give every vector the length that its word has in `other`, row by row.

    Networks trained on `other` need this, since hard debiasing returns vectors of length one.
    """
    if embedding.words != other.words:
        raise WordworthError(f"{embedding.name} and {other.name} do not hold the same words; give two versions of one")

    def stretch(rows: Matrix, block: slice) -> Matrix:
        targets = np.linalg.norm(np.asarray(other.matrix[block], dtype=np.float64), axis=1, keepdims=True)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(np.divide(rows * targets, lengths, out=np.zeros_like(rows), where=lengths > 0))

    return embedding.with_matrix(by_blocks(embedding, stretch), f"lengths of {other.name}")


def find_vanished(original: Embedding, result: Embedding, share: float = 1e-5) -> list[str]:
    """Return words that keep at most `share` of their length, since they lay in the subspace that was removed."""
    words: list[str] = []
    for block in blocks(len(original)):
        lengths = [
            np.linalg.norm(np.asarray(version.matrix[block], dtype=np.float64), axis=1)
            for version in (original, result)
        ]
        words += [original.words[block.start + int(row)] for row in np.flatnonzero(lengths[1] <= share * lengths[0])]
    return words


def blocks(count: int) -> Iterator[slice]:
    """Yield slices of at most `BLOCK_ROWS` rows."""
    return (slice(start, min(start + BLOCK_ROWS, count)) for start in range(0, count, BLOCK_ROWS))


@dataclass(frozen=True, eq=False)
class HardDebiasResult:
    """The embedding, of unit vectors, and how its words were treated."""

    embedding: Embedding
    neutralized: int
    specific: int
    """Words that keep their part in the subspace."""
    equalized: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]
    """Pairs to equalize that the embedding has in no case."""


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
    is_specific = np.zeros(len(embedding), dtype=bool)
    is_specific[[index[word] for word in specific if word in index]] = True
    pairs, missing = _match_spellings(embedding, equalize)
    is_specific[[index[word] for pair in pairs for word in pair]] = True

    def neutralize(rows: Matrix, block: slice) -> Matrix:
        unit = _unit(rows, embedding, block.start)
        is_neutral = ~is_specific[block]
        unit[is_neutral] = _unit(project_out(unit[is_neutral], basis), embedding, block.start)
        return unit

    matrix = by_blocks(embedding, neutralize)
    for pair in pairs:
        rows = np.array([index[word] for word in pair])
        matrix[rows] = equalize_pair(_unit(embedding.vectors(rows), embedding, 0), basis, pair)
    # The step identifies the lists, since other lists make another embedding.
    specific_words = [embedding.words[row] for row in np.flatnonzero(is_specific).tolist()]
    lists = "\n".join([*(" ".join(pair) for pair in pairs), "", *specific_words])
    checksum, count = hashlib.sha256(lists.encode()).hexdigest()[:8], len(specific_words)
    step = f"hard debias: {sign_name(subspace.name, basis)}, {count} words kept, {len(pairs)} pairs ({checksum})"
    changed_embedding = embedding.with_matrix(matrix, step)
    return HardDebiasResult(changed_embedding, len(embedding) - count, count, tuple(pairs), tuple(missing))


def equalize_pair(unit: Matrix, basis: Matrix, pair: tuple[str, str]) -> Matrix:
    """Move two unit vectors (2, dim) to be mirror images about the subspace's complement, still of length one."""
    outside = project_out(unit.mean(axis=0, keepdims=True), basis)
    inside = unit @ basis.T @ basis
    offsets = inside - inside.mean(axis=0)
    lengths = np.linalg.norm(offsets, axis=1, keepdims=True)
    if (lengths < 1e-12).any():
        raise WordworthError(
            f"{pair[0]!r} and {pair[1]!r} do not differ in the subspace, so they cannot be equalized; drop the pair"
        )
    height = np.sqrt(max(0.0, 1 - float(np.square(outside).sum())))
    return np.asarray(outside + height * offsets / lengths, dtype=np.float64)


def _unit(rows: Matrix, embedding: Embedding, start: int) -> Matrix:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise WordworthError(
            f"a vector of {embedding.name} from row {start} on is zero or not finite, or lies in the subspace; "
            "drop such words first"
        )
    return np.asarray(rows / lengths, dtype=np.float64)


def _match_spellings(
    embedding: Embedding, equalize: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the pairs in each case that the embedding has, and the pairs without any. A word is used once."""
    pairs: dict[tuple[str, str], None] = {}
    missing = []
    used_words: set[str] = set()
    for first, second in equalize:
        variants = [(change(first), change(second)) for change in (str, str.lower, str.title, str.upper)]
        matches = [pair for pair in dict.fromkeys(variants) if all(word in embedding for word in pair)]
        for pair in matches:
            if pair[0] != pair[1] and not used_words & set(pair):
                pairs[pair] = None
                used_words |= set(pair)
        if not matches:
            missing.append((first, second))
    return list(pairs), missing


OUTSIDE = 1e-6
"""The largest share of a concept's directions outside the span of the vectors that counts as rounding."""


@dataclass(frozen=True, eq=False)
class Moments:
    """The mean and the covariance of many vectors, by which LEACE measures change."""

    mean: Matrix
    """(dim,)"""
    covariance: Matrix
    """(dim, dim)"""

    @classmethod
    def of(cls, vectors: Vectors) -> "Moments":
        """Compute the moments of vectors (words, dim) in any precision, by blocks and in float64."""
        words, dim = vectors.shape
        if words < 2:
            raise WordworthError(f"{words} vectors have no covariance; give at least two")
        mean = np.zeros(dim)
        for block in blocks(words):
            mean += np.asarray(vectors[block], dtype=np.float64).sum(axis=0) / words
        covariance = np.zeros((dim, dim))
        for block in blocks(words):
            x = np.asarray(vectors[block], dtype=np.float64) - mean
            covariance += x.T @ x / (words - 1)
        if not np.isfinite(covariance).all():
            raise WordworthError("a vector is not finite, so the vectors have no covariance; drop such words first")
        return cls(mean, covariance)


@dataclass(frozen=True, eq=False)
class Leace:
    """r(x) = x − (x − mean) Rᵀ L: `right` reads the concept, and it is removed along `left`."""

    name: str
    mean: Matrix
    """(dim,), which does not change."""
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

    Words in none of the classes count as neutral: they affect the covariance, and so which change is least, but not the
    concept. So a few labelled words are enough, even if they span fewer dimensions than the vectors.
    """
    d = subspace.basis
    variances, axes = np.linalg.eigh(moments.covariance)
    is_spanned = variances > variances[-1] * len(variances) * np.finfo(np.float64).eps
    axes, roots = axes[:, is_spanned], np.sqrt(variances[is_spanned])
    if np.linalg.norm(d - (d @ axes) @ axes.T) > OUTSIDE * np.linalg.norm(d):
        raise WordworthError(
            f"{subspace.name} lies outside of the span of the vectors, so it cannot be erased from them; learn it from "
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
