"""How a language model reads texts for prediction: what readers have in common, the head apart, and masked models.

The head is apart from the network under it, so that logits are computed for some positions only. A masked model reads
the left context, one mask, and what the tokenizer puts behind a text. A word of several units is decoded with one mask
at a time: each unit found takes its place before the next mask. So the model never sees a word to the right of the one
it predicts, nor how many units the word has.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

from wordworth.encode.identity import Identity, hash_network
from wordworth.encode.model import LanguageModel
from wordworth.engine.batching import Budget, budget_for, by_length
from wordworth.errors import WordworthError

Tokens = Sequence[int] | NDArray[np.int32]
TOLERANCE = 1e-3


@dataclass(slots=True, eq=False)
class Node:
    """A unit behind a place of a text that is not the text's own: the end of a path that is being tried."""

    text: int
    """The number of the text in the batch."""
    after: int
    """Tokens of the text before the path leaves it."""
    unit: int
    parent: "Node | None"
    """The node before it on the path; None where it follows the text itself."""
    column: int = -1
    """Where a reader with a memory has it."""

    @property
    def path(self) -> list["Node"]:
        """The nodes from the text on, itself the last."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def follow(self, text: Sequence[int]) -> list[int]:
        """Return the tokens of the text and of the path."""
        return [*text[: self.after], *(node.unit for node in self.path)]


class Reader(ABC):
    """Reads token numbers. Positions come out as rows of hidden states."""

    def __init__(self, base: LanguageModel, head: "Head", width: int, budget: Budget) -> None:
        self.base, self.logits, self.width, self.budget = base, head, width, budget

    @property
    def device(self) -> torch.device:
        return self.base.device

    @property
    def identity(self) -> Identity:
        """All of network and head that rows and logits depend on, as it is now."""
        return *self.base.identity, self.logits.weights

    @abstractmethod
    def read(self, texts: Sequence[Tokens], firsts: Sequence[int]) -> tuple[Tensor, Any]:
        """Return rows of the positions from `firsts[i]` to the end of each text, one text after the other; and what
        `extend` needs of them. The row of a position says what follows the tokens up to it, itself included."""

    @abstractmethod
    def join(self, states: Sequence[Any]) -> Any:
        """Return what `extend` needs of several batches; their texts are numbered through."""

    @abstractmethod
    def extend(self, state: Any, nodes: Sequence[Node]) -> Tensor:
        """Return a row for each node: what follows it. The parents of the nodes have been here before."""

    def count_bytes(self, state: Any) -> int:
        """Return the bytes of the device's memory that it takes."""
        return 0


def run_each(model: LanguageModel, sequences: Sequence[Sequence[int]], back: int, budget: Budget) -> Tensor:
    """Return the state of one position of each sequence, `back` from its end: sequences × dim.

    Every distinct sequence goes through once, in batches of like length.
    """
    numbers: dict[tuple[int, ...], int] = {}
    rows = [numbers.setdefault(tuple(sequence), len(numbers)) for sequence in sequences]
    distinct = list(numbers)
    lengths = [*map(len, distinct)]

    def run(batch: list[int]) -> Tensor:
        longest = lengths[batch[0]]
        padding = [longest - lengths[at] for at in batch]
        ids = [[*distinct[at], *[model.pad] * more] for at, more in zip(batch, padding, strict=True)]
        options: dict[str, Any] = {}
        if not model.left_only and any(padding):
            mask = [[1] * (longest - more) + [0] * more for more in padding]
            options["attention_mask"] = torch.tensor(mask, device=model.device)
        states = model.network(input_ids=torch.tensor(ids, device=model.device), **options)[0]
        at = torch.tensor([longest - more - back for more in padding], device=model.device)
        picked: Tensor = states[torch.arange(len(batch), device=model.device), at]
        return picked

    order: list[int] = []
    pieces: list[Tensor] = []
    for batch, picked in by_length(run, lengths, budget):
        order += batch
        pieces.append(picked)
    place = {sequence: at for at, sequence in enumerate(order)}
    return torch.cat(pieces)[torch.tensor([place[row] for row in rows], device=model.device)]


class _Output(BaseModelOutputWithPastAndCrossAttentions):
    """The output of a network; heads of some families ask for more (router logits, memories), which is None."""

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
    """Turns hidden states, positions × dim, into logits, positions × units, float32, for the caller to overwrite.

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
    """Return all that the library does behind the last hidden states (projection, bias, scaling, soft cap), tried
    against the whole; and the number of units that it gives logits for."""
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


class MaskedReader(Reader):
    """Every position is a pass of its own, since the mask must be right behind it."""

    def __init__(self, base: LanguageModel, head: Head, width: int, mask: int, behind: Sequence[int]) -> None:
        super().__init__(base, head, width, budget_for(base.device, padding=base.ignores_padding))
        self._behind = (mask, *behind)

    def read(self, texts: Sequence[Tokens], firsts: Sequence[int]) -> tuple[Tensor, Sequence[Sequence[int]]]:
        plain = [[*map(int, text)] for text in texts]
        contexts = [text[: at + 1] for text, first in zip(plain, firsts, strict=True) for at in range(first, len(text))]
        return self._rows(contexts), plain

    def join(self, states: Sequence[Sequence[Sequence[int]]]) -> Sequence[Sequence[int]]:
        return [text for state in states for text in state]

    def extend(self, state: Sequence[Sequence[int]], nodes: Sequence[Node]) -> Tensor:
        return self._rows([node.follow(state[node.text]) for node in nodes])

    def _rows(self, texts: Sequence[Sequence[int]]) -> Tensor:
        sequences = [[*text, *self._behind] for text in texts]
        return run_each(self.base, sequences, len(self._behind), self.budget)
