"""Learn the subspace of a bias from words of an embedding (Bolukbasi et al. 2016; Dev et al. 2020)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wordworth.embedding import Embedding, Lookup, spellings
from wordworth.embedding.core import Matrix, Vectors
from wordworth.errors import WordworthError

EIGENVALUE_ROUNDING = 1e-12
"""A principal value below this share of the largest is rounding."""
ROUNDINGS = 16
"""Vectors that are apart by no more than so many roundings of the precision they are stored in do not differ."""
DRAWS = 8
"""Random directions that the paper averages over."""


class NothingToRemoveError(WordworthError):
    """The words that a bias is to be learnt from do not differ, as where it was taken out before."""


@dataclass(frozen=True, eq=False)
class Subspace:
    """An orthonormal basis and what it was made of."""

    name: str
    """What tables and provenance call it, such as “he − she”."""
    basis: Matrix
    """(k, dim), rows of length one, by falling principal value; their signs mean nothing."""
    values: Matrix
    """Every principal value of the vectors it was made of, falling; one value for a single direction."""
    words: tuple[str, ...] = ()
    """The words it was made of, as the vocabulary spells them."""
    missing: tuple[str, ...] = ()
    """Words that the embedding lacks."""

    def __len__(self) -> int:
        return len(self.basis)


def orthonormal(directions: Vectors) -> Matrix:
    """Return an orthonormal basis (rows) of the span of `directions` (k, dim), which must be independent."""
    rows = np.atleast_2d(np.asarray(directions, dtype=np.float64))
    scale = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise WordworthError("a direction to remove is zero or not a number")
    _, spread, basis = np.linalg.svd(rows / scale, full_matrices=False)
    if spread[-1] < 1e-10 * spread[0]:
        raise WordworthError("the directions to remove are not independent; drop the repeated one")
    return np.asarray(basis, dtype=np.float64)


def _find_distinct(embedding: Embedding, words: Sequence[str]) -> Lookup:
    """Look words up; of words that have one vector, such as *rose* and *Rose* in lower-case vectors, take the first."""
    seen: set[str] = set()
    distinct = []
    for word in dict.fromkeys(words):
        forms = embedding.find([word], spellings()).forms
        if not seen.intersection(forms):
            distinct.append(word)
        seen.update(forms)
    return embedding.find(distinct, spellings())


def difference_direction(embedding: Embedding, first: str, second: str, *, unit: bool = True) -> Subspace:
    """Return unit(unit(a) − unit(b)), as Dev et al. do for he and she; `unit=False` subtracts vectors as they are."""
    lookup = embedding.find([first, second], spellings())
    if lookup.missing:
        raise WordworthError(
            f"{embedding.name} has no word {lookup.missing[0]!r}, so {first} − {second} is no direction in it; "
            "name two words that it has"
        )
    one, other = _vectors(embedding, lookup, unit)
    difference = one - other
    length = np.linalg.norm(difference)
    if length <= _noise(embedding) * max(np.linalg.norm(one), np.linalg.norm(other)):
        raise NothingToRemoveError(
            f"{first!r} and {second!r} have one direction in {embedding.name}, so there is nothing to take out; "
            "name other words"
        )
    return Subspace(f"{first} − {second}", difference[None] / length, np.array([length]), lookup.forms)


def pair_components(
    embedding: Embedding, pairs: Sequence[tuple[str, str]], k: int = 1, *, unit: bool = True, name: str = "pairs"
) -> Subspace:
    """Return the first k principal components of word pairs, each about its own middle (Bolukbasi et al. 2016).

    The words a and b of a pair lie at ±(a − b)/2 from their middle, so these are the singular vectors of the halved
    differences, taken about zero. A pair that lacks a word is skipped.
    """
    lookups = [embedding.find(pair, spellings()) for pair in pairs]
    whole = [lookup for lookup in lookups if not lookup.missing]
    missing = tuple(word for lookup in lookups for word in lookup.missing)
    if len(whole) < max(k, 1):
        raise WordworthError(
            f"{embedding.name} has both words of {len(whole)} of {len(pairs)} {name}, which is too few for "
            f"{k} components; give more pairs"
        )
    both = np.stack([_vectors(embedding, lookup, unit) for lookup in whole])
    halves = (both[:, 0] - both[:, 1]) / 2
    # Each pair is there twice, at +d and −d: the values are √2 times those of d alone.
    basis, values = _principal(halves, k, name, _noise(embedding) * _length(both))
    return Subspace(name, basis, values * np.sqrt(2), tuple(form for lookup in whole for form in lookup.forms), missing)


def set_components(
    embedding: Embedding, words: Sequence[str], k: int = 1, *, unit: bool = True, name: str = "words"
) -> Subspace:
    """Return the first k principal components of words about their mean: 8 demonyms (k = 1), 8 adherents (k = 2)."""
    lookup = _find_distinct(embedding, words)
    if len(lookup.words) < k + 1:
        raise WordworthError(
            f"{embedding.name} has {len(lookup.words)} of the {len(words)} words of {name}, and {k} components need "
            f"{k + 1}; give more words or fewer components"
        )
    vectors = _vectors(embedding, lookup, unit)
    basis, values = _principal(vectors - vectors.mean(axis=0), k, name, _noise(embedding) * _length(vectors))
    return Subspace(name, basis, values, lookup.forms, lookup.missing)


def class_means(
    embedding: Embedding, classes: Mapping[str, Sequence[str]], *, unit: bool = True, name: str = "concept"
) -> Subspace:
    """Return the span of the means of k classes of words about their middle: up to k − 1 dimensions.

    The cross-covariance of the vectors and the classes has the same span, whatever the classes' sizes.
    """
    if len(classes) < 2:
        raise WordworthError(f"{name} has one class of words, and a concept needs two or more; name another")
    lookups = {one: _find_distinct(embedding, words) for one, words in classes.items()}
    for one, lookup in lookups.items():
        if not lookup.words:
            raise WordworthError(
                f"{embedding.name} has none of the {len(classes[one])} words of {one}, so {name} is not in it; "
                "give other words"
            )
    forms = [form for lookup in lookups.values() for form in lookup.forms]
    twice = next((form for form in forms if forms.count(form) > 1), None)
    if twice is not None:
        raise WordworthError(f"{twice!r} is in two classes of {name}; leave it in one of them")
    means = np.stack([_vectors(embedding, lookup, unit).mean(axis=0) for lookup in lookups.values()])
    _, values, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    noise = _noise(embedding) * _length(means)
    if values[0] <= noise:
        raise NothingToRemoveError(
            f"the classes of {name} have one mean in {embedding.name}, so there is nothing to take out; name other "
            "words"
        )
    basis = np.asarray(directions[values > max(noise, EIGENVALUE_ROUNDING * values[0])], dtype=np.float64)
    missing = tuple(word for lookup in lookups.values() for word in lookup.missing)
    return Subspace(name, basis, np.asarray(values[: len(basis)], dtype=np.float64), tuple(forms), missing)


def join_subspaces(*subspaces: Subspace) -> Subspace:
    """Return the span of several subspaces, such as gender and religion."""
    if len(subspaces) == 1:
        return subspaces[0]
    return Subspace(
        " and ".join(one.name for one in subspaces),
        orthonormal(np.concatenate([one.basis for one in subspaces])),
        np.concatenate([one.values for one in subspaces]),
        tuple(word for one in subspaces for word in one.words),
        tuple(word for one in subspaces for word in one.missing),
    )


def random_directions(dim: int, *, count: int = DRAWS, k: int = 1, seed: int = 0) -> list[Subspace]:
    """Draw subspaces of k dimensions spanned by Gaussian vectors: all directions are equally likely."""
    if not 0 < k < dim:
        raise WordworthError(f"a random subspace of {k} dimensions in {dim} is not a proper part; take 1 to {dim - 1}")
    drawn: Matrix = np.random.default_rng(seed).normal(size=(count, k, dim))
    return [Subspace(f"random:{at}", orthonormal(one), np.ones(k)) for at, one in enumerate(drawn, start=1)]


@dataclass(frozen=True)
class Stability:
    """A sharp drop after the first value, and a cosine near one, mean that there is one direction to remove."""

    ratios: tuple[float, ...]
    """The second, third and fourth principal value over the first, as far as there are any."""
    cosine: float
    """|cos| between the first component of the full set and the nearest vector of the subspace to remove."""


def stability(full: Subspace, derived: Subspace) -> Stability:
    """Compare the subspace of all words of a kind with the one to remove, such as he − she."""
    if full.basis.shape[1] != derived.basis.shape[1]:
        raise WordworthError(f"{full.name} and {derived.name} come from embeddings of different dimensions")
    ratios = tuple(float(value) for value in full.values[1:4] / full.values[0])
    return Stability(ratios, float(np.linalg.norm(derived.basis @ full.basis[0])))


def _vectors(embedding: Embedding, lookup: Lookup, unit: bool) -> Matrix:
    vectors = embedding.vectors(lookup.rows)
    if not unit:
        return vectors
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        odd = lookup.forms[int(np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)).ravel())[0])]
        raise WordworthError(f"the vector of {odd!r} in {embedding.name} is zero or not finite; drop the word")
    return np.asarray(vectors / lengths, dtype=np.float64)


def _noise(embedding: Embedding) -> float:
    """Return the share of a vector's length by which two equal ones may differ through rounding."""
    return max(EIGENVALUE_ROUNDING, ROUNDINGS * float(np.finfo(np.result_type(embedding.matrix.dtype, np.float16)).eps))


def _length(vectors: Matrix) -> float:
    """Return the length of all vectors together, as of one long vector."""
    return float(np.linalg.norm(vectors))


def _principal(rows: Matrix, k: int, name: str, noise: float) -> tuple[Matrix, Matrix]:
    """Return the first k right singular vectors of rows (n, dim), and all singular values; `noise` is rounding."""
    if k < 1:
        raise WordworthError(f"{k} components of {name} are no subspace; ask for at least one")
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    if values[0] <= noise:
        raise NothingToRemoveError(
            f"the vectors of {name} do not differ, so there is nothing to take out; give other words"
        )
    if k > len(values) or values[k - 1] <= max(noise, EIGENVALUE_ROUNDING * values[0]):
        raise WordworthError(f"the vectors of {name} span fewer than {k} dimensions; ask for fewer components")
    return np.asarray(directions[:k], dtype=np.float64), np.asarray(values, dtype=np.float64)
