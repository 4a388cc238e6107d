"""`hypothesis-only:MODEL`: any NLI model without its premise, the control of Poliak et al. (2018).

What such a model still infers, it takes from the hypothesis alone, so it is no inference. Poliak et al. train a
network on hypotheses; here a network that was trained on pairs is given a blank premise, as the probes ask what a given
network does. Its neutrality beside that of the model itself says how much of a bias is a matter of the pair.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.infer.model.kinds import load
from wordworth.infer.model.nli import MitigableNli, NliKind, NliRequest
from wordworth.transform import Subspace

PREFIX = "hypothesis-only:"
BLANK = ""
"""What every premise is: a sentence without words, of which a model sees only the marks of its ends."""


@dataclass(frozen=True, eq=False)
class HypothesisOnly:
    """A model that reads the hypothesis and a blank premise."""

    name: str
    model: MitigableNli

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        return "hypothesis-only", *self.model.identity

    @property
    def source(self) -> str:
        return self.model.source

    @property
    def word_vectors(self) -> Embedding | None:
        return self.model.word_vectors

    def missing(self, sentences: Iterable[str]) -> tuple[str, ...]:
        """Words without a vector in the model."""
        return self.model.missing(sentences)

    def vectors_of(self, words: Sequence[str]) -> Embedding:
        """The model's vectors to learn a subspace from."""
        return self.model.vectors_of(words)

    def without(self, subspace: Subspace) -> "HypothesisOnly":
        """The same with a subspace taken out of the model's vectors."""
        return replace(self, model=self.model.without(subspace))

    def with_vectors(self, embedding: Embedding) -> "HypothesisOnly":
        """The same with the model over other vectors."""
        return replace(self, model=self.model.with_vectors(embedding))

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """A row of `LABELS` for each pair; each distinct hypothesis is read once, whatever its premises are."""
        hypotheses, rows = np.unique(np.asarray(pairs, dtype=np.int64).reshape(-1, 2)[:, 1], return_inverse=True)
        if len(hypotheses) and not 0 <= hypotheses[0] <= hypotheses[-1] < len(sentences):
            raise WordworthError(f"a pair points outside the {len(sentences)} sentences")
        read = [BLANK, *(sentences[at] for at in hypotheses.tolist())]
        alone = np.stack([np.zeros(len(hypotheses), dtype=np.int64), np.arange(1, len(read))], axis=1)
        return self.model.probabilities(read, alone)[rows]


def _load(request: NliRequest) -> HypothesisOnly:
    target = request.target.removeprefix(PREFIX)
    if not target:
        raise WordworthError(f"{PREFIX} stands before the name of an NLI model, such as {PREFIX}nli-glove")
    model = load(target, request.device, request.labels)
    if not isinstance(model, MitigableNli):
        raise WordworthError(f"{model.name} cannot be read by its hypothesis alone; name a model of this package")
    return HypothesisOnly(request.label or PREFIX + model.name, model)


NLI_KIND = NliKind(
    "a model behind hypothesis-only:, without its premise", lambda target: target.startswith(PREFIX), _load
)
