"""Which sentences share what they have in common on the left, and which are cheaper to run whole."""

from collections.abc import Sequence
from dataclasses import dataclass

from wordworth.encode.spans import Sentence
from wordworth.encode.token_trie import NodeCopies, TrieLevel, trie_levels
from wordworth.engine.batching import Budget

GROUP_SENTENCES = 2048
"""Sentences in one group, so that the keys and values kept for it stay in bounds."""


@dataclass(frozen=True)
class PrefixGroup:
    """Sentences that begin with one of a few prefixes of one length, and the tries of their other tokens."""

    prefixes: list[tuple[int, ...]]
    sentences: list[Sentence]
    levels: list[TrieLevel]
    paths: list[list[int]]

    def copies(self, starts: Sequence[int]) -> NodeCopies:
        """The words' tokens among the nodes, and where their states go: from `starts[i]` on for context i."""
        length = len(self.prefixes[0])
        pairs: list[tuple[int, int]] = []
        for sentence, path in zip(self.sentences, self.paths, strict=True):
            for row, (start, end) in zip(sentence.rows, sentence.spans, strict=True):
                nodes = path[start - length : end - length]
                pairs += zip(nodes, range(starts[row], starts[row] + len(nodes)), strict=True)
        pairs.sort()
        return NodeCopies([node for node, _ in pairs], [row for _, row in pairs])


@dataclass
class _Candidate:
    """Sentences that might form a group, cut after `length` tokens."""

    length: int
    sentences: list[Sentence]

    @property
    def passes(self) -> int:
        """One for the prefixes, and one for each level."""
        return 1 + max(len(sentence.ids) for sentence in self.sentences) - self.length


def group_by_prefix(sentences: list[Sentence], budget: Budget) -> tuple[list[PrefixGroup], list[Sentence]]:
    """Groups where these are cheaper than running each sentence whole; and the other sentences."""
    by_prefix: dict[tuple[int, ...], list[Sentence]] = {}
    for sentence in sentences:
        first = min(start for start, _ in sentence.spans)
        by_prefix.setdefault(sentence.ids[:first], []).append(sentence)
    # Words behind a lone marker (“▁”, “Ġ”) join those of the same left context without it.
    for prefix in sorted(by_prefix, key=len, reverse=True):
        if prefix and len(by_prefix.get(prefix[:-1], ())) > len(by_prefix[prefix]):
            by_prefix[prefix[:-1]] += by_prefix.pop(prefix)
    alone = [members[0] for members in by_prefix.values() if len(members) == 1]
    groups: list[PrefixGroup] = []
    for candidate in _candidates({prefix: members for prefix, members in by_prefix.items() if len(members) > 1}):
        group = _worthwhile(candidate, budget)
        if group:
            groups.append(group)
        else:
            alone += candidate.sentences
    return groups, alone


def _candidates(by_prefix: dict[tuple[int, ...], list[Sentence]]) -> list[_Candidate]:
    """One for each prefix, merged where that takes fewer passes."""
    candidates: list[_Candidate] = []
    for prefix, members in sorted(by_prefix.items(), key=lambda item: len(item[0])):
        for start in range(0, len(members), GROUP_SENTENCES):
            new = _Candidate(len(prefix), members[start : start + GROUP_SENTENCES])
            # The tokens that a longer prefix has beyond a shorter one become nodes of the trie, run along with the
            # words of the shorter one.
            if candidates and len(candidates[-1].sentences) + len(new.sentences) <= GROUP_SENTENCES:
                merged = _Candidate(candidates[-1].length, candidates[-1].sentences + new.sentences)
                if merged.passes < candidates[-1].passes + new.passes:
                    candidates[-1] = merged
                    continue
            candidates.append(new)
    return candidates


def _worthwhile(candidate: _Candidate, budget: Budget) -> PrefixGroup | None:
    """None where it would cost more than running the sentences whole."""
    length, sentences = candidate.length, candidate.sentences
    prefixes = dict.fromkeys(sentence.ids[:length] for sentence in sentences)
    number = {prefix: at for at, prefix in enumerate(prefixes)}
    whole = sum(len(sentence.ids) for sentence in sentences)
    saved = whole - len(number) * length - candidate.passes * budget.pass_cost
    if saved <= 0:
        return None
    levels, paths = trie_levels([(number[sentence.ids[:length]], sentence.ids[length:]) for sentence in sentences])
    if saved <= sum(len(level.tokens) for level in levels):
        return None
    return PrefixGroup(list(number), sentences, levels, paths)
