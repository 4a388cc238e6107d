"""Remove by iterative null-space projection (Ravfogel et al. 2020) what a linear classifier can distinguish.

Each round fits a classifier and projects the vectors onto the null space of its weights, until it is at chance. The
directions of all rounds span one subspace, which is removed from all words at once.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from wordworth.embedding import Embedding
from wordworth.embedding.core import Matrix, Vectors
from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.transform.projection import blocks, project_out
from wordworth.transform.subspace import NothingToRemoveError, Subspace

ROUNDS = 35
"""Maximum; the paper's number for word vectors."""
TEST_SHARE = 0.3
CHANCE_P = 0.05
"""A classifier is at chance if guessing gets as many test words right with at least this probability."""
WORDS_PER_SIDE = 2_500
"""Words at either end of a direction that the classifier learns from."""
VOCABULARY = 150_000
"""First words of the embedding, usually the most frequent, from which these are selected."""


@dataclass(frozen=True, eq=False)
class Inlp:
    """The subspace that was removed, and the accuracy of the classifier in each round."""

    subspace: Subspace
    accuracies: tuple[float, ...]
    """Accuracy on the test words before each projection, and after the last."""
    majority: float
    """The share of the largest class among the test words: the accuracy of guessing."""
    at_chance: bool
    """Whether the last classifier did no better than guessing; if not, the rounds ran out."""
    words: int = 0
    """Training and test words together."""


def inlp(
    vectors: Vectors, labels: NDArray[np.integer], *, rounds: int = ROUNDS, seed: int = 0, name: str = "inlp"
) -> Inlp:
    """Find the subspace by which a linear SVM separates classes. vectors (words, dim), labels (words,)."""
    x, y = np.asarray(vectors, dtype=np.float64), np.asarray(labels)
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2 or counts.min() < 4:
        raise WordworthError("iterative projection needs two classes of at least 4 words each; give more words")
    is_test = _select_test_words(y, seed)
    test_labels = y[is_test]
    majority = float(np.unique(test_labels, return_counts=True)[1].max() / len(test_labels))
    basis = np.empty((0, x.shape[1]))
    accuracies: list[float] = []
    with progress(name, rounds) as advance:
        while True:
            residuals = project_out(x, basis)
            classifier = _classifier(residuals[~is_test], y[~is_test], name)
            hits = int((classifier.predict(residuals[is_test]) == test_labels).sum())
            accuracies.append(hits / len(test_labels))
            at_chance = bool(binomtest(hits, len(test_labels), majority, alternative="greater").pvalue > CHANCE_P)
            if at_chance or len(accuracies) > rounds:
                break
            basis = _widen_basis(basis, classifier.coef_)
            advance(1)
    if not len(basis):
        raise NothingToRemoveError(
            f"a linear classifier cannot separate the classes of {name}, so there is nothing to remove"
        )
    return Inlp(Subspace(name, basis, np.ones(len(basis))), tuple(accuracies), majority, at_chance, len(y))


def inlp_along(embedding: Embedding, direction: Subspace, *, rounds: int = ROUNDS, seed: int = 0) -> Inlp:
    """Find the subspace that separates the words at the two ends of a direction, including that direction.

    The paper does not include the direction. Without it, a second call would find more to remove along the rest of it.
    """
    if len(direction) > 1:
        raise WordworthError(
            f"{direction.name} has {len(direction)} dimensions, but iterative projection learns from the words at the "
            "two ends of one; name a single direction"
        )
    vectors, labels = find_leaning_words(embedding, direction.basis[0])
    result = inlp(vectors, labels, rounds=rounds, seed=seed, name=f"inlp along {direction.name}")
    basis = _widen_basis(result.subspace.basis, direction.basis)
    return replace(result, subspace=Subspace(result.subspace.name, basis, np.ones(len(basis))))


def _classifier(x: Matrix, y: NDArray[np.integer], name: str) -> LinearSVC:
    """Fit a linear SVM in its primal form, which stops relative to the first gradient.

    Vectors are not standardized: that would change the penalty, and so the paper's directions.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            return LinearSVC(dual=False, tol=1e-5).fit(x, y)
        except ConvergenceWarning:
            raise WordworthError(
                f"the classifier of {name} does not converge; make the vectors unit length first"
            ) from None


def find_leaning_words(
    embedding: Embedding, direction: Matrix, *, words_per_side: int = WORDS_PER_SIDE, vocabulary: int = VOCABULARY
) -> tuple[Matrix, NDArray[np.int64]]:
    """Return unit vectors and labels (1, 0) of the words with the highest and lowest cosine with a direction.

    The classifier learns from these, as in Ravfogel et al.; only the first `vocabulary` words are considered.
    """
    count = min(vocabulary, len(embedding))
    cosines = np.zeros(count)
    for block in blocks(count):
        rows = np.asarray(embedding.matrix[block], dtype=np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        np.divide(rows @ direction, lengths, out=cosines[block], where=lengths > 0)
    order = np.argsort(cosines, kind="stable")
    words_per_side = min(words_per_side, count // 4)  # half of a small vocabulary is left out as neutral
    selection = embedding.vectors(np.concatenate([order[-words_per_side:], order[:words_per_side]]))
    labels = np.repeat(np.array([1, 0], dtype=np.int64), words_per_side)
    return selection / np.linalg.norm(selection, axis=1, keepdims=True), labels


def _select_test_words(y: NDArray[np.integer], seed: int) -> NDArray[np.bool_]:
    """Mark the same share of every class for testing, with at least one word of each class for testing and training."""
    rng = np.random.default_rng(seed)
    is_test = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        is_test[rng.permutation(rows)[: max(1, round(TEST_SHARE * len(rows)))]] = True
    return is_test


def _widen_basis(basis: Matrix, weights: Matrix) -> Matrix:
    """Return an orthonormal basis of the span of the basis and the weights (classes, dim)."""
    new_directions = project_out(project_out(weights, basis), basis)  # twice, against the rounding of the first
    _, spread, rows = np.linalg.svd(new_directions, full_matrices=False)
    return np.concatenate([basis, rows[spread > 1e-8 * np.linalg.norm(weights)]])
