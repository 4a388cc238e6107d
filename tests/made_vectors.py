"""Word vectors of random numbers in a text file."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np


def write_vectors(path: Path, words: Iterable[str], *, seed: int = 0, dim: int = 6) -> None:
    """Write random vectors of these words, each once, as GloVe's files have them."""
    unique = list(dict.fromkeys(words))
    rows = np.random.default_rng(seed).normal(size=(len(unique), dim)).round(3).tolist()
    lines = (" ".join([word, *map(str, row)]) for word, row in zip(unique, rows, strict=True))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
