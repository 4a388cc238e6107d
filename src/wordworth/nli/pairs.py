"""Pairs of sentences of a probe, put together when they are needed: pair i of two million without the rest.

A pair is (action, premise's subject, hypothesis's subject), and its index counts them with the action slowest:
i = (a · P + p) · H + h. A slice is a `PairSet` of fewer words, with indices of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError, nearest
from wordworth.nli.probe import Action, Probe
from wordworth.nli.templates import ARTICLES

Indices = NDArray[np.int64]


class Pair(NamedTuple):
    """Two sentences and what they consist of."""

    premise: str
    hypothesis: str
    subjects: tuple[str, str]
    action: Action
    at: tuple[int, int, int]
    """(action, premise, hypothesis): positions in the probe's lists, so that a word listed twice has two."""


class Batch(NamedTuple):
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
            close = nearest(key, known_keys) or f"; it can by {', '.join(known_keys)}"
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

    def batch(self, indices: Indices) -> Batch:
        """Return the sentences of some pairs, each once: premises first, then hypotheses."""
        a, p, h = self.coordinates(np.asarray(indices, dtype=np.int64))
        _, premises, hypotheses = self.shape
        first, at_first = np.unique(a * premises + p, return_inverse=True)
        second, at_second = np.unique(a * hypotheses + h, return_inverse=True)
        sentences = self._sentences(0, first, premises) + self._sentences(1, second, hypotheses)
        return Batch(sentences, np.stack([at_first, at_second + len(first)], axis=1).astype(np.int64))

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
