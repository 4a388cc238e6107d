"""When a number is to be read with care: the thresholds, and the column of `scores.csv`."""

import pytest

from wordworth.results import Findings
from wordworth.results.flags import few, joined, legend, unbalanced, uncovered


@pytest.mark.parametrize(("n", "flag"), [(8, "n=8"), (19, "n=19"), (20, ""), (None, "")])
def test_few(n: int | None, flag: str) -> None:
    assert few(n) == flag


@pytest.mark.parametrize(("found", "asked", "flag"), [(46, 100, "coverage 46%"), (80, 100, ""), (0, 0, "")])
def test_uncovered(found: int, asked: int, flag: str) -> None:
    assert uncovered(found, asked) == flag


@pytest.mark.parametrize(
    ("one", "other", "flag"), [(32, 9, "32 : 9"), (9, 32, "9 : 32"), (16, 8, ""), (17, 8, "17 : 8")]
)
def test_unbalanced(one: int, other: int, flag: str) -> None:
    assert unbalanced(one, other) == flag


def test_reasons_stand_once_in_a_score() -> None:
    part, whole = Findings(), Findings("weat")
    part.score(model="a", dataset="weat6", measure="weat", value=1.0, n=16, flags=joined("", "32 : 9"))
    part.score(model="a", dataset="weat1", measure="weat", value=1.0, n=50)
    part.flag("coverage 46%")
    part.flag("")
    whole.add(part, experiment="weat")  # recorded again, and flagged no second time
    assert whole.scores["flags"].to_list() == ["32 : 9; n=16; coverage 46%", "coverage 46%"]


def test_a_legend_names_what_is_flagged() -> None:
    assert legend([("a", None), ("b", "")]) == ""
    said = legend([("weat6", "n=16"), ("weat3", "32 : 9; coverage 28%"), ("weat7", "n=16"), ("weat6", "n=16")])
    assert said == "† to be read with care: n=16 (weat6, weat7); 32 : 9 (weat3); coverage 28% (weat3)"
    many = legend((f"t{number}", "n=8") for number in range(9))
    assert many == "† to be read with care: n=8 (t0, t1, t2, t3, t4, t5 and 3 more)"
