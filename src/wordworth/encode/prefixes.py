"""Which sentences share what they have in common on the left, and which are cheaper to run whole.

The contexts of a template differ only in the word, and many words begin with the same piece. So the left context is
run once, and after it the trie of the words' tokens is run level by level: each node is one token that looks back on
its own path. Tries after prefixes of one length go through together.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from wordworth.encode.tokens import Numbers, Tokens, pad, ranges
from wordworth.engine.batching import Budget


@dataclass(frozen=True, eq=False)
class TrieLevel:
    """The nodes at one depth; those that have children come first."""

    tokens: Numbers
    parents: Numbers
    """Each node's parent in the level above; at the first level, its prefix."""
    inner: int
    """How many have children."""


def trie_levels(prefixes: Numbers, suffixes: Numbers, lengths: Numbers) -> tuple[list[TrieLevel], Numbers]:
    """Return the tries of tokens level by level, and the node of each token, numbered through all levels in order.

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
        """Return the copies of the nodes from `first` on, before `end`; nodes are counted from `first`."""
        span = slice(*np.searchsorted(self.nodes, (first, end)))
        return self.nodes[span] - first, self.rows[span]


@dataclass(frozen=True, eq=False)
class PrefixGroup:
    """Sentences that begin with one of a few prefixes of one length, and the tries of their other tokens."""

    prefixes: Numbers
    """prefixes × tokens."""
    texts: Numbers
    levels: list[TrieLevel]
    nodes: Numbers
    """texts × tokens behind the prefix: the node of each."""

    def copies(self, tokens: Tokens, starts: Numbers) -> NodeCopies:
        """Return the words' tokens among the nodes, and where their states go: from `starts[i]` on for context i."""
        words, where = tokens.words_of(self.texts)
        counts = tokens.end[words] - tokens.first[words]
        places = ranges(tokens.first[words] - self.prefixes.shape[1], counts)
        nodes = self.nodes[np.repeat(where, counts), places]
        rows = ranges(starts[tokens.rows[words]], counts)
        order = np.argsort(nodes, kind="stable")
        return NodeCopies(nodes[order], rows[order])


def _keys(tokens: Tokens, texts: Iterable[int], lengths: Iterable[int]) -> list[bytes]:
    """Return the first tokens of texts, as keys of a dictionary."""
    starts: list[int] = tokens.starts.tolist()
    return [tokens.ids[starts[at] : starts[at] + length].tobytes() for at, length in zip(texts, lengths, strict=True)]


def group_by_prefix(tokens: Tokens, budget: Budget) -> tuple[list[PrefixGroup], Numbers]:
    """Groups where these are cheaper than running each sentence whole; and the other sentences."""
    by_prefix: dict[bytes, list[int]] = {}
    size = tokens.ids.itemsize
    for text, prefix in enumerate(_keys(tokens, range(len(tokens)), tokens.begins.tolist())):
        by_prefix.setdefault(prefix, []).append(text)
    # Words behind a lone marker (“▁”, “Ġ”) join those of the same left context without it.
    for prefix in sorted(by_prefix, key=len, reverse=True):
        shorter = prefix[:-size]
        if prefix and len(by_prefix.get(shorter, ())) > len(by_prefix[prefix]):
            by_prefix[shorter] += by_prefix.pop(prefix)
    alone = [members[0] for members in by_prefix.values() if len(members) == 1]
    by_length: dict[int, list[int]] = {}
    for prefix, members in by_prefix.items():
        if len(members) > 1:
            by_length.setdefault(len(prefix) // size, []).extend(members)
    groups: list[PrefixGroup] = []
    for length, members in sorted(by_length.items()):
        for start in range(0, len(members), budget.max_texts):
            texts = members[start : start + budget.max_texts]
            group = _worthwhile(length, np.array(texts, dtype=np.intp), tokens, budget)
            if group:
                groups.append(group)
            else:
                alone += texts
    return groups, np.array(alone, dtype=np.intp)


def _worthwhile(length: int, texts: Numbers, tokens: Tokens, budget: Budget) -> PrefixGroup | None:
    """Return a group of texts cut after `length` tokens; None where it costs more than running the sentences whole."""
    prefixes = _keys(tokens, texts.tolist(), repeat(length, len(texts)))
    number = {prefix: at for at, prefix in enumerate(dict.fromkeys(prefixes))}
    rest = tokens.lengths[texts] - length
    passes = 1 + int(rest.max())  # one for the prefixes, and one for each level
    saved = int(tokens.lengths[texts].sum()) - len(number) * length - passes * budget.pass_cost
    if saved <= 0:
        return None
    suffixes = pad(tokens.ids, tokens.starts[texts] + length, rest, 0)
    levels, nodes = trie_levels(np.array([number[prefix] for prefix in prefixes], dtype=np.intp), suffixes, rest)
    if saved <= sum(len(level.tokens) for level in levels):
        return None
    table = np.frombuffer(bytearray(b"".join(number)), dtype=tokens.ids.dtype).reshape(len(number), length)
    return PrefixGroup(table, texts, levels, nodes)
