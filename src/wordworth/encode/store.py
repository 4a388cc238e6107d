"""Word vectors on disk: an entry of the cache that grows chunk by chunk, keyed by all that the numbers depend on.

A chunk holds, for each layer, the states of its words' tokens (tokens × dim). Every pooling is made from them on
reading, so a word of k tokens takes k rows and not one for each pooling, and a pooling asked for later costs nothing.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file

from wordworth.contexts import Context
from wordworth.encode.encoding import checked_layers, encode_shards, every_failure, shards, unique, values_of
from wordworth.encode.model import LanguageModel
from wordworth.encode.pooling import checked_poolings, pool
from wordworth.encode.spans import Failure
from wordworth.encode.units import SubwordStates
from wordworth.engine.cache import Filling, WorkPart, hashed_once, slot
from wordworth.errors import WordworthError

STORE_VERSION = 3
STATES_FILE = "states.safetensors"
WRITERS = {"cuda": 6}
"""Threads that write chunks behind a device; where there are none, each is written before the next is computed."""


@dataclass(frozen=True, eq=False)
class VectorStore:
    """The vectors of a list of contexts. Row i of what is read belongs to the context `rows[i]`."""

    folder: Path
    model: str
    dim: int
    contexts: Sequence[Context]
    layers: tuple[int, ...]
    chunks: tuple[Path, ...]
    place: NDArray[np.intp]
    """Where each context is among the distinct ones."""

    @cached_property
    def _records(self) -> list[tuple[list[int], list[Failure]]]:
        return [_record(chunk) for chunk in self.chunks]

    @cached_property
    def _counts(self) -> NDArray[np.intp]:
        """Return the tokens of each distinct context; 0 for a failed one."""
        return np.array([count for counts, _ in self._records for count in counts], dtype=np.intp)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """Return the contexts whose word was located."""
        return np.flatnonzero(self._counts[self.place])

    @cached_property
    def subwords(self) -> NDArray[np.intp]:
        """Return the number of tokens of each word: 1 for a singly tokenized one."""
        return self._counts[self.place[self.rows]]

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        failures_so_far: list[Failure] = []
        first = 0
        for counts, failures in self._records:
            failures_so_far += [replace(failure, row=first + failure.row) for failure in failures]
            first += len(counts)
        return every_failure(self.contexts, self.place, failures_so_far)

    def vectors(self, layer: int, pooling: str = "last") -> NDArray[np.float32]:
        """words × dim of one layer and pooling; nothing else is read from the disk."""
        (name,) = checked_poolings([pooling])
        if layer not in self.layers:
            raise WordworthError(f"the store of {self.model} holds the layers {list(self.layers)}, not {layer}")
        states: list[torch.Tensor] = []
        for chunk, (counts, _) in zip(self.chunks, self._records, strict=True):
            present = torch.tensor([count for count in counts if count])
            if len(present):
                with safe_open(chunk, framework="pt") as file:
                    states.append(pool(file.get_tensor(_tensor(layer)), present, name).float())
        row_of = np.cumsum(self._counts > 0) - 1
        rows = torch.from_numpy(row_of[self.place[self.rows]])
        vectors_of_words = torch.cat(states) if states else torch.empty(0, self.dim)
        vectors: NDArray[np.float32] = vectors_of_words[rows].numpy()
        return vectors


@hashed_once()
def encode_to_store(
    model: LanguageModel,
    contexts: Sequence[Context],
    layers: Sequence[int] | None = None,
    *,
    advance: Callable[[float], None] | None = None,
) -> VectorStore:
    """Encodes what the store does not hold yet. A run that was killed goes on where it was; processes share the work.

    `advance(n)` is called when n more contexts are done.
    """
    numbers = checked_layers(model, layers)
    distinct, place = unique(contexts)
    texts = [[context.text, context.start, context.end] for context in distinct]
    entry = slot("vectors", [STORE_VERSION, *model.identity, sorted(numbers), texts])
    groups = enumerate(shards(distinct, values_of(model)))
    parts = [WorkPart(entry.part(f"{number:05d}"), group, len(group)) for number, group in groups]
    stream, write = partial(encode_shards, layers=sorted(numbers)), partial(_write, layers=sorted(numbers))
    filling = Filling(stream, write, f"encoding words with {model.name}", WRITERS.get(model.device.type, 0))
    filling.fill(model, parts, advance)
    chunks = tuple(part.slot.path / STATES_FILE for part in parts)
    return VectorStore(entry.path, model.name, model.dim, tuple(contexts), numbers, chunks, place)


def _tensor(layer: int) -> str:
    return f"layer.{layer}"


def _write(shard: SubwordStates, folder: Path, layers: Sequence[int]) -> None:
    failures = [[failure.row, failure.word, failure.reason] for failure in shard.failures]
    record = {"subwords": shard.subwords, "failures": failures}
    tensors = {_tensor(layer): shard.states[at] for at, layer in enumerate(layers)}
    save_file(tensors, folder / STATES_FILE, metadata={"record": json.dumps(record)})


def _record(chunk: Path) -> tuple[list[int], list[Failure]]:
    with safe_open(chunk, framework="pt") as file:
        record = json.loads(file.metadata()["record"])
    return record["subwords"], [Failure(*failure) for failure in record["failures"]]
