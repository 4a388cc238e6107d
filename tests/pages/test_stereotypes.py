"""Stereotypes are told when they are significant after a correction for all tests, and those against them too."""

from math import comb
from pathlib import Path
from typing import Any

import pytest

from made_runs import MadeRun
from wordworth.pages.answers import answers
from wordworth.pages.meaning_answers import two_sided
from wordworth.pages.runs import read_runs

CAREER = "male names with career, female names with family"
MATHS = "mathematics with male words, arts with female words"


def _said(*folders: Path) -> list[str]:
    every = {answer.question: answer.sentences for answer in answers(read_runs(folders))}
    return [f"{one.model} {one.text}" for one in every["Whom does it stereotype?"]]


def _tests(run: MadeRun, tests: dict[str, tuple[float, float | None]], **where: Any) -> MadeRun:
    """Test → d and p."""
    for name, (d, p) in tests.items():
        told = {"dataset": name, "measure": "weat", "value": d, "low": d - 0.3, "high": d + 0.2, "p": p, "n": 16}
        run.score(model="m", language="english", **told, **where)
    return run


def _vectors(tests: dict[str, tuple[float, float | None]], **manifest: Any) -> MadeRun:
    run = MadeRun("weat", **manifest)
    run.model("m", words=5)
    return _tests(run, tests, experiment="weat")


def test_only_what_is_significant_after_the_correction_is_told(tmp_path: Path) -> None:
    """Holm by hand, two-sided: .002 · 5 = .010, .008 · 4 = .032, .02 · 3 = .060, then all at least .060."""
    tests = {"weat6": (1.5, 0.001), "weat7": (0.9, 0.01), "weat8": (1.1, 0.004), "weat9": (1.2, 0.2),
             "weat10": (0.3, 0.4), "weat1": (2.0, 0.0001)}  # fmt: skip
    (said,) = _said(_vectors(tests).write(tmp_path / "weat"))
    assert said == (
        "m shows 2 of 5 stereotypes tested (p < .05, two-sided, after Holm’s correction over 5 tests): "
        f"{CAREER} (d = 1.50 [1.20, 1.70], 16 words); science with male words, arts with female words "
        "(d = 1.10 [.80, 1.30], 16 words)."
    )  # flowers and insects are no group of people


def test_an_effect_against_the_stereotype_is_said_as_such(tmp_path: Path) -> None:
    """A p of .9995 in one direction: .0005 in the other, and what is counted in both: 2 of 10,000."""
    tests = {"weat6": (1.5, 0.001), "weat7": (-1.8, 0.9995), "weat8": (-0.4, 0.8)}
    (said,) = _said(_vectors(tests).write(tmp_path / "weat"))
    assert said.startswith("m shows 1 of 3 stereotypes tested (")
    assert said.endswith(
        f"16 words). Against the stereotype: the reverse of {MATHS} (d = −1.80 [−2.10, −1.60], 16 words)."
    )
    # Only the reverse: nothing as the tests have it.
    (said,) = _said(_vectors({"weat7": (-1.8, 0.9995)}).write(tmp_path / "reverse"))
    assert said.startswith("m shows none of 1 stereotype tested (")
    assert "Against the stereotype: the reverse of mathematics" in said


def test_two_sided_p_is_not_doubled_again(tmp_path: Path) -> None:
    tests = {"weat6": (1.5, 0.02), "weat7": (-1.5, 0.02)}
    one = _vectors(tests).write(tmp_path / "one", settings={"sides": "one"})
    assert "shows none of 2" in _said(one)[0]  # 2 · .02 · 2
    two = _vectors(tests).write(tmp_path / "two", settings={"sides": "two"})
    assert "shows 1 of 2" in _said(two)[0]  # .02 · 2 = .04, and so the other
    assert "Against the stereotype" in _said(two)[0]


def test_p_in_both_directions() -> None:
    assert two_sided(0.01, 16, "one") == pytest.approx(0.02)
    assert two_sided(0.01, 16, "two") == 0.01
    assert two_sided(0.5, 16, "one") == 1.0
    # The least p of the reverse with 6 against 6 words is that of one partition, here taken as two.
    assert two_sided(1.0, 12, "one") == pytest.approx(2 * 2 / comb(12, 6))
    assert two_sided(1.0, None, "one") == pytest.approx(2 * 2 / 10_000)


@pytest.mark.parametrize(("valence", "where"), [(True, "layer 1, which reads valence best"), (False, "layer 2, ")])
def test_the_layer_and_why(tmp_path: Path, valence: bool, where: str) -> None:
    """One rule for all models: where valence is best, as the vectors are; what is nullified is not read."""
    run = MadeRun("vast")
    run.model("m", family="causal", layers=2)
    for layer, p in enumerate((0.001, 0.2, 0.001)):
        place = {"experiment": "bias", "setting": "bleached", "layer": layer}
        _tests(run, {"weat6": (1.0 + layer, p)}, **place)
        _tests(run, {"weat6": (5.0, 0.00001)}, **place, pcs=3)
        if valence:
            told = {"dataset": "bellezza", "measure": "valence", "value": (0.5, 0.8, 0.7)[layer]}
            run.score(model="m", experiment="contextualization", setting="bleached", layer=layer, **told)
    (said,) = _said(run.write(tmp_path / "vast"))
    assert f"Holm’s correction over 1 test in {where}" in said
    assert ("shows none of 1" if valence else "shows 1 of 1") in said  # p is .2 in layer 1 and .001 in layer 2
