"""Subword pooling: the vectors of a word's tokens become one vector (VAST: first, last, mean, max; and min)."""

from collections.abc import Callable, Sequence
from typing import Literal, cast, get_args

import torch
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
