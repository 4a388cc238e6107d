"""Subspaces that a bias is taken to lie in, from words of an embedding (Bolukbasi et al. 2016; Dev et al. 2020)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Embedding, Lookup, spellings
from wordworth.errors import WordworthError
from wordworth.transform.projection import orthonormal

Matrix = NDArray[np.float64]
Spelled = Callable[[str], Iterable[str]]
ROUNDING = 1e-12
"""A length or a principal value below this share of the largest is rounding."""


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
    """Words asked for that the embedding lacks."""

    def __len__(self) -> int:
        return len(self.basis)


def difference_direction(
    embedding: Embedding, first: str, second: str, *, unit: bool = True, spelled: Spelled | None = None
) -> Subspace:
    """v = unit(unit(a) − unit(b)), as Dev et al. take it for he and she; `unit=False` subtracts vectors as they are."""
    found = embedding.find([first, second], spelled or spellings())
    if found.missing:
        raise WordworthError(
            f"{embedding.name} has no word {found.missing[0]!r}, so {first} − {second} is no direction in it; "
            "name two words that it has"
        )
    one, other = _vectors(embedding, found, unit)
    same = f"{first!r} and {second!r} have one direction in {embedding.name}; name two other words"
    return Subspace(f"{first} − {second}", *_difference(one, other, same), found.forms)


def pair_components(
    embedding: Embedding,
    pairs: Sequence[tuple[str, str]],
    k: int = 1,
    *,
    unit: bool = True,
    name: str = "pairs",
    spelled: Spelled | None = None,
) -> Subspace:
    """The first k principal components of word pairs, each pair about its own middle (Bolukbasi et al. 2016).

    The words a and b of a pair lie at ±(a − b)/2 from their middle, so these are the singular vectors of the halved
    differences, taken about zero. A pair that lacks a word is left out.
    """
    spelled = spelled or spellings()
    found = [embedding.find(pair, spelled) for pair in pairs]
    whole = [one for one in found if not one.missing]
    missing = tuple(word for one in found for word in one.missing)
    if len(whole) < max(k, 1):
        raise WordworthError(
            f"{embedding.name} has both words of {len(whole)} of {len(pairs)} {name}, which is too few for "
            f"{k} components; give more pairs"
        )
    both = np.stack([_vectors(embedding, one, unit) for one in whole])
    halves = (both[:, 0] - both[:, 1]) / 2
    # Each pair is there twice, at +d and −d: the values are √2 times those of d alone.
    basis, values = _principal(halves, k, name)
    return Subspace(name, basis, values * np.sqrt(2), tuple(form for one in whole for form in one.forms), missing)


def set_components(
    embedding: Embedding,
    words: Sequence[str],
    k: int = 1,
    *,
    unit: bool = True,
    name: str = "words",
    spelled: Spelled | None = None,
) -> Subspace:
    """The first k principal components of a set of words about their mean: 8 demonyms (k = 1), 8 adherents (k = 2)."""
    found = embedding.find(list(dict.fromkeys(words)), spelled or spellings())
    if len(found.words) < k + 1:
        raise WordworthError(
            f"{embedding.name} has {len(found.words)} of the {len(words)} words of {name}, and {k} components need "
            f"{k + 1}; give more words or fewer components"
        )
    vectors = _vectors(embedding, found, unit)
    basis, values = _principal(vectors - vectors.mean(axis=0), k, name)
    return Subspace(name, basis, values, found.forms, found.missing)


def two_means(
    embedding: Embedding,
    first: Sequence[str],
    second: Sequence[str],
    *,
    unit: bool = True,
    name: str = "two means",
    spelled: Spelled | None = None,
) -> Subspace:
    """unit(mean of one set − mean of the other), such as names of men and of women (Dev & Phillips 2019)."""
    found = [embedding.find(list(dict.fromkeys(words)), spelled or spellings()) for words in (first, second)]
    if not all(one.words for one in found):
        raise WordworthError(f"{embedding.name} has no word of one of the two sets of {name}; give other words")
    one, other = (_vectors(embedding, lookup, unit).mean(axis=0) for lookup in found)
    same = f"the two sets of {name} have one mean in {embedding.name}; give other words"
    words = tuple(form for lookup in found for form in lookup.forms)
    missing = tuple(word for lookup in found for word in lookup.missing)
    return Subspace(name, *_difference(one, other, same), words, missing)


def joined(*subspaces: Subspace) -> Subspace:
    """The span of several subspaces, as gender and religion together."""
    return Subspace(
        " and ".join(one.name for one in subspaces),
        orthonormal(np.concatenate([one.basis for one in subspaces])),
        np.concatenate([one.values for one in subspaces]),
        tuple(word for one in subspaces for word in one.words),
        tuple(word for one in subspaces for word in one.missing),
    )


def _vectors(embedding: Embedding, found: Lookup, unit: bool) -> Matrix:
    vectors = embedding.vectors(found.rows)
    if not unit:
        return vectors
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        odd = found.forms[int(np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)).ravel())[0])]
        raise WordworthError(f"the vector of {odd!r} in {embedding.name} is zero or not finite; leave the word out")
    return np.asarray(vectors / lengths, dtype=np.float64)


def _difference(one: Matrix, other: Matrix, same: str) -> tuple[Matrix, Matrix]:
    """The direction of one − other as a basis, and its length; `same` is the error where there is none."""
    difference = one - other
    length = np.linalg.norm(difference)
    if length <= ROUNDING * np.linalg.norm(one):
        raise WordworthError(same)
    return difference[None] / length, np.array([length])


def _principal(rows: Matrix, k: int, name: str) -> tuple[Matrix, Matrix]:
    """The first k right singular vectors of rows (n, dim), and all singular values."""
    if k < 1:
        raise WordworthError(f"{k} components of {name} are no subspace; ask for at least one")
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    if k > len(values) or values[k - 1] <= ROUNDING * values[0]:
        raise WordworthError(f"the vectors of {name} span fewer than {k} dimensions; ask for fewer components")
    return np.asarray(directions[:k], dtype=np.float64), np.asarray(values, dtype=np.float64)
