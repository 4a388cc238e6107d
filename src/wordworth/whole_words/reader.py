"""Read texts for prediction: the base of all readers, the separated head, and masked models.

The head is separated from the network below it, so that logits are computed for some positions only. A masked model
reads the left context, one mask, and the tokens that the tokenizer puts after a text. A word of several units is
decoded with one mask at a time: each unit is inserted before the next mask. So the model sees neither the words to the
right nor the number of units of the word.
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
"""Memory of the logits computed at one time."""


@dataclass(slots=True, eq=False)
class Node:
    """The last unit of a path that leaves a text."""

    text: int
    """The number of the text in the batch."""
    after: int
    """Tokens of the text before the path leaves it."""
    unit: int
    parent: "Node | None"
    """The previous node of the path; None if it follows the text itself."""
    column: int = -1
    """The column of its keys and values, in a reader that keeps them."""

    @property
    def path(self) -> list["Node"]:
        """Return the nodes of the path, from the text to this one."""
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
    """Reads token ids, and returns positions as rows of hidden states."""

    def __init__(self, base: LanguageModel, head: "Head", budget: Budget) -> None:
        self.base, self.logits, self.width, self.budget = base, head, head.width, budget
        if not head.is_apart:
            budget.tokens = min(budget.tokens, count_rows(base.device, head.width))

    @property
    def device(self) -> torch.device:
        return self.base.device

    @property
    def identity(self) -> Identity:
        """Return the identity of network and head, on which rows and logits depend."""
        return *self.base.identity, self.logits.weights

    @abstractmethod
    def read(self, texts: Sequence[TokenIds], firsts: Sequence[int]) -> tuple[Tensor, Any]:
        """Return rows of the positions from `firsts[i]` to the end of each text, text by text, and the state that
        `extend` needs. The row of a position predicts the token after it."""

    @abstractmethod
    def join(self, states: Sequence[Any]) -> Any:
        """Join the states of several batches for `extend`; their texts are numbered consecutively."""

    @abstractmethod
    def extend(self, state: Any, nodes: Sequence[Node]) -> Tensor:
        """Return a row per node, which predicts the unit after it. Parents are extended before their children."""

    def count_bytes(self, state: Any) -> int:
        """Return the memory that a state takes on the device."""
        return 0


def run_each(reader: Reader, sequences: Sequence[Sequence[int]], back: int) -> Tensor:
    """Return the row of one position per sequence, `back` tokens from its end.

    Each distinct sequence is read once, in batches of similar length.
    """
    model = reader.base
    numbers: dict[tuple[int, ...], int] = {}
    rows = [numbers.setdefault(tuple(sequence), len(numbers)) for sequence in sequences]
    distinct = list(numbers)
    lengths = [*map(len, distinct)]

    def run(batch: list[int]) -> Tensor:
        width = lengths[batch[0]]
        padding = [width - lengths[i] for i in batch]
        ids = [[*distinct[i], *[model.pad] * extra] for i, extra in zip(batch, padding, strict=True)]
        options: dict[str, Any] = {}
        if not model.left_only and any(padding):
            mask = [[1] * (width - extra) + [0] * extra for extra in padding]
            options["attention_mask"] = torch.tensor(mask, device=model.device)
        states = reader.logits.read(torch.tensor(ids, device=model.device), **options)
        i = torch.tensor([width - extra - back for extra in padding], device=model.device)
        rows_of_batch: Tensor = states[torch.arange(len(batch), device=model.device), i]
        return rows_of_batch

    order: list[int] = []
    pieces: list[Tensor] = []
    for batch, rows_of_batch in by_length(run, lengths, reader.budget):
        order += batch
        pieces.append(rows_of_batch)
    place = {sequence: at for at, sequence in enumerate(order)}
    return torch.cat(pieces)[torch.tensor([place[row] for row in rows], device=model.device)]


def count_rows(device: torch.device, width: int) -> int:
    """Return the number of rows whose logits fit in memory together."""
    return max(1, SLICE_BYTES.get(device.type, SLICE_BYTES["cpu"]) // (4 * width))


class _Output(BaseModelOutputWithPastAndCrossAttentions):
    """The output of a network; further attributes (router logits, memories) are None for heads that read them."""

    def __getattr__(self, name: str) -> None:
        return None


class Head:
    """Reads texts as rows, and turns rows into logits.

    Rows are the last hidden states if a trial shows that the head gives the same logits for them, so that only a few
    positions have logits in memory. Otherwise rows are the logits of the network's own pass.
    """

    def __init__(self, network: Any, base: LanguageModel) -> None:
        self.network, self._base = network, base.network
        decoder = network.get_decoder()
        self._decoder: Any = base.network if decoder is network else decoder
        self.is_apart = False
        with inference():
            ids = torch.arange(4, device=network.device)[None] % base.network.config.vocab_size
            whole_rows = self(self.read(ids)[0])
            self.width, self.is_apart = whole_rows.shape[-1], True
            try:
                logits = self(self.read(ids)[0])
                self.is_apart = bool(((whole_rows - logits).abs() <= APART_TOLERANCE * whole_rows.abs().amax()).all())
            except UNABLE:
                self.is_apart = False

    @property
    def weights(self) -> str:
        """Return the sha256 of the head's present tensors."""
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
        decoder, dummy_ids = self._decoder, torch.zeros(1, len(rows), dtype=torch.long, device=rows.device)
        old_forward = vars(decoder).get("forward")  # set if the layers are spread over devices
        decoder.forward = lambda *_, **__: _Output(last_hidden_state=rows[None])
        try:
            logits: Tensor = self.network(input_ids=dummy_ids).logits
        finally:
            del decoder.forward
            if old_forward is not None:
                decoder.forward = old_forward
        return logits[0].float()


class MaskedReader(Reader):
    """Reads each position in a pass of its own, since the mask must follow it directly."""

    def __init__(self, base: LanguageModel, head: Head, mask: int, suffix: Sequence[int]) -> None:
        super().__init__(base, head, budget_for(base.device, padding=base.ignores_padding))
        self._suffix = (mask, *suffix)

    def read(self, texts: Sequence[TokenIds], firsts: Sequence[int]) -> tuple[Tensor, Sequence[Sequence[int]]]:
        ids = [[*map(int, text)] for text in texts]
        contexts = [text[: i + 1] for text, first in zip(ids, firsts, strict=True) for i in range(first, len(text))]
        return self._rows(contexts), ids

    def join(self, states: Sequence[Sequence[Sequence[int]]]) -> Sequence[Sequence[int]]:
        return [text for state in states for text in state]

    def extend(self, state: Sequence[Sequence[int]], nodes: Sequence[Node]) -> Tensor:
        return self._rows([node.follow(state[node.text]) for node in nodes])

    def _rows(self, texts: Sequence[Sequence[int]]) -> Tensor:
        sequences = [[*text, *self._suffix] for text in texts]
        return run_each(self, sequences, len(self._suffix))
