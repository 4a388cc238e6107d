"""Words after a shared left context: every distinct run of tokens goes through the layers once.

The contexts of a template differ only in the word, and many words begin with the same piece. So the left context is
run once, and after it the tree of the words' tokens is run level by level: each node is one token that looks back on
the prefix and on its own path.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from wordworth.encode.batches import Budget, Tally, halving
from wordworth.encode.model import LanguageModel
from wordworth.encode.past import KeysValues, Past, run_prefix, step


@dataclass(frozen=True)
class Level:
    """The nodes at one depth; those that have children come first."""

    tokens: list[int]
    parents: list[int]
    """Each node's parent in the level above."""
    inner: int
    """How many have children."""


def grow(runs: Sequence[tuple[int, ...]]) -> tuple[list[Level], list[list[int]]]:
    """The tree of token runs as levels, and the nodes of each run, numbered through all levels in order."""
    levels: list[Level] = []
    paths: list[list[int]] = [[] for _ in runs]
    above: dict[tuple[int, ...], int] = {(): 0}
    first = 0
    for length in range(1, max(map(len, runs)) + 1):
        inner = dict.fromkeys(run[:length] for run in runs if len(run) > length)
        leaves = dict.fromkeys(run for run in runs if len(run) == length and run not in inner)
        nodes = {node: at for at, node in enumerate((*inner, *leaves))}
        levels.append(Level([node[-1] for node in nodes], [above[node[:-1]] for node in nodes], len(inner)))
        for path, run in zip(paths, runs, strict=True):
            if len(run) >= length:
                path.append(first + nodes[run[:length]])
        first += len(nodes)
        above = nodes
    return levels, paths


def run_tree(
    model: LanguageModel,
    prefix: tuple[int, ...],
    levels: list[Level],
    layers: Sequence[int],
    budget: Budget,
    tally: Tally,
) -> Tensor | None:
    """The states of all nodes, layers × nodes × dim; None where the model does not keep so long a prefix."""
    shared: Sequence[KeysValues | None] | None = [None] * model.layers
    if prefix:
        shared = run_prefix(model.network, prefix)
        tally.tokens += len(prefix)
        tally.passes += 1
    if shared is None:
        return None
    paths: Sequence[KeysValues | None] = [None] * model.layers
    states: list[Tensor] = []
    for level in levels:
        pasts = [Past(left, path) for left, path in zip(shared, paths, strict=True)]
        found, paths = _run_level(model, level, pasts, layers, budget, tally)
        states += found
    return torch.cat(states, dim=1)


def _run_level(
    model: LanguageModel, level: Level, pasts: list[Past], layers: Sequence[int], budget: Budget, tally: Tally
) -> tuple[list[Tensor], list[KeysValues]]:
    """States of the level's nodes in their order, batch by batch, and the paths that end in those with children."""
    tokens = torch.tensor(level.tokens, device=model.device)
    parents = torch.tensor(level.parents, device=model.device)
    states: list[Tensor] = []
    grown: list[list[KeysValues]] = []

    def run(batch: list[int]) -> tuple[Tensor, list[KeysValues]]:
        span = slice(batch[0], batch[-1] + 1)
        own = [past.of(parents[span]) for past in pasts]
        hidden, new = step(model.network, tokens[span], own)
        # Nodes with children come first, so those of this batch are its first few.
        inner = max(0, min(span.stop, level.inner) - span.start)
        longer = [past.extended(added, inner) for past, added in zip(own, new, strict=True)] if inner else []
        return torch.stack([hidden[layer][:, 0] for layer in layers]).cpu(), longer

    start = 0
    while start < len(level.tokens):
        batch = list(range(start, min(start + budget.tokens, len(level.tokens))))
        done = halving(run, batch, len(batch), budget, tally)
        if done is None:
            continue
        states.append(done[0])
        if done[1]:
            grown.append(done[1])
        tally.tokens += len(batch)
        tally.passes += 1
        start += len(batch)
    return states, [
        (torch.cat([keys for keys, _ in parts]), torch.cat([values for _, values in parts]))
        for parts in zip(*grown, strict=True)
    ]
