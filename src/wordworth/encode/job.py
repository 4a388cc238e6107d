"""One list of sentences on its way through a model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.encode.model import LanguageModel
from wordworth.encode.tokens import Numbers
from wordworth.engine.batching import Budget, PassTally


@dataclass(frozen=True, eq=False)
class EncodingJob:
    """What is asked of the model, where the states go, and what it takes."""

    model: LanguageModel
    layers: Sequence[int]
    starts: Numbers
    """The states of the tokens of context i stand in `out` from `starts[i]` on."""
    out: Tensor
    """layers × tokens × dim. States are copied there straight from the layers' output, since moving them about costs as
    much as a good part of a layer."""
    budget: Budget
    tally: PassTally

    def copy(self, hidden: Sequence[Tensor], tokens: Numbers, rows: Numbers) -> None:
        """The states of these tokens of a batch, counted through its texts, to these rows of `out`."""
        every = np.array_equal(tokens, np.arange(hidden[0].shape[0] * hidden[0].shape[1]))
        picked = None if every else on_device(tokens, self.model.device)
        placed = on_device(rows, self.model.device)
        for at, layer in enumerate(self.layers):
            states = hidden[layer].flatten(0, 1)
            self.out[at].index_copy_(0, placed, states if picked is None else states.index_select(0, picked))


def on_device(values: NDArray[np.int64], device: torch.device) -> Tensor:
    """Numbers on the device; a GPU fetches them by itself, so that Python goes on and need not wait for its work."""
    tensor = torch.from_numpy(np.ascontiguousarray(values))
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)
