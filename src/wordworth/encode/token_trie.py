"""Words after a shared left context: every distinct run of tokens goes through the layers once.

The contexts of a template differ only in the word, and many words begin with the same piece. So the left context is
run once, and after it the trie of the words' tokens is run level by level: each node is one token that looks back on
its own path. Tries after prefixes of one length go through together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from wordworth.encode.job import EncodingJob, on_device
from wordworth.encode.kv_cache import KeysValues, PathCache, run_prefixes, run_tokens
from wordworth.encode.tokens import Numbers
from wordworth.engine.batching import in_order

FEW_RUNS = {"cpu": 16, "cuda": 2}
"""Runs of equal parents that are worth a copy each: on a GPU another copy costs more than copying twice."""


@dataclass(frozen=True, eq=False)
class TrieLevel:
    """The nodes at one depth; those that have children come first."""

    tokens: Numbers
    parents: Numbers
    """Each node's parent in the level above; at the first level, its prefix."""
    inner: int
    """How many have children."""


def trie_levels(prefixes: Numbers, suffixes: Numbers, lengths: Numbers) -> tuple[list[TrieLevel], Numbers]:
    """The tries of tokens level by level, and the node of each token, numbered through all levels in order.

    A suffix is the number of its prefix and a row of tokens, of which the first `lengths[i]` count.
    """
    levels: list[TrieLevel] = []
    nodes = np.full(suffixes.shape, -1, dtype=np.intp)
    above, tokens, before = prefixes.copy(), int(suffixes.max(initial=0)) + 1, 0
    for depth in range(suffixes.shape[1]):
        there = np.flatnonzero(lengths > depth)
        runs = above[there] * tokens + suffixes[there, depth]
        _, first, which = np.unique(runs, return_index=True, return_inverse=True)
        inner = np.zeros(len(first), dtype=np.bool_)
        inner[which[lengths[there] > depth + 1]] = True
        order = np.lexsort((first, ~inner))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        once = there[first[order]]
        levels.append(TrieLevel(suffixes[once, depth], above[once], int(inner.sum())))
        above[there] = place[which]
        nodes[there, depth] = before + above[there]
        before += len(first)
    return levels, nodes


@dataclass(frozen=True, eq=False)
class NodeCopies:
    """Which rows of the result the state of a node goes to: `rows[i]` is a copy of `nodes[i]`. Sorted by node."""

    nodes: Numbers
    rows: Numbers

    def between(self, first: int, end: int) -> tuple[Numbers, Numbers]:
        """The copies of the nodes from `first` on, before `end`; nodes are counted from `first`."""
        span = slice(*np.searchsorted(self.nodes, (first, end)))
        return self.nodes[span] - first, self.rows[span]


def run_trie(job: EncodingJob, prefixes: Numbers, levels: list[TrieLevel], copies: NodeCopies) -> bool:
    """Copies the nodes' states to the job's rows; false where the model cannot keep prefixes so long.

    The prefixes are of one length, so that the tries after them go through together.
    """
    paths: Sequence[KeysValues | None] | None = [None] * job.model.layers
    if prefixes.shape[1]:
        paths = run_prefixes(job.model.network, on_device(prefixes, job.model.device))
        job.tally.count(prefixes.size)
    if paths is None:
        return False
    first = 0
    for level in levels:
        paths = _run_level(job, level, first, paths, copies)
        first += len(level.tokens)
    return True


def _run_level(
    job: EncodingJob, level: TrieLevel, first: int, paths: Sequence[KeysValues | None], copies: NodeCopies
) -> list[KeysValues]:
    """Runs the nodes of a level, numbered from `first` on; gives the paths that end in those with children."""
    tokens, parents = (on_device(values, job.model.device) for values in (level.tokens, level.parents))
    few = FEW_RUNS.get(job.model.device.type, 2)

    def run(batch: list[int]) -> list[KeysValues]:
        span = slice(batch[0], batch[-1] + 1)
        runs = _runs(level.parents[span], few)
        caches = [PathCache(path, parents[span], runs) for path in paths]
        hidden, new = run_tokens(job.model.network, tokens[span], caches)
        job.copy(hidden, *copies.between(first + span.start, first + span.stop))
        # Nodes with children come first, so those of this batch are its first few.
        inner = max(0, min(span.stop, level.inner) - span.start)
        if not inner:
            return []
        return [
            (cache.join(0, keys[:inner]), cache.join(1, values[:inner]))
            for cache, (keys, values) in zip(caches, new, strict=True)
        ]

    longer = [batch for batch in in_order(run, len(level.tokens), job.budget, job.tally) if batch]
    if len(longer) == 1:
        return longer[0]
    return [
        (torch.cat([keys for keys, _ in layer]), torch.cat([values for _, values in layer]))
        for layer in zip(*longer, strict=True)
    ]


def _runs(parents: Numbers, few: int) -> list[tuple[int, int, int]]:
    """Runs of equal parents as (first, end, parent); none where they are too many to be worth it."""
    ends = np.flatnonzero(parents[1:] != parents[:-1]) + 1
    if len(ends) >= few:
        return []
    return [(first, end, int(parents[first])) for first, end in pairwise([0, *ends.tolist(), len(parents)])]
