"""BERTScore: how well the tokens of two sentences match in a model's space (Zhang et al. 2020)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import unit_rows
from wordworth.errors import WordworthError
from wordworth.measure.declaration import Measure, declare

declare(
    Measure(
        "bert-score",
        "Harmonic mean of the two mean cosines of each token of a sentence with its best match in the other.",
        "zhang2020",
        "higher",
    )
)


class BertScore(NamedTuple):
    """Precision, recall, and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def bert_score(
    reference: NDArray[np.floating],
    candidate: NDArray[np.floating],
    reference_weights: NDArray[np.floating] | None = None,
    candidate_weights: NDArray[np.floating] | None = None,
) -> BertScore:
    """Greedy matching of token vectors x (reference, tokens × dim) and y (candidate).

    R = Σ_i w(x_i) max_j cos(x_i, y_j) / Σ w(x_i); P the same from y to x; F1 = 2 P R / (P + R). Weights (idf) are 1 if
    not given. F1 is the same whichever of the two sentences is called the reference.
    """
    cosine = unit_rows(np.asarray(reference, dtype=np.float64)) @ unit_rows(np.asarray(candidate, dtype=np.float64)).T
    recall = _weighted(cosine.max(axis=1), reference_weights)
    precision = _weighted(cosine.max(axis=0), candidate_weights)
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total else 0.0)


def _weighted(best: NDArray[np.float64], weights: NDArray[np.floating] | None) -> float:
    if weights is None:
        return float(best.mean())
    if weights.shape != best.shape or not weights.sum() > 0:
        raise WordworthError(f"{len(best)} tokens need as many weights that do not sum to 0, not {weights.shape}")
    return float(np.average(best, weights=np.asarray(weights, dtype=np.float64)))
