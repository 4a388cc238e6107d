"""LEACE: the public package's eraser on real vectors, a slow version by the paper's formula, and what it promises."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from wordworth.catalog.read.word_sets import load_word_set
from wordworth.embedding import Embedding, Provenance, load
from wordworth.errors import WordworthError
from wordworth.transform import Leace, Moments, NothingToRemoveError, Subspace, class_means, erase, fit_leace

pytestmark = pytest.mark.kernels


def classes(count: int, kinds: int, dim: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Classes of unequal size that lie apart, in dimensions of unequal variance that go together."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(kinds, count, p=np.arange(1, kinds + 1) / np.arange(1, kinds + 1).sum())
    x = rng.normal(size=(count, dim)) * np.linspace(0.5, 2, dim) @ rng.normal(size=(dim, dim))
    return x + rng.normal(size=(kinds, dim))[labels] * 3, labels


def leace(x: np.ndarray, concept: np.ndarray) -> Leace:
    """Erase labels of classes, or numbers z (words, k): the subspace is the span of Σxz."""
    z = concept if concept.ndim == 2 else np.eye(concept.max() + 1)[concept]
    crossed = (z - z.mean(axis=0)).T @ (x - x.mean(axis=0))
    return fit_leace(Subspace("made", crossed / np.abs(crossed).max(), np.ones(len(crossed))), Moments.of(x))


def slow(x: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The paper's formula with whole matrices: P = W⁺ (W Σxz)(W Σxz)⁺ W and W = (Σxx^½)⁺, words as columns."""
    z = np.eye(labels.max() + 1)[labels]
    together = np.cov(np.concatenate([x, z], axis=1).T)
    sxx, sxz = together[: x.shape[1], : x.shape[1]], together[: x.shape[1], x.shape[1] :]
    u, s, vt = np.linalg.svd(sxx)
    root = (u * np.sqrt(np.where(s > s[0] * 1e-12, s, 0))) @ vt
    w = np.linalg.pinv(root, rcond=1e-6)
    p = root @ (w @ sxz) @ np.linalg.pinv(w @ sxz, rcond=1e-9) @ w
    return (x.T - p @ (x.T - x.mean(axis=0)[:, None])).T


@pytest.mark.parametrize("kinds", [2, 3, 5])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_formula_in_full(kinds, scale):
    x, labels = classes(300, kinds)
    eraser = leace(x * scale, labels)
    assert len(eraser) == kinds - 1
    np.testing.assert_allclose(eraser(x * scale) / scale, slow(x, labels), atol=1e-9 * np.abs(x).max())


def test_fewer_words_than_dimensions():
    x, labels = classes(12, 2, dim=40)
    np.testing.assert_allclose(leace(x, labels)(x), slow(x, labels), atol=1e-8 * np.abs(x).max())
    crossed = np.cov(leace(x, labels)(x).T, labels)[:-1, -1]
    assert np.abs(crossed).max() < 1e-12 * np.abs(np.cov(x.T, labels)).max()


@pytest.mark.parametrize("kinds", [2, 4])
def test_no_linear_classifier_is_left(kinds):
    x, labels = classes(2000, kinds)

    def coefficients(vectors: np.ndarray) -> np.ndarray:
        standard = StandardScaler().fit_transform(vectors)
        return np.abs(LogisticRegression(C=1e6, tol=1e-10, max_iter=10_000).fit(standard, labels).coef_).max()

    eraser = leace(x, labels)
    assert coefficients(x) > 0.1
    assert coefficients(eraser(x)) < 1e-4
    one_hot = np.eye(kinds)[labels]
    before, after = (np.cov(v.T, one_hot.T)[:20, 20:] for v in (x, eraser(x)))
    assert np.abs(after).max() < 1e-12 * np.abs(before).max()


def test_means_stay_and_twice_is_once():
    x, labels = classes(500, 3)
    eraser = leace(x, labels)
    once = eraser(x)
    np.testing.assert_allclose(once.mean(axis=0), x.mean(axis=0), atol=1e-12 * np.abs(x).max())
    np.testing.assert_allclose(eraser(once), once, atol=1e-12 * np.abs(x).max())


def test_no_affine_map_that_erases_changes_less():
    """Theorem 4.3: against the orthogonal projection, and against oblique ones near it that erase as well."""
    x, labels = classes(400, 2)
    eraser = leace(x, labels)
    least = np.square(eraser(x) - x).sum()
    direction = eraser.left / np.linalg.norm(eraser.left)
    others = [direction, *(eraser.right + np.random.default_rng(seed).normal(size=20) * 0.01 for seed in range(5))]
    for read in others:
        read = read / (read @ eraser.left.T)
        other = Leace("other", eraser.mean, eraser.left, read)
        assert np.abs(np.cov(other(x).T, labels)[:-1, -1]).max() < 1e-10 * np.abs(x).max()
        assert np.square(other(x) - x).sum() > least


def test_rotated_and_scaled_vectors_are_erased_alike():
    x, labels = classes(300, 3)
    turned, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(20, 20)))
    plain = leace(x, labels)(x)
    np.testing.assert_allclose(leace(x @ turned, labels)(x @ turned), plain @ turned, atol=1e-10 * np.abs(x).max())
    # Unlike an orthogonal projection, it is the same in whatever units each dimension is measured.
    units = np.geomspace(0.1, 10, 20)
    np.testing.assert_allclose(leace(x * units, labels)(x * units) / units, plain, atol=1e-8 * np.abs(x).max())


def made(x: np.ndarray) -> Embedding:
    return Embedding([f"w{at}" for at in range(len(x))], x, Provenance("made"))


def test_words_of_no_class_are_neutral():
    """Classes of few words among many: the same as LEACE over all words with z = its mean for the unlabelled ones."""
    x, _ = classes(600, 2)
    x[:8] += 4
    sets = {"one": [f"w{at}" for at in range(8)], "other": [f"w{at}" for at in range(8, 20)]}
    z = np.zeros((600, 2))
    z[:8, 0], z[8:20, 1] = 1, 1
    z[:20] -= z[:20].mean(axis=0)
    words = made(x)
    subspace = class_means(words, sets, unit=False, name="made of two")
    after = erase(words, fit_leace(subspace, Moments.of(words.matrix)))
    np.testing.assert_allclose(after.matrix, leace(x, z)(x), atol=1e-9 * np.abs(x).max())
    means = [after.matrix[rows].mean(axis=0) for rows in (slice(0, 8), slice(8, 20))]
    np.testing.assert_allclose(*means, atol=1e-11 * np.abs(x).max())
    assert after.provenance.steps[0].startswith("leace: made of two (1; ")
    with pytest.raises(NothingToRemoveError, match="have one mean"):
        class_means(after, sets, unit=False, name="made of two")


def test_bad_concepts():
    x, labels = classes(30, 2)
    words = made(x)
    for given, sentence in (
        ({"one": ["w1", "w2"]}, "has one class of words"),
        ({"one": ["w1"], "other": ["nowhere"]}, "made has none of the 1 words of other"),
        ({"one": ["w1", "w2"], "other": ["w2", "w3"]}, "'w2' is in two classes"),
    ):
        with pytest.raises(WordworthError, match=sentence):
            class_means(words, given)
    with pytest.raises(WordworthError, match="not finite"):
        leace(np.where(x == x.max(), np.nan, x), labels)
    with pytest.raises(WordworthError, match="20 dimensions and made has 5"):
        erase(made(x[:, :5]), leace(x, labels))
    flat = np.concatenate([x[:, :-1], np.zeros((30, 1))], axis=1)
    outside = class_means(words, {"a": ["w1"], "b": ["w2"]})
    with pytest.raises(WordworthError, match="outside of the span"):
        fit_leace(outside, Moments.of(flat))


@pytest.mark.parametrize("sets", [("bommasani-male", "bommasani-female"), ("pleasant", "unpleasant", "career")])
def test_the_authors_package_on_real_vectors(data, sets):
    """`concept-erasure` 0.2.4 without its shrinkage and its bound on the trace, which are not the paper's formula."""
    torch, package = pytest.importorskip("torch"), pytest.importorskip("concept_erasure")
    vectors = load(data / "vectors" / "word2vec_googlenews_subset.npz")
    words = {name: [word for word in load_word_set(name).words if word in vectors] for name in sets}
    rows = [vectors.index[word] for found in words.values() for word in found]
    labels = np.repeat(np.arange(len(sets)), [len(found) for found in words.values()])
    z = np.zeros((len(vectors), len(sets)))
    z[rows] = np.eye(len(sets))[labels] - np.eye(len(sets))[labels].mean(axis=0)
    x = np.asarray(vectors.matrix, dtype=np.float64)
    plain = {"shrinkage": False, "constrain_cov_trace": False, "svd_tol": 1e-12}
    for theirs, ours in (
        (package.LeaceEraser.fit(torch.from_numpy(x), torch.from_numpy(z), **plain), leace(x, z)),
        (
            package.LeaceEraser.fit(torch.from_numpy(x[rows]), torch.from_numpy(z[rows]), **plain),
            leace(x[rows], z[rows]),
        ),
    ):
        expected = theirs(torch.from_numpy(x)).numpy()
        assert np.abs(ours(x) - expected).max() < 1e-6 * np.abs(expected).max()
    subspace = class_means(vectors, words, unit=False)
    after = fit_leace(subspace, Moments.of(x))(x)
    assert np.abs(after - leace(x, z)(x)).max() < 1e-6 * np.abs(x).max()
