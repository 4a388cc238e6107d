"""Sentences go through the network; the states of the words' tokens come out, all layers at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.encode.identity import is_stateless
from wordworth.encode.model import LanguageModel
from wordworth.encode.passes import KeysValues, hidden_states, inference, run_prefixes, run_tokens
from wordworth.encode.prefixes import NodeCopies, PrefixGroup, TrieLevel, group_by_prefix
from wordworth.encode.tokens import Numbers, Tokens, pad, ranges
from wordworth.engine.batching import Budget, PassTally, Ran, RunBatch, by_length, cut_evenly, in_order, make_batches
from wordworth.errors import is_out_of_memory
from wordworth.statistics.bootstrap import in_torch_threads

MAX_PASSES = 4
"""Passes at a time on a CPU: each has the states of its batch in memory."""


@dataclass(frozen=True, eq=False)
class EncodingJob:
    """What is asked of the model, where the states go, and what it takes."""

    model: LanguageModel
    layers: Sequence[int]
    starts: Numbers
    """The states of the tokens of context i are in `out` from `starts[i]` on."""
    out: Tensor
    """layers × tokens × dim. States are copied there straight from the layers' output, since moving them about costs as
    much as a good part of a layer."""
    budget: Budget
    tally: PassTally

    def copy(self, hidden: Sequence[Tensor], tokens: Numbers, rows: Numbers) -> None:
        """The states of these tokens of a batch, counted through its texts, to these rows of `out`."""
        is_whole = np.array_equal(tokens, np.arange(hidden[0].shape[0] * hidden[0].shape[1]))
        sources = None if is_whole else on_device(tokens, self.model.device)
        targets = on_device(rows, self.model.device)
        for at, layer in enumerate(self.layers):
            # The layers of a network that is spread have their states on devices of their own; some networks in half
            # precision (Mamba, T5) have some states in float32.
            states = hidden[layer].to(self.out).flatten(0, 1)
            self.out[at].index_copy_(0, targets, states if sources is None else states.index_select(0, sources))


def on_device(values: NDArray[np.int64], device: torch.device) -> Tensor:
    """Return numbers on the device; a GPU fetches them by itself, so that Python need not wait for it."""
    tensor = torch.from_numpy(np.ascontiguousarray(values))
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def run_sentences(job: EncodingJob, tokens: Tokens, *, share_prefixes: bool = True) -> None:
    """Every sentence once, in the order that is cheapest."""
    job.tally.sentences += len(tokens)
    if job.model.left_only:
        # What follows the last word of interest cannot change it.
        tokens = replace(tokens, lengths=tokens.ends)
    single_texts = np.arange(len(tokens))
    with inference():
        if job.model.reuses_kv_cache and share_prefixes:
            groups, single_texts = group_by_prefix(tokens, job.budget)
            for group in groups:
                try:
                    is_done = run_group(job, group, group.copies(tokens, job.starts))
                except RuntimeError as error:
                    if not is_out_of_memory(error):
                        raise
                    # The keys and values of so many paths do not fit; whole sentences can be cut into batches further.
                    job.tally.halvings += 1
                    is_done = False
                if is_done:
                    job.tally.shared_context += len(group.texts)
                else:
                    single_texts = np.concatenate([single_texts, group.texts])
        _run_batches(job, tokens, single_texts)


def _run_batches(job: EncodingJob, tokens: Tokens, texts: Numbers) -> None:
    """Run whole sentences in batches of like length."""

    def run(batch: list[int]) -> None:
        _run(job, tokens, texts[batch])

    lengths: list[int] = tokens.lengths[texts].tolist()
    if _run_together(job, run, make_batches(lengths, job.budget), lengths) is None:
        for _ in by_length(run, lengths, job.budget, job.tally):
            pass


def _run_together(
    job: EncodingJob, run: RunBatch[Ran], batches: list[list[int]], lengths: Sequence[int]
) -> list[Ran] | None:
    """Run batches on a CPU some at a time, each on cores of its own, so that no core waits for another in a pass.

    Return None where passes could disturb each other, or memory runs out.
    """
    if job.model.device.type != "cpu" or not is_stateless(job.model.network):
        return None
    try:
        results = in_torch_threads(inference()(run), batches, MAX_PASSES)
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        return None
    for batch in batches:
        job.tally.count_batch(lengths[at] for at in batch)
    return results


def _run(job: EncodingJob, tokens: Tokens, texts: Numbers) -> None:
    """One forward pass; padding stands on the right, where it shifts no position."""
    model = job.model
    starts, lengths = tokens.starts[texts], tokens.lengths[texts]
    ids = pad(tokens.ids, starts, lengths, model.pad)
    width = ids.shape[1]
    more: dict[str, Tensor] = {}
    if not model.left_only and int(lengths.min()) < width:
        mask = (np.arange(width) < lengths[:, None]).astype(np.int64)
        more["attention_mask"] = on_device(mask, model.device)
    if model.takes_types and tokens.types is not None:
        more["token_type_ids"] = on_device(pad(tokens.types, starts, lengths, 0), model.device)
    hidden = hidden_states(model.network, on_device(ids, model.device), **more)
    words, where = tokens.words_of(texts)
    counts = tokens.end[words] - tokens.first[words]
    picked = ranges(where * width + tokens.first[words], counts)
    job.copy(hidden, picked, ranges(job.starts[tokens.rows[words]], counts))


def run_group(job: EncodingJob, group: PrefixGroup, copies: NodeCopies) -> bool:
    """Copy the nodes' states to the job's rows; return false where the model cannot keep prefixes so long."""
    paths: list[KeysValues] | None = []
    if group.prefixes.shape[1]:
        paths = run_prefixes(job.model.network, on_device(group.prefixes, job.model.device))
        job.tally.count(group.prefixes.size)
    if paths is None:
        return False
    first = 0
    for level in group.levels:
        paths = _run_level(job, level, first, paths, copies)
        first += len(level.tokens)
    return True


def _run_level(
    job: EncodingJob, level: TrieLevel, first: int, paths: Sequence[KeysValues], copies: NodeCopies
) -> list[KeysValues]:
    """Run the nodes of a level, numbered from `first` on; return the paths that end in those with children."""
    tokens = on_device(level.tokens, job.model.device)

    def run(batch: list[int]) -> list[KeysValues]:
        span = slice(batch[0], batch[-1] + 1)
        parents = level.parents[span]
        behind = [(_select(keys, parents), _select(values, parents)) for keys, values in paths]
        hidden, longer = run_tokens(job.model.network, tokens[span], behind)
        job.copy(hidden, *copies.between(first + span.start, first + span.stop))
        # Nodes with children come first, so those of this batch are its first few.
        inner = max(0, min(span.stop, level.inner) - span.start)
        return [(keys[:inner], values[:inner]) for keys, values in longer] if inner else []

    count = len(level.tokens)
    results = _run_together(job, run, cut_evenly(count, job.budget), [1] * count)
    longer = [batch for batch in results or in_order(run, count, job.budget, job.tally) if batch]
    if len(longer) == 1:
        return longer[0]
    layers = zip(*longer, strict=True)
    return [(torch.cat([keys for keys, _ in layer]), torch.cat([values for _, values in layer])) for layer in layers]


def _select(paths: Tensor, parents: Numbers) -> Tensor:
    """Return the path that each node follows; nothing is copied where all follow one."""
    if (parents == parents[0]).all():
        return paths[int(parents[0])].expand(len(parents), *paths.shape[1:])
    return paths.index_select(0, on_device(parents, paths.device))
