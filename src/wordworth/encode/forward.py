"""Sentences go through the network; the states of the words' tokens come out, all layers at once."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from wordworth.encode.batches import Budget, Tally, halving, take
from wordworth.encode.model import LanguageModel
from wordworth.encode.probe import hidden_states
from wordworth.encode.spans import Sentence
from wordworth.encode.tree import Copies, Level, grow, run_trees

GROVE_SENTENCES = 2048
"""Sentences that share trees, so that the keys and values kept for them stay in bounds."""


def run(
    model: LanguageModel,
    sentences: Sequence[Sentence],
    starts: Sequence[int],
    layers: Sequence[int],
    out: Tensor,
    budget: Budget,
    tally: Tally,
    *,
    share_prefixes: bool = True,
) -> None:
    """Every sentence once, in the order that is cheapest.

    The states of the tokens of context i go to `out`, layers × tokens × dim, from `starts[i]` on. They are copied there
    straight from the layers' output, since moving them about costs as much as a good part of a layer.
    """
    tally.sentences += len(sentences)
    if model.left_only:
        # What follows the last word of interest cannot change it.
        sentences = [_cut(sentence) for sentence in sentences]
    alone = list(sentences)
    with torch.inference_mode():
        if model.reuses_past and share_prefixes:
            groves, alone = _planted(alone, budget)
            for grove in groves:
                copies = _copies(grove, starts)
                if run_trees(model, grove.prefixes, grove.levels, copies, layers, out, budget, tally):
                    tally.shared += len(grove.sentences)
                else:
                    alone += grove.sentences
        _run_plain(model, alone, starts, layers, out, budget, tally)


def _cut(sentence: Sentence) -> Sentence:
    end = max(end for _, end in sentence.spans)
    return replace(sentence, ids=sentence.ids[:end], types=sentence.types[:end])


@dataclass(frozen=True)
class _Grove:
    """Sentences whose left context is one of a few prefixes of one length."""

    prefixes: list[tuple[int, ...]]
    sentences: list[Sentence]
    levels: list[Level]
    paths: list[list[int]]


def _planted(sentences: list[Sentence], budget: Budget) -> tuple[list[_Grove], list[Sentence]]:
    """Groves where trees are cheaper than running each sentence whole; and the other sentences."""
    by_prefix: dict[tuple[int, ...], list[Sentence]] = {}
    for sentence in sentences:
        first = min(start for start, _ in sentence.spans)
        by_prefix.setdefault(sentence.ids[:first], []).append(sentence)
    # Words behind a lone marker (“▁”, “Ġ”) join those of the same left context without it.
    for prefix in sorted(by_prefix, key=len, reverse=True):
        if prefix and len(by_prefix.get(prefix[:-1], ())) > len(by_prefix[prefix]):
            by_prefix[prefix[:-1]] += by_prefix.pop(prefix)
    alone: list[Sentence] = []
    by_length: dict[int, list[tuple[tuple[int, ...], Sentence]]] = {}
    for prefix, members in by_prefix.items():
        if len(members) == 1:
            alone += members
        else:
            by_length.setdefault(len(prefix), []).extend((prefix, sentence) for sentence in members)
    groves: list[_Grove] = []
    for together in by_length.values():
        for start in range(0, len(together), GROVE_SENTENCES):
            block = together[start : start + GROVE_SENTENCES]
            grove = _grove(block, budget)
            if grove:
                groves.append(grove)
            else:
                alone += [sentence for _, sentence in block]
    return groves, alone


def _grove(members: list[tuple[tuple[int, ...], Sentence]], budget: Budget) -> _Grove | None:
    """None where it would cost more than running the sentences whole."""
    number = {prefix: at for at, prefix in enumerate(dict.fromkeys(prefix for prefix, _ in members))}
    sentences = [sentence for _, sentence in members]
    length = len(members[0][0])
    # One pass for the prefixes and one for each level at the least.
    passes = 1 + max(len(sentence.ids) for sentence in sentences) - length
    saved = sum(len(sentence.ids) for sentence in sentences) - len(number) * length - passes * budget.pass_cost
    if saved <= 0:
        return None
    levels, paths = grow([(number[prefix], sentence.ids[length:]) for prefix, sentence in members])
    if saved <= sum(len(level.tokens) for level in levels):
        return None
    return _Grove(list(number), sentences, levels, paths)


def _copies(grove: _Grove, starts: Sequence[int]) -> Copies:
    length = len(grove.prefixes[0])
    pairs: list[tuple[int, int]] = []
    for sentence, path in zip(grove.sentences, grove.paths, strict=True):
        for row, (start, end) in zip(sentence.rows, sentence.spans, strict=True):
            nodes = path[start - length : end - length]
            pairs += zip(nodes, range(starts[row], starts[row] + len(nodes)), strict=True)
    pairs.sort()
    return Copies([node for node, _ in pairs], [row for _, row in pairs])


def _run_plain(
    model: LanguageModel,
    sentences: list[Sentence],
    starts: Sequence[int],
    layers: Sequence[int],
    out: Tensor,
    budget: Budget,
    tally: Tally,
) -> None:
    """Batches of like length, the longest first: if memory runs out, it does so at the start."""
    lengths = [len(sentence.ids) for sentence in sentences]
    pending = deque(sorted(range(len(sentences)), key=lambda at: -lengths[at]))

    def one_pass(batch: list[int]) -> bool:
        _pass(model, [sentences[at] for at in batch], starts, layers, out)
        return True

    while pending:
        batch = take(pending, lengths, budget)
        size = len(batch) * lengths[batch[0]]
        if not halving(one_pass, batch, size, budget, tally):
            pending.extendleft(reversed(batch))
            continue
        tally.tokens += size
        tally.padding += size - sum(lengths[at] for at in batch)
        tally.passes += 1


def _pass(
    model: LanguageModel, batch: list[Sentence], starts: Sequence[int], layers: Sequence[int], out: Tensor
) -> None:
    """One forward pass; padding stands on the right, where it shifts no position."""
    width = max(len(sentence.ids) for sentence in batch)
    padded = [list(sentence.ids) + [model.pad] * (width - len(sentence.ids)) for sentence in batch]
    more: dict[str, Tensor] = {}
    if not model.left_only and any(len(sentence.ids) < width for sentence in batch):
        mask = [[1] * len(sentence.ids) + [0] * (width - len(sentence.ids)) for sentence in batch]
        more["attention_mask"] = torch.tensor(mask, device=model.device)
    if model.takes_types:
        types = [list(sentence.types) + [0] * (width - len(sentence.types)) for sentence in batch]
        more["token_type_ids"] = torch.tensor(types, device=model.device)
    hidden = hidden_states(model.network, torch.tensor(padded, device=model.device), **more)
    picked: list[int] = []
    placed: list[int] = []
    for at, sentence in enumerate(batch):
        for row, (start, end) in zip(sentence.rows, sentence.spans, strict=True):
            picked += range(at * width + start, at * width + end)
            placed += range(starts[row], starts[row] + end - start)
    tokens, rows = torch.tensor(picked, device=model.device), torch.tensor(placed, device=model.device)
    for at, layer in enumerate(layers):
        out[at].index_copy_(0, rows, hidden[layer].flatten(0, 1).index_select(0, tokens))
