"""Nearest neighbours against a sort of all cosines, whatever the blocks."""

import numpy as np
import pytest

from wordworth.embedding.cosine import unit_rows
from wordworth.embedding.neighbours import nearest_neighbours
from wordworth.errors import WordworthError


@pytest.mark.parametrize("block", [1, 3, 7, 50, 1000])
def test_blocks_give_what_a_sort_gives(block):
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(50, 6)).astype(np.float32)
    rows = np.array([0, 49, 17])
    place, cosine = nearest_neighbours(vectors, rows, 5, block=block)
    units = unit_rows(vectors)
    for at, row in enumerate(rows):
        every = units @ units[row]
        order = [one for one in np.argsort(-every) if one != row][:5]
        assert place[at].tolist() == order
        np.testing.assert_allclose(cosine[at], every[order])


@pytest.mark.parametrize("k", [0, 3])
def test_too_few_vectors(k):
    with pytest.raises(WordworthError, match=f"{k} neighbours cannot be had among 3 vectors"):
        nearest_neighbours(np.eye(3), np.array([0]), k)
