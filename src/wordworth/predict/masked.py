"""Masked models: left context, one mask, and what the tokenizer puts behind a text.

A word of several units is decoded with one mask at a time: each unit found takes its place before the next mask. So
the model never sees a word to the right of the one it predicts, nor how many units the word has.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from wordworth.encode.identity import Identity
from wordworth.encode.model import LanguageModel
from wordworth.engine.batching import Budget, budget_for
from wordworth.predict.head import Head
from wordworth.predict.reader import Node, Tokens, run_each


class MaskedReader:
    """Every position is a pass of its own, since the mask must stand right behind it."""

    def __init__(self, base: LanguageModel, head: Head, width: int, mask: int, behind: Sequence[int]) -> None:
        self.base, self.logits, self.width = base, head, width
        self._behind = (mask, *behind)
        self.budget: Budget = budget_for(base.device, padding=base.ignores_padding)

    @property
    def device(self) -> torch.device:
        return self.base.device

    @property
    def identity(self) -> Identity:
        return *self.base.identity, self.logits.weights

    def read(self, texts: Sequence[Tokens], firsts: Sequence[int]) -> tuple[Tensor, Sequence[Sequence[int]]]:
        plain = [[*map(int, text)] for text in texts]
        contexts = [text[: at + 1] for text, first in zip(plain, firsts, strict=True) for at in range(first, len(text))]
        return self._rows(contexts), plain

    def join(self, states: Sequence[Sequence[Sequence[int]]]) -> Sequence[Sequence[int]]:
        return [text for state in states for text in state]

    def held(self, state: Sequence[Sequence[int]]) -> int:
        return 0

    def extend(self, state: Sequence[Sequence[int]], nodes: Sequence[Node]) -> Tensor:
        return self._rows([[*state[node.text][: node.after], *(one.unit for one in node.path)] for node in nodes])

    def _rows(self, texts: Sequence[Sequence[int]]) -> Tensor:
        sequences = [[*text, *self._behind] for text in texts]
        return run_each(self.base, sequences, len(self._behind), self.budget)
