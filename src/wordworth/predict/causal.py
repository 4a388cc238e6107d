"""Causal models: one pass reads a text at all its positions, and its keys and values serve every path that leaves it.

The paths that leave the texts of a batch grow together, a unit each a pass: each node looks back on its text up to
where it left it, and on its own path, by a mask; nothing of the text is computed or copied again for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers.cache_utils import Cache, DynamicLayer

from wordworth.encode.capabilities import TOLERANCE, accepted
from wordworth.encode.model import LanguageModel
from wordworth.engine.batching import Budget, budget_for
from wordworth.predict.head import Head
from wordworth.predict.reader import Node, run_each

BATCH_TOKENS = {"cpu": 2048, "cuda": 16384}
"""More than the encoder takes: the passes over paths that leave the texts are small, and fewer of them are better."""
LEVELS = 4


@dataclass(eq=False)
class _Memory:
    """Texts that were read, and their keys and values where the model keeps them."""

    texts: Sequence[Sequence[int]]
    cache: Any = None
    rows: list[int] | None = None
    """The texts that the cache still holds, in its order."""
    columns: int = 0


class CausalReader:
    """Where a model cannot look back by a mask on what it has read (this is tried), paths are read from the start."""

    def __init__(self, base: LanguageModel, head: Head, width: int, trial: Sequence[int]) -> None:
        self.base, self.logits, self.width = base, head, width
        kind = base.device.type if base.device.type in BATCH_TOKENS else "cpu"
        usual = budget_for(base.device, BATCH_TOKENS[kind])
        # One more batch is one more pass for the texts, and one for each of some levels of paths.
        self.budget = Budget(usual.tokens, LEVELS * usual.pass_cost)
        names = accepted(base.network)
        self.remembers = {"position_ids", "past_key_values", "attention_mask"} <= names and self._looks_back(trial)

    @property
    def device(self) -> torch.device:
        return self.base.device

    def read(self, texts: Sequence[Sequence[int]], firsts: Sequence[int]) -> tuple[Tensor, _Memory]:
        memory = _Memory(texts)
        return self._read(memory, firsts, keep=self.remembers), memory

    def extend(self, state: _Memory, nodes: Sequence[Node]) -> Tensor:
        if state.cache is not None:
            return self._step(state, nodes)
        sequences = [[*state.texts[node.text][: node.after], *(one.unit for one in node.path)] for node in nodes]
        return run_each(self.base, sequences, 1, self.budget)

    def _read(self, memory: _Memory, firsts: Sequence[int], *, keep: bool) -> Tensor:
        """Padding stands on the right, where nothing that counts looks at it."""
        longest = max(len(text) for text in memory.texts)
        padded = np.full((len(memory.texts), longest), self.base.pad, dtype=np.int64)
        for row, text in zip(padded, memory.texts, strict=True):
            row[: len(text)] = text
        options: dict[str, Any] = {}
        if keep:
            untyped: Any = DynamicLayer
            layers = [untyped() for _ in range(self.base.layers)]
            memory.cache = options["past_key_values"] = Cache(layers=layers)
            memory.rows, memory.columns = list(range(len(memory.texts))), longest
        states = self.base.network(input_ids=torch.from_numpy(padded).to(self.device), use_cache=keep, **options)[0]
        picked = [
            np.arange(at * longest + first, at * longest + len(text))
            for at, (text, first) in enumerate(zip(memory.texts, firsts, strict=True))
        ]
        rows: Tensor = states.flatten(0, 1)[torch.from_numpy(np.concatenate(picked)).to(self.device)]
        return rows

    def _step(self, memory: _Memory, nodes: Sequence[Node]) -> Tensor:
        """Nodes of one text stand in one row of the batch; texts without any are dropped, since none can come again."""
        by_text: dict[int, list[int]] = {}
        for number, node in enumerate(nodes):
            by_text.setdefault(node.text, []).append(number)
        assert memory.rows is not None
        if len(by_text) < len(memory.rows):
            still = [row for row, text in enumerate(memory.rows) if text in by_text]
            memory.rows = [memory.rows[row] for row in still]
            chosen = torch.tensor(still, device=self.device)
            for layer in memory.cache.layers:
                layer.keys, layer.values = layer.keys[chosen], layer.values[chosen]
        out: Tensor | None = None
        wide = max(1, self.budget.tokens // len(memory.rows))
        for start in range(0, max(map(len, by_text.values())), wide):
            some = [by_text[text][start : start + wide] for text in memory.rows]
            states = self._pass(memory, nodes, some)
            if out is None:
                out = states.new_empty(len(nodes), states.shape[-1])
            where = [row * states.shape[1] + at for row, of_one in enumerate(some) for at in range(len(of_one))]
            numbers = torch.tensor([number for of_one in some for number in of_one], device=self.device)
            out[numbers] = states.flatten(0, 1)[torch.tensor(where, device=self.device)]
        assert out is not None
        return out

    def _pass(self, memory: _Memory, nodes: Sequence[Node], some: list[list[int]]) -> Tensor:
        """One forward pass for a row of nodes a text: rows × nodes × dim."""
        wide = max(map(len, some))
        ids, positions, afters = (torch.zeros(len(some), wide, dtype=torch.long) for _ in range(3))
        seen: list[tuple[int, int, int]] = []
        for row, of_one in enumerate(some):
            for at, number in enumerate(of_one):
                node = nodes[number]
                node.column = memory.columns + at
                path = node.path
                ids[row, at], afters[row, at] = node.unit, node.after
                positions[row, at] = node.after + len(path) - 1
                seen += [(row, at, one.column) for one in path]
        allowed = torch.zeros(len(some), wide, memory.columns + wide, dtype=torch.bool)
        text_columns = max(len(memory.texts[text]) for text in memory.rows or ())
        allowed[:, :, :text_columns] = torch.arange(text_columns) < afters[:, :, None]
        allowed[:, :, 0] = True  # also for the padding, which must look at something
        row_of, at_of, column_of = (list(which) for which in zip(*seen, strict=True))
        allowed[row_of, at_of, column_of] = True
        network = self.base.network
        mask = torch.zeros(allowed.shape, dtype=network.dtype).masked_fill_(~allowed, torch.finfo(network.dtype).min)
        memory.columns += wide
        states: Tensor = network(
            input_ids=ids.to(self.device),
            position_ids=positions.to(self.device),
            attention_mask=mask[:, None].to(self.device),
            past_key_values=memory.cache,
            use_cache=True,
        )[0]
        return states

    def _looks_back(self, trial: Sequence[int]) -> bool:
        """Whether paths that leave two texts, brothers among them, come out as if read from the start."""
        one, two, three, four, *_ = trial
        memory = _Memory([[one, two, three], [two, one]])
        with torch.inference_mode():
            try:
                self._read(memory, [0, 0], keep=True)
                if any(layer.keys is None for layer in memory.cache.layers):
                    return False
                first = [Node(0, 2, four, None), Node(0, 2, one, None), Node(0, 3, four, None), Node(1, 2, four, None)]
                second = [Node(0, 2, three, first[1]), Node(0, 3, two, first[2])]
                states = torch.cat([self._step(memory, level) for level in (first, second)])
            except (RuntimeError, ValueError, TypeError, IndexError, AttributeError):
                return False  # the network takes no such mask or memory
            plain = _Memory(memory.texts)
            expected = self.extend(plain, [*first, *second])
        scale = expected.abs().amax(-1, keepdim=True)
        return bool(((states - expected).abs() <= TOLERANCE[expected.dtype] * scale).all())
