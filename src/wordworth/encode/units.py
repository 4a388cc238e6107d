"""Shards on their way through a device: the next ones are prepared while it works, and it never waits for Python.

How much goes through at once suits the device and the model's size.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.contexts import Context
from wordworth.encode.forward import EncodingJob, run_sentences
from wordworth.encode.model import LanguageModel
from wordworth.encode.spans import Failure, in_tokens
from wordworth.encode.tokens import Numbers, Tokens
from wordworth.engine.batching import Budget, PassTally, budget_for, free_memory, out_of_memory
from wordworth.errors import WordworthError

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


Prepared = TypeVar("Prepared")
Flying = TypeVar("Flying")
Result = TypeVar("Result")
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

    def __reduce__(self) -> tuple[Any, ...]:
        """For the way from a worker: numbers as plain bytes, whatever their precision."""
        numbers = self.states.contiguous().view(torch.uint8).numpy()
        return _unpacked, (self.subwords, self.failures, numbers, self.states.dtype, self.tally)


def _unpacked(
    subwords: list[int], failures: list[Failure], numbers: NDArray[np.uint8], dtype: torch.dtype, tally: PassTally
) -> SubwordStates:
    return SubwordStates(subwords, failures, torch.from_numpy(numbers).view(dtype), tally)


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


@dataclass(frozen=True, eq=False)
class _Launched:
    unit: Unit
    states: Tensor
    finite: Tensor
    mark: "torch.cuda.Event | None"
    tally: PassTally


def pipelined(
    prepared: Iterable[Prepared],
    launch: Callable[[Prepared], Flying],
    collect: Callable[[Flying], Iterator[Result]],
    ahead: int,
) -> Iterator[Result]:
    """What `collect` gives, in order. One is collected when `ahead` others are launched behind it.

    All in one thread: another one would take turns with it, and the device would wait for both.
    """
    flying: deque[Flying] = deque()
    for one in prepared:
        try:
            flying.append(launch(one))
        except RuntimeError as error:
            if not flying or not out_of_memory(error):
                raise
            while flying:  # they hold memory
                yield from collect(flying.popleft())
            flying.append(launch(one))
        if len(flying) > ahead:
            yield from collect(flying.popleft())
    while flying:
        yield from collect(flying.popleft())


def through(
    model: LanguageModel, shards: Iterable[Shard], layers: tuple[int, ...], work: Work, *, share_prefixes: bool
) -> Iterator[SubwordStates]:
    """The states of every shard, in order."""
    stop = model.stop_at(max(layers, default=0))

    def launch(unit: Unit) -> _Launched:
        shape = len(layers), int(unit.starts[-1]), model.dim
        states = torch.empty(shape, dtype=model.network.dtype, device=model.device)
        job = EncodingJob(model, layers, unit.starts, states, work.budget, PassTally(), stop)
        run_sentences(job, unit.tokens, share_prefixes=share_prefixes)
        # A sum shows whether all are numbers, in one pass and without a mask as large as the states.
        finite = torch.isfinite(states.sum(dtype=torch.float32))
        return _Launched(unit, states, finite, launched(model.device), job.tally)

    def collect(flying: _Launched) -> Iterator[SubwordStates]:
        return _collected(model, layers, flying)

    yield from pipelined(_units(model, shards, work.contexts), launch, collect, work.ahead)


def _units(model: LanguageModel, shards: Iterable[Shard], contexts: int) -> Iterator[Unit]:
    """Shards taken together until they have so many contexts, and tokenized."""
    together: list[Shard] = []
    for shard in shards:
        together.append(shard)
        if sum(map(len, together)) >= contexts:
            yield _prepared(model, together)
            together = []
    if together:
        yield _prepared(model, together)


def _prepared(model: LanguageModel, shards: list[Shard]) -> Unit:
    contexts = [context for shard in shards for context in shard]
    bounds = [0, *np.cumsum([len(shard) for shard in shards]).tolist()]
    tokens, failures = in_tokens(model.tokenizer, contexts, model.max_length, with_types=model.takes_types)
    subwords = np.zeros(len(contexts), dtype=np.intp)
    subwords[tokens.rows] = tokens.end - tokens.first
    return Unit(contexts, bounds, tokens, failures, subwords, np.concatenate([[0], np.cumsum(subwords)]))


def _collected(model: LanguageModel, layers: Sequence[int], flying: _Launched) -> Iterator[SubwordStates]:
    unit, states = flying.unit, flying.states
    ends: list[int] = unit.starts[unit.bounds].tolist()
    pieces = (states[:, start:end] for start, end in pairwise(ends))
    parts = fetched((flying.finite, *pieces), model.device, flying.mark)
    if not next(parts).item():
        check_finite(model, states, unit.contexts, unit.starts.tolist(), layers)
    tally = flying.tally
    for (first, end), part in zip(pairwise(unit.bounds), parts, strict=True):
        failures = [replace(one, row=one.row - first) for one in unit.failures if first <= one.row < end]
        yield SubwordStates(unit.subwords[first:end].tolist(), failures, part, tally)
        tally = PassTally()


def check_finite(
    model: LanguageModel, states: Tensor, contexts: Sequence[Context], starts: Sequence[int], layers: Sequence[int]
) -> None:
    """Stops at the first word and layer that is not a number: every measure after it would be nonsense."""
    bad = torch.nonzero((~torch.isfinite(states)).any(-1))
    if not len(bad):
        return
    layer, token = bad[0].tolist()
    word = contexts[bisect_right(starts, token) - 1].word
    remedy = "its weights are damaged" if model.dtype == "float32" else "use float32"
    raise WordworthError(
        f"{model.name} in {model.dtype} gives no finite values for {word!r} in layer {layers[layer]}; {remedy}"
    )
