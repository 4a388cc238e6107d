"""Sentences go through the network; the states of the words' tokens come out, all layers at once."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from wordworth.encode.batches import Budget, Tally, halving, take
from wordworth.encode.model import LanguageModel
from wordworth.encode.probe import hidden_states
from wordworth.encode.spans import Sentence
from wordworth.encode.tree import Level, grow, run_tree

TREE_SENTENCES = 2048
"""Sentences in one tree, so that its states stay in bounds."""


@dataclass(frozen=True)
class States:
    """The states of some words' tokens."""

    rows: list[int]
    """The contexts."""
    counts: list[int]
    """The tokens of each."""
    vectors: Tensor
    """layers × tokens × dim, on the CPU; the tokens of the first context first."""


def run(
    model: LanguageModel,
    sentences: Sequence[Sentence],
    layers: Sequence[int],
    budget: Budget,
    tally: Tally,
    *,
    share_prefixes: bool = True,
) -> Iterator[States]:
    """Every sentence once, in the order that is cheapest."""
    tally.sentences += len(sentences)
    if model.left_only:
        # What follows the last word of interest cannot change it.
        sentences = [_cut(sentence) for sentence in sentences]
    alone = list(sentences)
    if model.reuses_past and share_prefixes:
        groups, alone = _grouped(alone, budget)
        for group in groups:
            with torch.inference_mode():
                nodes = run_tree(model, group.prefix, group.levels, layers, budget, tally)
            if nodes is None:
                alone += group.sentences
                continue
            tally.shared += len(group.sentences)
            yield _gathered(group, nodes)
    yield from _run_plain(model, alone, layers, budget, tally)


def _cut(sentence: Sentence) -> Sentence:
    end = max(end for _, end in sentence.spans)
    return replace(sentence, ids=sentence.ids[:end], types=sentence.types[:end])


@dataclass(frozen=True)
class _Group:
    """Sentences with the same tokens before the first word of interest."""

    prefix: tuple[int, ...]
    sentences: list[Sentence]
    levels: list[Level]
    paths: list[list[int]]


def _grouped(sentences: list[Sentence], budget: Budget) -> tuple[list[_Group], list[Sentence]]:
    """Groups for which a tree is cheaper than running each sentence whole; and the other sentences."""
    by_prefix: dict[tuple[int, ...], list[Sentence]] = {}
    for sentence in sentences:
        first = min(start for start, _ in sentence.spans)
        by_prefix.setdefault(sentence.ids[:first], []).append(sentence)
    # Words behind a lone marker (“▁”, “Ġ”) join those of the same left context without it.
    for prefix in sorted(by_prefix, key=len, reverse=True):
        if prefix and len(by_prefix.get(prefix[:-1], ())) > len(by_prefix[prefix]):
            by_prefix[prefix[:-1]] += by_prefix.pop(prefix)
    groups: list[_Group] = []
    alone: list[Sentence] = []
    for prefix, members in by_prefix.items():
        for start in range(0, len(members), TREE_SENTENCES):
            block = members[start : start + TREE_SENTENCES]
            whole = sum(len(sentence.ids) for sentence in block)
            # A tree takes a pass for the prefix and one for each level at least.
            depth = max(len(sentence.ids) for sentence in block) - len(prefix)
            if len(prefix) + (1 + depth) * budget.pass_cost >= whole:
                alone += block
                continue
            levels, paths = grow([sentence.ids[len(prefix) :] for sentence in block])
            nodes = sum(len(level.tokens) for level in levels)
            if len(prefix) + nodes + (1 + depth) * budget.pass_cost < whole:
                groups.append(_Group(prefix, block, levels, paths))
            else:
                alone += block
    return groups, alone


def _gathered(group: _Group, nodes: Tensor) -> States:
    rows: list[int] = []
    counts: list[int] = []
    wanted: list[int] = []
    skipped = len(group.prefix)
    for sentence, path in zip(group.sentences, group.paths, strict=True):
        for row, (start, end) in zip(sentence.rows, sentence.spans, strict=True):
            rows.append(row)
            counts.append(end - start)
            wanted += path[start - skipped : end - skipped]
    return States(rows, counts, nodes.index_select(1, torch.tensor(wanted)))


def _run_plain(
    model: LanguageModel, sentences: list[Sentence], layers: Sequence[int], budget: Budget, tally: Tally
) -> Iterator[States]:
    """Batches of like length, the longest first: if memory runs out, it does so at the start."""
    lengths = [len(sentence.ids) for sentence in sentences]
    pending = deque(sorted(range(len(sentences)), key=lambda at: -lengths[at]))

    def one_pass(batch: list[int]) -> States:
        return _pass(model, [sentences[at] for at in batch], layers)

    while pending:
        batch = take(pending, lengths, budget)
        size = len(batch) * lengths[batch[0]]
        with torch.inference_mode():
            states = halving(one_pass, batch, size, budget, tally)
        if states is None:
            pending.extendleft(reversed(batch))
            continue
        tally.tokens += size
        tally.padding += size - sum(lengths[at] for at in batch)
        tally.passes += 1
        yield states


def _pass(model: LanguageModel, batch: list[Sentence], layers: Sequence[int]) -> States:
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
    rows: list[int] = []
    counts: list[int] = []
    wanted: list[int] = []
    for at, sentence in enumerate(batch):
        for row, (start, end) in zip(sentence.rows, sentence.spans, strict=True):
            rows.append(row)
            counts.append(end - start)
            wanted += range(at * width + start, at * width + end)
    hidden = hidden_states(model.network, torch.tensor(padded, device=model.device), **more)
    at_words = torch.tensor(wanted, device=model.device)
    picked = [hidden[layer].reshape(-1, hidden[layer].shape[-1]).index_select(0, at_words) for layer in layers]
    return States(rows, counts, torch.stack(picked).cpu())
