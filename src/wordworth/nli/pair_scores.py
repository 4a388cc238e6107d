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

from wordworth.engine.cache import CacheSlot, slot
from wordworth.engine.filling import Filling, Part
from wordworth.errors import WordworthError
from wordworth.nli.nli import NliModel
from wordworth.nli.over_vectors import Grid, grid_of
from wordworth.nli.pairs import Indices, PairSet, evenly

BLOCK = 1 << 13
"""Pairs of a block, about: whole actions, so that a sentence is encoded once."""
LAYOUT = 3
SCORES = "scores.safetensors"


@dataclass(frozen=True, eq=False)
class PairTask:
    """Which pairs are scored: all of a set, or a sample drawn evenly by index."""

    pairs: PairSet
    sample: int | None = None
    seed: int = 0

    @property
    def sampled(self) -> bool:
        return self.sample is not None and self.sample < len(self.pairs)

    def blocks(self) -> Iterator[tuple[int, Indices]]:
        """Yield the number and the indices of each block."""
        _, premises, hypotheses = self.pairs.shape
        if self.sampled and self.sample is not None:
            drawn = evenly(len(self.pairs), self.sample, self.seed)
            cut = [drawn[start : start + BLOCK] for start in range(0, len(drawn), BLOCK)]
            parts = iter(cut)
        else:
            step = max(1, BLOCK // (premises * hypotheses)) * premises * hypotheses
            parts = (np.arange(at, min(at + step, len(self.pairs))) for at in range(0, len(self.pairs), step))
        yield from enumerate(parts)

    def __len__(self) -> int:
        """Pairs to score."""
        return sum(len(indices) for _, indices in self.blocks())

    def entry(self, model: NliModel) -> CacheSlot:
        """Where the blocks of a model lie."""
        pairs = self.pairs
        axes = (pairs.actions, pairs.premises, pairs.hypotheses)
        drawn = (self.sample, self.seed) if self.sampled else None
        return slot("inferences", [LAYOUT, BLOCK, list(model.identity), pairs.probe.sha256, axes, drawn])


def scored(
    model: NliModel, task: PairTask, *, advance: Callable[[float], None] | None = None
) -> Iterator[tuple[Indices, NDArray[np.float64]]]:
    """The indices and probabilities (pairs, 3) of each block, in order, once all that is not in the cache is scored."""
    entry = task.entry(model)
    stream = partial(score_blocks, pairs=task.pairs, whole=not task.sampled)
    parts = (Part(_block(entry, number), indices, len(indices)) for number, indices in task.blocks())
    Filling(stream, _write, f"inferring with {model.name}").fill(model, parts, advance)
    for number, indices in task.blocks():
        block = _block(entry, number)
        yield indices, load_file(block.path / SCORES)["probabilities"].astype(np.float64)


def _block(entry: CacheSlot, number: int) -> CacheSlot:
    return entry.part(f"{number:05d}")


def _write(probabilities: NDArray[np.float32], folder: Path) -> None:
    save_file({"probabilities": probabilities}, folder / SCORES)


def score_blocks(
    model: NliModel, blocks: Iterable[Indices], pairs: PairSet, *, whole: bool
) -> Iterator[NDArray[np.float32]]:
    """The probabilities of the pairs of each block; `whole`: of whole actions, which may go through as a grid."""
    grid = grid_of(model, pairs) if whole else None
    for indices in blocks:
        yield _checked(model, grid, pairs, indices)


def _checked(model: NliModel, grid: Grid | None, pairs: PairSet, indices: Indices) -> NDArray[np.float32]:
    if grid is not None:
        cells = pairs.shape[1] * pairs.shape[2]
        actions = range(int(indices[0]) // cells, int(indices[-1]) // cells + 1)
        probabilities = grid.probabilities(actions).reshape(-1, 3)
    else:
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
    return probabilities.astype(np.float32)


@dataclass
class Largest:
    """The `count` pairs with the largest probability in one column; of equal ones, those with the smaller index."""

    column: int
    count: int
    indices: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    probabilities: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 3)))

    def add(self, indices: NDArray[np.int64], probabilities: NDArray[np.floating]) -> None:
        """Another block, whatever the order that blocks come in."""
        values = probabilities[:, self.column]
        if 0 < self.count < len(values):  # ties at the edge are all kept until they are sorted by index
            edge = np.partition(values, len(values) - self.count)[len(values) - self.count]
            large = values >= edge
            indices, probabilities = indices[large], probabilities[large]
        everything = np.concatenate([self.indices, indices])
        rows = np.concatenate([self.probabilities, probabilities])
        order = np.lexsort((everything, -rows[:, self.column]))[: self.count]
        self.indices, self.probabilities = everything[order], rows[order]
