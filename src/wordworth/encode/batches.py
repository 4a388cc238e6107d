"""Which sentences go through the network together."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import torch

from wordworth.errors import WordworthError

BATCH_TOKENS = {"cpu": 512, "cuda": 16384}
PASS_COST = {"cpu": 32, "cuda": 2048}
"""What one more pass costs however little is in it, in tokens of a full batch (weights are read, kernels launched)."""

Ran = TypeVar("Ran")


@dataclass
class Tally:
    """What an encoding run did."""

    sentences: int = 0
    """Distinct texts."""
    shared: int = 0
    """Of them, those whose left context was computed once for several."""
    tokens: int = 0
    """Tokens that went through the layers, padding included."""
    padding: int = 0
    passes: int = 0
    halvings: int = 0
    """Times that memory ran out and the batch was cut in two."""

    def add(self, other: "Tally") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass
class Budget:
    """Tokens in a batch. It shrinks when memory runs out, and stays so."""

    tokens: int
    pass_cost: int

    def halve(self, tokens: int) -> None:
        self.tokens = max(1, tokens // 2)


def budget_for(device: torch.device, batch_tokens: int | None) -> Budget:
    if batch_tokens is not None and batch_tokens < 1:
        raise WordworthError(f"a batch of {batch_tokens} tokens holds nothing; give at least 1")
    kind = device.type if device.type in BATCH_TOKENS else "cpu"
    return Budget(batch_tokens or BATCH_TOKENS[kind], PASS_COST[kind])


def take(pending: deque[int], lengths: list[int], budget: Budget) -> list[int]:
    """The next batch off `pending`, which is sorted with the longest first (at least one).

    Equal lengths need no padding. Shorter ones join as long as the padding costs less than another pass.
    """
    longest = lengths[pending[0]]
    room = max(1, budget.tokens // longest)
    batch: list[int] = []
    padding = 0
    while pending and len(batch) < room:
        padding += longest - lengths[pending[0]]
        if padding > budget.pass_cost:
            break
        batch.append(pending.popleft())
    return batch


def is_out_of_memory(error: RuntimeError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


def halving(run: Callable[[list[int]], Ran], batch: list[int], size: int, budget: Budget, tally: Tally) -> Ran | None:
    """`run(batch)`, or None when memory ran out: the budget is then half of the `size` tokens that did not fit."""
    try:
        return run(batch)
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        if len(batch) == 1:
            raise WordworthError(
                f"memory does not suffice for a single text of {size} tokens; use another device or a smaller model"
            ) from error
    budget.halve(size)
    tally.halvings += 1
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None
