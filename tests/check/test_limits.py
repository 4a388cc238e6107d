"""On which side of a limit an interval lies, by hand."""

import itertools
import random

import pytest

from wordworth.check.limits import Limit, against, by_declaration, parsed
from wordworth.errors import WordworthError


@pytest.mark.parametrize(
    ("text", "interval", "verdict"),
    [
        (">= 0.8", (0.8, 0.9), "pass"),
        ("> 0.8", (0.8, 0.9), "undecided"),
        (">= 0.8", (0.7, 0.8), "undecided"),
        ("> 0.8", (0.7, 0.8), "fail"),
        ("≥ .80", (0.76, 0.83), "undecided"),
        ("value < 0.5", (0.1, 0.49), "pass"),
        ("<= 0.5", (0.5, 0.6), "undecided"),
        ("< 0.5", (0.5, 0.6), "fail"),
        ("|value| < 0.5", (-0.4, 0.4), "pass"),
        ("|d| < 0.5", (-0.6, 0.4), "undecided"),
        ("| d | ≤ 0.5", (-0.9, -0.6), "fail"),
        ("|value| > 0.5", (-0.9, -0.6), "pass"),
        ("|value| > 0.5", (-0.4, 0.5), "fail"),
        ("> -1e-2", (-0.001, 0.2), "pass"),
    ],
)
def test_verdicts(text: str, interval: tuple[float, float], verdict: str) -> None:
    assert parsed(text).decided(interval) == verdict


def test_a_verdict_is_that_of_every_value_in_the_interval() -> None:
    """Against a slow version: all values of a fine grid over the interval keep the limit, or none, or some."""
    rng = random.Random(0)
    for below, strict, magnitude in itertools.product((True, False), repeat=3):
        for _ in range(50):
            low, high = sorted(rng.randrange(-20, 21) for _ in range(2))
            limit = Limit(rng.randrange(21), below, strict, magnitude)
            kept = []
            for value in [at / 2 for at in range(2 * low, 2 * high + 1)]:
                size = abs(value) if magnitude else value
                least = size < limit.number if below else size > limit.number
                kept.append(least or (size == limit.number and not strict))
            expected = "pass" if all(kept) else "undecided" if any(kept) else "fail"
            assert limit.decided((low, high)) == expected


@pytest.mark.parametrize("text", ["0.5", "=< 0.5", "== 0.5", "|value < 0.5", "~ 1", "< nan", "< 1e999", "", "> 1 > 2"])
def test_what_is_no_limit_is_an_error(text: str) -> None:
    with pytest.raises(WordworthError, match="write one like"):
        parsed(text)


def test_a_magnitude_has_no_negative_limit() -> None:
    with pytest.raises(WordworthError, match="never below 0"):
        parsed("|value| < -1")


def test_a_number_alone_takes_the_declared_side() -> None:
    assert str(by_declaration(0.8, "higher", "valence")) == "value ≥ 0.8"
    assert str(by_declaration(0.8, "lower", "perplexity")) == "value ≤ 0.8"
    assert str(by_declaration(0.5, "zero", "weat")) == "|value| ≤ 0.5"
    with pytest.raises(WordworthError, match="has no better side"):
        by_declaration(0.5, "", "contexts")
    assert against(parsed("< 0.8"), "higher")
    assert not against(parsed("|value| < 0.8"), "zero")
