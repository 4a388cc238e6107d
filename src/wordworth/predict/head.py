"""The language-model head apart from the network under it, so that logits are computed for some positions only."""

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

from wordworth.errors import WordworthError

Head = Callable[[Tensor], Tensor]
"""Hidden states, positions × dim, to logits, positions × units, in float32."""
TOLERANCE = 1e-3


class _StatesBelow(nn.Module):
    """Stands in for the network under the head: gives the hidden states that were put into it."""

    def __init__(self) -> None:
        super().__init__()
        self.states: Any = None

    def forward(self, *_: object, **__: object) -> BaseModelOutputWithPastAndCrossAttentions:
        return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=self.states)


def split_head(network: PreTrainedModel) -> tuple[Head, int]:
    """All that the library does behind the last hidden states (projection, bias, scaling, soft cap), as a function,
    and the number of units that it gives logits for.

    The head is the network itself with its base taken out, sharing the weights. It is tried against the whole.
    """
    below = _StatesBelow()
    top = copy.copy(network)
    top._modules = dict(network._modules)
    top._modules[network.base_model_prefix] = below

    def head(states: Tensor) -> Tensor:
        below.states = states[None]
        logits: Tensor = top(input_ids=torch.zeros(1, len(states), dtype=torch.long, device=states.device)).logits
        below.states = None
        return logits[0].float()

    with torch.inference_mode():
        ids = torch.arange(4, device=network.device)[None] % network.config.vocab_size
        whole = network(input_ids=ids).logits[0].float()
        apart = head(network.base_model(input_ids=ids)[0][0])
    if whole.shape != apart.shape or not bool(((whole - apart).abs() <= TOLERANCE * whole.abs().amax()).all()):
        raise WordworthError(
            f"{type(network).__name__} does more between its layers and its logits than a head; use another model"
        )
    return head, whole.shape[-1]
