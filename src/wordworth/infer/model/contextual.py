"""ELMo as what an NLI model reads: three layers a token, with a place for a projection in layer 1 or in all layers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.embedding import Embedding
from wordworth.embedding.core import Provenance
from wordworth.engine.identity import hash_content, hash_of
from wordworth.errors import WordworthError
from wordworth.infer.model.elmo import Elmo
from wordworth.infer.model.vocabulary import words_of
from wordworth.transform import Subspace

Change = Callable[[Tensor], Tensor]


@dataclass
class _Lexicon:
    """Words read so far, and their layer 1, which is the same everywhere and so is computed once."""

    index: dict[str, int] = field(default_factory=dict)
    rows: list[Tensor] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True)
class ElmoVectors:
    """Sentences as ELMo reads them: words as written, all three layers of each."""

    elmo: Elmo
    name: str = "elmo"
    first: Change | None = None
    """Done to layer 1 (…, dim / 2) before the LSTMs read it."""
    every: Change | None = None
    """Done to all layers (…, layers, dim) once they are computed."""
    steps: tuple[str, ...] = ()
    """What was done, for people and keys: each step names its values."""
    _lexicon: _Lexicon = field(default_factory=_Lexicon)

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        return ("elmo", hash_of(self.elmo, "weights", lambda: hash_content(self.elmo)), *self.steps)

    @property
    def dim(self) -> int:
        return self.elmo.dim

    @property
    def layers(self) -> int:
        return self.elmo.layers

    def changed(self, step: str, *, first: Change | None = None, every: Change | None = None) -> "ElmoVectors":
        """The same model with one more change: of layer 1 before the LSTMs read it, or of all layers behind them."""
        first, every = _after(self.first, first), _after(self.every, every)
        return replace(self, first=first, every=every, steps=(*self.steps, step))

    def ids(self, sentence: str) -> list[int]:
        index = self._lexicon.index
        return [index.setdefault(word, len(index)) for word in words_of(sentence)]

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """None: characters spell every word."""
        return ()

    def vectors(self, ids: NDArray[np.int64]) -> Tensor:
        with torch.inference_mode():
            words, marks = self._layer_one(int(ids.max(initial=-1)) + 1)[ids], self.elmo.words(self.elmo.marks())
            begin, end = (mark.expand(len(ids), 1, -1) for mark in marks)
            x = torch.cat([begin, words, end], dim=1)
            layers = self.elmo.sentences(self.first(x) if self.first else x)
            layers = self.every(layers) if self.every else layers
        return layers.clone()  # an ordinary tensor again, which training may keep for its gradients

    def _layer_one(self, count: int) -> Tensor:
        """(words, dim / 2) of the first `count` words read."""
        lexicon = self._lexicon
        with lexicon.lock:
            known = sum(map(len, lexicon.rows))
            if known < count:
                new = list(lexicon.index)[known:count]
                lexicon.rows.append(self.elmo.words(self.elmo.codes(new)))
            if len(lexicon.rows) > 1:
                lexicon.rows[:] = [torch.cat(lexicon.rows)]
            return lexicon.rows[0] if lexicon.rows else torch.empty(0, self.dim // 2)

    @property
    def embedding(self) -> None:
        """None: no file holds vectors that depend on their context."""

    def without(self, subspace: Subspace) -> "ElmoVectors":
        """A subspace taken out of layer 1, before the LSTMs read it; layers 2 and 3 follow from that."""
        basis = torch.from_numpy(subspace.basis).float()
        return self.changed(_step(subspace), first=lambda x: x - (x @ basis.T) @ basis)

    def without_in(self, subspaces: Mapping[int, Subspace]) -> "ElmoVectors":
        """A subspace taken out of each of these layers, which are counted from 1, once all of them are computed."""
        bases = {layer - 1: torch.from_numpy(one.basis).float() for layer, one in subspaces.items()}

        def every(layers: Tensor) -> Tensor:
            parts = [
                x - (x @ bases[at].T) @ bases[at] if at in bases else x for at, x in enumerate(layers.unbind(dim=2))
            ]
            return torch.stack(parts, dim=2)

        steps = (f"layer {layer}, {_step(one)}" for layer, one in sorted(subspaces.items()))
        return self.changed("; ".join(steps), every=every)

    def over(self, embedding: Embedding) -> "ElmoVectors":
        raise WordworthError(f"{self.name} is no file of word vectors, so {embedding.name} cannot take its place")

    def context_free(self, words: Sequence[str]) -> Embedding:
        """Layer 1 of words, as the LSTMs read it, to find directions in."""
        with torch.inference_mode():
            layer = self.elmo.words(self.elmo.codes(list(words)))
            matrix = (self.first(layer) if self.first else layer).numpy()
        provenance = Provenance(name=f"{self.name} layer 1", sha256=self.elmo.sha256)
        return Embedding(list(words), matrix, provenance)


def _after(one: Change | None, other: Change | None) -> Change | None:
    """Both changes, the first of them first."""
    return (lambda x: other(one(x))) if one and other else one or other


def _step(subspace: Subspace) -> str:
    return f"projected out: {subspace.name} {hash_content(subspace.basis)[:12]}"
