"""Read texts with causal models: one pass reads all positions, and its keys and values serve every path off the text.

The paths off the texts of a batch grow together, by one unit per pass. A mask lets each node attend to its text, up to
where its path begins, and to its own path. Nothing of the text is computed or copied again.
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
"""Larger than in the encoder: passes over paths are small, so fewer of them are better."""
PATH_LEVELS = 4
TRIAL_COLUMNS = 8
"""Columns of keys and values in the trial when a model is loaded; more are tried when they are needed."""


@dataclass(eq=False)
class _Memory:
    """Texts that were read, with their keys and values if the model keeps them."""

    texts: Sequence[TokenIds]
    cache: Any = None
    """The library's cache of keys and values."""
    rows: list[int] = field(default_factory=list)
    """The texts still in the cache, in order."""
    columns: int = 0
    batches: "list[_Memory]" = field(default_factory=list)
    """Memories to join as soon as a path leaves one of their texts."""

    @property
    def layers(self) -> list[Any]:
        return [] if self.cache is None else self.cache.layers


class CausalReader(Reader):
    """Reads paths from the start of the text if a trial shows that the model cannot attend to its memory by a mask."""

    def __init__(self, base: LanguageModel, head: Head, trial: Sequence[int]) -> None:
        tokens = CAUSAL_BATCH_TOKENS.get(base.device.type, CAUSAL_BATCH_TOKENS["cpu"])
        # Each batch costs one pass for the texts, and one for each of some levels of paths.
        pass_cost = PATH_LEVELS * budget_for(base.device, padding=base.ignores_padding).pass_cost
        super().__init__(base, head, Budget(tokens, pass_cost))
        self._trial = trial
        arguments = {"position_ids", "past_key_values", "attention_mask"}
        self.remembers = head.is_apart and arguments <= list_arguments(base.network)
        self.remembers = self.remembers and self._looks_back(TRIAL_COLUMNS)
        self._exact, self._inexact = TRIAL_COLUMNS, sys.maxsize

    def read(self, texts: Sequence[TokenIds], firsts: Sequence[int]) -> tuple[Tensor, _Memory]:
        memory = _Memory(texts)
        # Padding is on the right, where no text attends to it.
        width = max(len(text) for text in texts)
        batch_ids = np.full((len(texts), width), self.base.pad, dtype=np.int64)
        for row, text in zip(batch_ids, texts, strict=True):
            row[: len(text)] = text
        starts = range(0, len(texts) * width, width)
        rows = zip(starts, texts, firsts, strict=True)
        positions = [np.arange(start + first, start + len(text)) for start, text, first in rows]
        ids, position_indices = send(self.device, batch_ids, np.concatenate(positions))
        options: dict[str, Any] = {}
        if self.remembers:
            cache_class: Any = DynamicCache  # without a configuration, every layer keeps all keys and values
            memory.cache = cache_class()
            options = {"past_key_values": memory.cache, "use_cache": True}
            memory.rows, memory.columns = list(range(len(texts))), width
        states = self.logits.read(ids, **options)
        return states.flatten(0, 1)[position_indices], memory

    def extend(self, state: _Memory, nodes: Sequence[Node]) -> Tensor:
        if state.layers or state.batches:
            columns = max(state.columns, *(batch.columns for batch in state.batches), 0)
            if self._is_exact(columns + max(Counter(node.text for node in nodes).values())):
                return self._step(state, nodes)
            state.cache, state.batches = None, []
        texts = {text: [*map(int, state.texts[text])] for text in {node.text for node in nodes}}
        return run_each(self, [node.follow(texts[node.text]) for node in nodes], 1)

    def join(self, states: Sequence[_Memory]) -> _Memory:
        """Join memories; keys and values are copied later, if they are still needed."""
        texts = [text for state in states for text in state.texts]
        return _Memory(texts, batches=[state for state in states if state.layers])

    def count_bytes(self, state: _Memory) -> int:
        return sum(layer.keys.nbytes + layer.values.nbytes for layer in state.layers)

    def _step(self, memory: _Memory, nodes: Sequence[Node]) -> Tensor:
        """Read nodes, those of one text in one row; texts without nodes are dropped, since they are done."""
        by_text: dict[int, list[int]] = {}
        for number, node in enumerate(nodes):
            by_text.setdefault(node.text, []).append(number)
        if memory.batches:
            self._join_batches(memory, by_text)
        else:
            self._keep(memory, by_text)
        out: Tensor | None = None
        width = max(1, self.budget.tokens // len(memory.rows))
        for start in range(0, max(map(len, by_text.values())), width):
            groups = [by_text[text][start : start + width] for text in memory.rows]
            states = self._pass(memory, nodes, groups)
            if out is None:
                out = states.new_empty(len(nodes), states.shape[-1])
            sources = [row * states.shape[1] + place for row, group in enumerate(groups) for place in range(len(group))]
            numbers = [number for group in groups for number in group]
            target_indices, source_indices = send(self.device, np.array(numbers), np.array(sources))
            out[target_indices] = states.flatten(0, 1)[source_indices]
        assert out is not None
        return out

    def _keep(self, memory: _Memory, texts: Collection[int]) -> None:
        """Drop all other texts."""
        rows = [row for row, text in enumerate(memory.rows) if text in texts]
        if len(rows) == len(memory.rows):
            return
        memory.rows = [memory.rows[row] for row in rows]
        (row_indices,) = send(self.device, np.array(rows, dtype=np.int64))
        for layer in memory.layers:
            layer.keys, layer.values = layer.keys[row_indices], layer.values[row_indices]

    def _join_batches(self, memory: _Memory, texts: Collection[int]) -> None:
        """Join the texts still needed of several batches, in rows of one length, layer by layer."""
        first = 0
        for batch in memory.batches:
            self._keep(batch, {text - first for text in texts})
            memory.rows += [first + row for row in batch.rows]
            first += len(batch.texts)
        memory.columns = max(batch.columns for batch in memory.batches)
        memory.cache = memory.batches[0].cache
        for number, layer in enumerate(memory.layers):
            for name in ("keys", "values"):
                tensors = [getattr(batch.layers[number], name) for batch in memory.batches]
                tensor = torch.cat([pad(tensor, (0, 0, 0, memory.columns - tensor.shape[2])) for tensor in tensors])
                for batch in memory.batches:
                    setattr(batch.layers[number], name, None)
                setattr(layer, name, tensor)
        memory.batches = []

    def _pass(self, memory: _Memory, nodes: Sequence[Node], groups: list[list[int]]) -> Tensor:
        """Run one forward pass for a row of nodes per text: rows × nodes × dim."""
        width = max(map(len, groups))
        ids, positions, afters = np.zeros((3, len(groups), width), dtype=np.int64)
        visible_cells: list[tuple[int, int, int]] = []
        for row, group in enumerate(groups):
            for column, number in enumerate(group):
                node = nodes[number]
                node.column = memory.columns + column
                path = node.path
                ids[row, column], afters[row, column] = node.unit, node.after
                positions[row, column] = node.after + len(path) - 1
                visible_cells += [(row, column, path_node.column) for path_node in path]
        row_of, cell_of, column_of = np.array(visible_cells, dtype=np.int64).T
        units, places, lengths, *cells = send(self.device, ids, positions, afters, row_of, cell_of, column_of)
        memory.columns += width
        is_visible = torch.zeros(len(groups), width, memory.columns, dtype=torch.bool, device=self.device)
        text_columns = max(len(memory.texts[text]) for text in memory.rows)
        is_visible[:, :, :text_columns] = torch.arange(text_columns, device=self.device) < lengths[:, :, None]
        is_visible[:, :, 0] = True  # padding must attend to something too
        is_visible.index_put_(tuple(cells), torch.ones((), dtype=torch.bool, device=self.device))
        network = self.base.network
        mask = torch.zeros(is_visible.shape, dtype=network.dtype, device=self.device)
        mask.masked_fill_(~is_visible, torch.finfo(network.dtype).min)
        options = {"position_ids": places, "attention_mask": mask[:, None], "past_key_values": memory.cache}
        return self.logits.read(units, use_cache=True, **options)

    def _is_exact(self, columns: int) -> bool:
        """Return whether paths are exact over so many columns of keys and values; each new length is tried."""
        if self._exact < columns < self._inexact:
            size = 1 << (columns - 1).bit_length()
            if self._looks_back(size):
                self._exact = size
            else:
                self._inexact = size // 2 + 1
        return columns <= self._exact

    def _looks_back(self, columns: int) -> bool:
        """Return whether paths off two texts give the same states as read from the start, over so many columns."""
        a, b, c, d, *_ = self._trial
        with inference():
            try:
                _, memory = self.read([[a, b, c], [b, a]], [0, 0])
                if any(layer.keys is None for layer in memory.layers):
                    return False
                level_1 = [Node(0, 2, d, None), Node(0, 2, a, None), Node(0, 3, d, None), Node(1, 2, d, None)]
                level_2 = [Node(0, 2, c, level_1[1]), Node(0, 3, b, level_1[2])]
                gap = columns - TRIAL_COLUMNS
                for layer in memory.layers:
                    layer.keys, layer.values = (pad(tensor, (0, 0, 0, gap)) for tensor in (layer.keys, layer.values))
                memory.columns += gap
                states = torch.cat([self._step(memory, level) for level in (level_1, level_2)])
            except UNABLE as error:
                if is_out_of_memory(error):
                    raise
                return False  # the network takes no such mask or memory, or not at this length
            exact_states = self.extend(_Memory(memory.texts), [*level_1, *level_2])
        scale = exact_states.abs().amax(-1, keepdim=True)
        return bool(((states - exact_states).abs() <= ROUNDING_TOLERANCE[exact_states.dtype] * scale).all())
