"""The second computation on numbers made by hand, and what the page says about a difference."""

from pathlib import Path

import numpy as np
import pytest
from truth import plain
from truth.papers import NOT_COMPARABLE, beside_ours

from made_runs import finish, record
from wordworth.results.runs import read_runs

EAST, NORTH, WEST = (np.array(pair, dtype=float) for pair in ((1, 0), (0, 1), (-1, 0)))


def test_formulas_by_hand() -> None:
    assert plain.cos(EAST, NORTH) == 0
    # One word at A, B opposite: mean 1 against −1 over the sample deviation of {1, −1}, √2.
    assert plain.sc_weat(EAST, [EAST], [WEST]) == pytest.approx(2 / np.sqrt(2))
    assert plain.weat([EAST], [WEST], [EAST], [WEST]) == pytest.approx(4 / np.sqrt(8))
    assert plain.weat_p([EAST], [WEST], [EAST], [WEST]) == 0.5  # itself, of two partitions
    assert plain.garg([EAST], [[EAST], [NORTH]], euclidean=True) == pytest.approx(np.sqrt(2))
    assert plain.garg([EAST], [[EAST], [NORTH]], euclidean=False) == pytest.approx(1)
    assert plain.manzini([EAST], [[EAST], [NORTH]]) == pytest.approx(0.5)
    assert plain.direct_bias([EAST, NORTH], [(WEST, EAST)]) == pytest.approx(0.5)
    assert plain.ripa([EAST], [(WEST, EAST)]) == pytest.approx(1)
    assert plain.analogy(["a", "b", "c", "d"], np.eye(4, dtype=np.float32)[[0, 1, 2, 1]], [("a", "b", "c", "d")]) == 1


@pytest.mark.parametrize("value", [1.1, 0.0907])
def test_a_class_with_one_word_of_eighteen_is_not_comparable(value: float) -> None:
    """The paper has .0907; a number that is the same by chance does not agree either."""
    run = record("static", {"word2vec_googlenews_subset": {"words": 10}})
    where = {"experiment": "bias", "model": "word2vec_googlenews_subset", "dataset": "religion", "n": 121}
    run.score(**where, subset="professions", measure="garg-euclidean", value=value)
    (one,) = beside_ours(read_runs([finish(run)]))
    assert (one.verdict, "1 of 18 Islamic words" in one.reason) == (NOT_COMPARABLE, True)


def test_the_page_is_there_and_nothing_on_it_is_open() -> None:
    text = (Path(__file__).parents[1] / "docs" / "truth.md").read_text(encoding="utf-8")
    counts = [line for line in text.splitlines() if line.startswith(("| a paper's", "| computed twice"))]
    assert len(counts) == 2
    assert all(line.endswith("| 0 |") for line in counts)
