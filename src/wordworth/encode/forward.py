"""Sentences go through the network; the states of the words' tokens come out, all layers at once."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from wordworth.encode.capabilities import hidden_states
from wordworth.encode.job import EncodingJob, on_device
from wordworth.encode.prefix_groups import group_by_prefix
from wordworth.encode.token_trie import run_trie
from wordworth.encode.tokens import Numbers, Tokens, padded, ranges
from wordworth.engine.batching import by_length, out_of_memory


def run_sentences(job: EncodingJob, tokens: Tokens, *, share_prefixes: bool = True) -> None:
    """Every sentence once, in the order that is cheapest."""
    job.tally.sentences += len(tokens)
    if job.model.left_only:
        # What follows the last word of interest cannot change it.
        tokens = replace(tokens, lengths=tokens.ends)
    alone = np.arange(len(tokens))
    with torch.inference_mode():
        if job.model.reuses_kv_cache and share_prefixes:
            groups, alone = group_by_prefix(tokens, job.budget)
            for group in groups:
                try:
                    ran = run_trie(job, group.prefixes, group.levels, group.copies(tokens, job.starts))
                except RuntimeError as error:
                    if not out_of_memory(error):
                        raise
                    # The keys and values of so many paths do not fit; whole sentences can be cut into batches further.
                    job.tally.halvings += 1
                    ran = False
                if ran:
                    job.tally.shared += len(group.texts)
                else:
                    alone = np.concatenate([alone, group.texts])
        lengths: list[int] = tokens.lengths[alone].tolist()
        for _ in by_length(lambda batch: _run(job, tokens, alone[batch]), lengths, job.budget, job.tally):
            pass


def _run(job: EncodingJob, tokens: Tokens, texts: Numbers) -> None:
    """One forward pass; padding stands on the right, where it shifts no position."""
    model = job.model
    starts, lengths = tokens.starts[texts], tokens.lengths[texts]
    ids = padded(tokens.ids, starts, lengths, model.pad)
    width = ids.shape[1]
    more: dict[str, Tensor] = {}
    if not model.left_only and int(lengths.min()) < width:
        mask = (np.arange(width) < lengths[:, None]).astype(np.int64)
        more["attention_mask"] = on_device(mask, model.device)
    if model.takes_types and tokens.types is not None:
        more["token_type_ids"] = on_device(padded(tokens.types, starts, lengths, 0), model.device)
    hidden = hidden_states(model.network, on_device(ids, model.device), **more)
    words, where = tokens.words_of(texts)
    counts = tokens.end[words] - tokens.first[words]
    picked = ranges(where * width + tokens.first[words], counts)
    job.copy(hidden, picked, ranges(job.starts[tokens.rows[words]], counts))
