"""The second computation on numbers made by hand, and what the page says about a difference."""

import numpy as np
import pytest
from truth import plain
from truth.isolation import correlate, write_prefix
from truth.papers import AGREE, Beside, digits, within_rounding

from wordworth.pages.comparisons import Comparison
from wordworth.pages.published import Published, Quantity

EAST, NORTH, WEST = (np.array(pair, dtype=float) for pair in ((1, 0), (0, 1), (-1, 0)))


def beside(ours: float, verdict: str = AGREE, reason: str = "", **numbers: float | None) -> Beside:
    blank = dict.fromkeys(Published.__annotations__, "") | {"layer": None, "low": None, "high": None}
    given = {"paper": "toney2021", "place": "Table 3", "quantity": Quantity("raters", dataset="a", subset="b")}
    theirs = Published(**(blank | given | {"value": 0.5} | numbers))
    return Beside(Comparison({"value": ours, "n": 381}, theirs, "same model"), verdict, reason)


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


def test_isolation_writes_the_papers_texts() -> None:
    assert [write_prefix("aligned", rating) for rating in (2.49, 2.5, 5.99, 7.5)] == [
        "It is very unpleasant to think of",
        "It is unpleasant to think of",
        "It is neither pleasant nor unpleasant to think of",
        "It is very pleasant to think of",
    ]
    assert write_prefix("misaligned", 1.0) == write_prefix("aligned", 9.0)
    rng = np.random.default_rng(0)
    words, a, b = rng.normal(size=(5, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    effects = [plain.sc_weat(word, list(a), list(b)) for word in words]
    assert correlate(words, a, b, np.arange(5.0)) == pytest.approx(np.corrcoef(effects, range(5))[0, 1])


def test_rounding_is_the_papers() -> None:
    assert (digits(0.95), digits(0.8), digits(0.0503)) == (2, 1, 4)
    assert within_rounding(beside(0.5049).comparison)
    assert not within_rounding(beside(0.506).comparison)
    ranged = {"value": None, "low": 0.97, "high": 1.0}
    assert within_rounding(beside(0.98, **ranged).comparison)
    assert not within_rounding(beside(0.96, **ranged).comparison)
