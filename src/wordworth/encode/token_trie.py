"""Words after a shared left context: every distinct run of tokens goes through the layers once.

The contexts of a template differ only in the word, and many words begin with the same piece. So the left context is
run once, and after it the tree of the words' tokens is run level by level: each node is one token that looks back on
its own path. Trees after prefixes of one length go through together.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from wordworth.encode.batches import Budget, Tally, halving
from wordworth.encode.kv_cache import KeysValues, Past, run_prefixes, step
from wordworth.encode.model import LanguageModel

FEW_RUNS = 16


@dataclass(frozen=True)
class Level:
    """The nodes at one depth; those that have children come first."""

    tokens: list[int]
    parents: list[int]
    """Each node's parent in the level above; at the first level, its prefix."""
    inner: int
    """How many have children."""


def grow(runs: Sequence[tuple[int, tuple[int, ...]]]) -> tuple[list[Level], list[list[int]]]:
    """The trees of token runs as levels, and the nodes of each run, numbered through all levels in order.

    A run is the number of its prefix and its tokens.
    """
    levels: list[Level] = []
    paths: list[list[int]] = [[] for _ in runs]
    above: dict[tuple[int, tuple[int, ...]], int] = {(root, ()): root for root, _ in runs}
    first = 0
    for length in range(1, max(len(run) for _, run in runs) + 1):
        inner = dict.fromkeys((root, run[:length]) for root, run in runs if len(run) > length)
        leaves = dict.fromkeys((root, run) for root, run in runs if len(run) == length and (root, run) not in inner)
        nodes = {node: at for at, node in enumerate((*inner, *leaves))}
        levels.append(Level([run[-1] for _, run in nodes], [above[root, run[:-1]] for root, run in nodes], len(inner)))
        for path, (root, run) in zip(paths, runs, strict=True):
            if len(run) >= length:
                path.append(first + nodes[root, run[:length]])
        first += len(nodes)
        above = nodes
    return levels, paths


@dataclass(frozen=True)
class Copies:
    """Which rows of the result the state of a node goes to: `rows[i]` is a copy of `nodes[i]`. Sorted by node."""

    nodes: list[int]
    rows: list[int]

    def of(self, first: int, end: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """The copies of the nodes from `first` on, before `end`; nodes are counted from `first`."""
        span = slice(bisect_left(self.nodes, first), bisect_left(self.nodes, end))
        nodes = torch.tensor(self.nodes[span], dtype=torch.long, device=device) - first
        return nodes, torch.tensor(self.rows[span], dtype=torch.long, device=device)


def run_trees(
    model: LanguageModel,
    prefixes: Sequence[tuple[int, ...]],
    levels: list[Level],
    copies: Copies,
    layers: Sequence[int],
    out: Tensor,
    budget: Budget,
    tally: Tally,
) -> bool:
    """Writes the nodes' states into `out`, layers × rows × dim; false where the model cannot keep prefixes so long.

    The prefixes are of one length, so that the trees after them go through together.
    """
    paths: Sequence[KeysValues | None] | None = [None] * model.layers
    if prefixes[0]:
        paths = run_prefixes(model.network, prefixes)
        tally.tokens += len(prefixes) * len(prefixes[0])
        tally.passes += 1
    if paths is None:
        return False
    first = 0
    for level in levels:
        paths = _run_level(model, level, first, paths, copies, layers, out, budget, tally)
        first += len(level.tokens)
    return True


def _runs(parents: list[int]) -> list[tuple[int, int, int]]:
    """Runs of equal parents as (first, end, parent); none where they are too many to be worth it."""
    ends = [at for at in range(1, len(parents)) if parents[at] != parents[at - 1]]
    if len(ends) >= FEW_RUNS:
        return []
    return [(first, end, parents[first]) for first, end in pairwise([0, *ends, len(parents)])]


def _run_level(
    model: LanguageModel,
    level: Level,
    first: int,
    paths: Sequence[KeysValues | None],
    copies: Copies,
    layers: Sequence[int],
    out: Tensor,
    budget: Budget,
    tally: Tally,
) -> list[KeysValues]:
    """Runs the nodes of a level, numbered from `first` on; gives the paths that end in those with children."""
    tokens = torch.tensor(level.tokens, device=model.device)
    parents = torch.tensor(level.parents, device=model.device)

    def run(batch: list[int]) -> list[KeysValues]:
        span = slice(batch[0], batch[-1] + 1)
        runs = _runs(level.parents[span])
        pasts = [Past(path, parents[span], runs) for path in paths]
        hidden, new = step(model.network, tokens[span], pasts)
        nodes, rows = copies.of(first + span.start, first + span.stop, model.device)
        for at, layer in enumerate(layers):
            out[at].index_copy_(0, rows, hidden[layer][:, 0].index_select(0, nodes))
        # Nodes with children come first, so those of this batch are its first few.
        inner = max(0, min(span.stop, level.inner) - span.start)
        if not inner:
            return []
        return [
            (past.join(0, keys[:inner]), past.join(1, values[:inner]))
            for past, (keys, values) in zip(pasts, new, strict=True)
        ]

    grown: list[list[KeysValues]] = []
    start = 0
    while start < len(level.tokens):
        # Even batches: a small rest would use the machine badly.
        left = len(level.tokens) - start
        batch = list(range(start, start + -(-left // -(-left // budget.tokens))))
        done = halving(run, batch, len(batch), budget, tally)
        if done is None:
            continue
        if done:
            grown.append(done)
        tally.tokens += len(batch)
        tally.passes += 1
        start += len(batch)
    return [
        (torch.cat([keys for keys, _ in parts]), torch.cat([values for _, values in parts]))
        for parts in zip(*grown, strict=True)
    ]
