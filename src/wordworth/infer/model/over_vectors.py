"""An NLI model over word vectors: every sentence is encoded once, pairs are compared in blocks of one length."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from wordworth.embedding import Embedding
from wordworth.encode.identity import VERSIONS, hash_network
from wordworth.errors import WordworthError
from wordworth.infer.model.attention import EncodedSentences, Network
from wordworth.infer.model.nli import LABELS, TrainedWithout
from wordworth.infer.model.vocabulary import Embedder
from wordworth.statistics.threads import in_torch_threads
from wordworth.transform import Subspace

Indices = NDArray[np.int64]
SENTENCES = 512
"""EncodedSentences at a time by one core."""
PAIRS = 128
"""Compared at a time by one core: what they take stays in its cache."""
TOKENS = 1 << 18
"""Held encoded at a time; more sentences than that are done part by part."""


@dataclass(frozen=True)
class AttentionNli:
    """The decomposable attention network over word vectors: a trained network and the vectors it reads."""

    name: str
    network: Network
    embedder: Embedder
    trained_without: TrainedWithout | None = None

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        shape = json.dumps(self.network.shape.plain(), sort_keys=True)
        return ("decomposable-attention", VERSIONS[1], hash_network(self.network), shape, *self.embedder.identity)

    @property
    def source(self) -> str:
        return ""

    @property
    def word_vectors(self) -> Embedding | None:
        return self.embedder.embedding

    def vectors_of(self, words: Sequence[str]) -> Embedding:
        """Vectors of words, the same wherever they stand; see `MitigableNli`."""
        return self.embedder.context_free(words)

    def without(self, subspace: Subspace) -> "AttentionNli":
        """The same network over vectors without their part in a subspace."""
        return replace(self, embedder=self.embedder.without(subspace))

    def over(self, embedder: Embedder) -> "AttentionNli":
        """The same network over vectors that are made otherwise."""
        return replace(self, embedder=embedder)

    def with_vectors(self, embedding: Embedding) -> "AttentionNli":
        """The same network over other vectors of the same size, such as projected ones."""
        return replace(self, embedder=self.embedder.over(embedding))

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """Words without a vector of their own; they are read by one of the unknown words' vectors, as in training."""
        return self.embedder.missing(sentences)

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """A row of `LABELS` for each pair of indices into `sentences`; see `NliModel`."""
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(sentences)):
            raise WordworthError(f"a pair points outside the {len(sentences)} sentences")
        used, local = np.unique(pairs, return_inverse=True)
        read = [self.embedder.ids(sentences[at]) for at in used]
        probabilities = np.empty((len(pairs), len(LABELS)))
        self.network.eval()
        if len(pairs):
            self._fill(probabilities, read, np.array([len(ids) for ids in read]), local.reshape(-1, 2))
        return probabilities

    def _fill(
        self, probabilities: NDArray[np.float64], read: list[list[int]], lengths: Indices, pairs: Indices
    ) -> None:
        used = np.unique(pairs)
        if len(pairs) > 1 and lengths[used].sum() > TOKENS:
            half = len(pairs) // 2
            for part in (slice(None, half), slice(half, None)):
                self._fill(probabilities[part], read, lengths, pairs[part])
            return
        stores: dict[int, EncodedSentences] = {}
        slots = np.empty(len(read), dtype=np.int64)
        for length in np.unique(lengths[used]):
            members = used[lengths[used] == length]
            slots[members] = np.arange(len(members))
            stores[int(length)] = self._encoded(np.array([read[at] for at in members], dtype=np.int64))

        def compare(block: NDArray[np.int64]) -> None:
            premises, hypotheses = (pairs[block, side] for side in (0, 1))
            sides = [
                stores[int(lengths[side[0]])].rows(torch.from_numpy(slots[side])) for side in (premises, hypotheses)
            ]
            with torch.inference_mode():
                probabilities[block] = self.network.pair(*sides).double().softmax(dim=1)[:, order].numpy()

        order = [self.network.shape.labels.index(label) for label in LABELS]
        # Blocks of one premise length and one hypothesis length need no padding, so a pair's numbers are its own.
        kinds = lengths[pairs[:, 0]] * (lengths.max() + 1) + lengths[pairs[:, 1]]
        sort = np.argsort(kinds, kind="stable")
        runs = np.split(sort, np.flatnonzero(np.diff(kinds[sort])) + 1)
        in_torch_threads(compare, [run[at : at + PAIRS] for run in runs for at in range(0, len(run), PAIRS)])

    def _encoded(self, ids: NDArray[np.int64]) -> EncodedSentences:
        def encode(at: int) -> EncodedSentences:
            with torch.inference_mode():
                return self.network.encode(self.embedder.vectors(ids[at : at + SENTENCES]))

        parts = in_torch_threads(encode, range(0, len(ids), SENTENCES))
        return (
            parts[0] if len(parts) == 1 else EncodedSentences(*(torch.cat(part) for part in zip(*parts, strict=True)))
        )
