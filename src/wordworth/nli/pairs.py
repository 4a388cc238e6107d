"""Compose the sentence pairs of a probe when they are needed, and compute their probabilities.

A pair is (action, premise's subject, hypothesis's subject), and its index counts them with the action slowest:
i = (a · P + p) · H + h. A slice is a `PairSet` of fewer words, with indices of its own.

The cache keeps probabilities in blocks. A block is a safetensors file with the probabilities (pairs, 3) in float32, 12
bytes per pair. The key has all that they depend on: the model, the probe's lists and templates, the slice, the sample.
An interrupted run continues with the first missing block.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from wordworth.engine.cache import CacheSlot, Filling, WorkPart, slot
from wordworth.errors import WordworthError, nearest
from wordworth.nli.nli import NliModel
from wordworth.nli.probe import ARTICLES, Action, Probe

Indices = NDArray[np.int64]


class Pair(NamedTuple):
    """Two sentences and their components."""

    premise: str
    hypothesis: str
    subjects: tuple[str, str]
    action: Action
    positions: tuple[int, int, int]
    """(action, premise, hypothesis): positions in the probe's lists; a word listed twice has two."""


class PairBatch(NamedTuple):
    """Distinct sentences, and pairs (premise, hypothesis) of their indices."""

    sentences: list[str]
    pairs: Indices


@dataclass(frozen=True, eq=False)
class PairSet:
    """All pairs of a probe, or a slice of them: positions in its actions, premises and hypotheses."""

    probe: Probe
    actions: tuple[int, ...]
    premises: tuple[int, ...]
    hypotheses: tuple[int, ...]
    words_by_key: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The words of a slice, by key."""

    @classmethod
    def of(cls, probe: Probe) -> "PairSet":
        """Return every pair of a probe."""
        slots = (probe.actions, probe.premises, probe.hypotheses)
        actions, premises, hypotheses = (tuple(range(len(words))) for words in slots)
        return cls(probe, actions, premises, hypotheses)

    @property
    def shape(self) -> tuple[int, int, int]:
        return len(self.actions), len(self.premises), len(self.hypotheses)

    def __len__(self) -> int:
        actions, premises, hypotheses = self.shape
        return actions * premises * hypotheses

    def pair(self, index: int) -> Pair:
        """Return the pair of an index."""
        if not 0 <= index < len(self):
            raise WordworthError(f"{self.probe.name} has {len(self):,} pairs, so none has the index {index:,}")
        a, p, h = (int(position) for position in np.unravel_index(index, self.shape))
        positions = (self.actions[a], self.premises[p], self.hypotheses[h])
        texts = self.batch(np.array([index])).sentences
        subjects = (self.probe.premises[positions[1]], self.probe.hypotheses[positions[2]])
        return Pair(texts[0], texts[1], subjects, self.probe.actions[positions[0]], positions)

    def coordinates(self, indices: Indices) -> tuple[Indices, Indices, Indices]:
        """Return action, premise and hypothesis of many indices, as positions in this set's lists."""
        a, p, h = np.unravel_index(indices, self.shape)
        return a, p, h

    def where(self, words_by_key: Mapping[str, Sequence[str]]) -> "PairSet":
        """Return the slice with these words, by `verb`, `object`, `kind` (of verb), the subjects' labels, or `subject`.

        Several words of one key are alternatives; several keys apply together.
        """
        axes: list[Iterable[int]] = [self.actions, self.premises, self.hypotheses]
        by_key = dict(self.words_by_key)
        for key, words in words_by_key.items():
            name = self._key(key, words)
            axis, words_of_axis = self._axes[name]
            for word in self._missing_words(name, words):
                hint = nearest(word, sorted(dict.fromkeys(words_of_axis))) or "; see its lists"
                raise WordworthError(f"the probe {self.probe.name} has no {key} {word!r}{hint}")
            folded_words = {word.casefold() for word in words}
            axes[axis] = [position for position in axes[axis] if words_of_axis[position].casefold() in folded_words]
            by_key[name] = tuple(dict.fromkeys(word for word in words_of_axis if word.casefold() in folded_words))
        actions, premises, hypotheses = (tuple(axis) for axis in axes)
        pair_slice = PairSet(self.probe, actions, premises, hypotheses, by_key)
        if not len(pair_slice):
            raise WordworthError(f"no pair of {self.probe.name} has {pair_slice.label}; choose words that go together")
        return pair_slice

    @cached_property
    def _axes(self) -> dict[str, tuple[int, Sequence[str]]]:
        """Return the axis of each key, and the word at each position of the probe's lists."""
        probe, (first, second) = self.probe, self.labels
        axes: dict[str, tuple[int, Sequence[str]]] = {first: (1, probe.premises), second: (2, probe.hypotheses)}
        for key in Action._fields:
            axes[key] = (0, [getattr(action, key) for action in probe.actions])
        return axes

    @property
    def labels(self) -> tuple[str, str]:
        """Return the keys of the subjects: their labels, or their sides if both have one label."""
        first, second = self.probe.labels
        return (first, second) if first != second else ("premise", "hypothesis")

    def can_slice_by(self, key: str) -> bool:
        """Return whether the probe has a key."""
        return key in self._axes or key in ("subject", "premise", "hypothesis")

    def knows(self, words_by_key: Mapping[str, Sequence[str]]) -> bool:
        """Return whether the probe has all these keys and words."""
        return all(
            self.can_slice_by(key) and not self._missing_words(self._key(key, words), words)
            for key, words in words_by_key.items()
        )

    def _missing_words(self, key: str, words: Sequence[str]) -> list[str]:
        known_words = {word.casefold() for word in self._axes[key][1]}
        return [word for word in words if word.casefold() not in known_words]

    def _key(self, key: str, words: Sequence[str] = ()) -> str:
        """Return the key as in tables. A `subject` is a premise's, or else a hypothesis's."""
        if key == "subject":
            known_words = {word.casefold() for word in self.probe.premises}
            key = "premise" if all(word.casefold() in known_words for word in words) else "hypothesis"
        if not self.can_slice_by(key):
            known_keys = [*self._axes, "subject"]
            hint = nearest(key, known_keys) or f"; slice it by {', '.join(known_keys)}"
            raise WordworthError(f"the probe {self.probe.name} cannot be sliced by {key!r}{hint}")
        return dict(zip(("premise", "hypothesis"), self.labels, strict=True)).get(key, key)

    def words_of(self, key: str) -> tuple[str, ...]:
        """Return the words of a key in this set, in the probe's order."""
        axis, words = self._axes[self._key(key)]
        return tuple(dict.fromkeys(words[i] for i in (self.actions, self.premises, self.hypotheses)[axis]))

    @property
    def label(self) -> str:
        """Return the slice as text, `occupation=doctor,verb=ate|cooked`; blank for all pairs."""
        return ",".join(f"{key}={'|'.join(words)}" for key, words in self.words_by_key.items())

    def fragments(self) -> list[list[str]]:
        """Return the fragments of all sentences: the subjects, and the rest of each action's sentence."""
        return [[*forms, *map(" ".join, around)] for forms, around in zip(self.forms, self.around, strict=True)]

    def batch(self, indices: Indices) -> PairBatch:
        """Return the distinct sentences of some pairs: premises first, then hypotheses."""
        a, p, h = self.coordinates(np.asarray(indices, dtype=np.int64))
        _, premises, hypotheses = self.shape
        first, at_first = np.unique(a * premises + p, return_inverse=True)
        second, at_second = np.unique(a * hypotheses + h, return_inverse=True)
        sentences = self._sentences(0, first, premises) + self._sentences(1, second, hypotheses)
        return PairBatch(sentences, np.stack([at_first, at_second + len(first)], axis=1).astype(np.int64))

    def _sentences(self, side: int, keys: Indices, size: int) -> list[str]:
        forms, around = self.forms[side], self.around[side]
        sentences: list[str] = []
        for a, subject in zip(*(numbers.tolist() for numbers in np.divmod(keys, size)), strict=True):
            before, after = around[a]
            sentences.append(f"{before}{forms[subject]}{after}")
        return sentences

    @cached_property
    def forms(self) -> tuple[list[str], list[str]]:
        """Return the subjects as they are written in the sentences."""
        probe, article = self.probe, ARTICLES[self.probe.articles]
        first, second = probe.templates
        return (
            [first.form(probe.premises[position], article) for position in self.premises],
            [second.form(probe.hypotheses[position], article) for position in self.hypotheses],
        )

    @cached_property
    def around(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return the text before and after the subject, for each action."""
        probe, article = self.probe, ARTICLES[self.probe.articles]
        actions = [probe.actions[position] for position in self.actions]
        first, second = (
            [template.around(action.verb, action.object, article) for action in actions] for template in probe.templates
        )
        return first, second


def draw_evenly(total: int, count: int, seed: int) -> Indices:
    """Draw `count` of the indices below `total` in order, one at random from each of `count` equal stretches.

    Even steps would meet the same hypothesis repeatedly, since hypotheses recur every H pairs.
    """
    if count >= total:
        return np.arange(total, dtype=np.int64)
    edges = (np.arange(count + 1, dtype=np.int64) * total) // count
    return np.random.default_rng(seed).integers(edges[:-1], edges[1:])


BLOCK_PAIRS = 1 << 13
"""Approximate pairs per block: whole actions, so that a sentence is encoded once per block."""
SCORES_VERSION = 3
SCORES_FILE = "scores.safetensors"


@dataclass(frozen=True, eq=False)
class PairTask:
    """The pairs to score: all of a set, or a sample drawn evenly by index."""

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
        pairs_per_action = len(self.pairs) // len(self.pairs.actions)
        step = BLOCK_PAIRS if self.is_sampled else max(1, BLOCK_PAIRS // pairs_per_action) * pairs_per_action
        indices = draw_evenly(len(self.pairs), len(self), self.seed)
        yield from enumerate(indices[start : start + step] for start in range(0, len(indices), step))

    def entry(self, model: NliModel) -> CacheSlot:
        """Return the cache entry with the blocks of a model."""
        pairs = self.pairs
        axes = (pairs.actions, pairs.premises, pairs.hypotheses)
        draw = (self.sample, self.seed) if self.is_sampled else None
        return slot("inferences", [SCORES_VERSION, BLOCK_PAIRS, list(model.identity), pairs.probe.sha256, axes, draw])


def score_pairs(
    model: NliModel, task: PairTask, *, advance: Callable[[float], None] | None = None
) -> Iterator[tuple[Indices, NDArray[np.float64]]]:
    """Score the blocks missing in the cache, then yield the indices and probabilities (pairs, 3) of each block."""
    entry = task.entry(model)
    work_parts = (WorkPart(_block(entry, number), indices, len(indices)) for number, indices in task.blocks())
    stream = partial(score_blocks, pairs=task.pairs)
    Filling(stream, _write, f"inferring with {model.name}").fill(model, work_parts, advance)
    for number, indices in task.blocks():
        block = _block(entry, number)
        yield indices, load_file(block.path / SCORES_FILE)["probabilities"].astype(np.float64)


def _block(entry: CacheSlot, number: int) -> CacheSlot:
    return entry.part(f"{number:05d}")


def _write(probabilities: NDArray[np.float32], folder: Path) -> None:
    save_file({"probabilities": probabilities}, folder / SCORES_FILE)


def score_blocks(model: NliModel, blocks: Iterable[Indices], pairs: PairSet) -> Iterator[NDArray[np.float32]]:
    """Yield the probabilities of the pairs of each block."""
    for indices in blocks:
        batch = pairs.batch(indices)
        probabilities = model.probabilities(batch.sentences, batch.pairs)
        if probabilities.shape != (len(indices), 3):
            raise WordworthError(
                f"{model.name} returned {probabilities.shape} probabilities for {len(indices)} pairs, not "
                "three per pair"
            )
        invalid_rows = np.flatnonzero(~(np.abs(probabilities.sum(axis=1) - 1) < 1e-3))
        if len(invalid_rows):
            row = int(invalid_rows[0])
            pair = pairs.pair(int(indices[row]))
            raise WordworthError(
                f"{model.name} gives “{pair.premise}” ⇒ “{pair.hypothesis}” the probabilities {probabilities[row]}, "
                "which do not add up to one; check its weights"
            )
        yield probabilities.astype(np.float32)


@dataclass
class LargestPairs:
    """The `count` pairs with the largest probability in one column; of equal ones, those with the smallest index."""

    column: int
    count: int
    indices: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    probabilities: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 3)))

    def add(self, indices: NDArray[np.int64], probabilities: NDArray[np.floating]) -> None:
        """Add a block; blocks may come in any order."""
        all_indices = np.concatenate([self.indices, indices])
        rows = np.concatenate([self.probabilities, probabilities])
        order = np.lexsort((all_indices, -rows[:, self.column]))[: self.count]
        self.indices, self.probabilities = all_indices[order], rows[order]
