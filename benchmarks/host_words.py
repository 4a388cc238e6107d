"""What whole words cost the processor beside an accelerator: all but the network, whose scores are made up at once.

    python -m benchmarks.host_words TOKENIZER_FOLDER TEXT_FILE [WORDS]

Processor time in µs a word, by part, on one thread. Batches are those of an accelerator."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import torch
from transformers import AutoTokenizer

import benchmarks.without_scipy  # noqa: F401 - before what imports it
from wordworth.engine.batching import PASS_COST, Budget
from wordworth.whole_words import PredictionRules, WordModel, pipeline, predict, predict_words
from wordworth.whole_words.causal import CAUSAL_BATCH_TOKENS, PATH_LEVELS
from wordworth.whole_words.reader import Node
from wordworth.whole_words.unit_scores import Ints, UnitQuery, UnitScores
from wordworth.whole_words.units import units_of

WORDS = 100_000
UNLIKELY = 97
"""Of so many units one is among the best."""


class NoReader:
    """Reads nothing."""

    def __init__(self, width: int) -> None:
        self.width, self.device, self.passes = width, torch.device("cpu"), 0
        self.identity = ("none",)
        self.budget = Budget(CAUSAL_BATCH_TOKENS["cuda"], PATH_LEVELS * PASS_COST["cuda"])

    def read(self, texts: Sequence[Any], firsts: Sequence[int]) -> tuple[torch.Tensor, None]:
        self.passes += 1
        rows = sum(map(len, texts)) - sum(firsts)
        return torch.zeros(rows, 1), None

    def join(self, states: Sequence[None]) -> None:
        return None

    def count_bytes(self, state: None) -> int:
        return 1

    def extend(self, state: None, nodes: Sequence[Node]) -> torch.Tensor:
        self.passes += 1
        return torch.zeros(len(nodes), 1)


class MadeUp:
    """In the place of `PendingScores`: scores that follow from the units alone, so that any cut gives the same."""

    def __init__(
        self,
        reader: NoReader,
        rows: torch.Tensor,
        k: int,
        begins: object,
        query: UnitQuery,
        after: Ints,
        own: Ints | None = None,
    ) -> None:
        self._query, self._own, self._rows = query, own, len(rows)
        self._width = reader.width

    def result(self) -> UnitScores:
        among = self._query.units % UNLIKELY == 0
        if self._own is None:
            none: Any = np.zeros(0)
            return UnitScores(np.full(self._rows, 5), np.ones(self._rows, bool), among, none, none, none, none, none)
        own = self._own
        greedy = np.where(own % 10 < 4, own, own * 7919 % self._width)
        good = own % 5 < 3
        return UnitScores(greedy, own % 3 > 0, among, good, -(own % 97) / 10, -(own % 13) / 10, greedy, good)


def model_of(tokenizer: Path) -> WordModel:
    """A model without a network."""
    fast = AutoTokenizer.from_pretrained(tokenizer)
    width = len(fast)
    reader: Any = NoReader(width)
    return WordModel("none", "", "causal", reader, fast, units_of(fast, width), (), 8192, 0, "float32")


@contextmanager
def timed(parts: dict[str, float], name: str, place: Any, function: str) -> Iterator[None]:
    """Adds up the time inside a function, or between the items of a generator."""
    own: Callable[..., Any] = getattr(place, function)

    def inside(*given: Any, **named: Any) -> Any:
        began = process_time()
        try:
            found = own(*given, **named)
        finally:
            parts[name] = parts.get(name, 0.0) + process_time() - began
        return each(found) if isinstance(found, Iterator) else found

    def each(items: Iterator[Any]) -> Iterator[Any]:
        for _ in count():
            began = process_time()
            item = next(items, None)
            parts[name] += process_time() - began
            if item is None:
                return
            yield item

    with patch.object(place, function, inside):
        yield


def host(model: WordModel, lines: list[str], *, guesses: bool = False) -> tuple[dict[str, float], pl.DataFrame]:
    """Seconds by part, and the predictions."""
    parts: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(pipeline, "PendingScores", MadeUp),
        timed(parts, "text", predict, "chunks"),
        timed(parts, "spellings", pipeline, "PreparedChunk"),
        timed(parts, "batch", pipeline, "Batch"),
        timed(parts, "search", pipeline.WindowBatch, "begin"),
        timed(parts, "table", pipeline, "table_of"),
        timed(parts, "written", predict, "write"),
    ):
        began = process_time()
        table = predict_words(model, lines, PredictionRules(guesses=guesses), kept=Path(folder))
        parts["all"] = process_time() - began
    return parts, table


def main(tokenizer: Path, text: Path, words: int = WORDS, times: int = 5) -> None:
    """The best of some times, by part."""
    lines, left = [], words
    with text.open(encoding="utf-8") as file:
        for line in file:
            if len(split := line.split()) >= 3 and left > 0:
                lines.append(" ".join(split[:left]))
                left -= len(split)
    model = model_of(tokenizer)
    reader: Any = model.reader
    host(model, lines[:50])
    for guesses in (False, True):
        reader.passes = 0
        found = [host(model, lines, guesses=guesses) for _ in range(times)]
        table = found[0][1]
        best = {name: min(parts[name] for parts, _ in found) for name in found[0][0]}
        shown = ", ".join(f"{name} {1e6 * took / len(table):.2f}" for name, took in best.items())
        print(f"{len(table):,} words, {reader.passes // times} passes, guesses {guesses}; µs a word: {shown}")
        print("  the table's sum:", table.hash_rows(seed=0).sum(), flush=True)


if __name__ == "__main__":
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    torch.set_num_threads(1)
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else WORDS)
