"""What an NLI model infers of words whose input vectors are moved: its measures of neutrality, word by word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from wordworth.catalog.read.word_sets import AssociationTest
from wordworth.embedding import Embedding
from wordworth.embedding.core import Matrix
from wordworth.errors import WordworthError
from wordworth.measure.neutrality import Tally, by_premise, gap_names, group_means
from wordworth.nli.contextual import words_of
from wordworth.nli.nli import MitigableNli, NliModel
from wordworth.nli.pairs import BLOCK_PAIRS, PairSet, score_blocks
from wordworth.nli.probe import Probe
from wordworth.task.nli import group_hypotheses

MEASURES = ("net-neutral", "gap-entailment", "gap-contradiction", "lean-entailment")


def make_test(probe: Probe) -> AssociationTest:
    """Return a probe as an association test: its premises' subjects by turns in X and Y, its two groups as A and B."""
    if len(probe.groups) != 2:
        raise WordworthError(
            f"the probe {probe.name} has {len(probe.groups)} groups of hypotheses, and a bias is injected between "
            "two; take the probe gender, or one of your own with two [probe.groups]"
        )
    (first, A), (second, B) = probe.groups.items()
    X, Y = probe.premises[::2], probe.premises[1::2]
    labels = (probe.labels[0], probe.labels[0], first, second)
    return AssociationTest(probe.name, probe.name, X, Y, A, B, labels, reference=probe.reference)


@dataclass(frozen=True, eq=False)
class WordInferences:
    """An NLI model over a file of word vectors, and the sentences of a probe that its words are put into."""

    model: MitigableNli
    vectors: Embedding
    probe: Probe

    @classmethod
    def of(cls, model: NliModel, probe: Probe, sentences: int, seed: int) -> "WordInferences":
        """Draw sentences that have none of the subjects as their object, since a moved word would be in both roles."""
        if not isinstance(model, MitigableNli) or model.word_vectors is None:
            raise WordworthError(
                f"{model.name} reads no file of word vectors, so no bias can be injected; try nli-glove"
            )
        subjects = {word.casefold() for word in (*probe.premises, *probe.hypotheses)}
        actions = [action for action in probe.actions if subjects.isdisjoint(map(str.casefold, action))]
        rows = np.random.default_rng((seed, 4)).permutation(len(actions))[:sentences]
        return cls(model, model.word_vectors, replace(probe, actions=tuple(actions[row] for row in np.sort(rows))))

    def __call__(self, words: Sequence[str], vectors: Matrix) -> Mapping[str, Matrix]:
        """Return the measures of each word as the subject of premises, when the model reads it with this vector."""
        pairs = PairSet.of(replace(self.probe, premises=tuple(words)))
        tally = Tally.empty(pairs.shape[1:], ())
        blocks = [np.arange(at, min(at + BLOCK_PAIRS, len(pairs))) for at in range(0, len(pairs), BLOCK_PAIRS)]
        model = self.model.with_vectors(self._replace_vectors(pairs, words, vectors))
        for block, probabilities in zip(blocks, score_blocks(model, blocks, pairs), strict=True):
            tally.add(block % len(tally.counts), probabilities)
        neutral = tally.means()[:, 1].reshape(tally.shape).mean(axis=1)
        groups = group_hypotheses(pairs)
        measures = [neutral, *by_premise(group_means(tally, groups))[..., 0]]
        by_name = dict(zip(("net-neutral", *gap_names(len(groups))), measures, strict=True))
        return {name: by_name[name] for name in MEASURES}

    def _replace_vectors(self, pairs: PairSet, words: Sequence[str], vectors: Matrix) -> Embedding:
        """Return the words of the sentences, with these vectors; a network looks a word up in lower case first."""
        forms: list[str] = []
        for text in chain.from_iterable(pairs.fragments()):
            for word in words_of(text):
                forms += [word.lower(), word, *word.lower().split("-")]
        file = self.vectors.restrict([*forms, *map(str.lower, words)])
        rows = dict(zip(file.words, file.matrix, strict=True)) | dict(zip(map(str.lower, words), vectors, strict=True))
        return Embedding(list(rows), np.array(list(rows.values()), dtype=file.matrix.dtype), self.vectors.provenance)
