"""Which sentences share what they have in common on the left, and which are cheaper to run whole."""

from collections.abc import Sequence
from dataclasses import dataclass

from wordworth.encode.batches import Budget
from wordworth.encode.spans import Sentence
from wordworth.encode.token_trie import Copies, Level, grow

GROVE_SENTENCES = 2048
"""Sentences in one grove, so that the keys and values kept for it stay in bounds."""


@dataclass(frozen=True)
class Grove:
    """Trees of tokens that grow on a few prefixes of one length."""

    prefixes: list[tuple[int, ...]]
    sentences: list[Sentence]
    levels: list[Level]
    paths: list[list[int]]

    def copies(self, starts: Sequence[int]) -> Copies:
        """The words' tokens among the nodes, and where their states go: from `starts[i]` on for context i."""
        length = len(self.prefixes[0])
        pairs: list[tuple[int, int]] = []
        for sentence, path in zip(self.sentences, self.paths, strict=True):
            for row, (start, end) in zip(sentence.rows, sentence.spans, strict=True):
                nodes = path[start - length : end - length]
                pairs += zip(nodes, range(starts[row], starts[row] + len(nodes)), strict=True)
        pairs.sort()
        return Copies([node for node, _ in pairs], [row for _, row in pairs])


@dataclass
class _Bed:
    """Sentences to be planted together, cut after `length` tokens."""

    length: int
    sentences: list[Sentence]

    @property
    def passes(self) -> int:
        """One for the prefixes, and one for each level."""
        return 1 + max(len(sentence.ids) for sentence in self.sentences) - self.length


def planted(sentences: list[Sentence], budget: Budget) -> tuple[list[Grove], list[Sentence]]:
    """Groves where these are cheaper than running each sentence whole; and the other sentences."""
    by_prefix: dict[tuple[int, ...], list[Sentence]] = {}
    for sentence in sentences:
        first = min(start for start, _ in sentence.spans)
        by_prefix.setdefault(sentence.ids[:first], []).append(sentence)
    # Words behind a lone marker (“▁”, “Ġ”) join those of the same left context without it.
    for prefix in sorted(by_prefix, key=len, reverse=True):
        if prefix and len(by_prefix.get(prefix[:-1], ())) > len(by_prefix[prefix]):
            by_prefix[prefix[:-1]] += by_prefix.pop(prefix)
    alone = [members[0] for members in by_prefix.values() if len(members) == 1]
    beds: list[_Bed] = []
    for prefix, members in sorted(by_prefix.items(), key=lambda item: len(item[0])):
        for start in range(0, len(members) if len(members) > 1 else 0, GROVE_SENTENCES):
            bed = _Bed(len(prefix), members[start : start + GROVE_SENTENCES])
            # What a longer prefix has more than a shorter one grows as a stem of single tokens, level by level with
            # the words of the shorter one, as long as that takes fewer passes.
            if beds and len(beds[-1].sentences) + len(bed.sentences) <= GROVE_SENTENCES:
                both = _Bed(beds[-1].length, beds[-1].sentences + bed.sentences)
                if both.passes < beds[-1].passes + bed.passes:
                    beds[-1] = both
                    continue
            beds.append(bed)
    groves: list[Grove] = []
    for bed in beds:
        grove = _grown(bed, budget)
        if grove:
            groves.append(grove)
        else:
            alone += bed.sentences
    return groves, alone


def _grown(bed: _Bed, budget: Budget) -> Grove | None:
    """None where it would cost more than running the sentences whole."""
    roots = dict.fromkeys(sentence.ids[: bed.length] for sentence in bed.sentences)
    number = {prefix: at for at, prefix in enumerate(roots)}
    whole = sum(len(sentence.ids) for sentence in bed.sentences)
    saved = whole - len(number) * bed.length - bed.passes * budget.pass_cost
    if saved <= 0:
        return None
    levels, paths = grow([(number[one.ids[: bed.length]], one.ids[bed.length :]) for one in bed.sentences])
    if saved <= sum(len(level.tokens) for level in levels):
        return None
    return Grove(list(number), bed.sentences, levels, paths)
