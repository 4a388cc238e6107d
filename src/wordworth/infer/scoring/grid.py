"""All pairs of an action at once, for networks over word vectors: every premise against every hypothesis.

Sentences are put together from the tokens of their parts, each read once and not once a sentence. The attention of all
pairs is one matrix product, and what a pair needs is made where it is used, without copying a sentence for each of its
pairs. The probabilities are those of `AttentionNli.probabilities`.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from wordworth.infer.model.attention import EncodedSentences, Network
from wordworth.infer.model.nli import LABELS, NliModel
from wordworth.infer.model.over_vectors import AttentionNli
from wordworth.infer.probe.pairs import PairSet
from wordworth.statistics.threads import in_torch_threads

PAIRS = 192
"""Compared at a time by one core, so that what they take stays in its cache."""
_ENDS = tuple(".,;:!?")

Ids = NDArray[np.int64]
Groups = list[tuple[Ids, Ids]]
"""Subjects of one number of tokens: their places, and their tokens (subjects, tokens)."""


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

    def _encoded(self, side: int, action: int, subjects: Ids) -> EncodedSentences:
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
    step = max(1, PAIRS // len(hypotheses.keys))
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
