"""A model in training held still: what measures it can change nothing of it, nor of what the training draws at random.

The network that is measured is a second one around the same weights in memory. It has modules, settings and hooks of
its own, so neither the mode (dropout), nor `use_cache`, nor which weights are trained is ever changed in the first.
"""

import copy
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedModel

FORWARD = ("forward", "_original_forward")
"""What accelerate puts into a network whose passes it wraps for mixed precision."""


def still(network: PreTrainedModel) -> PreTrainedModel:
    """The network once more, over the same weights, without gradients and with dropout off.

    Mixed precision is left off with accelerate's wrapper: the weights are measured in the precision they are kept in.
    """
    known: dict[int, Any] = {}
    for weight in network.parameters():
        known[id(weight)] = nn.Parameter(weight.detach(), requires_grad=False)
    for buffer in network.buffers():
        known[id(buffer)] = buffer.detach()
    twin: PreTrainedModel = copy.deepcopy(network, known)
    if "_original_forward" in vars(twin):
        for name in FORWARD:
            vars(twin).pop(name, None)
    twin.train(False)
    return twin


@contextmanager
def random_states_kept(device: torch.device) -> Iterator[None]:
    """Whatever is drawn inside, Python, numpy and torch (on the CPU and on this device) go on as if it were not."""
    python, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002 - the state that others draw from
    on_device = [torch.cuda.current_device() if device.index is None else device.index] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=on_device):
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(legacy)  # noqa: NPY002
