"""`Embedding`: ordered words, a float matrix, and where they came from; how a word may be spelled; and cosines."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
    corpus: str = ""
    """The text it was trained on, where it is one of several embeddings of that text."""
    percent: float | None = None
    """How many percent of the text."""
    decade: int | None = None
    """The decade of the text."""


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


Speller = Callable[[str], Iterable[str]]
"""The spellings to try for a word, best first."""


def as_written(word: str) -> Iterable[str]:
    """Try only the word itself."""
    return (word,)


def look_up(index: Mapping[str, int], words: Sequence[str], spelled: Speller = as_written) -> Lookup:
    """Look up words in an index of rows, each under the first of its spellings that is there."""
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
            twice = next(word for row, word in enumerate(self.words) if index[word] != row)
            raise WordworthError(f"{self.name}: the word {twice!r} has more than one row; drop the repeats first")
        return index

    def find(self, words: Sequence[str], spelled: Speller = as_written) -> Lookup:
        """Looks words up. `spelled` gives the spellings to try for a word, best first (see `spellings`)."""
        return look_up(self.index, words, spelled)

    def vectors(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return rows of the matrix in float64, the precision statistics are done in."""
        return np.asarray(self.matrix[rows], dtype=np.float64)

    def __getitem__(self, word: str) -> NDArray[np.float64]:
        return np.asarray(self.matrix[self._row(word)], dtype=np.float64)

    def _row(self, word: str) -> int:
        row = self.index.get(word)
        if row is None:
            raise WordworthError(f"{self.name} has no word {word!r}")
        return row

    def most_similar(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """Return the k words whose vectors have the highest cosine with that of a word, with the cosines."""
        places, cosines = nearest_neighbours(self.matrix, np.array([self._row(word)]), k)
        return [(self.words[at], float(cosine)) for at, cosine in zip(places[0].tolist(), cosines[0], strict=True)]

    def restrict(self, words: Iterable[str]) -> "Embedding":
        """Return only these words (those that are there), in the order given."""
        rows = [self.index[word] for word in dict.fromkeys(words) if word in self.index]
        kept = [self.words[row] for row in rows]
        return Embedding(kept, self.matrix[np.array(rows, dtype=np.intp)], self.provenance)

    def with_matrix(self, matrix: NDArray[np.floating], step: str) -> "Embedding":
        """Return the same words with other vectors; `step` says what was done."""
        return Embedding(self.words, matrix, replace(self.provenance, steps=(*self.provenance.steps, step)))


Case = Literal["fold", "exact"]
CASED_SHARE = 0.01
"""A vocabulary is cased where so many of its words have a capital; GloVe’s have none, Google News’s a half."""
CASE_SAMPLE_WORDS = 20_000
"""Words, evenly spaced, that this is judged by."""


@cache
def _converter(config: str) -> Callable[[str], str]:
    # Loaded on first use: only Chinese needs it.
    from opencc import OpenCC

    convert: Callable[[str], str] = OpenCC(config).convert
    return convert


def lower(word: str, language: str) -> str:
    """Lower case; in Turkish İ → i and I → ı."""
    if language == "turkish":
        word = word.replace("İ", "i").replace("I", "ı")
    return word.lower()


def in_script(word: str, script: str) -> str:
    """Return a Chinese word in `simplified` or `traditional` script; one that is in it already stays."""
    return _converter("t2s" if script == "simplified" else "s2t")(word)


def is_cased(words: Sequence[str]) -> bool:
    """Return whether a vocabulary tells a name from a noun by its capital, or was put into lower case."""
    looked_at = words[:: max(1, len(words) // CASE_SAMPLE_WORDS)]
    return sum(word != word.lower() for word in looked_at) >= max(1, CASED_SHARE * len(looked_at))


def spellings(
    language: str = "english", case: Case = "fold", names: Collection[str] = ()
) -> Callable[[str], Iterator[str]]:
    """Spellings to try, best first: as written; lower case; capitalised; with `_` for spaces; other Chinese script.

    `names` are never put into lower case: Heather is not heather. `case="exact"` leaves the letters alone, as the
    ValNorm authors' code does. Chinese goes through OpenCC to Simplified, then to Traditional, since lexicon and
    vectors need not share a script.
    """

    def spell(word: str) -> Iterator[str]:
        yield word
        if language == "chinese":
            yield _converter("t2s")(word)
            yield _converter("s2t")(word)
            return
        forms = [word]
        if case == "fold":
            low = lower(word, language)
            capital = "İ" + low[1:] if language == "turkish" and low[:1] == "i" else low[:1].upper() + low[1:]
            forms += [capital] if word in names else [low, capital]
            yield from forms[1:]
        if " " in word:
            yield from (form.replace(" ", "_") for form in forms)

    return spell


Vectors = NDArray[np.floating]
"""Of any precision, as they are given."""
Matrix = NDArray[np.float64]
"""Of the precision that statistics are computed in."""
BLOCK_ROWS = 16_384


def norms(vectors: Vectors, what: str = "the vectors") -> Matrix:
    """Euclidean lengths (..., rows) of vectors (..., rows, dim); a zero or non-finite one is an error."""
    lengths = np.sqrt(np.einsum("...i,...i->...", vectors, vectors, dtype=np.float64))
    refuse_degenerate(lengths, what)
    return np.asarray(lengths, dtype=np.float64)


def refuse_degenerate(lengths: Matrix, what: str, offset: int = 0) -> None:
    """Raises for the first length that is zero or not finite; `offset` is the row at which these lengths begin."""
    usable = np.isfinite(lengths) & (lengths > 0)
    if not usable.all():
        *layer, row = (int(place) for place in np.argwhere(~usable)[0])
        where = f"row {row + offset} of {what}" + (f", layer {','.join(map(str, layer))}," if layer else "")
        kind = "is zero" if lengths[(*layer, row)] == 0 else "has a value that is not finite"
        raise WordworthError(f"{where} {kind} and so has no cosine; drop that word")


def unit_rows(vectors: Vectors, what: str = "the vectors") -> Matrix:
    """v / |v| for every row of (..., rows, dim), in float64."""
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact / norms(exact, what)[..., None], dtype=np.float64)


PAIRS_AT_ONCE = 512
"""Pairs whose vectors stay in the processor's cache."""


def pair_cosines(vectors: Vectors, left: NDArray[np.integer], right: NDArray[np.integer]) -> Matrix:
    """cos(v_left, v_right) of pairs of rows: (..., rows, dim) → (..., pairs). Rows are brought to length one once."""
    rows, places = np.unique(np.stack((left, right)), return_inverse=True)
    units, ends = unit_rows(vectors[..., rows, :]), places.reshape(2, -1)
    blocks = (ends[:, at : at + PAIRS_AT_ONCE] for at in range(0, len(left), PAIRS_AT_ONCE))
    parts = [np.einsum("...i,...i->...", units[..., one, :], units[..., other, :]) for one, other in blocks]
    return np.concatenate(parts, axis=-1)


def cosines_with(vectors: Vectors, directions: Matrix, what: str = "the vectors") -> Matrix:
    """⟨v / |v|, d⟩ of every row with every direction: (..., rows, dim) and (..., k, dim) → (..., rows, k).

    These are cosines where the directions have length one, and mean cosines where they are means of such.
    """
    exact = np.asarray(vectors, dtype=np.float64)
    return np.asarray(exact @ directions.swapaxes(-1, -2) / norms(exact, what)[..., None], dtype=np.float64)


def nearest_neighbours(
    vectors: NDArray[np.floating], rows: NDArray[np.integer], k: int, *, block: int = BLOCK_ROWS
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the k other rows nearest to each of `rows`, nearest first, and their cosines: two arrays (len(rows), k).

    The result is exact; the vocabulary is gone through in blocks.
    """
    if not 0 < k < len(vectors):
        raise WordworthError(f"{k} neighbours cannot be found among {len(vectors)} vectors; take fewer, or at least 1")
    units = unit_rows(vectors[rows])
    best = np.full((len(rows), k), -np.inf)
    place = np.zeros((len(rows), k), dtype=np.intp)
    for start in range(0, len(vectors), block):
        near = units @ unit_rows(vectors[start : start + block]).T
        inside = np.flatnonzero((rows >= start) & (rows < start + block))
        near[inside, rows[inside] - start] = -np.inf  # no word is its own neighbour
        # Only what is nearer than the k-th so far can enter: in the first block its own k-th, later few words.
        columns = near.shape[1]
        own = np.partition(near, columns - k, axis=1)[:, columns - k] if start == 0 and columns > k else -np.inf
        word, some = np.nonzero(near >= np.maximum(best[:, -1], own)[:, None])
        word = np.concatenate([np.repeat(np.arange(len(rows)), k), word])
        merged = np.concatenate([best.ravel(), near[word[best.size :], some]])
        places = np.concatenate([place.ravel(), some + start])
        order = np.lexsort((places, -merged, word))
        kept = order[np.searchsorted(word[order], np.arange(len(rows)))[:, None] + np.arange(k)]
        best, place = merged[kept], places[kept]
    return place, best
