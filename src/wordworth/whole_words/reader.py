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
from torch import Tensor
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

from wordworth.encode.identity import Identity, hash_network
from wordworth.encode.model import LanguageModel
from wordworth.encode.passes import UNABLE, inference, without_memory
from wordworth.engine.batching import Budget, budget_for, by_length

TokenIds = Sequence[int] | NDArray[np.int32]
APART_TOLERANCE = 1e-3
SLICE_BYTES = {"cpu": 64 << 20, "cuda": 1 << 30}
"""Logits at one time."""


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
        """Return the nodes from the text on, itself the last."""
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

    def __init__(self, base: LanguageModel, head: "Head", budget: Budget) -> None:
        self.base, self.logits, self.width, self.budget = base, head, head.width, budget
        if not head.is_apart:
            budget.tokens = min(budget.tokens, count_rows(base.device, head.width))

    @property
    def device(self) -> torch.device:
        return self.base.device

    @property
    def identity(self) -> Identity:
        """Return all of network and head that rows and logits depend on, as it is now."""
        return *self.base.identity, self.logits.weights

    @abstractmethod
    def read(self, texts: Sequence[TokenIds], firsts: Sequence[int]) -> tuple[Tensor, Any]:
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


def run_each(reader: Reader, sequences: Sequence[Sequence[int]], back: int) -> Tensor:
    """Return the row of one position of each sequence, `back` from its end.

    Every distinct sequence goes through once, in batches of like length.
    """
    model = reader.base
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
        states = reader.logits.read(torch.tensor(ids, device=model.device), **options)
        at = torch.tensor([longest - more - back for more in padding], device=model.device)
        picked: Tensor = states[torch.arange(len(batch), device=model.device), at]
        return picked

    order: list[int] = []
    pieces: list[Tensor] = []
    for batch, picked in by_length(run, lengths, reader.budget):
        order += batch
        pieces.append(picked)
    place = {sequence: at for at, sequence in enumerate(order)}
    return torch.cat(pieces)[torch.tensor([place[row] for row in rows], device=model.device)]


def count_rows(device: torch.device, width: int) -> int:
    """Return the number of rows whose logits are in memory together."""
    return max(1, SLICE_BYTES.get(device.type, SLICE_BYTES["cpu"]) // (4 * width))


class _Output(BaseModelOutputWithPastAndCrossAttentions):
    """The output of a network; heads of some families ask for more (router logits, memories), which is None."""

    def __getattr__(self, name: str) -> None:
        return None


class Head:
    """Reads texts as rows, and turns rows into logits.

    Rows are the last hidden states where the network gives the same logits for states that are put in (this is tried).
    So logits are in memory for a few positions only. Elsewhere rows are the logits of the network's own pass.
    """

    def __init__(self, network: Any, base: LanguageModel) -> None:
        self.network, self._base = network, base.network
        decoder = network.get_decoder()
        self._below: Any = base.network if decoder is network else decoder
        self.is_apart = False
        with inference():
            ids = torch.arange(4, device=network.device)[None] % base.network.config.vocab_size
            whole = self(self.read(ids)[0])
            self.width, self.is_apart = whole.shape[-1], True
            try:
                apart = self(self.read(ids)[0])
                self.is_apart = bool(((whole - apart).abs() <= APART_TOLERANCE * whole.abs().amax()).all())
            except UNABLE:
                self.is_apart = False

    @property
    def weights(self) -> str:
        """Return the sha256 of the head's tensors, as they are now."""
        base = f"{self.network.base_model_prefix}."
        return hash_network(self.network, lambda name: name.startswith(base), "head")

    def read(self, ids: Tensor, **options: Any) -> Tensor:
        """Return texts × tokens × the width of a row."""
        network = self._base if self.is_apart else self.network
        output = network(input_ids=ids, **(without_memory(network) | options))
        rows: Tensor = output[0] if self.is_apart else output.logits
        return rows

    def __call__(self, rows: Tensor) -> Tensor:
        """Return logits, positions × units, float32, for the caller to overwrite."""
        if not self.is_apart:
            return rows.to(torch.float32, copy=True)
        below, nothing = self._below, torch.zeros(1, len(rows), dtype=torch.long, device=rows.device)
        own = vars(below).get("forward")  # of a network whose layers are spread over devices
        below.forward = lambda *_, **__: _Output(last_hidden_state=rows[None])
        try:
            logits: Tensor = self.network(input_ids=nothing).logits
        finally:
            del below.forward
            if own is not None:
                below.forward = own
        return logits[0].float()


class MaskedReader(Reader):
    """Every position is a pass of its own, since the mask must be right behind it."""

    def __init__(self, base: LanguageModel, head: Head, mask: int, behind: Sequence[int]) -> None:
        super().__init__(base, head, budget_for(base.device, padding=base.ignores_padding))
        self._behind = (mask, *behind)

    def read(self, texts: Sequence[TokenIds], firsts: Sequence[int]) -> tuple[Tensor, Sequence[Sequence[int]]]:
        plain = [[*map(int, text)] for text in texts]
        contexts = [text[: at + 1] for text, first in zip(plain, firsts, strict=True) for at in range(first, len(text))]
        return self._rows(contexts), plain

    def join(self, states: Sequence[Sequence[Sequence[int]]]) -> Sequence[Sequence[int]]:
        return [text for state in states for text in state]

    def extend(self, state: Sequence[Sequence[int]], nodes: Sequence[Node]) -> Tensor:
        return self._rows([node.follow(state[node.text]) for node in nodes])

    def _rows(self, texts: Sequence[Sequence[int]]) -> Tensor:
        sequences = [[*text, *self._behind] for text in texts]
        return run_each(self, sequences, len(self._behind))
