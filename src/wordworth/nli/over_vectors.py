"""An NLI model over word vectors: every sentence is encoded once, and pairs are compared in blocks of one length."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from wordworth.embedding import Embedding
from wordworth.encode.identity import VERSIONS, hash_network
from wordworth.errors import WordworthError
from wordworth.nli.attention import EncodedSentences, Network
from wordworth.nli.contextual import Embedder
from wordworth.nli.nli import LABELS, TrainedWithout
from wordworth.statistics.bootstrap import in_torch_threads
from wordworth.transform import Subspace

Indices = NDArray[np.int64]
SENTENCES = 512
"""Sentences that one core encodes at a time."""
BLOCK = 128
"""Pairs that one core compares at a time: what they take stays in its cache."""
PAIRS = 1 << 14
"""Pairs whose sentences are held encoded at a time."""


@dataclass(frozen=True)
class AttentionNli:
    """The decomposable attention network over word vectors: a trained network and the vectors it reads."""

    name: str
    network: Network
    embedder: Embedder
    trained_without: TrainedWithout | None = None

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        shape = json.dumps(asdict(self.network.shape), sort_keys=True)
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
        """Return a row of `LABELS` for each pair of indices into `sentences`; see `NliModel`."""
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(sentences)):
            raise WordworthError(f"a pair points outside the {len(sentences)} sentences")
        self.network.eval()
        parts = [self._compare(sentences, pairs[at : at + PAIRS]) for at in range(0, len(pairs), PAIRS)]
        return np.concatenate([np.empty((0, len(LABELS))), *parts])

    def _compare(self, sentences: Sequence[str], pairs: Indices) -> NDArray[np.float64]:
        used, places = np.unique(pairs, return_inverse=True)
        pairs = places.reshape(-1, 2)
        ids = [self.embedder.ids(sentences[at]) for at in used]
        lengths = np.array([len(one) for one in ids])
        encoded: dict[int, EncodedSentences] = {}
        rows = np.empty(len(ids), dtype=np.int64)
        for length in np.unique(lengths):
            members = np.flatnonzero(lengths == length)
            rows[members] = np.arange(len(members))
            encoded[int(length)] = self._encode(np.array([ids[at] for at in members], dtype=np.int64))
        order = [self.network.shape.labels.index(label) for label in LABELS]
        probabilities = np.empty((len(pairs), len(LABELS)))

        def compare(block: Indices) -> None:
            sides = (encoded[int(lengths[side[0]])].rows(torch.from_numpy(rows[side])) for side in pairs[block].T)
            with torch.inference_mode():
                probabilities[block] = self.network.pair(*sides).double().softmax(dim=1)[:, order].numpy()

        # Blocks of one premise length and one hypothesis length need no padding, so a pair's numbers are its own.
        kinds = lengths[pairs[:, 0]] * (lengths.max() + 1) + lengths[pairs[:, 1]]
        sort = np.argsort(kinds, kind="stable")
        runs = np.split(sort, np.flatnonzero(np.diff(kinds[sort])) + 1)
        in_torch_threads(compare, [run[at : at + BLOCK] for run in runs for at in range(0, len(run), BLOCK)])
        return probabilities

    def _encode(self, ids: Indices) -> EncodedSentences:
        def encode(at: int) -> EncodedSentences:
            with torch.inference_mode():
                return self.network.encode(self.embedder.vectors(ids[at : at + SENTENCES]))

        parts = in_torch_threads(encode, range(0, len(ids), SENTENCES))
        return EncodedSentences(*(torch.cat(part) for part in zip(*parts, strict=True)))
