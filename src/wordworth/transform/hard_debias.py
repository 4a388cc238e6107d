"""Hard debiasing: neutralize and equalize (Bolukbasi et al. 2016, §6)."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from wordworth.embedding import Embedding
from wordworth.embedding.core import Matrix
from wordworth.errors import WordworthError
from wordworth.transform.projection import by_blocks, project_out, signed
from wordworth.transform.subspace import Subspace


@dataclass(frozen=True, eq=False)
class HardDebiased:
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
) -> HardDebiased:
    """Neutralize every word that is not `specific`, then equalize the pairs.

    All vectors are made unit length first. Neutralized: w → unit(w − w_B). Equalized: with μ the middle of a pair and
    ν = μ − μ_B, a word goes to ν + √(1 − ‖ν‖²) · unit(w_B − μ_B), so that both words of a pair are equally far from
    every neutralized one. Words to equalize are specific by definition, so they are equalized from where they are.
    Pairs are also tried in lower case, with capitals and all in capitals, as the authors' code does.
    """
    basis, index = subspace.basis, embedding.index
    keep = np.zeros(len(embedding), dtype=bool)
    keep[[index[word] for word in specific if word in index]] = True
    pairs, missing = _spelled(embedding, equalize)
    keep[[index[word] for pair in pairs for word in pair]] = True

    def neutralized(rows: Matrix, which: slice) -> Matrix:
        unit = _unit(rows, embedding, which.start)
        kept = keep[which]
        unit[~kept] = _unit(project_out(unit[~kept], basis), embedding, which.start)
        return unit

    matrix = by_blocks(embedding, neutralized)
    for pair in pairs:
        rows = np.array([index[word] for word in pair])
        matrix[rows] = equalized(_unit(embedding.vectors(rows), embedding, 0), basis, pair)
    # Other lists make another embedding, so the step tells them apart too.
    kept = [embedding.words[at] for at in np.flatnonzero(keep).tolist()]
    lists = hashlib.sha256("\n".join([*(" ".join(pair) for pair in pairs), "", *kept]).encode()).hexdigest()[:8]
    step = f"hard debias: {signed(subspace.name, basis)}, {len(kept)} words kept, {len(pairs)} pairs ({lists})"
    total = len(embedding)
    return HardDebiased(
        embedding.with_matrix(matrix, step), total - int(keep.sum()), int(keep.sum()), tuple(pairs), tuple(missing)
    )


def equalized(unit: Matrix, basis: Matrix, pair: tuple[str, str]) -> Matrix:
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


def _spelled(
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
