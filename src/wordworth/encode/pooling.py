"""Poolings: the vectors of a word's tokens, and those of its contexts, become one.

Over tokens there are first, last, mean and max, as in VAST, and min.

Over contexts there are running sums, minima and maxima of the words' vectors, for all layers and poolings at once.
f(subwords) is the same for every f where a word is one token, and that is most of the time. So each word has one set
of accumulators for its occurrences of one token, and one set for each f only if it ever comes as several tokens.
Memory is layers × words × dim, whatever the number of contexts.
"""

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file
from torch import Tensor

from wordworth.errors import WordworthError

Pooling = Literal["first", "last", "mean", "max", "min"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)

_REDUCE: dict[Pooling, Callable[[Tensor], Tensor]] = {
    "mean": lambda pieces: pieces.mean(-2),
    "max": lambda pieces: pieces.amax(-2),
    "min": lambda pieces: pieces.amin(-2),
}


def checked_poolings(poolings: Sequence[str]) -> tuple[Pooling, ...]:
    for pooling in poolings:
        if pooling not in POOLINGS:
            raise WordworthError(f"there is no pooling {pooling!r}; choose from {', '.join(POOLINGS)}")
    return cast(tuple[Pooling, ...], tuple(poolings))


def pool(states: Tensor, counts: Tensor, pooling: Pooling) -> Tensor:
    """… × tokens × dim and the number of tokens of each word → … × words × dim, all layers at once.

    The tokens of word i follow those of word i−1, and every word has at least one. Words of the same count are
    pooled together, so the work is a handful of tensor operations however many words there are.
    """
    ends = torch.cumsum(counts, 0)
    starts = ends - counts
    if pooling == "first":
        return states.index_select(-2, starts)
    if pooling == "last":
        return states.index_select(-2, ends - 1)
    pooled = states.index_select(-2, starts)
    for count in torch.unique(counts).tolist():
        if count == 1:
            continue
        words = torch.nonzero(counts == count).squeeze(1)
        tokens = (starts[words, None] + torch.arange(count, device=counts.device)).reshape(-1)
        pieces = states.index_select(-2, tokens)
        pieces = pieces.reshape(*states.shape[:-2], len(words), count, states.shape[-1])
        pooled.index_copy_(pooled.dim() - 2, words, _REDUCE[pooling](pieces))
    return pooled


SUBWORD: tuple[Pooling, ...] = ("min", "max", "mean", "last")
CONTEXT = ("min", "max", "mean")
POOLINGS_OF_BOTH = tuple(f"{f}/{g}" for f in SUBWORD for g in CONTEXT)
"""f/g: how the subwords of an occurrence, and then the contexts of a word, become one vector."""

_START: dict[str, tuple[float, type[np.floating[Any]]]] = {
    "min": (np.inf, np.float32),
    "max": (-np.inf, np.float32),
    "mean": (0.0, np.float64),
}


def split_pooling(pooling: str) -> tuple[Pooling, str]:
    """`f/g` apart."""
    f, _, g = pooling.partition("/")
    if f not in SUBWORD or g not in CONTEXT:
        raise WordworthError(
            f"there is no pooling {pooling!r}; write f/g with f of {', '.join(SUBWORD)} and g of {', '.join(CONTEXT)}"
        )
    return f, g


class Accumulators:
    """What has been seen of `words` words in `layers` layers of `dim` dimensions."""

    def __init__(self, words: int, layers: int, dim: int, poolings: Sequence[str] = POOLINGS_OF_BOTH) -> None:
        self.shape = (layers, words, dim)
        self.pairs = tuple(dict.fromkeys(split_pooling(one) for one in poolings))
        self.single = {g: self._empty(g, words) for g in dict.fromkeys(g for _, g in self.pairs)}
        self.several = {pair: self._empty(pair[1], 0) for pair in self.pairs}
        self.row = np.full(words, -1, dtype=np.int64)
        """A word's row in `several`; −1 for none."""
        self.count = np.zeros(words, dtype=np.int64)
        """Contexts of each word."""

    def _empty(self, g: str, rows: int) -> NDArray[np.floating[Any]]:
        value, kind = _START[g]
        return np.full((self.shape[0], rows, self.shape[2]), value, dtype=kind)

    def add(self, states: Tensor, subwords: NDArray[np.int64], words: NDArray[np.int64]) -> None:
        """Add contexts: layers × tokens × dim, and the number of tokens and the word of each."""
        np.add.at(self.count, words, 1)
        states = states.float()
        starts = np.cumsum(subwords) - subwords
        one = np.flatnonzero(subwords == 1)
        if len(one):
            vectors = states if len(one) == len(subwords) else states.index_select(1, torch.from_numpy(starts[one]))
            self._reduce(self.single, vectors, words[one])
        many = np.flatnonzero(subwords > 1)
        if not len(many):
            return
        tokens = np.concatenate([np.arange(starts[at], starts[at] + subwords[at]) for at in many.tolist()])
        pieces, sizes = states.index_select(1, torch.from_numpy(tokens)), torch.from_numpy(subwords[many])
        rows = self._rows(words[many])
        for f in dict.fromkeys(f for f, _ in self.pairs):
            into = {g: array for (name, g), array in self.several.items() if name == f}
            self._reduce(into, pool(pieces, sizes, f), rows)

    def _rows(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        new = [word for word in dict.fromkeys(words.tolist()) if self.row[word] < 0]
        used = int(self.row.max()) + 1
        self.row[new] = np.arange(used, used + len(new))
        capacity = next(iter(self.several.values())).shape[1]
        if used + len(new) > capacity:
            more = max(64, capacity, used + len(new) - capacity)  # at least doubled, so that it is seldom copied
            for pair, array in self.several.items():
                self.several[pair] = np.concatenate([array, self._empty(pair[1], more)], axis=1)
        return self.row[words]

    def _reduce(self, into: dict[str, NDArray[np.floating[Any]]], vectors: Tensor, rows: NDArray[np.int64]) -> None:
        """layers × contexts × dim into the accumulators' rows."""
        at = torch.from_numpy(rows)
        if "mean" in into:
            from scipy.sparse import csr_array  # here: a machine that only encodes need not have it

            # A sparse product adds up in float64 whatever falls on a row; index_add_ takes ten times as long.
            distinct, place = np.unique(rows, return_inverse=True)
            sums = csr_array((np.ones(len(rows)), (place, np.arange(len(rows)))), shape=(len(distinct), len(rows)))
            for layer, vector in enumerate(vectors.numpy()):
                into["mean"][layer][distinct] += sums @ vector
        for g, kind in (("min", "amin"), ("max", "amax")):
            if g in into:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", "index_reduce", UserWarning)  # “beta” for years
                    for layer, vector in enumerate(vectors):
                        torch.from_numpy(into[g][layer]).index_reduce_(0, at, vector, kind)

    def save(self, path: Path, facts: dict[str, Any]) -> None:
        """All of it into one file."""
        tensors: dict[str, NDArray[Any]] = {"row": self.row, "count": self.count}
        tensors |= {f"single.{g}": array for g, array in self.single.items()}
        used = int(self.row.max()) + 1
        tensors |= {f"{f}.{g}": np.ascontiguousarray(array[:, :used]) for (f, g), array in self.several.items()}
        save_file(tensors, path, metadata={"facts": json.dumps(facts)})

    def restore(self, path: Path) -> dict[str, Any]:
        """Restore what `save` wrote, and return the facts."""
        with safe_open(path, framework="np") as file:
            self.row, self.count = (file.get_tensor(name) for name in ("row", "count"))
            self.single = {g: file.get_tensor(f"single.{g}") for g in self.single}
            self.several = {(f, g): file.get_tensor(f"{f}.{g}") for f, g in self.several}
        return saved_facts(path)


def saved_facts(path: Path) -> dict[str, Any]:
    """Return the facts that `save` wrote next to the numbers."""
    with safe_open(path, framework="np") as file:
        facts: dict[str, Any] = json.loads(file.metadata()["facts"])
    return facts


def saved_vectors(path: Path, layer: int, pooling: str) -> NDArray[np.float32]:
    """words × dim of one layer (by its place) and pooling; NaN for words without a context. Nothing else is read."""
    f, g = split_pooling(pooling)
    with safe_open(path, framework="np") as file:
        row, count = file.get_tensor("row"), file.get_tensor("count")
        vectors: NDArray[Any] = file.get_slice(f"single.{g}")[layer]
        several = np.flatnonzero(row >= 0)
        if len(several):
            more = file.get_slice(f"{f}.{g}")[layer][row[several]]
            combine = {"min": np.minimum, "max": np.maximum, "mean": np.add}[g]
            vectors[several] = combine(vectors[several], more)
    if g == "mean":
        vectors = vectors / np.where(count > 0, count, np.nan)[:, None]
    vectors[count == 0] = np.nan
    return vectors.astype(np.float32)
