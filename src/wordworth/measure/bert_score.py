"""BERTScore: how well the tokens of two sentences match in a model's space (Zhang et al. 2020)."""

import numpy as np

from wordworth.embedding.core import Vectors, unit_rows
from wordworth.measure.declaration import declare

declare(
    "bert-score",
    "Harmonic mean of the two mean cosines of each token of a sentence with its best match in the other.",
    "zhang2020",
    "higher",
    is_main=True,
)


def bert_score(reference: Vectors, candidate: Vectors) -> float:
    """Return F1 of the greedy matching of token vectors x (reference, tokens × dim) and y (candidate).

    R is the mean over i of max_j cos(x_i, y_j), P the same from y to x, and F1 = 2 P R / (P + R). F1 is the same
    whichever of the two sentences is called the reference.
    """
    cosine = unit_rows(np.asarray(reference, dtype=np.float64)) @ unit_rows(np.asarray(candidate, dtype=np.float64)).T
    recall, precision = float(cosine.max(axis=1).mean()), float(cosine.max(axis=0).mean())
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
