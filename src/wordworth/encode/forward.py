"""Sentences go through the network; the states of the words' tokens come out, all layers at once."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from wordworth.encode.batches import Budget, Tally, halving, take
from wordworth.encode.capabilities import hidden_states
from wordworth.encode.model import LanguageModel
from wordworth.encode.prefix_groups import planted
from wordworth.encode.spans import Sentence
from wordworth.encode.token_trie import run_trees


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
            groves, alone = planted(alone, budget)
            for grove in groves:
                copies = grove.copies(starts)
                if run_trees(model, grove.prefixes, grove.levels, copies, layers, out, budget, tally):
                    tally.shared += len(grove.sentences)
                else:
                    alone += grove.sentences
        _run_plain(model, alone, starts, layers, out, budget, tally)


def _cut(sentence: Sentence) -> Sentence:
    end = max(end for _, end in sentence.spans)
    return replace(sentence, ids=sentence.ids[:end], types=sentence.types[:end])


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
