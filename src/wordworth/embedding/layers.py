"""`Layers`: the same words in one or several layers of a model, which is what every geometric task takes.

A static embedding is `Layers` of one (`Layers.of`); words that a language model encoded in some setting have one for
each layer. A slot is a layer with a number of nullified components: transforms add slots or change what is read.
Vectors are read a slot at a time, from memory, a mapped file or the store, so that memory holds one slot at a time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.core import Embedding, Provenance, Speller, as_written, look_up
from wordworth.errors import WordworthError

NOT_FOUND = "not in vocabulary"
SAME_VECTOR = "merged with another word of the set, which has the same vector"


class Slot(NamedTuple):
    """Which vectors of a word: of a layer (None: a static embedding), with so many components nullified.

    `components` is None for vectors as they are; 0 means that the mean was subtracted and nothing was nullified.
    """

    layer: int | None = None
    components: int | None = None


@dataclass(frozen=True, eq=False)
class Layers:
    """Words × slots × dimensions. Immutable; row i of what is read belongs to `words[i]`."""

    words: Sequence[str]
    """The words that have vectors."""
    slots: tuple[Slot, ...]
    read: Callable[[Slot], NDArray[np.floating]]
    """words × dimensions of one slot."""
    provenance: Provenance
    context: str | None = None
    """The kind of text that the words are in; None for a static embedding."""
    sentences: int | None = None
    """How many sentences an aggregated vector was drawn from, where that is less than the whole sample."""
    pooling: str | None = None
    vocabulary: bool = False
    """Whether these are all words of an embedding, and not words that were encoded or looked up on request."""
    requested_words: Sequence[str] = ()
    """The requested words; equal to `words` where nothing is missing."""
    positions: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    """The place of each word in `requested_words`."""
    reasons: Mapping[int, str] = field(default_factory=dict)
    """Place in `requested_words` → why that word has no vector."""
    forms: Sequence[str] = ()
    """The words as the vocabulary or the tokenizer spells them; blank where that is as requested."""
    subwords: NDArray[np.intp] | None = None
    """The number of tokens of each word, where a tokenizer split it."""
    source: Embedding | None = None
    """The embedding that these are the vectors of, where there is one."""

    def __post_init__(self) -> None:
        if not self.requested_words:
            object.__setattr__(self, "requested_words", self.words)
            object.__setattr__(self, "positions", np.arange(len(self.words)))

    @staticmethod
    def of(embedding: Embedding) -> "Layers":
        """Return a static embedding as layers of one."""
        slots = (Slot(),)
        return Layers(
            embedding.words, slots, lambda _: embedding.matrix, embedding.provenance, vocabulary=True, source=embedding
        )

    @property
    def name(self) -> str:
        return self.provenance.name

    @property
    def columns(self) -> dict[str, Any]:
        """Return the columns of a score that say whose vectors these are."""
        names = ("context", "sentences", "pooling")
        return {"model": self.name} | {name: getattr(self, name) for name in names}

    @property
    def layers(self) -> tuple[int | None, ...]:
        """Return each layer once."""
        return tuple(dict.fromkeys(slot.layer for slot in self.slots))

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        place = ", ".join(filter(None, (self.name, self.context, self.pooling)))
        return f"<Layers {place}: {len(self):,} words in {len(self.slots)} slots>"

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Return a map of word → row."""
        return self.source.index if self.source is not None else {word: row for row, word in enumerate(self.words)}

    def at(self, layer: int | None = None, components: int | None = None) -> Embedding:
        """Return one layer as an embedding."""
        slot = Slot(layer, components) if (layer, components) != (None, None) else self.slots[0]
        if slot not in self.slots:
            raise WordworthError(f"{self.name} has the layers {list(self.layers)} here, not {layer}")
        if self.source is not None:
            return self.source
        steps = [self.context or "", *([f"layer {slot.layer}"] if slot.layer is not None else [])]
        steps += [f"{self.sentences} sentences"] if self.sentences is not None else []
        steps += [f"pooling {self.pooling}"] if self.pooling else []
        steps += [f"{slot.components} components nullified"] if slot.components is not None else []
        provenance = replace(self.provenance, steps=(*self.provenance.steps, *filter(None, steps)))
        return Embedding(self.words, self.read(slot), provenance)

    def each(self) -> Iterator[tuple[Slot, NDArray[np.floating]]]:
        """Yield every slot with its words × dimensions, one at a time."""
        return ((slot, self.read(slot)) for slot in self.slots)

    def vectors(self) -> NDArray[np.float64]:
        """Return slots × words × dimensions in float64, for sets of a few hundred words."""
        return np.stack([np.asarray(matrix, dtype=np.float64) for _, matrix in self.each()])

    def in_memory(self) -> "Layers":
        """Read all slots once, where several tasks need them in turn."""
        matrices = dict(self.each())
        return replace(self, read=matrices.__getitem__)

    def select(self, words: Sequence[str], spell: Speller = as_written) -> "Layers":
        """Return the requested words that are present, in that order; `reasons` says why the others are not.

        `spell` gives the spellings to try. Words that were encoded on request are looked up as they are written.
        """
        lookup = look_up(self.index, words, spell if self.vocabulary else as_written)
        why = {self.requested_words[place]: reason for place, reason in self.reasons.items()}
        places = set(lookup.positions.tolist())
        reasons = {i: why.get(word, NOT_FOUND) for i, word in enumerate(words) if i not in places}
        forms = [self.forms[row] for row in lookup.rows.tolist()] if self.forms else lookup.forms
        selection = self._take(lookup.rows, lookup.words, forms)
        return replace(selection, requested_words=tuple(words), reasons=reasons, positions=lookup.positions)

    def rows(self, rows: NDArray[np.intp]) -> "Layers":
        """Return some of the words, by their rows; nothing is missing from them."""
        places = rows.tolist()
        return self._take(rows, [self.words[row] for row in places], [self.forms[row] for row in places if self.forms])

    def keep(self, rows: NDArray[np.intp], reason: str) -> "Layers":
        """Keep only these rows; the other words are missing for this reason."""
        dropped_rows = np.setdiff1d(np.arange(len(self.words)), rows)
        reasons = {**self.reasons, **dict.fromkeys(self.positions[dropped_rows].tolist(), reason)}
        selection = self.rows(rows)
        return replace(selection, requested_words=self.requested_words, positions=self.positions[rows], reasons=reasons)

    @property
    def matched_words(self) -> Sequence[str]:
        """Return each word as the vocabulary or the tokenizer has it: words that are equal here have one vector."""
        return self.forms or self.words

    def distinct(self) -> "Layers":
        """Keep the first of the words that have one vector, such as *rose* and *Rose* in lower-case vectors."""
        rows = {form: row for row, form in reversed(list(enumerate(self.matched_words)))}
        return self if len(rows) == len(self) else self.keep(np.sort(list(rows.values())), SAME_VECTOR)

    @property
    def distinct_count(self) -> int:
        """Return how many words were requested, without those that were merged with another."""
        return len(self.requested_words) - list(self.reasons.values()).count(SAME_VECTOR)

    def _take(self, rows: NDArray[np.intp], words: Sequence[str], forms: Sequence[str]) -> "Layers":
        """Return the vectors of some rows, under words of their own."""
        read = self.read
        return replace(
            self,
            words=tuple(words),
            requested_words=tuple(words),
            positions=np.arange(len(words)),
            reasons={},
            forms=tuple(forms),
            read=lambda slot: read(slot)[rows],
            vocabulary=False,
            subwords=None if self.subwords is None else self.subwords[rows],
            source=None,
        )

    def only(self, layers: Sequence[int | None]) -> "Layers":
        """Keep only these layers."""
        return replace(self, slots=tuple(slot for slot in self.slots if slot.layer in layers))

    def map(self, transform: Callable[[Embedding], Embedding]) -> "Layers":
        """Apply a transform of embeddings to every slot when it is read."""
        if self.source is not None:
            return Layers.of(transform(self.source))
        return replace(self, read=lambda slot: transform(self.at(*slot)).matrix)

    def found_as(self) -> list[str | None]:
        """Return for every word how the vocabulary spells it, where that differs from the request."""
        return [form if form != word else None for word, form in zip(self.words, self.matched_words, strict=True)]

    def missing(self) -> list[tuple[str, str]]:
        """Return (word, reason) of the requested words that have no vector."""
        return [(self.requested_words[place], self.reasons[place]) for place in sorted(self.reasons)]
