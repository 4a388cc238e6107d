"""BERTScore: how well the tokens of two sentences match in a model's space (Zhang et al. 2020)."""

import numpy as np

from wordworth.embedding.core import Matrix, Vectors, unit_rows
from wordworth.measure.declaration import declare

declare(
    "bert-score",
    "Harmonic mean of the two mean cosines of each token of a sentence with its best match in the other.",
    "zhang2020",
    "higher",
    is_main=True,
)


def bert_score(
    reference: Vectors,
    candidate: Vectors,
    reference_weights: Vectors | None = None,
    candidate_weights: Vectors | None = None,
) -> float:
    """Return F1 of the greedy matching of token vectors x (reference, tokens × dim) and y (candidate).

    R = Σ_i w(x_i) max_j cos(x_i, y_j) / Σ w(x_i); P the same from y to x; F1 = 2 P R / (P + R). Weights (idf) are 1 if
    not given. F1 is the same whichever of the two sentences is called the reference.
    """
    cosine = unit_rows(np.asarray(reference, dtype=np.float64)) @ unit_rows(np.asarray(candidate, dtype=np.float64)).T
    recall = _weighted(cosine.max(axis=1), reference_weights)
    precision = _weighted(cosine.max(axis=0), candidate_weights)
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def _weighted(best: Matrix, weights: Vectors | None) -> float:
    if weights is None:
        return float(best.mean())
    return float(np.average(best, weights=np.asarray(weights, dtype=np.float64)))
