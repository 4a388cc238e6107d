"""The second computation on numbers made by hand, and what the page says about a difference."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from truth import plain
from truth.check import Check
from truth.isolation import correlate, write_prefix
from truth.page import page, what_agrees
from truth.papers import AGREE, DIFFERS, NOT_COMPARABLE, OPEN, Beside, beside_ours, digits, within_rounding

from made_runs import finish, record
from wordworth.papers.comparisons import Comparison
from wordworth.papers.published import PaperNumber, Quantity
from wordworth.results.runs import read_runs

EAST, NORTH, WEST = (np.array(pair, dtype=float) for pair in ((1, 0), (0, 1), (-1, 0)))


def beside(ours: float, verdict: str = AGREE, reason: str = "", **numbers: Any) -> Beside:
    blank = dict.fromkeys(PaperNumber.__annotations__, "") | {"layer": None, "low": None, "high": None}
    given = {"paper": "toney2021", "place": "Table 3", "quantity": Quantity("raters", dataset="a", subset="b")}
    theirs = PaperNumber(**(blank | given | {"value": 0.5} | numbers))
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


def test_the_page_counts_and_gives_reasons() -> None:
    compared = [beside(0.5), beside(0.6, DIFFERS, "for a reason"), beside(0.7, OPEN)]
    checks = [Check("vast", "valence", f"m, layer {at}", "a loop", 0.5, 0.5 + at, 1e-6) for at in (0, 1)]
    text = page(compared, checks, data=False)
    assert "| a paper's, same model or people | 1 | 1 | 0 | 1 |" in text
    assert "| computed twice | 1 |  |  | 1 |" in text
    assert "| differs | (1) |" in text
    assert "\n1. for a reason\n" in text
    assert "The 1 that agree with a paper are 1 correlations between two groups of people." in text
    assert "open: valence, m, layer 1" in text


def test_the_headline_says_what_agrees_and_what_does_not() -> None:
    weat, valence = ({"paper": "wolfe2022", "quantity": Quantity(name)} for name in ("weat", "valence"))
    few = what_agrees([beside(0.5), beside(0.5, **weat), beside(0.5, **weat), beside(0.9, OPEN, **valence)])
    assert few.startswith("The 3 that agree with a paper are 1 correlations between two groups of people and 2 effect")
    assert "None compares a model with people." in few
    assert "VAST" not in few  # two of its numbers agree
    assert "Dev et al. (2020)" in few
    assert "None compares a model with people." not in what_agrees([beside(0.5, **valence)])
    assert what_agrees([beside(0.9, OPEN)]).startswith("None agrees with a paper.")


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
