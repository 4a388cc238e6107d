"""One list of sentences on its way through a model."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from wordworth.encode.model import LanguageModel
from wordworth.engine.batching import Budget, PassTally


@dataclass(frozen=True, eq=False)
class EncodingJob:
    """What is asked of the model, where the states go, and what it takes."""

    model: LanguageModel
    layers: Sequence[int]
    starts: Sequence[int]
    """The states of the tokens of context i stand in `out` from `starts[i]` on."""
    out: Tensor
    """layers × tokens × dim. States are copied there straight from the layers' output, since moving them about costs as
    much as a good part of a layer."""
    budget: Budget
    tally: PassTally

    def copy(self, hidden: Sequence[Tensor], tokens: Sequence[int], rows: Sequence[int]) -> None:
        """The states of these tokens of a batch, counted through its texts, to these rows of `out`."""
        picked, placed = (torch.tensor(places, dtype=torch.long, device=self.model.device) for places in (tokens, rows))
        for at, layer in enumerate(self.layers):
            self.out[at].index_copy_(0, placed, hidden[layer].flatten(0, 1).index_select(0, picked))
