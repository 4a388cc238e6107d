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
"""Vectors are equal if they differ by at most this many roundings of the precision they are stored in."""
DRAWS = 8
"""Random directions, over which the paper averages."""


class NothingToRemoveError(WordworthError):
    """Raised if the words to learn a bias from do not differ, for example because it was removed before."""


@dataclass(frozen=True, eq=False)
class Subspace:
    """An orthonormal basis and the words it was learnt from."""

    name: str
    """The name in tables and provenance, such as “he − she”."""
    basis: Matrix
    """(k, dim), rows of length one, by falling principal value; their signs mean nothing."""
    values: Matrix
    """All principal values of its vectors, falling; one value for a single direction."""
    words: tuple[str, ...] = ()
    """The words it was learnt from, as the vocabulary spells them."""
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
    """Look words up; of words with one vector, such as *rose* and *Rose* in lower-case vectors, take the first."""
    used_forms: set[str] = set()
    distinct_words = []
    for word in dict.fromkeys(words):
        forms = embedding.find([word], spellings()).forms
        if not used_forms.intersection(forms):
            distinct_words.append(word)
        used_forms.update(forms)
    return embedding.find(distinct_words, spellings())


def difference_direction(embedding: Embedding, first: str, second: str, *, unit: bool = True) -> Subspace:
    """Return unit(unit(a) − unit(b)), as Dev et al. do for he and she; `unit=False` subtracts vectors as they are."""
    lookup = embedding.find([first, second], spellings())
    if lookup.missing:
        raise WordworthError(
            f"{embedding.name} has no word {lookup.missing[0]!r}, so {first} − {second} is no direction in it; "
            "name two words that it has"
        )
    first_vector, second_vector = _vectors(embedding, lookup, unit)
    difference = first_vector - second_vector
    length = np.linalg.norm(difference)
    if length <= _noise(embedding) * max(np.linalg.norm(first_vector), np.linalg.norm(second_vector)):
        raise NothingToRemoveError(
            f"{first!r} and {second!r} have one direction in {embedding.name}, so there is nothing to remove; "
            "name other words"
        )
    return Subspace(f"{first} − {second}", difference[None] / length, np.array([length]), lookup.forms)


def pair_components(
    embedding: Embedding, pairs: Sequence[tuple[str, str]], k: int = 1, *, unit: bool = True, name: str = "pairs"
) -> Subspace:
    """Return the first k principal components of word pairs, each about its own mean (Bolukbasi et al. 2016).

    The words a and b of a pair lie at ±(a − b)/2 from their mean, so these are the singular vectors of the halved
    differences about zero. A pair that lacks a word is skipped.
    """
    lookups = [embedding.find(pair, spellings()) for pair in pairs]
    complete = [lookup for lookup in lookups if not lookup.missing]
    missing = tuple(word for lookup in lookups for word in lookup.missing)
    if len(complete) < max(k, 1):
        raise WordworthError(
            f"{embedding.name} has both words of {len(complete)} of {len(pairs)} {name}, too few for "
            f"{k} components; give more pairs"
        )
    vectors = np.stack([_vectors(embedding, lookup, unit) for lookup in complete])
    halves = (vectors[:, 0] - vectors[:, 1]) / 2
    # Each pair counts twice, at +d and −d: the values are √2 times those of d.
    basis, values = _principal(halves, k, name, _noise(embedding) * _length(vectors))
    return Subspace(
        name, basis, values * np.sqrt(2), tuple(form for lookup in complete for form in lookup.forms), missing
    )


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
    """Return the span of the means of k classes of words about their common mean: up to k − 1 dimensions.

    The cross-covariance of the vectors and the classes has the same span, whatever the classes' sizes.
    """
    if len(classes) < 2:
        raise WordworthError(f"{name} has one class of words, but a concept needs at least two; name another")
    lookups = {label: _find_distinct(embedding, words) for label, words in classes.items()}
    for label, lookup in lookups.items():
        if not lookup.words:
            raise WordworthError(
                f"{embedding.name} has none of the {len(classes[label])} words of {label}, so {name} is not in it; "
                "give other words"
            )
    forms = [form for lookup in lookups.values() for form in lookup.forms]
    repeated_word = next((form for form in forms if forms.count(form) > 1), None)
    if repeated_word is not None:
        raise WordworthError(f"{repeated_word!r} is in two classes of {name}; keep it in one of them")
    means = np.stack([_vectors(embedding, lookup, unit).mean(axis=0) for lookup in lookups.values()])
    _, values, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    noise = _noise(embedding) * _length(means)
    if values[0] <= noise:
        raise NothingToRemoveError(
            f"the classes of {name} have one mean in {embedding.name}, so there is nothing to remove; name other words"
        )
    basis = np.asarray(directions[values > max(noise, EIGENVALUE_ROUNDING * values[0])], dtype=np.float64)
    missing = tuple(word for lookup in lookups.values() for word in lookup.missing)
    return Subspace(name, basis, np.asarray(values[: len(basis)], dtype=np.float64), tuple(forms), missing)


def join_subspaces(*subspaces: Subspace) -> Subspace:
    """Return the span of several subspaces, such as gender and religion."""
    if len(subspaces) == 1:
        return subspaces[0]
    return Subspace(
        " and ".join(subspace.name for subspace in subspaces),
        orthonormal(np.concatenate([subspace.basis for subspace in subspaces])),
        np.concatenate([subspace.values for subspace in subspaces]),
        tuple(word for subspace in subspaces for word in subspace.words),
        tuple(word for subspace in subspaces for word in subspace.missing),
    )


def random_directions(dim: int, *, count: int = DRAWS, k: int = 1, seed: int = 0) -> list[Subspace]:
    """Draw subspaces of k dimensions spanned by Gaussian vectors: all directions are equally likely."""
    if not 0 < k < dim:
        raise WordworthError(f"a random subspace of {k} dimensions in {dim} is not a proper part; take 1 to {dim - 1}")
    directions: Matrix = np.random.default_rng(seed).normal(size=(count, k, dim))
    return [Subspace(f"random:{draw}", orthonormal(rows), np.ones(k)) for draw, rows in enumerate(directions, start=1)]


@dataclass(frozen=True)
class Stability:
    """Tell by a sharp drop after the first value, and a cosine near one, that there is one direction to remove."""

    ratios: tuple[float, ...]
    """The second, third and fourth principal value (if any) over the first."""
    cosine: float
    """|cos| between the first component of the full set and the nearest vector of the subspace to remove."""


def stability(full: Subspace, removed_subspace: Subspace) -> Stability:
    """Compare the subspace of all words of a kind with the one to remove, such as he − she."""
    if full.basis.shape[1] != removed_subspace.basis.shape[1]:
        raise WordworthError(f"{full.name} and {removed_subspace.name} come from embeddings of different dimensions")
    ratios = tuple(float(value) for value in full.values[1:4] / full.values[0])
    return Stability(ratios, float(np.linalg.norm(removed_subspace.basis @ full.basis[0])))


def _vectors(embedding: Embedding, lookup: Lookup, unit: bool) -> Matrix:
    vectors = embedding.vectors(lookup.rows)
    if not unit:
        return vectors
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        faulty_word = lookup.forms[int(np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)).ravel())[0])]
        raise WordworthError(f"the vector of {faulty_word!r} in {embedding.name} is zero or not finite; drop the word")
    return np.asarray(vectors / lengths, dtype=np.float64)


def _noise(embedding: Embedding) -> float:
    """Return the share of their length by which rounding may separate two equal vectors."""
    return max(EIGENVALUE_ROUNDING, ROUNDINGS * float(np.finfo(np.result_type(embedding.matrix.dtype, np.float16)).eps))


def _length(vectors: Matrix) -> float:
    """Return the length of all vectors together, as of one long vector."""
    return float(np.linalg.norm(vectors))


def _principal(rows: Matrix, k: int, name: str, noise: float) -> tuple[Matrix, Matrix]:
    """Return the first k right singular vectors of rows (n, dim), and all singular values; `noise` is rounding."""
    if k < 1:
        raise WordworthError(f"{k} components of {name} are no subspace; give at least one")
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    if values[0] <= noise:
        raise NothingToRemoveError(
            f"the vectors of {name} do not differ, so there is nothing to remove; give other words"
        )
    if k > len(values) or values[k - 1] <= max(noise, EIGENVALUE_ROUNDING * values[0]):
        raise WordworthError(f"the vectors of {name} span fewer than {k} dimensions; give fewer components")
    return np.asarray(directions[:k], dtype=np.float64), np.asarray(values, dtype=np.float64)
