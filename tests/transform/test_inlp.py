"""Iterative null-space projection: a classifier that knew is at chance after, and the rest stays."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.transform import difference_direction, project_out
from wordworth.transform.inlp import find_leaning_words, inlp

pytestmark = pytest.mark.kernels


def classes(count: int, kinds: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Classes that lie apart along two of twenty dimensions, unequally wide."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % kinds
    x = rng.normal(size=(count, 20)) * np.linspace(0.5, 2, 20)
    x[:, 0] += labels * 1.5
    x[:, 1] += (labels % 2) * 1.0
    return x, labels


@pytest.mark.parametrize("kinds", [2, 3])
def test_another_classifier_is_at_chance_after(kinds):
    x, labels = classes(1200, kinds)
    before = cross_val_score(LogisticRegression(), x, labels).mean()
    found = inlp(x, labels, seed=1)
    left = project_out(x, found.subspace.basis)
    after = cross_val_score(LogisticRegression(), left, labels).mean()
    assert before > 1 / kinds + 0.2
    assert after < 1 / kinds + 0.06  # a classifier of another kind, on other parts of the data
    assert found.at_chance
    assert found.majority == pytest.approx(1 / kinds, abs=0.01)
    assert found.accuracies[0] > found.accuracies[-1]
    assert len(found.subspace) < 10  # most of the space is untouched
    np.testing.assert_allclose(found.subspace.basis @ found.subspace.basis.T, np.eye(len(found.subspace)), atol=1e-10)


def test_rounds_and_seed():
    x, labels = classes(600, 2)
    one = inlp(x, labels, rounds=1)
    assert len(one.subspace) == 1
    assert len(one.accuracies) == 2
    np.testing.assert_array_equal(inlp(x, labels, seed=4).subspace.basis, inlp(x, labels, seed=4).subspace.basis)


def test_nothing_to_tell_apart():
    rng = np.random.default_rng(0)
    with pytest.raises(WordworthError, match="nothing to remove"):
        inlp(rng.normal(size=(400, 5)), np.arange(400) % 2, name="noise")
    with pytest.raises(WordworthError, match="two classes"):
        inlp(rng.normal(size=(40, 5)), np.zeros(40, dtype=int))


def test_leaning_words_are_those_with_the_largest_cosines():
    rng = np.random.default_rng(2)
    words = Embedding([f"w{at}" for at in range(60)], rng.normal(size=(60, 6)), Provenance("made"))
    direction = difference_direction(words, "w0", "w1").basis[0]
    vectors, labels = find_leaning_words(words, direction, words_per_side=5, vocabulary=40)
    unit = words.matrix[:40] / np.linalg.norm(words.matrix[:40], axis=1, keepdims=True)
    ordered = sorted(range(40), key=lambda at: unit[at] @ direction)
    np.testing.assert_allclose(vectors, unit[[*ordered[-5:], *ordered[:5]]])
    assert labels.tolist() == [1] * 5 + [0] * 5
