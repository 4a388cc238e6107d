"""Declare the interface of NLI models: sentences and pairs in, three probabilities per pair out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.nli import RELATIONS
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.transform import Subspace

LABELS = RELATIONS
"""The order of probabilities in Wordworth, whatever the model's own."""
Example = tuple[str, str, str]
"""Premise, hypothesis, and one of `LABELS`."""
Sentences = list[str] | tuple[str, ...]


class NliModel(Protocol):
    """A model that says whether a premise entails a hypothesis."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        """Return all that its probabilities depend on, for cache keys and the run."""

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a row of `LABELS` for each pair (premise, hypothesis) of indices into `sentences`.

        Sentences are distinct, so that a model can encode each once. The result does not depend on batches.
        """


@runtime_checkable
class MitigableNli(NliModel, Protocol):
    """A model whose context-free vectors can be read and changed, unlike some models of users."""

    @property
    def source(self) -> str:
        """Return the source of its weights; blank if it is the name."""

    @property
    def word_vectors(self) -> Embedding | None:
        """Return the file of word vectors that it reads, if it reads one."""

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """Return the words of the sentences without a vector."""

    def vectors_of(self, words: Sequence[str]) -> Embedding:
        """Return vectors to learn a subspace from, including those of `words` if they have one."""

    def without(self, subspace: Subspace) -> "MitigableNli":
        """Return the same model with a subspace removed from every vector that it looks up."""

    def with_vectors(self, embedding: Embedding) -> "MitigableNli":
        """Return the same model over another file of word vectors; raise if it reads none."""


@dataclass(frozen=True)
class TrainedWithout:
    """The subspace removed from a network's vectors, in training and in use."""

    subspace: str
    """The name of the subspace, such as “he − she”."""
    dimensions: int
    layers: tuple[int, ...] = ()
    """Layers of ELMo from which it was removed after they were computed; blank for context-free vectors."""


class Inference(NamedTuple):
    """The probabilities that a premise entails a hypothesis, leaves it open, or contradicts it."""

    entailment: float
    neutral: float
    contradiction: float


@overload
def infer(model: NliModel, premise: str, hypothesis: str) -> Inference: ...
@overload
def infer(model: NliModel, premise: Sentences, hypothesis: Sentences) -> list[Inference]: ...
def infer(model: NliModel, premise: str | Sentences, hypothesis: str | Sentences) -> Inference | list[Inference]:
    """Return the probabilities of one pair of sentences, or of as many premises as hypotheses, pair by pair."""
    single = isinstance(premise, str)
    if single != isinstance(hypothesis, str) or (not single and len(premise) != len(hypothesis)):
        raise WordworthError("premise and hypothesis do not match; give two sentences, or two lists of one length")
    premises, hypotheses = ([side] if isinstance(side, str) else side for side in (premise, hypothesis))
    rows = model.probabilities(*sentence_pairs(zip(premises, hypotheses, strict=True))).tolist()
    inferences = [Inference(*row) for row in rows]
    return inferences[0] if single else inferences


def sentence_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct sentences, and the pairs as indices into them."""
    index: dict[str, int] = {}
    rows = [[index.setdefault(sentence, len(index)) for sentence in pair] for pair in pairs]
    return list(index), np.array(rows, dtype=np.int64).reshape(-1, 2)


def accuracy(model: NliModel, examples: Sequence[Example]) -> float:
    """Return the share of examples whose most probable label is correct."""
    columns = model.probabilities(*sentence_pairs(example[:2] for example in examples)).argmax(axis=1).tolist()
    return float(np.mean([LABELS[column] == label for column, (*_, label) in zip(columns, examples, strict=True)]))
