"""Pairs of sentences of a probe, put together when they are needed, and their probabilities.

A pair is (action, premise's subject, hypothesis's subject), and its index counts them with the action slowest:
i = (a · P + p) · H + h. A slice is a `PairSet` of fewer words, with indices of its own.

Probabilities are kept on disk, block by block, and are read from then on. A block is a safetensors file with the
probabilities (pairs, 3) in float32, 12 bytes a pair. It is a part of an entry of the cache, keyed by all that they
depend on: the model, the probe's lists and templates, the slice, the sample. A run that was killed goes on with the
first block that is not there.
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
    """Two sentences and what they consist of."""

    premise: str
    hypothesis: str
    subjects: tuple[str, str]
    action: Action
    at: tuple[int, int, int]
    """(action, premise, hypothesis): positions in the probe's lists, so that a word listed twice has two."""


class PairBatch(NamedTuple):
    """Sentences, each once, and pairs (premise, hypothesis) of them."""

    sentences: list[str]
    pairs: Indices


@dataclass(frozen=True, eq=False)
class PairSet:
    """All pairs of a probe, or a slice of them: positions in its actions, premises and hypotheses."""

    probe: Probe
    actions: tuple[int, ...]
    premises: tuple[int, ...]
    hypotheses: tuple[int, ...]
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What a slice was chosen by."""

    @classmethod
    def of(cls, probe: Probe) -> "PairSet":
        """Return every pair of a probe."""
        actions, premises, hypotheses = (
            tuple(range(len(words))) for words in (probe.actions, probe.premises, probe.hypotheses)
        )
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
            raise WordworthError(
                f"{self.probe.name} has {len(self):,} pairs, so there is none with the index {index:,}"
            )
        a, p, h = (int(place) for place in np.unravel_index(index, self.shape))
        at = (self.actions[a], self.premises[p], self.hypotheses[h])
        texts = self.batch(np.array([index])).sentences
        subjects = (self.probe.premises[at[1]], self.probe.hypotheses[at[2]])
        return Pair(texts[0], texts[1], subjects, self.probe.actions[at[0]], at)

    def coordinates(self, indices: Indices) -> tuple[Indices, Indices, Indices]:
        """Return action, premise and hypothesis of many indices, as places in this set's lists."""
        a, p, h = np.unravel_index(indices, self.shape)
        return a, p, h

    def where(self, chosen: Mapping[str, Sequence[str]]) -> "PairSet":
        """Return the slice with these words: by `verb`, `object`, `kind` (of verb), the subjects' labels, or `subject`.

        Several words of one key are alternatives, several keys hold together.
        """
        axes: list[Iterable[int]] = [self.actions, self.premises, self.hypotheses]
        by_key = dict(self.chosen)
        for key, words in chosen.items():
            name = self._key(key, words)
            axis, listed = self._axes[name]
            for word in self._missing_words(name, words):
                close = nearest(word, sorted(dict.fromkeys(listed))) or "; see its lists"
                raise WordworthError(f"the probe {self.probe.name} has no {key} {word!r}{close}")
            wanted = {word.casefold() for word in words}
            axes[axis] = [at for at in axes[axis] if listed[at].casefold() in wanted]
            by_key[name] = tuple(dict.fromkeys(word for word in listed if word.casefold() in wanted))
        actions, premises, hypotheses = (tuple(axis) for axis in axes)
        part = PairSet(self.probe, actions, premises, hypotheses, by_key)
        if not len(part):
            raise WordworthError(f"no pair of {self.probe.name} has {part.label}; choose words that go together")
        return part

    @cached_property
    def _axes(self) -> dict[str, tuple[int, Sequence[str]]]:
        """Return for each key its axis, and the word of each position in the probe's lists."""
        probe, (first, second) = self.probe, self.labels
        axes: dict[str, tuple[int, Sequence[str]]] = {first: (1, probe.premises), second: (2, probe.hypotheses)}
        for key in Action._fields:
            axes[key] = (0, [getattr(action, key) for action in probe.actions])
        return axes

    @property
    def labels(self) -> tuple[str, str]:
        """Return what slices call the subjects; where both have one label, their sides."""
        first, second = self.probe.labels
        return (first, second) if first != second else ("premise", "hypothesis")

    def can_slice_by(self, key: str) -> bool:
        """Return whether a key is one of this probe's."""
        return key in self._axes or key in ("subject", "premise", "hypothesis")

    def knows(self, chosen: Mapping[str, Sequence[str]]) -> bool:
        """Return whether the keys and all the words are this probe's."""
        return all(
            self.can_slice_by(key) and not self._missing_words(self._key(key, words), words)
            for key, words in chosen.items()
        )

    def _missing_words(self, key: str, words: Sequence[str]) -> list[str]:
        known = {word.casefold() for word in self._axes[key][1]}
        return [word for word in words if word.casefold() not in known]

    def _key(self, key: str, words: Sequence[str] = ()) -> str:
        """Return the key as tables have it. A `subject` is one of the premises, or else of the hypotheses."""
        if key == "subject":
            known = {word.casefold() for word in self.probe.premises}
            key = "premise" if all(word.casefold() in known for word in words) else "hypothesis"
        if not self.can_slice_by(key):
            known_keys = [*self._axes, "subject"]
            close = nearest(key, known_keys) or f"; its keys are {', '.join(known_keys)}"
            raise WordworthError(f"the probe {self.probe.name} cannot be sliced by {key!r}{close}")
        return dict(zip(("premise", "hypothesis"), self.labels, strict=True)).get(key, key)

    def words_of(self, key: str) -> tuple[str, ...]:
        """Return the words that a key can take in this set, in the probe's order."""
        axis, listed = self._axes[self._key(key)]
        return tuple(dict.fromkeys(listed[at] for at in (self.actions, self.premises, self.hypotheses)[axis]))

    @property
    def label(self) -> str:
        """Return `occupation=doctor,verb=ate|cooked`, blank for all pairs."""
        return ",".join(f"{key}={'|'.join(words)}" for key, words in self.chosen.items())

    def fragments(self) -> list[list[str]]:
        """Return what all sentences are made of: the subjects, and the rest of each action's sentences."""
        return [[*forms, *map(" ".join, around)] for forms, around in zip(self.forms, self.around, strict=True)]

    def batch(self, indices: Indices) -> PairBatch:
        """Return the sentences of some pairs, each once: premises first, then hypotheses."""
        a, p, h = self.coordinates(np.asarray(indices, dtype=np.int64))
        _, premises, hypotheses = self.shape
        first, at_first = np.unique(a * premises + p, return_inverse=True)
        second, at_second = np.unique(a * hypotheses + h, return_inverse=True)
        sentences = self._sentences(0, first, premises) + self._sentences(1, second, hypotheses)
        return PairBatch(sentences, np.stack([at_first, at_second + len(first)], axis=1).astype(np.int64))

    def _sentences(self, side: int, keys: Indices, size: int) -> list[str]:
        forms, around = self.forms[side], self.around[side]
        sentences: list[str] = []
        for a, subject in zip(*(one.tolist() for one in np.divmod(keys, size)), strict=True):
            before, after = around[a]
            sentences.append(f"{before}{forms[subject]}{after}")
        return sentences

    @cached_property
    def forms(self) -> tuple[list[str], list[str]]:
        """Return the subjects as they stand in the sentences."""
        probe, article = self.probe, ARTICLES[self.probe.articles]
        first, second = probe.templates
        return (
            [first.form(probe.premises[at], article) for at in self.premises],
            [second.form(probe.hypotheses[at], article) for at in self.hypotheses],
        )

    @cached_property
    def around(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return what stands before and after the subject, for each action."""
        probe, article = self.probe, ARTICLES[self.probe.articles]
        actions = [probe.actions[at] for at in self.actions]
        first, second = (
            [template.around(action.verb, action.object, article) for action in actions] for template in probe.templates
        )
        return first, second


def draw_evenly(total: int, count: int, seed: int) -> Indices:
    """Draw `count` of the indices below `total`, one at random from each of as many equal stretches, in order.

    Even steps alone would meet the same hypothesis again and again, since they come round every H pairs.
    """
    if count >= total:
        return np.arange(total, dtype=np.int64)
    edges = (np.arange(count + 1, dtype=np.int64) * total) // count
    return np.random.default_rng(seed).integers(edges[:-1], edges[1:])


BLOCK_PAIRS = 1 << 13
"""Pairs of a block, about: whole actions, so that a sentence is encoded once per block."""
SCORES_VERSION = 3
SCORES_FILE = "scores.safetensors"


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
        step = BLOCK_PAIRS if self.is_sampled else max(1, BLOCK_PAIRS // action) * action
        indices = draw_evenly(len(self.pairs), len(self), self.seed)
        yield from enumerate(indices[at : at + step] for at in range(0, len(indices), step))

    def entry(self, model: NliModel) -> CacheSlot:
        """Return where the blocks of a model are kept."""
        pairs = self.pairs
        axes = (pairs.actions, pairs.premises, pairs.hypotheses)
        drawn = (self.sample, self.seed) if self.is_sampled else None
        return slot("inferences", [SCORES_VERSION, BLOCK_PAIRS, list(model.identity), pairs.probe.sha256, axes, drawn])


def score_pairs(
    model: NliModel, task: PairTask, *, advance: Callable[[float], None] | None = None
) -> Iterator[tuple[Indices, NDArray[np.float64]]]:
    """Score what is not in the cache; then yield the indices and probabilities (pairs, 3) of each block, in order."""
    entry = task.entry(model)
    parts = (WorkPart(_block(entry, number), indices, len(indices)) for number, indices in task.blocks())
    stream = partial(score_blocks, pairs=task.pairs)
    Filling(stream, _write, f"inferring with {model.name}").fill(model, parts, advance)
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
class LargestPairs:
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
