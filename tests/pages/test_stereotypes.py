"""Stereotypes are told when they are significant after a correction for all tests, and those against them too."""

from math import comb
from typing import Any

import pytest

from made_runs import Record, finish, record
from wordworth.pages.answers import answers
from wordworth.pages.meaning_answers import two_sided
from wordworth.pages.runs import read_runs
from wordworth.results.run import Run

CAREER = "male names with career, female names with family"
MATHS = "mathematics with male words, arts with female words"
Tests = dict[str, tuple[float, float]]


def sentence_of(run: Run) -> str:
    every = answers(read_runs([run]))
    (sentence,) = every["Whom does it stereotype?"]
    return sentence.text


def score_tests(run: Record, tests: Tests, sides: str = "one", **where: Any) -> None:
    """Record d and p of each test."""
    for name, (d, p) in tests.items():
        row = {"dataset": name, "value": d, "low": d - 0.3, "high": d + 0.2, "p": p, "sides": sides, "n": 25}
        run.score(model="m", language="english", measure="weat", partitions=12_870, **row, **where)


def vectors(tests: Tests, sides: str = "one") -> Run:
    run = record("weat", {"m": {"words": 5}})
    score_tests(run, tests, sides, experiment="weat")
    return finish(run)


def test_only_what_is_significant_after_the_correction_is_told() -> None:
    """Holm by hand, two-sided: .002 · 5 = .010, .008 · 4 = .032, .02 · 3 = .060, then all at least .060."""
    tests = {"weat6": (1.5, 0.001), "weat7": (0.9, 0.01), "weat8": (1.1, 0.004), "weat9": (1.2, 0.2),
             "weat10": (0.3, 0.4), "weat1": (2.0, 0.0001)}  # fmt: skip
    assert sentence_of(vectors(tests)) == (
        "shows 2 of 5 stereotypes tested (p < .05, two-sided, after Holm’s correction over 5 tests): "
        f"{CAREER} (d = 1.50 [1.20, 1.70], 25 words); science with male words, arts with female words "
        "(d = 1.10 [.80, 1.30], 25 words)."
    )  # flowers and insects are no group of people


def test_an_effect_against_the_stereotype_is_reported() -> None:
    """A p of .9995 in one direction: .0005 in the other, and what is counted in both: 2 of 10,000."""
    text = sentence_of(vectors({"weat6": (1.5, 0.001), "weat7": (-1.8, 0.9995), "weat8": (-0.4, 0.8)}))
    assert text.startswith("shows 1 of 3 stereotypes tested (")
    against = f"Against the stereotype: the reverse of {MATHS} (d = −1.80 [−2.10, −1.60], 25 words)."
    assert text.endswith(against)
    text = sentence_of(vectors({"weat7": (-1.8, 0.9995)}))
    assert text.startswith("shows none of 1 stereotype tested (")
    assert text.endswith(against)


def test_two_sided_p_is_not_doubled_again() -> None:
    tests = {"weat6": (1.5, 0.02), "weat7": (-1.5, 0.02)}
    assert "shows none of 2" in sentence_of(vectors(tests))  # 2 · .02 · 2
    assert "shows 1 of 2" in sentence_of(vectors(tests, "two"))  # .02 · 2 = .04, and so the other


def test_p_in_both_directions() -> None:
    def p(value: float, partitions: int | None, sides: str = "one") -> float:
        return two_sided({"p": value, "partitions": partitions, "sides": sides})

    assert p(0.01, 12_870) == pytest.approx(0.02)
    assert p(0.01, 12_870, "two") == 0.01
    assert p(0.5, 12_870) == 1.0
    # The least p of the reverse with 6 against 6 words is that of one partition, here taken as two.
    assert p(1.0, comb(12, 6)) == pytest.approx(2 * 2 / comb(12, 6))
    assert p(1.0, None) == pytest.approx(2 * 2 / 10_000)


@pytest.mark.parametrize(("valence", "where"), [(True, "layer 1, which reads valence best"), (False, "layer 2, ")])
def test_the_layer_and_why(valence: bool, where: str) -> None:
    """One rule for all models: where valence is best, as the vectors are; what is nullified is not read."""
    run = record("vast", {"m": {"family": "causal", "layers": 2}})
    for layer, p in enumerate((0.001, 0.2, 0.001)):
        slot = {"context": "bleached", "layer": layer}
        score_tests(run, {"weat6": (1.0 + layer, p)}, experiment="bias", **slot)
        score_tests(run, {"weat6": (5.0, 0.00001)}, experiment="bias", **slot, components=3)
        if valence:
            row = {"dataset": "bellezza", "measure": "valence", "value": (0.5, 0.8, 0.7)[layer]}
            run.score(model="m", experiment="contextualization", **slot, **row)
    text = sentence_of(finish(run))
    assert f"Holm’s correction over 1 test in {where}" in text
    assert ("shows none of 1" if valence else "shows 1 of 1") in text  # p is .2 in layer 1 and .001 in layer 2
