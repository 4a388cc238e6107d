"""What is random in an epoch, and what an optimizer remembers: all that a training goes on from, beside its weights."""

import numpy as np
import torch
from torch import Tensor


def seeded(seed: int, epoch: int) -> np.random.Generator:
    """All that is random in an epoch, torch's dropout included; epoch 0 draws the first weights."""
    torch.manual_seed(int(np.random.SeedSequence([seed, epoch]).generate_state(1)[0]))
    return np.random.default_rng([seed, epoch])


def remembered(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """An optimizer's state by name, `PARAMETER.WHAT`."""
    states = optimizer.state_dict()["state"]
    return {f"{at}.{name}": tensor for at, state in states.items() for name, tensor in state.items()}


def recall(optimizer: torch.optim.Optimizer, named: dict[str, Tensor]) -> None:
    """Gives an optimizer the state that `remembered` named."""
    states: dict[int, dict[str, Tensor]] = {}
    for full, tensor in named.items():
        at, _, name = full.partition(".")
        states.setdefault(int(at), {})[name] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
