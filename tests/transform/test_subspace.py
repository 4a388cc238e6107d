"""Subspaces by hand and against plain versions; what holds for every way to learn one."""

from collections.abc import Callable

import numpy as np
import pytest

from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.transform import (
    NothingToRemoveError,
    Subspace,
    class_means,
    difference_direction,
    find_vanished,
    fit_components,
    join_subspaces,
    pair_components,
    random_directions,
    remove,
    set_components,
    stability,
)

pytestmark = pytest.mark.kernels

WORDS = [f"w{number}" for number in range(40)]
PAIRS = [(f"w{number}", f"w{number + 1}") for number in range(0, 12, 2)]

WAYS: dict[str, Callable[[Embedding], Subspace]] = {
    "difference": lambda made: difference_direction(made, "w0", "w1"),
    "difference, as it is": lambda made: difference_direction(made, "w0", "w1", unit=False),
    "pairs": lambda made: pair_components(made, PAIRS, 2),
    "set": lambda made: set_components(made, WORDS[:8], 2),
    "class means": lambda made: class_means(made, {"a": WORDS[:5], "b": WORDS[5:9], "c": WORDS[9:12]}),
    "joined": lambda made: join_subspaces(difference_direction(made, "w0", "w1"), set_components(made, WORDS[:8], 2)),
}
ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())


def made(matrix: np.ndarray | None = None, dim: int = 10) -> Embedding:
    if matrix is None:
        matrix = np.random.default_rng(3).normal(size=(len(WORDS), dim)) + 0.4
    return Embedding(WORDS[: len(matrix)], matrix, Provenance("made"))


def test_difference_by_hand():
    # unit(3, 4) − unit(0, 2) = (.6, −.2), of length √.4; as they are, (3, 2) of length √13.
    words = made(np.array([[3.0, 4.0], [0.0, 2.0]]))
    found = difference_direction(words, "w0", "w1")
    np.testing.assert_allclose(found.basis, [[0.6 / 0.4**0.5, -0.2 / 0.4**0.5]])
    assert (found.name, found.words) == ("w0 − w1", ("w0", "w1"))
    np.testing.assert_allclose(difference_direction(words, "w0", "w1", unit=False).basis, np.array([[3, 2]]) / 13**0.5)


def test_pairs_are_the_components_of_words_about_the_middle_of_their_pair():
    words = made()
    rows = []
    for pair in PAIRS:  # Bolukbasi's way, word by word
        a, b = (words[word] / np.linalg.norm(words[word]) for word in pair)
        rows += [a - (a + b) / 2, b - (a + b) / 2]
    _, values, directions = np.linalg.svd(np.array(rows), full_matrices=False)
    found = pair_components(words, PAIRS, 3)
    np.testing.assert_allclose(found.values, values[: len(PAIRS)], atol=1e-12)
    np.testing.assert_allclose(np.abs((found.basis * directions[:3]).sum(1)), 1)


def test_sets_are_components_about_the_mean():
    words = made()
    unit = np.array([words[word] / np.linalg.norm(words[word]) for word in WORDS[:8]])
    covariance = np.cov(unit.T, ddof=0) * 8
    variances, directions = np.linalg.eigh(covariance)  # the independent way
    found = set_components(words, WORDS[:8], 2)
    np.testing.assert_allclose(found.values[:2] ** 2, variances[::-1][:2])
    np.testing.assert_allclose(np.abs((found.basis * directions[:, ::-1].T[:2]).sum(1)), 1)


@ways
def test_projection_takes_the_subspace_out_and_nothing_else(way):
    words = made()
    subspace = way(words)
    np.testing.assert_allclose(subspace.basis @ subspace.basis.T, np.eye(len(subspace)), atol=1e-12)
    after = remove(words, subspace.basis, subspace.name)
    unit = after.matrix / np.linalg.norm(after.matrix, axis=1, keepdims=True)
    assert np.abs(unit @ subspace.basis.T).max() < 1e-6
    _, _, every = np.linalg.svd(subspace.basis)
    complement = every[len(subspace) :]
    np.testing.assert_allclose(after.matrix @ complement.T, words.matrix @ complement.T, atol=1e-12)
    again = remove(after, subspace.basis, subspace.name)
    np.testing.assert_allclose(again.matrix, after.matrix, atol=1e-12)
    assert after.provenance.steps[0].startswith(f"projected out: {subspace.name} ({len(subspace)}; ")
    assert remove(words, -subspace.basis, subspace.name).provenance.steps == after.provenance.steps
    (other,) = random_directions(10, count=1, k=len(subspace), seed=9)
    assert remove(words, other.basis, subspace.name).provenance.steps != after.provenance.steps
    assert after.words is words.words
    assert find_vanished(words, after) == []


@ways
def test_a_turned_space_has_the_turned_subspace(way):
    words = made()
    turn, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(10, 10)))
    turned = made(np.asarray(words.matrix) @ turn)
    before, after = way(words), way(turned)
    np.testing.assert_allclose(after.basis.T @ after.basis, turn.T @ before.basis.T @ before.basis @ turn, atol=1e-9)


def test_precision_is_the_embeddings_own_and_blocks_do_not_show(monkeypatch):
    monkeypatch.setattr("wordworth.transform.projection.BLOCK_ROWS", 7)
    exact = made()
    basis = difference_direction(exact, "w0", "w1").basis
    single = made(np.asarray(exact.matrix, dtype=np.float32))
    after = remove(single, basis, "x")
    assert after.matrix.dtype == np.float32
    np.testing.assert_allclose(after.matrix, remove(exact, basis, "x").matrix, atol=1e-6)
    half = made(np.asarray(exact.matrix, dtype=np.float16))
    assert remove(half, basis, "x").matrix.dtype == np.float32


def test_words_that_lay_in_the_subspace_are_named():
    words = made(np.array([[2.0, 0, 0], [1.0, 1, 0], [0, 0, 1.0]]))
    assert find_vanished(words, remove(words, np.array([[1.0, 0, 0]]), "x")) == ["w0"]


def test_missing_words():
    words = made()
    found = set_components(words, ["W0", "w1", "w2", "nowhere"], 1)
    assert (found.words, found.missing) == (("w0", "w1", "w2"), ("nowhere",))
    found = pair_components(words, [*PAIRS, ("w20", "nowhere")])
    assert len(found.words) == 12
    assert found.missing == ("nowhere",)
    for call, sentence in (
        (lambda: difference_direction(words, "he", "w1"), "made has no word 'he'"),
        (lambda: difference_direction(words, "w1", "w1"), "have one direction"),
        (lambda: set_components(words, ["w0", "a", "b"], 2), "has 1 of the 3 words of words, and 2 components need 3"),
        (lambda: set_components(words, [], 1), "has 0 of the 0 words"),
        (lambda: set_components(words, WORDS, 0), "give at least one"),
        (lambda: pair_components(words, [("a", "b")]), "both words of 0 of 1 pairs"),
        (lambda: remove(words, np.eye(3), "x"), "10 dimensions"),
        (lambda: random_directions(4, k=4), "not a proper part"),
    ):
        with pytest.raises(WordworthError, match=sentence):
            call()


def test_random_directions_are_units_that_differ_and_come_again_from_their_seed():
    one, again, other = (random_directions(10, count=8, k=2, seed=seed) for seed in (1, 1, 2))
    assert [found.name for found in one][::7] == ["random:1", "random:8"]
    for left, right in zip(one, again, strict=True):
        np.testing.assert_array_equal(left.basis, right.basis)
        np.testing.assert_allclose(left.basis @ left.basis.T, np.eye(2), atol=1e-12)
    assert not np.allclose(one[0].basis, one[1].basis)
    assert not np.allclose(one[0].basis, other[0].basis)


def test_random_directions_favour_none():
    every = np.concatenate([found.basis for found in random_directions(5, count=4000)])
    np.testing.assert_allclose(every.T @ every / len(every), np.eye(5) / 5, atol=0.02)


def test_stability_by_hand():
    full = Subspace("full", np.array([[1.0, 0, 0]]), np.array([4.0, 2, 1, 1]))
    derived = Subspace("derived", np.array([[0.6, 0.8, 0], [0, 0, 1]]), np.ones(2))
    found = stability(full, derived)
    assert found.ratios == (0.5, 0.25, 0.25)
    assert found.cosine == pytest.approx(0.6)
    with pytest.raises(WordworthError, match="different dimensions"):
        stability(full, random_directions(4)[0])


@pytest.mark.index
def test_he_she_is_the_gender_direction_of_google_news():
    """Dev et al. (GloVe 300-d) find cosines of .76 with gendered pairs and ratios of .57, .39, .24 (Table 7)."""
    (words,) = load_embeddings("word2vec-news-26k")
    full = pair_components(words, load_word_set("dev-gendered_pairs").pairs)
    found = stability(full, difference_direction(words, "he", "she"))
    assert found.ratios == pytest.approx((0.51, 0.45, 0.31), abs=0.01)
    assert found.cosine == pytest.approx(0.91, abs=0.01)


@pytest.mark.parametrize("scale", [1e-9, 1, 1e9])
def test_degenerate_directions_at_any_scale(scale):
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(6, 8))
    rows[5] = rows[4] * (1 + 1e-15)
    words = made(rows * scale)
    assert len(set_components(words, words.words[:5], 4, unit=False)) == 4
    assert len(difference_direction(words, "w0", "w1", unit=False)) == 1
    with pytest.raises(WordworthError, match="have one direction"):
        difference_direction(words, "w4", "w5", unit=False)
    with pytest.raises(WordworthError, match="all vectors are the same"):
        fit_components(np.tile(rows[0], (5, 1)) * scale, 1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("unit", [True, False])
def test_a_removed_direction_is_not_found_again(dtype, unit):
    """What rounding leaves of a direction is none: taking it out would move the vectors anywhere."""
    rows = (np.random.default_rng(8).normal(size=(40, 50)) * 3).astype(dtype)
    words = made(rows)
    ways: dict[str, Callable[[Embedding], Subspace]] = {
        "difference": lambda one: difference_direction(one, "w0", "w1", unit=unit),
        "pairs": lambda one: pair_components(one, [("w0", "w1")], unit=unit),
        "set": lambda one: set_components(one, ["w0", "w1"], unit=unit),
        # Of unit vectors others are left.
        "class means": lambda one: class_means(one, {"a": ["w0", "w2"], "b": ["w1", "w3"]}, unit=False),
    }
    for way in ways.values():
        once = remove(words, way(words).basis, "once")
        again = Embedding(once.words, once.matrix.astype(dtype), Provenance("again"))
        with pytest.raises(NothingToRemoveError, match="nothing to remove"):
            way(again)
