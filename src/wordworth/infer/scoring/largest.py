"""The pairs with the largest probabilities of something else than neutral, kept while blocks go by (Tables 2, 4, 6)."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass
class Largest:
    """The `count` pairs with the largest probability in one column; of equal ones, those with the smaller index."""

    column: int
    count: int
    indices: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    probabilities: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 3)))

    def add(self, indices: NDArray[np.int64], probabilities: NDArray[np.floating]) -> None:
        """Another block, whatever the order that blocks come in."""
        values = probabilities[:, self.column]
        if 0 < self.count < len(values):  # ties at the edge are all kept until they are sorted by index
            edge = np.partition(values, len(values) - self.count)[len(values) - self.count]
            large = values >= edge
            indices, probabilities = indices[large], probabilities[large]
        everything = np.concatenate([self.indices, indices])
        rows = np.concatenate([self.probabilities, probabilities])
        order = np.lexsort((everything, -rows[:, self.column]))[: self.count]
        self.indices, self.probabilities = everything[order], rows[order]
