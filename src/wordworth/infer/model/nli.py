"""What every NLI model is to the rest: sentences and pairs of them in, three probabilities a pair out."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.nli import RELATIONS

LABELS = RELATIONS
"""The order of probabilities everywhere here, whatever the model's own."""


class NliModel(Protocol):
    """A model that says whether a premise entails a hypothesis."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        """All that its probabilities depend on, for keys of what is kept on disk and for the manifest."""
        ...

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """A row of `LABELS` for each pair (premise, hypothesis) of indices into `sentences`.

        Sentences are given once however many pairs they stand in, so that a model that can encode them alone does so
        once; one that cannot may sort and batch the pairs as it likes. The result does not depend on how.
        """
        ...
