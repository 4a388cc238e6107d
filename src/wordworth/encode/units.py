"""Shards on their way through a device: how much goes through at once suits the device and the model's size."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from wordworth.contexts import Context
from wordworth.encode.forward import EncodingJob, run_sentences
from wordworth.encode.model import LanguageModel, trial_ids
from wordworth.encode.passes import can_skip_layers, refuse_overflow, skipping_layers
from wordworth.encode.spans import Failure, in_tokens
from wordworth.encode.tokens import Numbers, Tokens
from wordworth.engine.batching import Budget, PassTally, budget_for, free_memory

LAUNCH_SECONDS = 3e-4
"""Seconds that Python takes to launch a layer on a GPU."""
OPERATIONS = {2: 4e14, 4: 4e13}
"""Operations a second of a GPU, by the bytes of a number."""
LEAST_TOKENS, MOST_TOKENS = 1 << 14, 1 << 17
"""Of a batch on a GPU."""
MOST_TOGETHER = 1 << 15
UNIT_CONTEXTS = 1 << 13
"""Contexts of a unit of work on a GPU: while it runs, the next one is prepared."""
UNIT_BYTES = 4 << 30
PATH = 16
"""Tokens of a path whose keys and values are kept, a usual one."""


@dataclass(frozen=True)
class Work:
    """How a stream of shards is cut for a device."""

    budget: Budget
    contexts: int
    """In a unit, which is launched as one; it has one shard at the least."""


def work_for(model: LanguageModel, batch_tokens: int | None = None) -> Work:
    """Plan one shard at a time on a CPU; on a GPU as much as fits, by the model's size and the free memory."""
    if model.device.type != "cuda":
        return Work(budget_for(model.device, batch_tokens, padding=model.ignores_padding), 1)
    work = size_work(model, free_memory(model.device))
    work.budget.tokens = batch_tokens or work.budget.tokens
    work.budget.pass_cost *= model.ignores_padding
    return work


def size_work(model: LanguageModel, free: int) -> Work:
    """Plan the work of a GPU with `free` bytes of memory."""
    size = model.network.dtype.itemsize
    parameters = max(1, model.network.num_parameters(exclude_embeddings=True))
    # A pass is launched in a time in which so many tokens are computed: it must not be smaller, and by far.
    pass_cost = int(model.layers * LAUNCH_SECONDS * OPERATIONS.get(size, OPERATIONS[4]) / (2 * parameters))
    states = size * model.dim * (model.layers + 1)
    wanted = min(max(LEAST_TOKENS, 32 * pass_cost), MOST_TOKENS)
    # The hidden states of a batch are all in memory at once, together with what a layer needs.
    tokens = max(1, min(wanted, int(0.4 * free) // (states + 32 * size * model.dim)))
    together = int(0.25 * free) // (PATH * _count_cached_numbers(model) * size)
    budget = Budget(tokens, pass_cost, max(64, min(together, MOST_TOGETHER)))
    return Work(budget, max(1, min(UNIT_CONTEXTS, min(UNIT_BYTES, free // 8) // states)))


def _count_cached_numbers(model: LanguageModel) -> int:
    """Count the numbers of a token's keys and values in all layers."""
    config = model.network.config
    heads = getattr(config, "num_attention_heads", None) or 1
    width = getattr(config, "head_dim", None) or model.dim // heads
    return int(2 * model.layers * width * (getattr(config, "num_key_value_heads", None) or heads))


Shard = Sequence[Context]


@dataclass(frozen=True)
class SubwordStates:
    """The subword states of a list of contexts: what one chunk of the store holds."""

    subwords: list[int]
    """The tokens of each context; 0 where the word was not located."""
    failures: list[Failure]
    states: Tensor
    """layers × tokens × dim, in the order of the contexts."""
    tally: PassTally = field(default_factory=PassTally)
    """Of all the shards that went through with this one, where it is the first of them."""


@dataclass(frozen=True, eq=False)
class Unit:
    """Some shards as tokens."""

    contexts: list[Context]
    bounds: list[int]
    """The contexts of shard i are those from `bounds[i]` on, before `bounds[i + 1]`."""
    tokens: Tokens
    failures: list[Failure]
    subwords: Numbers
    starts: Numbers
    """Where the states of each context begin; behind them, how many there are."""


def through(
    model: LanguageModel, shards: Iterable[Shard], layers: tuple[int, ...], work: Work, *, share_prefixes: bool
) -> Iterator[SubwordStates]:
    """Yield the states of every shard, in order; layers above those asked for are not computed, where that can be."""
    top = max(layers)

    @cache
    def can_skip() -> bool:
        return top + 1 < model.layers and can_skip_layers(model.network, trial_ids(model.tokenizer), top)

    def launch(unit: Unit) -> EncodingJob:
        shape = len(layers), int(unit.starts[-1]), model.dim
        states = torch.empty(shape, dtype=model.network.dtype, device=model.device)
        job = EncodingJob(model, layers, unit.starts, states, work.budget, PassTally())
        with skipping_layers(model.network, top) if can_skip() else nullcontext():
            run_sentences(job, unit.tokens, share_prefixes=share_prefixes)
        return job

    running: tuple[Unit, EncodingJob] | None = None
    for unit in _units(model, shards, work.contexts):  # a GPU works on one while the next is tokenized
        if running is not None:
            yield from _collect_states(*running)
        running = unit, launch(unit)
    if running is not None:
        yield from _collect_states(*running)


def _units(model: LanguageModel, shards: Iterable[Shard], contexts: int) -> Iterator[Unit]:
    """Shards taken together until they have so many contexts, and tokenized."""
    together: list[Shard] = []
    for shard in shards:
        together.append(shard)
        if sum(map(len, together)) >= contexts:
            yield _prepare_unit(model, together)
            together = []
    if together:
        yield _prepare_unit(model, together)


def _prepare_unit(model: LanguageModel, shards: list[Shard]) -> Unit:
    contexts = [context for shard in shards for context in shard]
    bounds = [0, *np.cumsum([len(shard) for shard in shards]).tolist()]
    tokens, failures = in_tokens(model.tokenizer, contexts, model.max_length, with_types=model.takes_types)
    subwords = np.zeros(len(contexts), dtype=np.intp)
    subwords[tokens.rows] = tokens.end - tokens.first
    return Unit(contexts, bounds, tokens, failures, subwords, np.concatenate([[0], np.cumsum(subwords)]))


def _collect_states(unit: Unit, job: EncodingJob) -> Iterator[SubwordStates]:
    # A sum shows whether all are numbers, in one pass and without a mask as large as the states.
    if not torch.isfinite(job.out.sum(dtype=torch.float32)).item():
        check_finite(job.model, job.out, unit.contexts, unit.starts.tolist(), job.layers)
    tally = job.tally
    ends: list[int] = unit.starts[unit.bounds].tolist()
    for (first, end), (start, stop) in zip(pairwise(unit.bounds), pairwise(ends), strict=True):
        part = job.out[:, start:stop]
        # A copy of its own, so that the rest can go; pinned memory, since a GPU writes there many times as fast.
        states = torch.empty(part.shape, dtype=part.dtype, pin_memory=part.is_cuda).copy_(part)
        failures = [replace(one, row=one.row - first) for one in unit.failures if first <= one.row < end]
        yield SubwordStates(unit.subwords[first:end].tolist(), failures, states, tally)
        tally = PassTally()


def check_finite(
    model: LanguageModel, states: Tensor, contexts: Sequence[Context], starts: Sequence[int], layers: Sequence[int]
) -> None:
    """Stop at the first word and layer that is not a number: every measure after it would be nonsense."""
    bad = torch.nonzero((~torch.isfinite(states)).any(-1))
    if not len(bad):
        return
    layer, token = bad[0].tolist()
    word = contexts[bisect_right(starts, token) - 1].word
    refuse_overflow(model.name, model.dtype, f" for {word!r} in layer {layers[layer]}")
