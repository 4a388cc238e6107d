"""Sentences go through the network; the states of the words' tokens come out, all layers at once."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from wordworth.encode.capabilities import hidden_states
from wordworth.encode.job import EncodingJob
from wordworth.encode.prefix_groups import group_by_prefix
from wordworth.encode.spans import Sentence
from wordworth.encode.token_trie import run_trie
from wordworth.engine.batching import by_length


def run_sentences(job: EncodingJob, sentences: Sequence[Sentence], *, share_prefixes: bool = True) -> None:
    """Every sentence once, in the order that is cheapest."""
    job.tally.sentences += len(sentences)
    if job.model.left_only:
        # What follows the last word of interest cannot change it.
        sentences = [_cut(sentence) for sentence in sentences]
    alone = list(sentences)
    with torch.inference_mode():
        if job.model.reuses_kv_cache and share_prefixes:
            groups, alone = group_by_prefix(alone, job.budget)
            for group in groups:
                if run_trie(job, group.prefixes, group.levels, group.copies(job.starts)):
                    job.tally.shared += len(group.sentences)
                else:
                    alone += group.sentences
        lengths = [len(sentence.ids) for sentence in alone]
        for _ in by_length(lambda batch: _run(job, [alone[at] for at in batch]), lengths, job.budget, job.tally):
            pass


def _cut(sentence: Sentence) -> Sentence:
    end = max(end for _, end in sentence.spans)
    return replace(sentence, ids=sentence.ids[:end], types=sentence.types[:end])


def _run(job: EncodingJob, batch: list[Sentence]) -> None:
    """One forward pass; padding stands on the right, where it shifts no position."""
    model = job.model
    width = max(len(sentence.ids) for sentence in batch)

    def padded(rows: Sequence[Sequence[int]], filler: int) -> Tensor:
        return torch.tensor([[*row, *[filler] * (width - len(row))] for row in rows], device=model.device)

    more: dict[str, Tensor] = {}
    if not model.left_only and any(len(sentence.ids) < width for sentence in batch):
        more["attention_mask"] = padded([[1] * len(sentence.ids) for sentence in batch], 0)
    if model.takes_types:
        more["token_type_ids"] = padded([sentence.types for sentence in batch], 0)
    hidden = hidden_states(model.network, padded([sentence.ids for sentence in batch], model.pad), **more)
    tokens: list[int] = []
    rows: list[int] = []
    for at, sentence in enumerate(batch):
        for row, (start, end) in zip(sentence.rows, sentence.spans, strict=True):
            tokens += range(at * width + start, at * width + end)
            rows += range(job.starts[row], job.starts[row] + end - start)
    job.copy(hidden, tokens, rows)
