"""Shards on their way through a device: the next ones are prepared while it works, and it never waits for Python."""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.contexts import Context
from wordworth.encode.device import Work, fetched, launched
from wordworth.encode.forward import EncodingJob, run_sentences
from wordworth.encode.model import LanguageModel
from wordworth.encode.spans import Failure, in_tokens
from wordworth.encode.tokens import Numbers, Tokens
from wordworth.engine.batching import PassTally, out_of_memory
from wordworth.errors import WordworthError

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
