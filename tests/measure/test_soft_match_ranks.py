"""Ranks of guesses among neighbours against a full sort, a target at a time."""

import numpy as np
import pytest

from wordworth.measure import neighbour_ranks

pytestmark = pytest.mark.kernels

RNG = np.random.default_rng(3)
SPACE = RNG.standard_normal((300, 6)).astype(np.float32)
TARGETS, GUESSES = RNG.integers(300, size=(2, 500))


def slow(vectors, target, guess):
    wide = vectors.astype(np.float64)
    wide /= np.linalg.norm(wide, axis=1)[:, None]
    order = sorted(range(len(wide)), key=lambda row: -np.inf if row == target else -(wide[row] @ wide[target]))
    return order.index(guess) + 1


def test_ranks_are_those_of_a_full_sort():
    expected = [slow(SPACE, target, guess) for target, guess in zip(TARGETS, GUESSES, strict=True)]
    np.testing.assert_array_equal(neighbour_ranks(SPACE, TARGETS, GUESSES, max_rank=300), expected)
    for block in (20, 37, 300):
        few = neighbour_ranks(SPACE, TARGETS, GUESSES, max_rank=10, block=block)
        np.testing.assert_array_equal(few, np.minimum(expected, 11))


def test_equals_share_the_better_place():
    twins = np.array([[1.0, 0], [1, 1], [2, 2], [0, 1]])
    np.testing.assert_array_equal(neighbour_ranks(twins, np.array([0, 0]), np.array([1, 2]), max_rank=9), [2, 2])
