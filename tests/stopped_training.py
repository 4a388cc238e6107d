"""Stops a training by `SeededTrainer` in the middle, or spoils its weights."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import torch
from torch import nn

from wordworth.encode.training import SeededTrainer


@contextmanager
def stop_after(steps: int) -> Iterator[None]:
    """The training inside is interrupted, as by Ctrl-C, in the step that follows so many."""
    interrupted = []

    def interrupt(network: nn.Module) -> None:
        interrupted.append(network)
        raise KeyboardInterrupt

    with _acting_after(steps, interrupt), suppress(KeyboardInterrupt):
        yield
    assert interrupted


@contextmanager
def diverge_after(steps: int) -> Iterator[None]:
    """The weights are no numbers any more after so many steps."""

    def spoil(network: nn.Module) -> None:
        with torch.no_grad():
            for weight in network.parameters():
                weight.fill_(float("nan"))

    with _acting_after(steps, spoil):
        yield


@contextmanager
def _acting_after(steps: int, act: Callable[[nn.Module], None]) -> Iterator[None]:
    plain, calls = SeededTrainer.compute_loss, []

    def compute_loss(self: SeededTrainer, model: nn.Module, *given: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) > steps:
            act(model)
        return plain(self, model, *given, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SeededTrainer, "compute_loss", compute_loss)
        yield
