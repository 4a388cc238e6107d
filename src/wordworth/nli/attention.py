"""Compute the decomposable attention network (Parikh et al. 2016) with a BiLSTM encoder, as Dev et al. (2020) use it.

A sentence is encoded by itself; per pair only the attention, the sum over tokens and the classifier remain. The first
compare layer W·[a; β] is W_a·a + W_β·β, and because β = Σ_j α_j b_j, W_β·β = Σ_j α_j (W_β·b_j). So both products are
computed once per sentence.

`dev2020` is the network of the authors' code, `default` our own: a table in docs/train-nli.md has the differences.
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
    """The sizes and options of a network, as saved in its configuration."""

    dim: Width
    """Dimensions of a word vector."""
    layers: Width = 1
    """Layers of the vectors: 1 if static; several (ELMo) are mixed before the encoder, and again for `beside`."""
    beside: bool = False
    """Whether the vectors are appended to the encoder's output, as in the paper with ELMo."""
    hidden: Width = 200
    """Width of the encoder, both directions together."""
    compare: Width = 200
    """Width of the compare and classification layers (the paper: 200, and 400 for ELMo)."""
    dropout: float = 0.2
    labels: tuple[str, ...] = LABELS
    """The classes in the order of the network's outputs."""
    network: Literal["default", "dev2020"] = "default"
    """Our network, or that of the authors' code."""

    def __post_init__(self) -> None:
        if self.hidden % 2 or self.hidden < 2:
            raise WordworthError(f"hidden is {self.hidden}, but must be even, since the encoder has two directions")
        if sorted(self.labels) != sorted(LABELS):
            labels, due = ", ".join(self.labels), ", ".join(LABELS)
            raise WordworthError(f"the network's labels are {labels}; they must be {due}, in any order")
        if self.network != "default" and (self.layers > 1 or self.beside):
            raise WordworthError(f"the network {self.network} reads word vectors only; over ELMo, use the default")

    @property
    def attend(self) -> int:
        """Return the width of an encoded token and of the attention layers: 200, or 200 + 1024 with ELMo."""
        return self.hidden + (self.dim if self.beside else 0)


def describe(shape: Shape) -> dict[str, object]:
    """Return the fields of a shape for cache keys; without `network` if it is ours, as in earlier versions."""
    return {name: value for name, value in asdict(shape).items() if (name, value) != ("network", "default")}


class EncodedSentences(NamedTuple):
    """The parts of sentences of one length that do not depend on the pair."""

    keys: Tensor
    """F(a): (sentences, tokens, attend)."""
    own: Tensor
    """W_a·a + bias: (sentences, tokens, compare)."""
    other: Tensor
    """W_β·a, the contribution of a token to the sentence compared with it: (sentences, tokens, compare)."""

    def rows(self, indices: Tensor) -> "EncodedSentences":
        return EncodedSentences(*(tensor.index_select(0, indices) for tensor in self))


class ScalarMix(nn.Module):
    """γ Σ_l softmax(s)_l · layer l (Peters et al. 2018)."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        """Mix (…, layers, dim) → (…, dim)."""
        return self.scale * torch.einsum("l,...ld->...d", self.weights.softmax(0), x)


class SharedDropout(nn.Module):
    """Dropout with one mask for all tokens of a row (Gal & Ghahramani 2016)."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """Drop from (rows, …, dim) with one mask for all axes between."""
        if not self.training or not self.rate:
            return x
        keep_rate = 1 - self.rate
        mask = torch.empty(len(x), *(1 for _ in x.shape[1:-1]), x.shape[-1], device=x.device).bernoulli_(keep_rate)
        return x * mask.div_(keep_rate)


class Network(nn.Module):
    """Maps vectors of premises and hypotheses to logits of the labels. All sentences of a call have one length."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        attend_width, compare_width = shape.attend, shape.compare
        if shape.layers > 1:
            self.mix_in = ScalarMix(shape.layers)
            if shape.beside:
                self.mix_out = ScalarMix(shape.layers)
        self.encoder = nn.LSTM(shape.dim, shape.hidden // 2, bidirectional=True, batch_first=True)
        self._add_attention(attend_width)
        self.compare_own = nn.Linear(attend_width, compare_width)
        self.compare_other = nn.Linear(attend_width, compare_width, bias=False)
        self.compare_2 = nn.Linear(compare_width, compare_width)
        self.classify_1 = nn.Linear(2 * compare_width, compare_width)
        self.classify_2 = nn.Linear(compare_width, compare_width)
        self.output = nn.Linear(compare_width, len(shape.labels))
        self.drop = SharedDropout(shape.dropout)
        self._begin()

    def _add_attention(self, width: int) -> None:
        self.attend_1 = nn.Linear(width, width)
        self.attend_2 = nn.Linear(width, width)

    def _begin(self) -> None:
        """Initialize: a token attends to similar tokens, and compares itself with them by their difference.

        The other layers keep the variance of their input (He et al. 2015).
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

        `first` is the number of tokens of the first of two sentences in one row, which are encoded separately.
        """
        has_layers = self.shape.layers > 1
        inputs = self.drop(self.mix_in(vectors) if has_layers else vectors)
        sentences = [inputs] if first is None else [inputs[:, :first], inputs[:, first:]]
        outputs = torch.cat([self.encoder(sentence)[0] for sentence in sentences], dim=1)
        if self.shape.beside:
            outputs = torch.cat([outputs, self.mix_out(vectors) if has_layers else vectors], dim=-1)
        return torch.as_tensor(self.drop(outputs))

    def keys(self, states: Tensor) -> Tensor:
        """Return F of the attention."""
        return functional.relu(torch.as_tensor(self.attend_2(self.drop(functional.relu(self.attend_1(states))))))

    def classify(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Apply H to the two sums of compared tokens."""
        x = self.drop(torch.cat([premise, hypothesis], dim=-1))
        x = self.drop(functional.relu(self.classify_1(x)))
        return torch.as_tensor(self.output(self.drop(functional.relu(self.classify_2(x)))))

    def forward(self, premises: Tensor, hypotheses: Tensor) -> Tensor:
        """Return logits (pairs, labels), with dropout in training.

        Premise and hypothesis are one row of tokens, so that they share their dropout masks: equal words stay equal.
        """
        n = premises.shape[1]
        states = self.states(torch.cat([premises, hypotheses], dim=1), n)
        keys = self.keys(states)
        scores = keys[:, :n] @ keys[:, n:].transpose(1, 2)
        beta = scores.softmax(dim=2) @ states[:, n:]
        alpha = scores.softmax(dim=1).transpose(1, 2) @ states[:, :n]
        first = functional.relu(self.compare_own(states) + self.compare_other(torch.cat([beta, alpha], dim=1)))
        comparisons = functional.relu(self.compare_2(self.drop(first)))
        return self.classify(comparisons[:, :n].sum(dim=1), comparisons[:, n:].sum(dim=1))

    def encode(self, vectors: Tensor) -> EncodedSentences:
        """Return the parts of sentences that do not depend on their pairs."""
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

    All weights start at random (Glorot & Bengio 2010). Only the input of the encoder has one dropout mask for all
    tokens of a sentence; the compare and classify layers use ordinary dropout.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.drop_any = nn.Dropout(shape.dropout)

    def _add_attention(self, width: int) -> None:
        """Add no layers: the states attend as they are."""

    def _begin(self) -> None:
        for name, parameter in self.named_parameters():
            (nn.init.xavier_uniform_ if "weight" in name else nn.init.zeros_)(parameter)
        compare = nn.init.xavier_uniform_(torch.empty(self.shape.compare, 2 * self.shape.attend))
        with torch.no_grad():  # they are one layer, whose width sets the range
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
        """Return logits (pairs, labels), with dropout in training."""
        a, b = (self._read(vectors) for vectors in (premises, hypotheses))
        scores = a @ b.transpose(1, 2)
        premise = self._compare(a, scores.softmax(dim=2) @ b)
        hypothesis = self._compare(b, scores.softmax(dim=1).transpose(1, 2) @ a)
        return self.classify(premise, hypothesis)

    def _read(self, vectors: Tensor) -> Tensor:
        return torch.as_tensor(self.encoder(self.drop(vectors))[0])

    def _compare(self, states: Tensor, context: Tensor) -> Tensor:
        first = functional.relu(self.compare_own(self.drop_any(states)) + self.compare_other(self.drop_any(context)))
        return functional.relu(self.compare_2(self.drop_any(first))).sum(dim=1)


def make_network(shape: Shape) -> Network:
    """Return a network of a shape with its initial weights."""
    return (Network if shape.network == "default" else Dev2020Network)(shape)


Indices = NDArray[np.int64]
SENTENCES = 512
"""Sentences that a core encodes at a time."""
BLOCK_PAIRS = 128
"""Pairs that a core compares at a time, so that they fit its cache."""
ENCODED_PAIRS = 1 << 14
"""Pairs whose encoded sentences are in memory at a time."""


@dataclass(frozen=True)
class AttentionNli:
    """A trained decomposable attention network and the word vectors that it reads."""

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
        """Return context-free vectors of words; see `MitigableNli`."""
        return self.embedder.context_free(words)

    def without(self, subspace: Subspace) -> "AttentionNli":
        """Return the same network over vectors without their part in a subspace."""
        return replace(self, embedder=self.embedder.without(subspace))

    def over(self, embedder: Embedder) -> "AttentionNli":
        """Return the same network over another source of vectors."""
        return replace(self, embedder=embedder)

    def with_vectors(self, embedding: Embedding) -> "AttentionNli":
        """Return the same network over other vectors of the same size, such as projected ones."""
        return replace(self, embedder=self.embedder.over(embedding))

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """Return words without a vector; they get one of the vectors of unknown words, as in training."""
        return self.embedder.missing(sentences)

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return a row of `LABELS` for each pair of indices into `sentences`; see `NliModel`."""
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(sentences)):
            raise WordworthError(f"a pair points outside the {len(sentences)} sentences")
        self.network.eval()
        blocks = [self._compare(sentences, pairs[i : i + ENCODED_PAIRS]) for i in range(0, len(pairs), ENCODED_PAIRS)]
        return np.concatenate([np.empty((0, len(LABELS))), *blocks])

    def _compare(self, sentences: Sequence[str], pairs: Indices) -> NDArray[np.float64]:
        sentence_numbers, positions = np.unique(pairs, return_inverse=True)
        pairs = positions.reshape(-1, 2)
        ids = [self.embedder.ids(sentences[i]) for i in sentence_numbers]
        lengths = np.array([len(token_ids) for token_ids in ids])
        by_length: dict[int, EncodedSentences] = {}
        rows = np.empty(len(ids), dtype=np.int64)
        for length in np.unique(lengths):
            group = np.flatnonzero(lengths == length)
            rows[group] = np.arange(len(group))
            by_length[int(length)] = self._encode(np.array([ids[i] for i in group], dtype=np.int64))
        order = [self.network.shape.labels.index(label) for label in LABELS]
        probabilities = np.empty((len(pairs), len(LABELS)))

        def compare(block: Indices) -> None:
            sides = (by_length[int(lengths[side[0]])].rows(torch.from_numpy(rows[side])) for side in pairs[block].T)
            with inference():
                probabilities[block] = self.network.pair(*sides).double().softmax(dim=1)[:, order].numpy()

        # Blocks of one premise length and one hypothesis length need no padding, so a pair's numbers are its own.
        length_pairs = lengths[pairs[:, 0]] * (lengths.max() + 1) + lengths[pairs[:, 1]]
        sort = np.argsort(length_pairs, kind="stable")
        runs = np.split(sort, np.flatnonzero(np.diff(length_pairs[sort])) + 1)
        in_torch_threads(compare, [run[i : i + BLOCK_PAIRS] for run in runs for i in range(0, len(run), BLOCK_PAIRS)])
        return probabilities

    def _encode(self, ids: Indices) -> EncodedSentences:
        shape = self.network.shape
        widths = (shape.attend, shape.compare, shape.compare)
        sentences = EncodedSentences(*(torch.empty(*ids.shape, width) for width in widths))

        def encode(at: int) -> None:
            rows = slice(at, at + SENTENCES)
            with inference():
                for tensor, part in zip(sentences, self.network.encode(self.embedder.vectors(ids[rows])), strict=True):
                    tensor[rows] = part

        in_torch_threads(encode, range(0, len(ids), SENTENCES))
        return sentences
