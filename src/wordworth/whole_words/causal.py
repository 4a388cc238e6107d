"""Causal models: one pass reads a text at all its positions, and its keys and values serve every path that leaves it.

The paths that leave the texts of a batch grow together, a unit each a pass: each node looks back on its text up to
where it left it, and on its own path, by a mask; nothing of the text is computed or copied again for it.
"""

import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad
from transformers import DynamicCache

from wordworth.encode.model import LanguageModel
from wordworth.encode.passes import ROUNDING_TOLERANCE, UNABLE, inference, list_arguments
from wordworth.engine.batching import Budget, budget_for
from wordworth.errors import is_out_of_memory
from wordworth.whole_words.reader import Head, Node, Reader, TokenIds, run_each
from wordworth.whole_words.unit_scores import send

CAUSAL_BATCH_TOKENS = {"cpu": 2048, "cuda": 16384}
"""More than the encoder takes: the passes over paths that leave the texts are small, and fewer of them are better."""
PATH_LEVELS = 4
TRIAL_COLUMNS = 8
"""Columns of keys and values that a model is tried with when it is loaded; more are tried when they are needed."""


@dataclass(eq=False)
class _Memory:
    """Texts that were read, and their keys and values where the model keeps them."""

    texts: Sequence[TokenIds]
    cache: Any = None
    """The library's cache of keys and values."""
    rows: list[int] = field(default_factory=list)
    """The texts that the cache still holds, in their order."""
    columns: int = 0
    parts: "list[_Memory]" = field(default_factory=list)
    """Memories that are put together as soon as a path leaves one of their texts."""

    @property
    def layers(self) -> list[Any]:
        return [] if self.cache is None else self.cache.layers


class CausalReader(Reader):
    """Where a model cannot look back by a mask on what it has read (this is tried), paths are read from the start."""

    def __init__(self, base: LanguageModel, head: Head, trial: Sequence[int]) -> None:
        tokens = CAUSAL_BATCH_TOKENS.get(base.device.type, CAUSAL_BATCH_TOKENS["cpu"])
        # One more batch is one more pass for the texts, and one for each of some levels of paths.
        pass_cost = PATH_LEVELS * budget_for(base.device, padding=base.ignores_padding).pass_cost
        super().__init__(base, head, Budget(tokens, pass_cost))
        self._trial = trial
        arguments = {"position_ids", "past_key_values", "attention_mask"}
        self.remembers = head.is_apart and arguments <= list_arguments(base.network)
        self.remembers = self.remembers and self._looks_back(TRIAL_COLUMNS)
        self._exact, self._inexact = TRIAL_COLUMNS, sys.maxsize

    def read(self, texts: Sequence[TokenIds], firsts: Sequence[int]) -> tuple[Tensor, _Memory]:
        memory = _Memory(texts)
        # Padding is on the right, where nothing that counts looks at it.
        longest = max(len(text) for text in texts)
        padded = np.full((len(texts), longest), self.base.pad, dtype=np.int64)
        for row, text in zip(padded, texts, strict=True):
            row[: len(text)] = text
        picked = [
            np.arange(at * longest + first, at * longest + len(text))
            for at, (text, first) in enumerate(zip(texts, firsts, strict=True))
        ]
        ids, wanted = send(self.device, padded, np.concatenate(picked))
        options: dict[str, Any] = {}
        if self.remembers:
            untyped: Any = DynamicCache  # made without a configuration, so that every layer keeps all it is given
            memory.cache = untyped()
            options = {"past_key_values": memory.cache, "use_cache": True}
            memory.rows, memory.columns = list(range(len(texts))), longest
        states = self.logits.read(ids, **options)
        return states.flatten(0, 1)[wanted], memory

    def extend(self, state: _Memory, nodes: Sequence[Node]) -> Tensor:
        if state.layers or state.parts:
            columns = max(state.columns, *(part.columns for part in state.parts), 0)
            if self._is_exact(columns + max(Counter(node.text for node in nodes).values())):
                return self._step(state, nodes)
            state.cache, state.parts = None, []
        texts = {text: [*map(int, state.texts[text])] for text in {node.text for node in nodes}}
        return run_each(self, [node.follow(texts[node.text]) for node in nodes], 1)

    def join(self, states: Sequence[_Memory]) -> _Memory:
        """Keys and values are copied later, and only those that are still needed."""
        texts = [text for state in states for text in state.texts]
        return _Memory(texts, parts=[state for state in states if state.layers])

    def count_bytes(self, state: _Memory) -> int:
        return sum(layer.keys.nbytes + layer.values.nbytes for layer in state.layers)

    def _step(self, memory: _Memory, nodes: Sequence[Node]) -> Tensor:
        """Nodes of one text are in one row of the batch; texts without any are dropped, since none can come again."""
        by_text: dict[int, list[int]] = {}
        for number, node in enumerate(nodes):
            by_text.setdefault(node.text, []).append(number)
        if memory.parts:
            self._put_together(memory, by_text)
        else:
            self._keep(memory, by_text)
        out: Tensor | None = None
        wide = max(1, self.budget.tokens // len(memory.rows))
        for start in range(0, max(map(len, by_text.values())), wide):
            some = [by_text[text][start : start + wide] for text in memory.rows]
            states = self._pass(memory, nodes, some)
            if out is None:
                out = states.new_empty(len(nodes), states.shape[-1])
            where = [row * states.shape[1] + at for row, of_one in enumerate(some) for at in range(len(of_one))]
            numbers = [number for of_one in some for number in of_one]
            numbered, picked = send(self.device, np.array(numbers), np.array(where))
            out[numbered] = states.flatten(0, 1)[picked]
        assert out is not None
        return out

    def _keep(self, memory: _Memory, texts: Collection[int]) -> None:
        """Drop all texts but these."""
        still = [row for row, text in enumerate(memory.rows) if text in texts]
        if len(still) == len(memory.rows):
            return
        memory.rows = [memory.rows[row] for row in still]
        (chosen,) = send(self.device, np.array(still, dtype=np.int64))
        for layer in memory.layers:
            layer.keys, layer.values = layer.keys[chosen], layer.values[chosen]

    def _put_together(self, memory: _Memory, texts: Collection[int]) -> None:
        """Join the texts of several batches that are still needed, in rows of one length, layer by layer."""
        first = 0
        for part in memory.parts:
            self._keep(part, {text - first for text in texts})
            memory.rows += [first + row for row in part.rows]
            first += len(part.texts)
        memory.columns = max(part.columns for part in memory.parts)
        memory.cache = memory.parts[0].cache
        for number, layer in enumerate(memory.layers):
            for name in ("keys", "values"):
                tensors = [getattr(part.layers[number], name) for part in memory.parts]
                joined = torch.cat([pad(one, (0, 0, 0, memory.columns - one.shape[2])) for one in tensors])
                for part in memory.parts:
                    setattr(part.layers[number], name, None)
                setattr(layer, name, joined)
        memory.parts = []

    def _pass(self, memory: _Memory, nodes: Sequence[Node], some: list[list[int]]) -> Tensor:
        """Run one forward pass for a row of nodes per text: rows × nodes × dim."""
        wide = max(map(len, some))
        ids, positions, afters = np.zeros((3, len(some), wide), dtype=np.int64)
        seen: list[tuple[int, int, int]] = []
        for row, of_one in enumerate(some):
            for at, number in enumerate(of_one):
                node = nodes[number]
                node.column = memory.columns + at
                path = node.path
                ids[row, at], afters[row, at] = node.unit, node.after
                positions[row, at] = node.after + len(path) - 1
                seen += [(row, at, one.column) for one in path]
        row_of, at_of, column_of = np.array(seen, dtype=np.int64).T
        units, places, left, *path_of = send(self.device, ids, positions, afters, row_of, at_of, column_of)
        memory.columns += wide
        allowed = torch.zeros(len(some), wide, memory.columns, dtype=torch.bool, device=self.device)
        text_columns = max(len(memory.texts[text]) for text in memory.rows)
        allowed[:, :, :text_columns] = torch.arange(text_columns, device=self.device) < left[:, :, None]
        allowed[:, :, 0] = True  # also for the padding, which must look at something
        allowed.index_put_(tuple(path_of), torch.ones((), dtype=torch.bool, device=self.device))
        network = self.base.network
        mask = torch.zeros(allowed.shape, dtype=network.dtype, device=self.device)
        mask.masked_fill_(~allowed, torch.finfo(network.dtype).min)
        options = {"position_ids": places, "attention_mask": mask[:, None], "past_key_values": memory.cache}
        return self.logits.read(units, use_cache=True, **options)

    def _is_exact(self, columns: int) -> bool:
        """Return whether paths come out right over so many columns of keys and values; each new length is tried."""
        if self._exact < columns < self._inexact:
            size = 1 << (columns - 1).bit_length()
            if self._looks_back(size):
                self._exact = size
            else:
                self._inexact = size // 2 + 1
        return columns <= self._exact

    def _looks_back(self, columns: int) -> bool:
        """Return whether paths come out as if read from the start, so many columns behind the texts' beginning.

        They leave two texts, brothers among them.
        """
        one, two, three, four, *_ = self._trial
        with inference():
            try:
                _, memory = self.read([[one, two, three], [two, one]], [0, 0])
                if any(layer.keys is None for layer in memory.layers):
                    return False
                first = [Node(0, 2, four, None), Node(0, 2, one, None), Node(0, 3, four, None), Node(1, 2, four, None)]
                second = [Node(0, 2, three, first[1]), Node(0, 3, two, first[2])]
                between = columns - TRIAL_COLUMNS
                for layer in memory.layers:
                    layer.keys, layer.values = (pad(kept, (0, 0, 0, between)) for kept in (layer.keys, layer.values))
                memory.columns += between
                states = torch.cat([self._step(memory, level) for level in (first, second)])
            except UNABLE as error:
                if is_out_of_memory(error):
                    raise
                return False  # the network takes no such mask or memory, or none so long
            expected = self.extend(_Memory(memory.texts), [*first, *second])
        scale = expected.abs().amax(-1, keepdim=True)
        return bool(((states - expected).abs() <= ROUNDING_TOLERANCE[expected.dtype] * scale).all())
