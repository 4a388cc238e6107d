"""Association tests: by hand in two dimensions, against a plain loop, and against published numbers."""

from itertools import combinations

import numpy as np
import pytest

from wordworth.errors import WordworthError
from wordworth.measure import association, sc_weat, sc_weat_p, weat, weat_p

pytestmark = pytest.mark.kernels

EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
NORTH_EAST = [3.0, 3.0]  # any length: only directions count


def test_sc_weat_by_hand():
    # w = east. cos to A = {east, north east}: 1, √½; to B = {north, west}: 0, −1.
    # Mean of A (1 + √½)/2, of B −1/2. The four cosines have mean √½/4 and squares 1, ½, 0, 1:
    # sample variance (2.5 − 4 · ½/16) / 3 = 2.375/3.
    expected = ((1 + np.sqrt(0.5)) / 2 + 0.5) / np.sqrt(2.375 / 3)
    d = sc_weat(np.array([EAST, [7.0, 0.0]]), np.array([EAST, NORTH_EAST]), np.array([NORTH, WEST]))
    np.testing.assert_allclose(d, [expected, expected], rtol=1e-14)


def test_association_by_hand():
    s = association(np.array([EAST, NORTH]), np.array([EAST, NORTH_EAST]), np.array([NORTH, WEST]))
    # north: cos to A 0, √½; to B 1, 0.
    np.testing.assert_allclose(s, [(1 + np.sqrt(0.5)) / 2 + 0.5, np.sqrt(0.5) / 2 - 0.5], rtol=1e-14)


def test_weat_by_hand():
    A, B = np.array([EAST, EAST]), np.array([WEST, WEST])
    # s(w) = cos(w, east) − cos(w, west) = 2 cos(w, east): 2, √2 | 0, −2.
    values = np.array([2, np.sqrt(2), 0, -2])
    expected = ((2 + np.sqrt(2)) / 2 + 1) / values.std(ddof=1)
    X, Y = np.array([EAST, NORTH_EAST]), np.array([NORTH, WEST])
    assert weat(X, Y, A, B) == pytest.approx(expected, rel=1e-14)
    # Six partitions; the given one has the greatest sum.
    assert weat_p(X, Y, A, B).p == 1 / 6
    assert weat_p(X, Y, A, B, count="strict").p == 0
    # East and west against the rest: sum 0; greater are 2 + √2, 2 + 0 and √2 + 0: 3 of 6, and itself.
    assert weat_p(np.array([EAST, WEST]), np.array([NORTH, NORTH_EAST]), A, B).p == 4 / 6
    assert weat_p(np.array([EAST, WEST]), np.array([NORTH, NORTH_EAST]), A, B, count="strict").p == 3 / 6


def cosine(u, v):
    return u @ v / (np.sqrt(u @ u) * np.sqrt(v @ v))


def sc_weat_loop(targets, A, B):
    """One word and one pair at a time, as the formula reads."""
    effects = []
    for w in targets:
        a, b = [cosine(w, x) for x in A], [cosine(w, x) for x in B]
        effects.append((np.mean(a) - np.mean(b)) / np.std(a + b, ddof=1))
    return np.array(effects)


def test_sc_weat_over_layers_is_the_loop():
    rng = np.random.default_rng(0)
    targets = rng.standard_normal((3, 20, 12)).astype(np.float32)
    A, B = rng.standard_normal((3, 5, 12)).astype(np.float32), rng.standard_normal((3, 4, 12))
    d = sc_weat(targets, A, B)
    loop = [sc_weat_loop(*(part.astype(float) for part in layer)) for layer in zip(targets, A, B, strict=True)]
    np.testing.assert_allclose(d, loop, rtol=1e-12)


def test_layers_broadcast():
    rng = np.random.default_rng(1)
    targets, A, B = rng.standard_normal((7, 6)), rng.standard_normal((2, 3, 6)), rng.standard_normal((4, 1, 3, 6))
    d = sc_weat(targets, A, B)
    assert d.shape == (4, 2, 7)
    np.testing.assert_allclose(d[3, 1], sc_weat(targets, A[1], B[3, 0]), rtol=1e-12)
    p = sc_weat_p(targets, A, B)
    assert p.p.shape == (4, 2, 7)
    assert (p.p[3, 1] == sc_weat_p(targets, A[1], B[3, 0]).p).all()
    X, Y = rng.standard_normal((2, 5, 6)), rng.standard_normal((5, 6))
    d = weat(X, Y, A, B[0])
    assert d.shape == (2,)
    assert d[1] == pytest.approx(weat(X[1], Y, A[1], B[0, 0]))
    assert weat_p(X, Y, A, B[0]).p[1] == weat_p(X[1], Y, A[1], B[0, 0]).p


def test_sc_weat_p_is_the_share_of_associations_as_great():
    rng = np.random.default_rng(3)
    targets, A, B = rng.standard_normal((4, 5)), rng.standard_normal((3, 5)), rng.standard_normal((2, 5))
    polar = np.concatenate([A, B])
    for sides, size in (("one", lambda s: s), ("two", abs)):
        expected = []
        for w in targets:
            s = [
                size(association(w[None], polar[list(a)], np.delete(polar, a, axis=0))[0])
                for a in combinations(range(5), 3)
            ]
            expected.append((np.mean([x > s[0] - 1e-12 for x in s]), np.mean([x > s[0] + 1e-12 for x in s])))
        found = (sc_weat_p(targets, A, B, sides=sides, count=count).p for count in ("inclusive", "strict"))
        assert list(zip(*(p.tolist() for p in found), strict=True)) == expected


GOOD = np.array([[1.0, 2, 0], [0, 1, 1], [2, 1, 1]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sc_weat(GOOD, GOOD[:1], GOOD), "the set A has 1 words"),
        (lambda: sc_weat(np.array([[1.0, 2, 3], [0, 0, 0]]), GOOD, GOOD), "row 1 of the targets is zero"),
        (lambda: sc_weat(np.array([[np.nan, 2, 3]]), GOOD, GOOD), "row 0 of the targets has a value that is not"),
        (lambda: sc_weat(GOOD, GOOD, GOOD * [[1], [1], [0]]), "row 2 of B is zero"),
        (lambda: sc_weat(GOOD, GOOD[[0, 0]], GOOD[[0, 0]]), "row 0 of the targets is equally near all words"),
        (lambda: weat(GOOD[[0, 0]], GOOD[[0, 0]], GOOD, GOOD), "all words of X and Y are equally associated"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(WordworthError, match=message):
        call()
