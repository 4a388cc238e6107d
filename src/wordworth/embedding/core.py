"""`Embedding`: ordered words, a float matrix, and where they came from; and how words are looked up in it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import nearest_neighbours
from wordworth.errors import WordworthError


@dataclass(frozen=True)
class Provenance:
    """Where an embedding came from and what was done to it, so that a number can be traced back."""

    name: str
    """What tables call it."""
    source: str = ""
    """The path or address it was read from."""
    sha256: str = ""
    """Checksum of the file it was read from; blank for what was made in memory."""
    language: str = ""
    steps: tuple[str, ...] = ()
    """The transforms it went through, in order."""
    dropped: tuple[str, ...] = ()
    """What was left out while reading, one sentence each with its line."""


@dataclass(frozen=True)
class Lookup:
    """Words asked for and found, and words not found; both in the order they were asked."""

    words: tuple[str, ...]
    """The words found, as they were asked for."""
    forms: tuple[str, ...]
    """The same words as the vocabulary spells them."""
    rows: NDArray[np.intp]
    """Their rows in the matrix."""
    positions: NDArray[np.intp]
    """Their positions in the list that was asked for."""
    missing: tuple[str, ...]


Spelled = Callable[[str], Iterable[str]]
"""The spellings to try for a word, best first."""


def as_written(word: str) -> Iterable[str]:
    """The only spelling tried is the word itself."""
    return (word,)


def look_up(index: Mapping[str, int], words: Sequence[str], spelled: Spelled = as_written) -> Lookup:
    """Words in an index of rows, each under the first of its spellings that is there."""
    places: list[tuple[int, str, str, int]] = []
    missing: list[str] = []
    for position, word in enumerate(words):
        form = next((form for form in spelled(word) if form in index), None)
        if form is None:
            missing.append(word)
        else:
            places.append((position, word, form, index[form]))
    return Lookup(
        words=tuple(word for _, word, _, _ in places),
        forms=tuple(form for _, _, form, _ in places),
        rows=np.array([row for *_, row in places], dtype=np.intp),
        positions=np.array([position for position, *_ in places], dtype=np.intp),
        missing=tuple(missing),
    )


@dataclass(frozen=True, eq=False)
class Embedding:
    """Words × dimensions. Immutable: a transform returns a new one (`with_matrix`).

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
                f"{self.name}: {len(self.words)} words do not go with a matrix of shape {self.matrix.shape}"
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
            twice = next(word for row, word in enumerate(self.words) if index[word] != row)
            raise WordworthError(f"{self.name}: the word {twice!r} has more than one row; drop the repeats first")
        return index

    def find(self, words: Sequence[str], spelled: Spelled = as_written) -> Lookup:
        """Looks words up. `spelled` gives the spellings to try for a word, best first (see `spellings`)."""
        return look_up(self.index, words, spelled)

    def vectors(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Rows of the matrix in float64, the precision statistics are done in."""
        return np.asarray(self.matrix[rows], dtype=np.float64)

    def __getitem__(self, word: str) -> NDArray[np.float64]:
        return np.asarray(self.matrix[self._row(word)], dtype=np.float64)

    def _row(self, word: str) -> int:
        row = self.index.get(word)
        if row is None:
            raise WordworthError(f"{self.name} has no word {word!r}")
        return row

    def most_similar(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """The k words whose vectors have the highest cosine with that of a word, with the cosines."""
        places, cosines = nearest_neighbours(self.matrix, np.array([self._row(word)]), k)
        return [(self.words[at], float(cosine)) for at, cosine in zip(places[0].tolist(), cosines[0], strict=True)]

    def restrict(self, words: Iterable[str]) -> "Embedding":
        """Only these words (those that are there), in the order given."""
        rows = [self.index[word] for word in dict.fromkeys(words) if word in self.index]
        kept = [self.words[row] for row in rows]
        return Embedding(kept, self.matrix[np.array(rows, dtype=np.intp)], self.provenance)

    def with_matrix(self, matrix: NDArray[np.floating], step: str) -> "Embedding":
        """The same words with other vectors; `step` says what was done."""
        return Embedding(self.words, matrix, replace(self.provenance, steps=(*self.provenance.steps, step)))
