"""What reads token numbers and says, at each position, what may follow: what every kind of model must offer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.encode.identity import Identity
from wordworth.encode.model import LanguageModel
from wordworth.engine.batching import Budget, by_length

Tokens = Sequence[int] | NDArray[np.int32]


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


class Reader(Protocol):
    """Positions come out as rows of hidden states; `logits` turns a slice of rows into logits."""

    budget: Budget
    base: LanguageModel
    """The network without its head."""

    @property
    def width(self) -> int:
        """Units that a row of logits has."""

    @property
    def device(self) -> torch.device: ...

    @property
    def identity(self) -> Identity:
        """All of network and head that rows and logits depend on, as it is now."""

    def read(self, texts: Sequence[Tokens], firsts: Sequence[int]) -> tuple[Tensor, Any]:
        """Rows of the positions from `firsts[i]` to the end of each text, one text after the other; and what `extend`
        needs of them. The row of a position says what follows the tokens up to it, itself included."""

    def join(self, states: Sequence[Any]) -> Any:
        """What `extend` needs of several batches; their texts are numbered through."""

    def held(self, state: Any) -> int:
        """Bytes of the device's memory that it takes."""

    def extend(self, state: Any, nodes: Sequence[Node]) -> Tensor:
        """A row for each node: what follows it. The parents of the nodes have been here before."""

    def logits(self, rows: Tensor) -> Tensor:
        """rows × units, float32, for the caller to overwrite."""


def run_each(model: LanguageModel, sequences: Sequence[Sequence[int]], back: int, budget: Budget) -> Tensor:
    """The state of one position of each sequence, `back` from its end: sequences × dim.

    Every distinct sequence goes through once, in batches of like length.
    """
    distinct: dict[tuple[int, ...], int] = {}
    rows = [distinct.setdefault(tuple(sequence), len(distinct)) for sequence in sequences]
    every = list(distinct)
    lengths = [len(sequence) for sequence in every]

    def run(batch: list[int]) -> Tensor:
        longest = lengths[batch[0]]
        padding = [longest - lengths[at] for at in batch]
        ids = [[*every[at], *[model.pad] * more] for at, more in zip(batch, padding, strict=True)]
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
