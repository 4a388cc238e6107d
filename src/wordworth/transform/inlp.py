"""Iterative null-space projection (Ravfogel et al. 2020): take out what a linear classifier can tell, until it cannot.

Each round fits a linear classifier and projects the vectors onto the null space of its weights; the directions of all
rounds together are a subspace like any other, and are taken out of all words at once.
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
"""At most; the paper's figure for word vectors."""
HELD_OUT = 0.3
CHANCE = 0.05
"""A classifier is at chance when its hits among the words held out are no rarer than this under guessing."""
LEANING = 2_500
"""Words to each side that the classifier learns from."""
VOCABULARY = 150_000
"""First words of the embedding among which they are sought, by custom the most frequent."""


@dataclass(frozen=True, eq=False)
class Inlp:
    """The subspace that was taken out, and how well a classifier did round by round."""

    subspace: Subspace
    accuracies: tuple[float, ...]
    """Of the classifier on words held out, before each projection; the last is what is left."""
    majority: float
    """The share of the largest class among the words held out: what guessing gets."""
    at_chance: bool
    """Whether the last classifier did no better than guessing; if not, the rounds ran out."""
    words: int = 0
    """That the classifiers learnt from and were tried on."""


def inlp(
    vectors: Vectors, labels: NDArray[np.integer], *, rounds: int = ROUNDS, seed: int = 0, name: str = "inlp"
) -> Inlp:
    """Find the subspace by which a linear SVM tells classes apart. vectors (words, dim), labels (words,)."""
    x, y = np.asarray(vectors, dtype=np.float64), np.asarray(labels)
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2 or counts.min() < 4:
        raise WordworthError("iterative projection needs two classes with at least 4 words each to tell apart")
    held = _held_out(y, seed)
    hidden = y[held]
    majority = float(np.unique(hidden, return_counts=True)[1].max() / len(hidden))
    basis = np.empty((0, x.shape[1]))
    accuracies: list[float] = []
    with progress(name, rounds) as advance:
        while True:
            left = project_out(x, basis)
            classifier = _classifier(left[~held], y[~held], name)
            hits = int((classifier.predict(left[held]) == hidden).sum())
            accuracies.append(hits / len(hidden))
            at_chance = bool(binomtest(hits, len(hidden), majority, alternative="greater").pvalue > CHANCE)
            if at_chance or len(accuracies) > rounds:
                break
            basis = _widen_basis(basis, classifier.coef_)
            advance(1)
    if not len(basis):
        raise NothingToRemoveError(
            f"a linear classifier cannot tell the classes of {name} apart, so there is nothing to take out"
        )
    return Inlp(Subspace(name, basis, np.ones(len(basis))), tuple(accuracies), majority, at_chance, len(y))


def inlp_along(embedding: Embedding, direction: Subspace, *, rounds: int = ROUNDS, seed: int = 0) -> Inlp:
    """Find what tells the words apart that lean most to either side of a direction, and the direction itself.

    Beyond the paper the direction goes too: along what were left of it words would lean again, and again be told apart,
    so that a second call would take out more.
    """
    if len(direction) > 1:
        raise WordworthError(
            f"{direction.name} has {len(direction)} dimensions, and iterative projection learns from the words that "
            "lean to either side of one; name a single direction"
        )
    vectors, labels = find_leaning_words(embedding, direction.basis[0])
    found = inlp(vectors, labels, rounds=rounds, seed=seed, name=f"inlp along {direction.name}")
    basis = _widen_basis(found.subspace.basis, direction.basis)
    return replace(found, subspace=Subspace(found.subspace.name, basis, np.ones(len(basis))))


def _classifier(x: Matrix, y: NDArray[np.integer], name: str) -> LinearSVC:
    """Fit a linear SVM in its primal form, whose stop is relative to the first gradient.

    Vectors are not standardized: the penalty, and so the directions, would be others than the paper's.
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
    embedding: Embedding, direction: Matrix, *, each: int = LEANING, vocabulary: int = VOCABULARY
) -> tuple[Matrix, NDArray[np.int64]]:
    """Return unit vectors and labels (1, 0) of the words that lean most to either side of a direction, by cosine.

    They are what the classifier learns from, as in Ravfogel et al., among the first `vocabulary` words.
    """
    count = min(vocabulary, len(embedding))
    cosines = np.zeros(count)
    for which in blocks(count):
        rows = np.asarray(embedding.matrix[which], dtype=np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        np.divide(rows @ direction, lengths, out=cosines[which], where=lengths > 0)
    order = np.argsort(cosines, kind="stable")
    each = min(each, count // 4)  # half of a small vocabulary leans nowhere
    chosen = embedding.vectors(np.concatenate([order[-each:], order[:each]]))
    labels = np.repeat(np.array([1, 0], dtype=np.int64), each)
    return chosen / np.linalg.norm(chosen, axis=1, keepdims=True), labels


def _held_out(y: NDArray[np.integer], seed: int) -> NDArray[np.bool_]:
    """Hold out the same share of every class, at least one word of each on either side."""
    rng = np.random.default_rng(seed)
    held = np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        mine = np.flatnonzero(y == label)
        held[rng.permutation(mine)[: max(1, round(HELD_OUT * len(mine)))]] = True
    return held


def _widen_basis(basis: Matrix, weights: Matrix) -> Matrix:
    """Return the basis and what the weights (classes, dim) add to its span, orthonormal."""
    added = project_out(project_out(weights, basis), basis)  # twice, against the rounding of the first
    _, spread, rows = np.linalg.svd(added, full_matrices=False)
    return np.concatenate([basis, rows[spread > 1e-8 * np.linalg.norm(weights)]])
