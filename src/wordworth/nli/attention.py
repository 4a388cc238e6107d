"""The decomposable attention network (Parikh et al. 2016) with a BiLSTM encoder, as Dev et al. (2020) use it.

A sentence is encoded alone; of a pair only the attention, the sum over tokens and the classifier remain. The first
compare layer W·[a; β] is kept as W_a·a + W_β·β, and because β = Σ_j α_j b_j, W_β·β = Σ_j α_j (W_β·b_j): both products
belong to a sentence, so that no pair pays for them.

`dev2020` is the network of the authors' code, `default` one of ours: a table in docs/train-nli.md has the differences.
`AttentionNli` is a network and the vectors that it reads: pairs are compared in blocks of one length.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from wordworth.embedding import Embedding
from wordworth.encode.identity import LIBRARIES, hash_network
from wordworth.encode.passes import inference
from wordworth.errors import WordworthError
from wordworth.nli.contextual import Embedder
from wordworth.nli.nli import LABELS, TrainedWithout
from wordworth.statistics.bootstrap import in_torch_threads
from wordworth.transform import Subspace

Width = Annotated[int, Field(ge=1, le=1 << 20)]


@dataclass(frozen=True)
class Shape:
    """How large a network is; its configuration holds it."""

    dim: Width
    """Of a word's vector."""
    layers: Width = 1
    """Of the vectors: 1 for static ones; several (ELMo) are mixed before the encoder, and anew for `beside`."""
    beside: bool = False
    """Whether the vectors stand beside the encoder's output, as the paper has it with ELMo."""
    hidden: Width = 200
    """Of the encoder, both directions together."""
    compare: Width = 200
    """Of the compare and classification layers (the paper: 200, and 400 for ELMo)."""
    dropout: float = 0.2
    labels: tuple[str, ...] = LABELS
    """The classes in the order of the network's outputs."""
    network: Literal["default", "dev2020"] = "default"
    """Ours, or that of the authors' code."""

    def __post_init__(self) -> None:
        if self.hidden % 2 or self.hidden < 2:
            raise WordworthError(f"the encoder has two directions, so hidden must be an even number, not {self.hidden}")
        if sorted(self.labels) != sorted(LABELS):
            own, due = ", ".join(self.labels), ", ".join(LABELS)
            raise WordworthError(f"the network's labels are {own}; they must be {due}, in any order")
        if self.network != "default" and (self.layers > 1 or self.beside):
            raise WordworthError(f"the network {self.network} reads word vectors only; over ELMo, use the default")

    @property
    def attend(self) -> int:
        """Width of an encoded token, and of the attention layers: 200, or 200 + 1024 with ELMo."""
        return self.hidden + (self.dim if self.beside else 0)


def describe(shape: Shape) -> dict[str, object]:
    """Return the fields of a shape that keys depend on; without `network` for ours, as keys of earlier versions."""
    return {name: value for name, value in asdict(shape).items() if (name, value) != ("network", "default")}


class EncodedSentences(NamedTuple):
    """What of sentences of one length does not depend on the pair they stand in."""

    keys: Tensor
    """F(a): (sentences, tokens, attend)."""
    own: Tensor
    """W_a·a + bias: (sentences, tokens, compare)."""
    other: Tensor
    """W_β·a, what the token is worth to the sentence it is compared with: (sentences, tokens, compare)."""

    def rows(self, at: Tensor) -> "EncodedSentences":
        return EncodedSentences(*(part.index_select(0, at) for part in self))


class ScalarMix(nn.Module):
    """γ Σ_l softmax(s)_l · layer l (Peters et al. 2018)."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        """(…, layers, dim) → (…, dim)."""
        return self.scale * torch.einsum("l,...ld->...d", self.weights.softmax(0), x)


class SharedDropout(nn.Module):
    """Dropout with one mask for all tokens of a row (Gal & Ghahramani 2016)."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        """(rows, …, dim), masked alike along the axes between."""
        if not self.training or not self.share:
            return x
        kept_share = 1 - self.share
        mask = torch.empty(len(x), *(1 for _ in x.shape[1:-1]), x.shape[-1], device=x.device).bernoulli_(kept_share)
        return x * mask.div_(kept_share)


class Network(nn.Module):
    """Vectors of premises and hypotheses in, logits of the labels out. All sentences of one call have one length."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        wide, narrow = shape.attend, shape.compare
        if shape.layers > 1:
            self.mix_in = ScalarMix(shape.layers)
            if shape.beside:
                self.mix_out = ScalarMix(shape.layers)
        self.encoder = nn.LSTM(shape.dim, shape.hidden // 2, bidirectional=True, batch_first=True)
        self._add_attention(wide)
        self.compare_own = nn.Linear(wide, narrow)
        self.compare_other = nn.Linear(wide, narrow, bias=False)
        self.compare_2 = nn.Linear(narrow, narrow)
        self.classify_1 = nn.Linear(2 * narrow, narrow)
        self.classify_2 = nn.Linear(narrow, narrow)
        self.output = nn.Linear(narrow, len(shape.labels))
        self.drop = SharedDropout(shape.dropout)
        self._begin()

    def _add_attention(self, wide: int) -> None:
        self.attend_1 = nn.Linear(wide, wide)
        self.attend_2 = nn.Linear(wide, wide)

    def _begin(self) -> None:
        """Set how training starts: a token attends to tokens like itself, and is compared by how it differs from them.

        The other layers keep the size of what goes through them (He et al. 2015).
        """
        with torch.no_grad():
            for module in self.modules():
                if isinstance(module, nn.Linear):
                    nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                    if module.bias is not None:
                        module.bias.zero_()
            for layer in (self.attend_1, self.attend_2):
                layer.weight.normal_(0, 0.01).add_(torch.eye(self.shape.attend))
            self.compare_other.weight.copy_(-self.compare_own.weight)
            self.output.weight.mul_(0.1)

    def states(self, vectors: Tensor, first: int | None = None) -> Tensor:
        """Return the encoder's output for (sentences, tokens, [layers,] dim).

        `first`: the tokens of the first of two sentences that stand in one row, and are encoded each for itself.
        """
        several = self.shape.layers > 1
        read = self.drop(self.mix_in(vectors) if several else vectors)
        parts = [read] if first is None else [read[:, :first], read[:, first:]]
        encoded = torch.cat([self.encoder(part)[0] for part in parts], dim=1)
        if self.shape.beside:
            encoded = torch.cat([encoded, self.mix_out(vectors) if several else vectors], dim=-1)
        return torch.as_tensor(self.drop(encoded))

    def keys(self, states: Tensor) -> Tensor:
        """Return F of the attention."""
        return functional.relu(torch.as_tensor(self.attend_2(self.drop(functional.relu(self.attend_1(states))))))

    def classify(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Apply H to the two sums of compared tokens."""
        x = self.drop(torch.cat([premise, hypothesis], dim=-1))
        x = self.drop(functional.relu(self.classify_1(x)))
        return torch.as_tensor(self.output(self.drop(functional.relu(self.classify_2(x)))))

    def forward(self, premises: Tensor, hypotheses: Tensor) -> Tensor:
        """Return logits (pairs, labels), with dropout where training asks for it.

        Premise and hypothesis go through as one row of tokens, so that they share their masks: what is dropped is
        dropped in both, and words that are alike stay alike.
        """
        n = premises.shape[1]
        states = self.states(torch.cat([premises, hypotheses], dim=1), n)
        keys = self.keys(states)
        scores = keys[:, :n] @ keys[:, n:].transpose(1, 2)
        beta = scores.softmax(dim=2) @ states[:, n:]
        alpha = scores.softmax(dim=1).transpose(1, 2) @ states[:, :n]
        first = functional.relu(self.compare_own(states) + self.compare_other(torch.cat([beta, alpha], dim=1)))
        compared = functional.relu(self.compare_2(self.drop(first)))
        return self.classify(compared[:, :n].sum(dim=1), compared[:, n:].sum(dim=1))

    def encode(self, vectors: Tensor) -> EncodedSentences:
        """Return the part of a sentence in all its pairs."""
        states = self.states(vectors)
        return EncodedSentences(self.keys(states), self.compare_own(states), self.compare_other(states))

    def pair(self, premises: EncodedSentences, hypotheses: EncodedSentences) -> Tensor:
        """Return logits of premise i with hypothesis i; the same as `forward` gives without dropout."""
        scores = torch.bmm(premises.keys, hypotheses.keys.transpose(1, 2))
        beta = torch.baddbmm(premises.own, scores.softmax(dim=2), hypotheses.other)
        alpha = torch.baddbmm(hypotheses.own, scores.softmax(dim=1).transpose(1, 2), premises.other)
        sums = [functional.relu_(self.compare_2(functional.relu_(x))).sum(dim=1) for x in (beta, alpha)]
        return self.classify(*sums)


class Dev2020Network(Network):
    """The network of the authors' code: tokens attend by the product of the encoder's states.

    All weights start at random (Glorot & Bengio 2010). Only what the encoder reads is dropped alike for all tokens,
    in each sentence by itself; before the layers of compare and classify, dropout draws anew for every number.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.drop_any = nn.Dropout(shape.dropout)

    def _add_attention(self, wide: int) -> None:
        """Add no layers: the states attend as they are."""

    def _begin(self) -> None:
        for name, parameter in self.named_parameters():
            (nn.init.xavier_uniform_ if "weight" in name else nn.init.zeros_)(parameter)
        compare = nn.init.xavier_uniform_(torch.empty(self.shape.compare, 2 * self.shape.attend))
        with torch.no_grad():  # the two are one layer, whose width sets its range
            self.compare_own.weight.copy_(compare[:, : self.shape.attend])
            self.compare_other.weight.copy_(compare[:, self.shape.attend :])

    def keys(self, states: Tensor) -> Tensor:
        """Return the states."""
        return states

    def classify(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Apply H to the two sums of compared tokens; the output layer sees all units."""
        x = functional.relu(self.classify_1(self.drop_any(torch.cat([premise, hypothesis], dim=-1))))
        return torch.as_tensor(self.output(functional.relu(self.classify_2(self.drop_any(x)))))

    def forward(self, premises: Tensor, hypotheses: Tensor) -> Tensor:
        """Return logits (pairs, labels), with dropout where training asks for it."""
        a, b = (self._read(vectors) for vectors in (premises, hypotheses))
        scores = a @ b.transpose(1, 2)
        sums = [
            self._compare(a, scores.softmax(dim=2) @ b),
            self._compare(b, scores.softmax(dim=1).transpose(1, 2) @ a),
        ]
        return self.classify(*sums)

    def _read(self, vectors: Tensor) -> Tensor:
        return torch.as_tensor(self.encoder(self.drop(vectors))[0])

    def _compare(self, own: Tensor, other: Tensor) -> Tensor:
        first = functional.relu(self.compare_own(self.drop_any(own)) + self.compare_other(self.drop_any(other)))
        return functional.relu(self.compare_2(self.drop_any(first))).sum(dim=1)


def make_network(shape: Shape) -> Network:
    """Return a network of a shape with the weights that training starts at."""
    return (Network if shape.network == "default" else Dev2020Network)(shape)


Indices = NDArray[np.int64]
SENTENCES = 512
"""Sentences that one core encodes at a time."""
BLOCK_PAIRS = 128
"""Pairs that one core compares at a time: what they take stays in its cache."""
ENCODED_PAIRS = 1 << 14
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
        shape = json.dumps(describe(self.network.shape), sort_keys=True)
        return ("decomposable-attention", LIBRARIES[1], hash_network(self.network), shape, *self.embedder.identity)

    @property
    def source(self) -> str:
        return ""

    @property
    def word_vectors(self) -> Embedding | None:
        return self.embedder.embedding

    def vectors_of(self, words: Sequence[str]) -> Embedding:
        """Return vectors of words, the same in any context; see `MitigableNli`."""
        return self.embedder.context_free(words)

    def without(self, subspace: Subspace) -> "AttentionNli":
        """Return the same network over vectors without their part in a subspace."""
        return replace(self, embedder=self.embedder.without(subspace))

    def over(self, embedder: Embedder) -> "AttentionNli":
        """Return the same network over vectors that are made otherwise."""
        return replace(self, embedder=embedder)

    def with_vectors(self, embedding: Embedding) -> "AttentionNli":
        """Return the same network over other vectors of the same size, such as projected ones."""
        return replace(self, embedder=self.embedder.over(embedding))

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """Return words without a vector of their own; they get one of the unknown words' vectors, as in training."""
        return self.embedder.missing(sentences)

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a row of `LABELS` for each pair of indices into `sentences`; see `NliModel`."""
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(sentences)):
            raise WordworthError(f"a pair points outside the {len(sentences)} sentences")
        self.network.eval()
        parts = [self._compare(sentences, pairs[at : at + ENCODED_PAIRS]) for at in range(0, len(pairs), ENCODED_PAIRS)]
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
            with inference():
                probabilities[block] = self.network.pair(*sides).double().softmax(dim=1)[:, order].numpy()

        # Blocks of one premise length and one hypothesis length need no padding, so a pair's numbers are its own.
        kinds = lengths[pairs[:, 0]] * (lengths.max() + 1) + lengths[pairs[:, 1]]
        sort = np.argsort(kinds, kind="stable")
        runs = np.split(sort, np.flatnonzero(np.diff(kinds[sort])) + 1)
        in_torch_threads(
            compare, [run[at : at + BLOCK_PAIRS] for run in runs for at in range(0, len(run), BLOCK_PAIRS)]
        )
        return probabilities

    def _encode(self, ids: Indices) -> EncodedSentences:
        shape = self.network.shape
        widths = (shape.attend, shape.compare, shape.compare)
        encoded = EncodedSentences(*(torch.empty(*ids.shape, width) for width in widths))

        def encode(at: int) -> None:
            rows = slice(at, at + SENTENCES)
            with inference():
                for whole, part in zip(encoded, self.network.encode(self.embedder.vectors(ids[rows])), strict=True):
                    whole[rows] = part

        in_torch_threads(encode, range(0, len(ids), SENTENCES))
        return encoded
