"""Permutation tests against an enumeration with itertools that follows the definition word by word."""

import itertools
from math import comb

import numpy as np
import pytest
from scipy.stats import norm

from wordworth.errors import WordworthError
from wordworth.statistics import permutation
from wordworth.statistics.permutation import normal_p, permutation_test, random_partitions

pytestmark = pytest.mark.kernels


def by_definition(values, size_a, sides, count="inclusive"):
    """Share of partitions with mean(A_i) − mean(B_i) as great as the given one (strict: greater); 1e-12 is a tie."""
    slack = 1e-12 if count == "strict" else -1e-12
    everything = range(len(values))

    def statistic(members):
        return np.mean([values[i] for i in members]) - np.mean([values[i] for i in everything if i not in members])

    given = statistic(tuple(range(size_a)))
    greater = total = 0
    for members in itertools.combinations(everything, size_a):
        s = statistic(members)
        total += 1
        greater += (abs(s) > abs(given) + slack) if sides == "two" else (s > given + slack)
    return greater / total


@pytest.fixture(params=["matrix", "meet in the middle"])
def exact_way(request, monkeypatch):
    """Both ways of counting all partitions."""
    monkeypatch.setattr(permutation, "MIN_MATRIX_ROWS", 0 if request.param == "matrix" else 100)


@pytest.mark.usefixtures("exact_way")
@pytest.mark.parametrize("count", ["inclusive", "strict"])
@pytest.mark.parametrize("sides", ["one", "two"])
@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (1, 5), (5, 1), (3, 4), (6, 3), (5, 5)])
def test_exact_is_the_definition(sizes, sides, count):
    rng = np.random.default_rng(sum(sizes))
    rows = rng.standard_normal((6, sum(sizes)))
    found = permutation_test(rows, sizes[0], sides=sides, method="exact", count=count)
    assert found.method == "exact"
    assert found.partitions == comb(sum(sizes), sizes[0])
    assert found.p.tolist() == [by_definition(row, sizes[0], sides, count) for row in rows.tolist()]


@pytest.mark.usefixtures("exact_way")
@pytest.mark.parametrize("sides", ["one", "two"])
@pytest.mark.parametrize("count", ["inclusive", "strict"])
def test_ties_are_as_great_and_not_greater(sides, count):
    # Tenths are not exact in binary: equal sums come out a rounding apart, and still count as equal.
    rows = np.array([[0.1, 0.2, 0.3, 0.3, 0.2, 0.1], [0.3, 0.3, 0.1, 0.1, 0.1, 0.3], [0.7] * 6, [0.0] * 6])
    found = permutation_test(rows, 3, sides=sides, count=count)
    assert found.p.tolist() == [by_definition(row, 3, sides, count) for row in rows.tolist()]
    assert (found.p[2:] == (count == "inclusive")).all()  # all partitions tie


def test_by_hand():
    # 3, 2 | 1, 0: the six sums of two are 5 4 3 3 2 1, and the given one, 5, is the greatest: 1 of 6, strictly 0.
    assert permutation_test(np.array([3.0, 2, 1, 0]), 2).p == 1 / 6
    assert permutation_test(np.array([3.0, 2, 1, 0]), 2, count="strict").p == 0
    # 3, 0 | 2, 1: sum 3; greater are 5 and 4, as great are two. Two-sided: s = 0, which all six reach and four exceed.
    row = np.array([3.0, 0, 2, 1])
    assert permutation_test(row, 2).p == 4 / 6
    assert permutation_test(row, 2, count="strict").p == 2 / 6
    assert permutation_test(row, 2, sides="two").p == 1
    assert permutation_test(row, 2, sides="two", count="strict").p == 4 / 6


def test_unequal_sets_keep_their_sizes_two_sided():
    # A = {4}, B = {0, 1, 1}: mean differences 4 − 2/3, 0 − 2, 1 − 5/3 twice; |s| of none exceeds 10/3.
    assert permutation_test(np.array([4.0, 0, 1, 1]), 1, sides="two").p == 1 / 4
    # A = {1}: s = 1 − 5/3 = −2/3; greater in size: 10/3 and −2; the other 1 ties.
    assert permutation_test(np.array([1.0, 0, 1, 4]), 1, sides="two").p == 4 / 4
    assert permutation_test(np.array([1.0, 0, 1, 4]), 1, sides="two", count="strict").p == 2 / 4


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
@pytest.mark.parametrize("sides", ["one", "two"])
def test_p_is_never_zero(sides, method):
    """The observed partition is one of those it is drawn from, so p is at least its own share."""
    rows = np.sort(np.random.default_rng(0).standard_normal((5, 10)) + 5)[:, ::-1]
    found = permutation_test(rows, 5, sides=sides, method=method, permutations=99)
    least = 1 / 252 if method == "exact" else 1 / 100
    assert (found.p >= (2 if sides == "two" and method == "exact" else 1) * least).all()


def test_meeting_in_the_middle_at_eighteen_against_eighteen():
    # Values 2^i make every subset sum distinct, and sums compare like binary numbers: the greatest k-subset is
    # the last k items, and the given one is beaten by exactly one partition when its lowest item is one step down.
    values = 2.0 ** np.arange(36)
    given = [*range(19, 36), 17]  # the best is 18 … 35
    row = np.r_[values[given], np.delete(values, given)]
    found = permutation_test(row, 18)
    assert (found.method, found.partitions) == ("exact", comb(36, 18))
    assert found.p == 2 / comb(36, 18)
    assert permutation_test(row, 18, count="strict").p == 1 / comb(36, 18)


def test_auto_draws_when_enumeration_is_not_affordable():
    assert permutation_test(np.random.default_rng(0).standard_normal((2, 50)), 25).method == "monte-carlo"
    assert permutation_test(np.random.default_rng(0).standard_normal((2_000, 32)), 16).method == "monte-carlo"
    assert permutation_test(np.random.default_rng(0).standard_normal((2, 32)), 16).method == "exact"
    assert permutation_test(np.random.default_rng(0).standard_normal((2, 60)), 2).method == "exact"


@pytest.mark.parametrize(("count", "slack"), [("inclusive", -1e-12), ("strict", 1e-12)])
@pytest.mark.parametrize("sides", ["one", "two"])
def test_monte_carlo_counts_the_partitions_it_drew(sides, count, slack):
    rows = np.random.default_rng(3).standard_normal((3, 12))
    drawn = np.concatenate(list(random_partitions(12, 5, 700, 9, 64)), axis=1).T.astype(bool)
    assert drawn.shape == (700, 12)
    assert (drawn.sum(axis=1) == 5).all()
    found = permutation_test(rows, 5, sides=sides, method="monte-carlo", permutations=700, seed=9, count=count)
    for row, p in zip(rows, found.p, strict=True):
        given = row[:5].mean() - row[5:].mean()
        s = np.array([row[members].mean() - row[~members].mean() for members in drawn])
        greater = (np.abs(s) > abs(given) + slack) if sides == "two" else (s > given + slack)
        assert p == (greater.sum() + 1) / 701


def test_monte_carlo_is_near_exact_and_its_draws_are_uniform():
    row = np.random.default_rng(1).standard_normal(16)
    exact = permutation_test(row, 8, method="exact").p
    drawn = permutation_test(row, 8, method="monte-carlo", permutations=20_000).p
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))
    members = sum(block.sum(axis=1) for block in random_partitions(7, 3, 7_000, 0, 512))
    np.testing.assert_allclose(members, 3_000, atol=200)


def test_seeds_and_blocks(monkeypatch):
    rows = np.random.default_rng(2).standard_normal((700, 50))
    first = permutation_test(rows, 25, permutations=3_000, seed=4).p
    assert (permutation_test(rows, 25, permutations=3_000, seed=4).p == first).all()
    assert (permutation_test(rows, 25, permutations=3_000, seed=5).p != first).any()
    monkeypatch.setattr(permutation, "ROWS", 33)
    monkeypatch.setattr(permutation, "COLUMNS", 101)
    assert (permutation_test(rows, 25, permutations=3_000, seed=4).p == first).all()


@pytest.mark.parametrize("sides", ["one", "two"])
def test_normal_is_fitted_to_the_shuffled_statistics(sides):
    rows = np.random.default_rng(6).standard_normal((4, 20)) + np.r_[np.full(10, 0.4), np.zeros(10)]
    drawn = np.concatenate(list(random_partitions(20, 10, 500, 0, 128)), axis=1).T.astype(bool)
    found = normal_p(rows, 10, sides=sides, permutations=500)
    for row, p in zip(rows, found, strict=True):
        s = [row[members].mean() - row[~members].mean() for members in drawn]
        z = (row[:10].mean() - row[10:].mean() - np.mean(s)) / np.std(s)
        assert p == pytest.approx(norm.sf(z) if sides == "one" else 2 * norm.sf(abs(z)), rel=1e-9)


def test_a_small_set_against_a_large_one():
    values = np.arange(1.0, 101)
    given = [96, 97, 99]  # 97 + 98 + 100 = 295; greater: 297 and 296, as great: 96 + 99 + 100
    row = np.r_[values[given], np.delete(values, given)]
    found = permutation_test(row, 3)
    assert (found.method, found.p) == ("exact", 4 / comb(100, 3))
    # Turned round, the same three are B, and A is the other 97.
    turned = permutation_test(np.r_[-row[3:], -row[:3]], 97)
    assert (turned.method, turned.p) == ("exact", 4 / comb(100, 3))


@pytest.mark.parametrize(
    ("values", "size", "options", "message"),
    [
        (np.ones(4), 4, {}, "4 pooled values cannot be split into 4 and 0"),
        (np.ones(4), 0, {}, "cannot be split into 0 and 4"),
        (np.array([[1.0, 2, 3], [1, np.nan, 2]]), 1, {}, "row 1 of the pooled values is not finite"),
        (np.ones(60), 30, {"method": "exact"}, "60 words into 30 and 30 are too many to enumerate"),
    ],
)
def test_bad_input(values, size, options, message):
    with pytest.raises(WordworthError, match=message):
        permutation_test(values, size, **options)


def test_no_normal_for_constant_values():
    with pytest.raises(WordworthError, match="row 0 of the pooled values does not vary"):
        normal_p(np.ones(4), 2)
