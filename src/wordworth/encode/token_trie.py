"""Words after a shared left context: every distinct run of tokens goes through the layers once.

The contexts of a template differ only in the word, and many words begin with the same piece. So the left context is
run once, and after it the trie of the words' tokens is run level by level: each node is one token that looks back on
its own path. Tries after prefixes of one length go through together.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch

from wordworth.encode.job import EncodingJob
from wordworth.encode.kv_cache import KeysValues, PathCache, run_prefixes, run_tokens
from wordworth.engine.batching import in_order

FEW_RUNS = 16


@dataclass(frozen=True)
class TrieLevel:
    """The nodes at one depth; those that have children come first."""

    tokens: list[int]
    parents: list[int]
    """Each node's parent in the level above; at the first level, its prefix."""
    inner: int
    """How many have children."""


def trie_levels(suffixes: Sequence[tuple[int, tuple[int, ...]]]) -> tuple[list[TrieLevel], list[list[int]]]:
    """The tries of tokens level by level, and the nodes of each suffix, numbered through all levels in order.

    A suffix is the number of its prefix and its tokens.
    """
    levels: list[TrieLevel] = []
    paths: list[list[int]] = [[] for _ in suffixes]
    above: dict[tuple[int, tuple[int, ...]], int] = {(prefix, ()): prefix for prefix, _ in suffixes}
    first = 0
    for length in range(1, max(len(run) for _, run in suffixes) + 1):
        inner = dict.fromkeys((prefix, run[:length]) for prefix, run in suffixes if len(run) > length)
        leaves = dict.fromkeys(suffix for suffix in suffixes if len(suffix[1]) == length and suffix not in inner)
        nodes = {node: at for at, node in enumerate((*inner, *leaves))}
        parents = [above[prefix, run[:-1]] for prefix, run in nodes]
        levels.append(TrieLevel([run[-1] for _, run in nodes], parents, len(inner)))
        for path, (prefix, run) in zip(paths, suffixes, strict=True):
            if len(run) >= length:
                path.append(first + nodes[prefix, run[:length]])
        first += len(nodes)
        above = nodes
    return levels, paths


@dataclass(frozen=True)
class NodeCopies:
    """Which rows of the result the state of a node goes to: `rows[i]` is a copy of `nodes[i]`. Sorted by node."""

    nodes: list[int]
    rows: list[int]

    def between(self, first: int, end: int) -> tuple[list[int], list[int]]:
        """The copies of the nodes from `first` on, before `end`; nodes are counted from `first`."""
        span = slice(bisect_left(self.nodes, first), bisect_left(self.nodes, end))
        return [node - first for node in self.nodes[span]], self.rows[span]


def run_trie(
    job: EncodingJob, prefixes: Sequence[tuple[int, ...]], levels: list[TrieLevel], copies: NodeCopies
) -> bool:
    """Copies the nodes' states to the job's rows; false where the model cannot keep prefixes so long.

    The prefixes are of one length, so that the tries after them go through together.
    """
    paths: Sequence[KeysValues | None] | None = [None] * job.model.layers
    if prefixes[0]:
        paths = run_prefixes(job.model.network, prefixes)
        job.tally.count(len(prefixes) * len(prefixes[0]))
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
    tokens = torch.tensor(level.tokens, device=job.model.device)
    parents = torch.tensor(level.parents, device=job.model.device)

    def run(batch: list[int]) -> list[KeysValues]:
        span = slice(batch[0], batch[-1] + 1)
        runs = _runs(level.parents[span])
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
    return [
        (torch.cat([keys for keys, _ in layer]), torch.cat([values for _, values in layer]))
        for layer in zip(*longer, strict=True)
    ]


def _runs(parents: list[int]) -> list[tuple[int, int, int]]:
    """Runs of equal parents as (first, end, parent); none where they are too many to be worth it."""
    ends = [at for at in range(1, len(parents)) if parents[at] != parents[at - 1]]
    if len(ends) >= FEW_RUNS:
        return []
    return [(first, end, parents[first]) for first, end in pairwise([0, *ends, len(parents)])]
