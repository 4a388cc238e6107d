"""Put texts into batches, run them, and halve a batch when memory runs out."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil
import torch

from wordworth.errors import WordworthError, is_out_of_memory

ENCODER_BATCH_TOKENS = {"cpu": 512, "cuda": 16384}
PASS_COST = {"cpu": 32, "cuda": 2048}
"""Fixed cost of a pass, in tokens of a full batch: weights are read and kernels launched."""

CGROUP = Path("/sys/fs/cgroup")

Ran = TypeVar("Ran")
RunBatch = Callable[[list[int]], Ran]
"""Run the texts with these indices together."""


@dataclass
class PassTally:
    """Count what went through a network."""

    sentences: int = 0
    """Distinct texts."""
    shared_context: int = 0
    """Texts whose left context was computed once for several."""
    tokens: int = 0
    """Tokens that went through the layers, padding included."""
    padding: int = 0
    passes: int = 0
    halvings: int = 0
    """How often memory ran out and a batch was halved."""

    def add(self, other: "PassTally") -> None:
        """Add the counts of another run."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def count(self, tokens: int, padding: int = 0) -> None:
        """Count one more pass."""
        self.passes += 1
        self.tokens += tokens
        self.padding += padding

    def count_batch(self, lengths: Iterable[int]) -> None:
        """Count a pass over texts of these lengths, padded to the longest."""
        tokens = [*lengths]
        size = len(tokens) * max(tokens)
        self.count(size, size - sum(tokens))


@dataclass
class Budget:
    """Set the tokens of a batch. It shrinks when memory runs out, and does not grow again."""

    tokens: int
    pass_cost: int
    max_texts: int = 2048
    """Texts whose keys and values are in memory at once."""


def budget_for(device: torch.device, batch_tokens: int | None = None, *, padding: bool = True) -> Budget:
    """Return the budget of a device, or one of `batch_tokens`. Without padding there is nothing to save a pass for."""
    if batch_tokens is not None and batch_tokens < 1:
        raise WordworthError(f"a batch of {batch_tokens} tokens is empty; give at least 1")
    kind = device.type if device.type in ENCODER_BATCH_TOKENS else "cpu"
    return Budget(batch_tokens or ENCODER_BATCH_TOKENS[kind], PASS_COST[kind] if padding else 0)


def by_length(
    run: RunBatch[Ran], lengths: Sequence[int], budget: Budget, tally: PassTally | None = None
) -> Iterator[tuple[list[int], Ran]]:
    """Yield each batch and its result. Texts of similar length go together, which saves padding.

    The longest go first, so that memory runs out at the start if at all. The batch is then halved and rerun.
    """
    run_tally = tally or PassTally()
    pending = deque(sorted(range(len(lengths)), key=lambda text: -lengths[text]))
    while pending:
        batch = take(pending, lengths, budget)
        result = _attempt(run, batch, len(batch) * lengths[batch[0]], budget, run_tally)
        if result is None:
            pending.extendleft(reversed(batch))
            continue
        run_tally.count_batch(lengths[at] for at in batch)
        yield batch, result[0]


def make_batches(lengths: Sequence[int], budget: Budget) -> list[list[int]]:
    """Return the batches of `by_length` where memory does not run out."""
    pending = deque(sorted(range(len(lengths)), key=lambda at: -lengths[at]))
    batches = []
    while pending:
        batches.append(take(pending, lengths, budget))
    return batches


def in_order(run: RunBatch[Ran], count: int, budget: Budget, tally: PassTally) -> Iterator[Ran]:
    """Yield the results of `run` for batches of single tokens, in order; halve batches when memory runs out."""
    start = 0
    while start < count:
        batch = _take_evenly(start, count, budget)
        result = _attempt(run, batch, len(batch), budget, tally)
        if result is None:
            continue
        tally.count(len(batch))
        start += len(batch)
        yield result[0]


def cut_evenly(count: int, budget: Budget) -> list[list[int]]:
    """Return the batches of `in_order` where memory does not run out."""
    batches: list[list[int]] = []
    while (start := sum(map(len, batches))) < count:
        batches.append(_take_evenly(start, count, budget))
    return batches


def _take_evenly(start: int, count: int, budget: Budget) -> list[int]:
    """Return the next batch from `start` on; batches are even, because a small rest would use the machine badly."""
    rest = count - start
    return list(range(start, start + -(-rest // -(-rest // budget.tokens))))


def take(pending: deque[int], lengths: Sequence[int], budget: Budget) -> list[int]:
    """Take the next batch, of at least one text, off `pending`, which is sorted with the longest first.

    Equal lengths need no padding. Shorter texts join while the padding costs less than a pass.
    """
    max_length = lengths[pending[0]]
    max_texts = max(1, budget.tokens // max_length)
    batch: list[int] = []
    padding = 0
    while pending and len(batch) < max_texts:
        padding += max_length - lengths[pending[0]]
        if padding > budget.pass_cost:
            break
        batch.append(pending.popleft())
    return batch


def free_memory(device: torch.device) -> int:
    """Return the free bytes, within a container's limit; on a GPU also what this process has reserved but not used."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return int(free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device))
    free = int(psutil.virtual_memory().available)  # of an Apple GPU too, which has the machine's memory
    limit, used = CGROUP / "memory.max", CGROUP / "memory.current"
    if limit.exists() and used.exists() and (max_bytes := limit.read_text().strip()).isdigit():
        free = min(free, int(max_bytes) - int(used.read_text()))
    return free


def _attempt(run: RunBatch[Ran], batch: list[int], size: int, budget: Budget, tally: PassTally) -> tuple[Ran] | None:
    """Run a batch; when memory runs out, halve the budget from the `size` tokens that did not fit, and return None."""
    try:
        return (run(batch),)
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        if len(batch) == 1:
            raise WordworthError(
                f"not enough memory for a single text of {size} tokens; use another device or a smaller model"
            ) from error
    budget.tokens = max(1, size // 2)
    tally.halvings += 1
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None
