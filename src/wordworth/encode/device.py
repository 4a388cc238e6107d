"""What suits a device: how much goes through it at once, and how states leave it while it works on."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from wordworth.encode.model import LanguageModel
from wordworth.engine.batching import Budget, budget_for, free_memory

LAUNCH = 3e-4
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
COPIES = 4
"""Shards on their way from a GPU at once."""


@dataclass(frozen=True)
class Work:
    """How a stream of shards is cut for a device."""

    budget: Budget
    contexts: int
    """In a unit, which is launched as one; it has one shard at the least."""
    ahead: int
    """Units that are launched before the first one of them is collected."""


def work_for(model: LanguageModel, batch_tokens: int | None = None) -> Work:
    """On a processor a shard after the other; on a GPU as much as fills it, by the model's size and the free memory."""
    usual = budget_for(model.device, batch_tokens, padding=model.ignores_padding)
    if model.device.type != "cuda":
        return Work(usual, 1, 0)
    work = sized(model, free_memory(model.device))
    if batch_tokens is not None:
        work.budget.tokens = batch_tokens
    if not model.ignores_padding:
        work.budget.pass_cost = 0
    return work


def sized(model: LanguageModel, free: int) -> Work:
    """The same for a GPU with so many bytes of free memory."""
    size = model.network.dtype.itemsize
    parameters = max(1, model.network.num_parameters(exclude_embeddings=True))
    # A pass is launched in a time in which so many tokens are computed: it must not be smaller, and by far.
    pass_cost = int(model.layers * LAUNCH * OPERATIONS.get(size, OPERATIONS[4]) / (2 * parameters))
    states = size * model.dim * (model.layers + 1)
    wanted = min(max(LEAST_TOKENS, 32 * pass_cost), MOST_TOKENS)
    # The hidden states of a batch are all there at once, and beside them what a layer needs.
    tokens = max(1, min(wanted, int(0.4 * free) // (states + 32 * size * model.dim)))
    together = int(0.25 * free) // (PATH * _kept(model) * size)
    budget = Budget(tokens, pass_cost, max(64, min(together, MOST_TOGETHER)))
    return Work(budget, max(1, min(UNIT_CONTEXTS, min(UNIT_BYTES, free // 8) // states)), 1)


def _kept(model: LanguageModel) -> int:
    """Numbers that keys and values of a token have in all layers."""
    config = model.network.config
    heads = getattr(config, "num_attention_heads", None) or 1
    width = getattr(config, "head_dim", None) or model.dim // heads
    return int(2 * model.layers * width * (getattr(config, "num_key_value_heads", None) or heads))


def launched(device: torch.device) -> "torch.cuda.Event | None":
    """A mark behind all that was launched so far; None on a processor, where it is done."""
    return torch.cuda.current_stream(device).record_event() if device.type == "cuda" else None


@cache
def _beside(device: torch.device) -> "torch.cuda.Stream":
    """The stream of copies: one for a GPU, since the memory that each uses is kept for it."""
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]  # the library's class is untyped


def fetched(parts: Iterable[Tensor], device: torch.device, after: "torch.cuda.Event | None") -> Iterator[Tensor]:
    """The tensors in the machine's memory, in order, as soon as what `after` marks is done.

    A GPU copies the next ones while the first is used, beside its work: to pinned memory, which is used again when the
    tensor is gone, and by a stream of their own.
    """
    if after is None:
        for part in parts:
            # A part of more is copied, so that the rest can go, and does not travel with it to another process.
            whole = part.untyped_storage().nbytes() == part.nbytes
            yield part.cpu() if whole else part.clone(memory_format=torch.contiguous_format).cpu()
        return
    on_the_way: deque[tuple[Tensor, torch.cuda.Event]] = deque()
    stream = _beside(device)
    stream.wait_event(after)
    for part in parts:
        with torch.cuda.stream(stream):
            packed = part.contiguous()
            host = _pinned_like(packed)
            host.copy_(packed, non_blocking=True)
            on_the_way.append((host, stream.record_event()))
        del packed
        if len(on_the_way) > COPIES:
            yield _here(on_the_way)
    while on_the_way:
        yield _here(on_the_way)


def _pinned_like(tensor: Tensor) -> Tensor:
    return torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)


def _here(on_the_way: "deque[tuple[Tensor, torch.cuda.Event]]") -> Tensor:
    host, copied = on_the_way.popleft()
    copied.synchronize()
    return host
