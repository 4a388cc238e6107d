"""Probabilities of many pairs, block by block, kept on disk: what was scored once is read from then on.

A block is a safetensors file with the probabilities (pairs, 3) in float32, 12 bytes a pair: a part of an entry of the
cache, keyed by all that they depend on (the model, the probe's lists and templates, the slice, the sample). A run that
was killed goes on with the first block that is not there.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from wordworth.engine.cache import CacheSlot, Filling, Part, slot
from wordworth.errors import WordworthError
from wordworth.nli.nli import NliModel
from wordworth.nli.pairs import Indices, PairSet, draw_evenly

BLOCK = 1 << 13
"""Pairs of a block, about: whole actions, so that a sentence is encoded once per block."""
LAYOUT = 3
SCORES = "scores.safetensors"


@dataclass(frozen=True, eq=False)
class PairTask:
    """Which pairs are scored: all of a set, or a sample drawn evenly by index."""

    pairs: PairSet
    sample: int | None = None
    seed: int = 0

    def __len__(self) -> int:
        """Return the number of pairs to score."""
        return len(self.pairs) if self.sample is None else min(self.sample, len(self.pairs))

    @property
    def is_sampled(self) -> bool:
        return len(self) < len(self.pairs)

    def blocks(self) -> Iterator[tuple[int, Indices]]:
        """Yield the number and the indices of each block."""
        action = len(self.pairs) // len(self.pairs.actions)
        step = BLOCK if self.is_sampled else max(1, BLOCK // action) * action
        indices = draw_evenly(len(self.pairs), len(self), self.seed)
        yield from enumerate(indices[at : at + step] for at in range(0, len(indices), step))

    def entry(self, model: NliModel) -> CacheSlot:
        """Return where the blocks of a model are kept."""
        pairs = self.pairs
        axes = (pairs.actions, pairs.premises, pairs.hypotheses)
        drawn = (self.sample, self.seed) if self.is_sampled else None
        return slot("inferences", [LAYOUT, BLOCK, list(model.identity), pairs.probe.sha256, axes, drawn])


def score_pairs(
    model: NliModel, task: PairTask, *, advance: Callable[[float], None] | None = None
) -> Iterator[tuple[Indices, NDArray[np.float64]]]:
    """Score what is not in the cache; then yield the indices and probabilities (pairs, 3) of each block, in order."""
    entry = task.entry(model)
    parts = (Part(_block(entry, number), indices, len(indices)) for number, indices in task.blocks())
    stream = partial(score_blocks, pairs=task.pairs)
    Filling(stream, _write, f"inferring with {model.name}").fill(model, parts, advance)
    for number, indices in task.blocks():
        block = _block(entry, number)
        yield indices, load_file(block.path / SCORES)["probabilities"].astype(np.float64)


def _block(entry: CacheSlot, number: int) -> CacheSlot:
    return entry.part(f"{number:05d}")


def _write(probabilities: NDArray[np.float32], folder: Path) -> None:
    save_file({"probabilities": probabilities}, folder / SCORES)


def score_blocks(model: NliModel, blocks: Iterable[Indices], pairs: PairSet) -> Iterator[NDArray[np.float32]]:
    """Yield the probabilities of the pairs of each block."""
    for indices in blocks:
        batch = pairs.batch(indices)
        probabilities = model.probabilities(batch.sentences, batch.pairs)
        if probabilities.shape != (len(indices), 3):
            raise WordworthError(
                f"{model.name} gave {probabilities.shape} probabilities for {len(indices)} pairs; three a pair are due"
            )
        odd = np.flatnonzero(~(np.abs(probabilities.sum(axis=1) - 1) < 1e-3))
        if len(odd):
            pair = pairs.pair(int(indices[odd[0]]))
            raise WordworthError(
                f"{model.name} gives “{pair.premise}” ⇒ “{pair.hypothesis}” the probabilities {probabilities[odd[0]]}, "
                "which do not add up to one; check its weights"
            )
        yield probabilities.astype(np.float32)


@dataclass
class Largest:
    """The `count` pairs with the largest probability in one column; of equal ones, those with the smaller index."""

    column: int
    count: int
    indices: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    probabilities: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 3)))

    def add(self, indices: NDArray[np.int64], probabilities: NDArray[np.floating]) -> None:
        """Add a block; blocks may come in any order."""
        everything = np.concatenate([self.indices, indices])
        rows = np.concatenate([self.probabilities, probabilities])
        order = np.lexsort((everything, -rows[:, self.column]))[: self.count]
        self.indices, self.probabilities = everything[order], rows[order]
