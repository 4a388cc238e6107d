"""The language-model head apart from the network under it, so that logits are computed for some positions only."""

from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

from wordworth.encode.identity import hash_network
from wordworth.errors import WordworthError

TOLERANCE = 1e-3


class _Output(BaseModelOutputWithPastAndCrossAttentions):
    """What a network gives; heads of some families ask for more (router logits, memories), which is None."""

    def __getattr__(self, name: str) -> None:
        return None


class _StatesBelow(nn.Module):
    """Stands in for the network under the head: gives the hidden states that were put into it."""

    def __init__(self) -> None:
        super().__init__()
        self.states: Any = None

    @property
    def decoder(self) -> "_StatesBelow":
        """Itself: OPT's head asks the decoder in its network."""
        return self

    def forward(self, *_: object, **__: object) -> _Output:
        return _Output(last_hidden_state=self.states)


class Head:
    """Hidden states, positions × dim, to logits, positions × units, in float32.

    It is the network itself, whose base is taken out for the while.
    """

    def __init__(self, network: PreTrainedModel) -> None:
        self.network = network
        self._below = _StatesBelow()

    @property
    def weights(self) -> str:
        """The sha256 of the head's tensors, as they are now."""
        base = f"{self.network.base_model_prefix}."
        return hash_network(self.network, lambda name: name.startswith(base), "head")

    def __call__(self, states: Tensor) -> Tensor:
        network: Any = self.network
        base = getattr(network, network.base_model_prefix)
        nothing = torch.zeros(1, len(states), dtype=torch.long, device=states.device)
        self._below.states = states[None]
        setattr(network, network.base_model_prefix, self._below)
        try:
            logits: Tensor = network(input_ids=nothing).logits
        finally:
            setattr(network, network.base_model_prefix, base)
            self._below.states = None
        return logits[0].float()


def split_head(network: PreTrainedModel) -> tuple[Head, int]:
    """All that the library does behind the last hidden states (projection, bias, scaling, soft cap), tried against the
    whole; and the number of units that it gives logits for."""
    head = Head(network)
    with torch.inference_mode():
        ids = torch.arange(4, device=network.device)[None] % network.config.vocab_size
        whole = network(input_ids=ids).logits[0].float()
        apart = head(network.base_model(input_ids=ids)[0][0])
    if whole.shape != apart.shape or not bool(((whole - apart).abs() <= TOLERANCE * whole.abs().amax()).all()):
        raise WordworthError(
            f"{type(network).__name__} does more between its layers and its logits than a head; use another model"
        )
    return head, whole.shape[-1]
