"""An NLI model over word vectors, and all pairs of an action at once.

Every sentence is encoded once, and pairs are compared in blocks of one length. A `Grid` compares every premise of an
action with every hypothesis: sentences are put together from the tokens of their parts, and the attention of all pairs
is one matrix product.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from wordworth.embedding import Embedding
from wordworth.encode.identity import VERSIONS, hash_network
from wordworth.errors import WordworthError
from wordworth.nli.attention import EncodedSentences, Network
from wordworth.nli.contextual import Embedder
from wordworth.nli.nli import LABELS, NliModel, TrainedWithout
from wordworth.nli.pairs import PairSet
from wordworth.statistics.threads import in_torch_threads
from wordworth.transform import Subspace

Indices = NDArray[np.int64]
SENTENCES = 512
"""EncodedSentences at a time by one core."""
PAIRS = 128
"""Compared at a time by one core: what they take stays in its cache."""
TOKENS = 1 << 18
"""Held encoded at a time; more sentences than that are done part by part."""
GRID_PAIRS = 192
"""Compared at a time by one core in a grid, where fewer numbers are copied."""
_ENDS = tuple(".,;:!?")
Groups = list[tuple[Indices, Indices]]
"""Subjects of one number of tokens: their places, and their tokens (subjects, tokens)."""


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


class Grid:
    """The tokens of a set of pairs, read by one model."""

    def __init__(self, model: AttentionNli, pairs: PairSet) -> None:
        self.model, self.pairs = model, pairs
        start = model.embedder.ids("")
        self._subjects = [self._grouped(forms) for forms in pairs.forms]
        self._before = [[[*start, *self._tokens(before)] for before, _ in around] for around in pairs.around]
        self._after = [[self._tokens(after) for _, after in around] for around in pairs.around]
        model.network.eval()

    def _tokens(self, text: str) -> list[int]:
        return self.model.embedder.ids(text)[len(self.model.embedder.ids("")) :]

    def _grouped(self, forms: Sequence[str]) -> Groups:
        read = [self._tokens(form) for form in forms]
        lengths = np.array([len(ids) for ids in read])
        return [
            (members, np.array([read[at] for at in members], dtype=np.int64))
            for members in (np.flatnonzero(lengths == length) for length in np.unique(lengths))
        ]

    def probabilities(self, actions: Sequence[int]) -> NDArray[np.float64]:
        """(actions, premises, hypotheses, `LABELS`) for places of actions in the set."""
        return np.stack(in_torch_threads(self._of_action, actions))

    def _of_action(self, action: int) -> NDArray[np.float64]:
        _, premises, hypotheses = self.pairs.shape
        labels = [self.model.network.shape.labels.index(label) for label in LABELS]
        probabilities = np.empty((premises, hypotheses, len(LABELS)))
        with torch.inference_mode():
            first, second = (
                [(at, self._encoded(side, action, ids)) for at, ids in self._subjects[side]] for side in (0, 1)
            )
            for rows, one in first:
                for columns, other in second:
                    logits = every_pair(self.model.network, one, other).double()
                    probabilities[np.ix_(rows, columns)] = logits.softmax(dim=2)[:, :, labels].numpy()
        return probabilities

    def _encoded(self, side: int, action: int, subjects: Indices) -> EncodedSentences:
        before, after = (np.array(part[side][action], dtype=np.int64) for part in (self._before, self._after))
        count = len(subjects)
        around = [np.broadcast_to(part, (count, len(part))) for part in (before, after)]
        ids = np.concatenate([around[0], subjects, around[1]], axis=1)
        return self.model.network.encode(self.model.embedder.vectors(ids))


def grid_of(model: NliModel, pairs: PairSet) -> Grid | None:
    """A grid, where the model is over static vectors and the subjects stand as words of their own."""
    if not isinstance(model, AttentionNli) or model.word_vectors is None:
        return None
    apart = all(
        (not before or before[-1].isspace()) and (not after or after[0].isspace() or after.startswith(_ENDS))
        for around in pairs.around
        for before, after in around
    )
    return Grid(model, pairs) if apart else None


def every_pair(network: Network, premises: EncodedSentences, hypotheses: EncodedSentences) -> Tensor:
    """Logits (premises, hypotheses, labels) of every premise with every hypothesis; see `Network.pair`."""
    step = max(1, GRID_PAIRS // len(hypotheses.keys))
    parts = [_some_pairs(network, premises, hypotheses, at, at + step) for at in range(0, len(premises.keys), step)]
    return torch.cat(parts)


def _some_pairs(
    network: Network, premises: EncodedSentences, hypotheses: EncodedSentences, start: int, stop: int
) -> Tensor:
    keys, own, other = (part[start:stop] for part in premises)
    count, tokens, width = own.shape
    against, theirs, _ = hypotheses.own.shape
    scores = (keys.flatten(0, 1) @ hypotheses.keys.flatten(0, 1).T).view(count, tokens, against, theirs)
    # For each hypothesis: the tokens of all premises against its own; for each premise the other way round.
    to_theirs = scores.softmax(dim=3).permute(2, 0, 1, 3).reshape(against, count * tokens, theirs)
    to_ours = scores.softmax(dim=1).permute(0, 2, 3, 1).reshape(count, against * theirs, tokens)
    first = torch.baddbmm(own.reshape(1, count * tokens, width), to_theirs, hypotheses.other)
    second = torch.baddbmm(hypotheses.own.reshape(1, against * theirs, width), to_ours, other)
    ours, others = (functional.relu_(network.compare_2(functional.relu_(x))) for x in (first, second))
    summed = ours.view(against, count, tokens, width).sum(dim=2).transpose(0, 1)
    return network.classify(summed, others.view(count, against, theirs, width).sum(dim=2))
