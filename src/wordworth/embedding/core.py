"""Define `Embedding` (words, a matrix, provenance), the spellings of a word to try, and cosines."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError


@dataclass(frozen=True)
class Provenance:
    """Record where an embedding came from and what was done to it, so that a number can be traced back."""

    name: str
    """The name in tables."""
    source: str = ""
    """The path or address it was read from."""
    sha256: str = ""
    """Checksum of the file it was read from; blank for vectors that were made in memory."""
    language: str = ""
    steps: tuple[str, ...] = ()
    """The transforms it went through, in order."""
    dropped: tuple[str, ...] = ()
    """Rows that were skipped while reading: a sentence with the line of each."""
    corpus: str = ""
    """The text it was trained on, where it is one of several embeddings of that text."""
    percent: float | None = None
    """How many percent of the text."""
    decade: int | None = None
    """The decade of the text."""


@dataclass(frozen=True)
class Lookup:
    """Hold the requested words that were found, and those that are missing, in the order of the request."""

    words: tuple[str, ...]
    """The words found, as requested."""
    forms: tuple[str, ...]
    """The same words as the vocabulary spells them."""
    rows: NDArray[np.intp]
    """Their rows in the matrix."""
    positions: NDArray[np.intp]
    """Their positions in the request."""
    missing: tuple[str, ...]


Speller = Callable[[str], Iterable[str]]
"""The spellings to try for a word, best first."""


def as_written(word: str) -> Iterable[str]:
    """Try only the word itself."""
    return (word,)


def look_up(index: Mapping[str, int], words: Sequence[str], spell: Speller = as_written) -> Lookup:
    """Look up words in an index of rows, each under the first of its spellings that is there."""
    matches: list[tuple[int, str, str, int]] = []
    missing: list[str] = []
    for position, word in enumerate(words):
        form = next((form for form in spell(word) if form in index), None)
        if form is None:
            missing.append(word)
        else:
            matches.append((position, word, form, index[form]))
    return Lookup(
        words=tuple(word for _, word, _, _ in matches),
        forms=tuple(form for _, _, form, _ in matches),
        rows=np.array([row for *_, row in matches], dtype=np.intp),
        positions=np.array([position for position, *_ in matches], dtype=np.intp),
        missing=tuple(missing),
    )


@dataclass(frozen=True, eq=False)
class Embedding:
    """Hold words × dimensions. It is immutable: a transform returns a new one (`with_matrix`).

    `matrix` may be memory-mapped. Row i belongs to `words[i]`; words are unique.
    """

    words: Sequence[str]
    matrix: NDArray[np.floating]
    provenance: Provenance = Provenance("")

    def __post_init__(self) -> None:
        if not isinstance(self.matrix, np.ndarray):
            object.__setattr__(self, "matrix", np.asarray(self.matrix))
        if not self.provenance.name:
            size = f"{self.dim}d, {len(self.words):,} words" if self.matrix.ndim == 2 else ""
            object.__setattr__(self, "provenance", replace(self.provenance, name=f"Vectors {size}".strip()))
        if self.matrix.ndim != 2 or len(self.words) != self.matrix.shape[0]:
            raise WordworthError(
                f"{self.name}: {len(self.words)} words do not match a matrix of shape {self.matrix.shape}; "
                "give one row per word"
            )

    @property
    def name(self) -> str:
        return self.provenance.name

    def __repr__(self) -> str:
        return f"<Embedding {', '.join((self.name, *self.provenance.steps))}: {len(self):,} words × {self.dim}>"

    @property
    def dim(self) -> int:
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    @cached_property
    def index(self) -> dict[str, int]:
        """Word → row."""
        index = {word: row for row, word in enumerate(self.words)}
        if len(index) != len(self.words):
            word = next(word for row, word in enumerate(self.words) if index[word] != row)
            raise WordworthError(f"{self.name}: the word {word!r} has more than one row; drop the repeats first")
        return index

    def find(self, words: Sequence[str], spell: Speller = as_written) -> Lookup:
        """Look words up. `spell` gives the spellings to try for a word, best first (see `spellings`)."""
        return look_up(self.index, words, spell)

    def vectors(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return rows of the matrix in float64, the precision of all statistics."""
        return np.asarray(self.matrix[rows], dtype=np.float64)

    def __getitem__(self, word: str) -> NDArray[np.float64]:
        return np.asarray(self.matrix[self._row(word)], dtype=np.float64)

    def _row(self, word: str) -> int:
        row = self.index.get(word)
        if row is None:
            raise WordworthError(f"{self.name} has no word {word!r}; check its spelling and case")
        return row

    def most_similar(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """Return the k words whose vectors have the highest cosine with that of a word, with the cosines."""
        rows, cosines = nearest_neighbours(self.matrix, np.array([self._row(word)]), k)
        return [(self.words[row], float(cosine)) for row, cosine in zip(rows[0].tolist(), cosines[0], strict=True)]

    def restrict(self, words: Iterable[str]) -> "Embedding":
        """Return only the words of these that are present, in the given order."""
        rows = [self.index[word] for word in dict.fromkeys(words) if word in self.index]
        present_words = [self.words[row] for row in rows]
        return Embedding(present_words, self.matrix[np.array(rows, dtype=np.intp)], self.provenance)

    def with_matrix(self, matrix: NDArray[np.floating], step: str) -> "Embedding":
        """Return the same words with other vectors; `step` says what was done."""
        return Embedding(self.words, matrix, replace(self.provenance, steps=(*self.provenance.steps, step)))


Case = Literal["fold", "exact"]
CASED_SHARE = 0.01
"""Share of words with a capital from which a vocabulary is cased; it is 0 in GloVe and about .5 in Google News."""
CASE_SAMPLE_WORDS = 20_000
"""Evenly spaced words on which `is_cased` decides."""


@cache
def _converter(config: str) -> Callable[[str], str]:
    # Loaded on first use: only Chinese needs it.
    from opencc import OpenCC

    convert: Callable[[str], str] = OpenCC(config).convert
    return convert


def lower(word: str, language: str) -> str:
    """Put a word into lower case; in Turkish İ → i and I → ı."""
    if language == "turkish":
        word = word.replace("İ", "i").replace("I", "ı")
    return word.lower()


def in_script(word: str, script: str) -> str:
    """Return a Chinese word in `simplified` or `traditional` script; a word in that script is unchanged."""
    return _converter("t2s" if script == "simplified" else "s2t")(word)


def is_cased(words: Sequence[str]) -> bool:
    """Return whether a vocabulary tells a name from a noun by its capital, or was put into lower case."""
    sample = words[:: max(1, len(words) // CASE_SAMPLE_WORDS)]
    return sum(word != word.lower() for word in sample) >= max(1, CASED_SHARE * len(sample))


def spellings(
    language: str = "english", case: Case = "fold", names: Collection[str] = ()
) -> Callable[[str], Iterator[str]]:
    """Return a function that yields spellings: as written, lower case, capitalised, `_` for spaces, other script.

    `names` are never put into lower case: Heather is not heather. `case="exact"` keeps the case, as the ValNorm
    authors' code does. Chinese is tried in Simplified, then in Traditional, since lexicon and vectors may differ.
    """

    def spell(word: str) -> Iterator[str]:
        yield word
        if language == "chinese":
            yield _converter("t2s")(word)
            yield _converter("s2t")(word)
            return
        forms = [word]
        if case == "fold":
            text = lower(word, language)
            initial = "İ" if language == "turkish" and text[:1] == "i" else text[:1].upper()
            capital = initial + text[1:]
            forms += [capital] if word in names else [text, capital]
            yield from forms[1:]
        if " " in word:
            yield from (form.replace(" ", "_") for form in forms)

    return spell


Vectors = NDArray[np.floating]
Matrix = NDArray[np.float64]
"""float64, the precision of all statistics."""
BLOCK_ROWS = 16_384


def norms(vectors: Vectors, subject: str = "the vectors") -> Matrix:
    """Return Euclidean lengths (..., rows) of vectors (..., rows, dim); raise for a zero or non-finite length."""
    lengths = np.sqrt(np.einsum("...i,...i->...", vectors, vectors, dtype=np.float64))
    refuse_degenerate(lengths, subject)
    return np.asarray(lengths, dtype=np.float64)


def refuse_degenerate(lengths: Matrix, subject: str, offset: int = 0) -> None:
    """Raise for the first length that is zero or not finite; `offset` is the row at which these lengths begin."""
    is_usable = np.isfinite(lengths) & (lengths > 0)
    if not is_usable.all():
        *layer, row = (int(place) for place in np.argwhere(~is_usable)[0])
        row_name = f"row {row + offset} of {subject}" + (f", layer {','.join(map(str, layer))}," if layer else "")
        kind = "is zero" if lengths[(*layer, row)] == 0 else "has a value that is not finite"
        raise WordworthError(f"{row_name} {kind}, so it has no cosine; drop that word")


def unit_rows(vectors: Vectors, subject: str = "the vectors") -> Matrix:
    """Return v / |v| of every row of (..., rows, dim), in float64."""
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact / norms(exact, subject)[..., None], dtype=np.float64)


PAIRS_AT_ONCE = 512
"""Pairs whose vectors stay in the processor's cache."""


def pair_cosines(vectors: Vectors, left: NDArray[np.integer], right: NDArray[np.integer]) -> Matrix:
    """Return cos(v_left, v_right) of pairs of rows: (..., rows, dim) → (..., pairs). Each row is normalized once."""
    rows, indices = np.unique(np.stack((left, right)), return_inverse=True)
    units, ends = unit_rows(vectors[..., rows, :]), indices.reshape(2, -1)
    blocks = (ends[:, start : start + PAIRS_AT_ONCE] for start in range(0, len(left), PAIRS_AT_ONCE))
    cosines = [np.einsum("...i,...i->...", units[..., a, :], units[..., b, :]) for a, b in blocks]
    return np.concatenate(cosines, axis=-1)


def cosines_with(vectors: Vectors, directions: Matrix, subject: str = "the vectors") -> Matrix:
    """Return ⟨v / |v|, d⟩ per row and direction: (..., rows, dim) and (..., k, dim) → (..., rows, k).

    These are cosines where the directions have length one, and mean cosines where they are means of unit vectors.
    """
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact @ directions.swapaxes(-1, -2) / norms(exact, subject)[..., None], dtype=np.float64)


def nearest_neighbours(
    vectors: NDArray[np.floating], rows: NDArray[np.integer], k: int, *, block: int = BLOCK_ROWS
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the k other rows nearest to each of `rows`, nearest first, and their cosines: two arrays (len(rows), k).

    The result is exact; blocks of the vocabulary bound the memory.
    """
    if not 0 < k < len(vectors):
        raise WordworthError(f"{k} neighbours cannot be found among {len(vectors)} vectors; take fewer, or at least 1")
    units = unit_rows(vectors[rows])
    best_cosines = np.full((len(rows), k), -np.inf)
    best_rows = np.zeros((len(rows), k), dtype=np.intp)
    for start in range(0, len(vectors), block):
        cosines = units @ unit_rows(vectors[start : start + block]).T
        own_queries = np.flatnonzero((rows >= start) & (rows < start + block))
        cosines[own_queries, rows[own_queries] - start] = -np.inf  # no word is its own neighbour
        # Only rows nearer than the k-th so far can enter; in the first block, its own k-th.
        columns = cosines.shape[1]
        limits = np.partition(cosines, columns - k, axis=1)[:, columns - k] if start == 0 and columns > k else -np.inf
        query, column = np.nonzero(cosines >= np.maximum(best_cosines[:, -1], limits)[:, None])
        query = np.concatenate([np.repeat(np.arange(len(rows)), k), query])
        candidate_cosines = np.concatenate([best_cosines.ravel(), cosines[query[best_cosines.size :], column]])
        candidate_rows = np.concatenate([best_rows.ravel(), column + start])
        order = np.lexsort((candidate_rows, -candidate_cosines, query))
        top = order[np.searchsorted(query[order], np.arange(len(rows)))[:, None] + np.arange(k)]
        best_cosines, best_rows = candidate_cosines[top], candidate_rows[top]
    return best_rows, best_cosines
