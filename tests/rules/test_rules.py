"""Rules out of a file: what is asked, and every slip a sentence with file and rule."""

import itertools
import random
from pathlib import Path

import pytest

from commands import Command
from made_checks import WriteRules
from wordworth.errors import WordworthError
from wordworth.measure import find_measure
from wordworth.rules.rules import Limit, Rule, parse_limit, read_rules


def test_rules_are_read(write_rules: WriteRules) -> None:
    rules = read_rules(
        write_rules(
            "[rules.one]\nstudy = 'valnorm'\nmeasure = 'valence'\nlayer = 3\ncontext = ''\nlimit = 0.8\n"
            "[rules.two]\ndataset = 'weat6'\nno_worse_than = 'runs/base'\nmargin = 0.1\nlayer = 'top'\n"
        )
    )
    one, two = rules.rules
    plain = {"variant": None, "control": None}
    assert one.where == {"study": "valnorm", "context": None, "layer": 3, "measure": "valence", **plain}
    assert (one.limit, one.by) == (0.8, "interval")
    assert two.baseline == rules.path.parent / "runs/base"


SLIPS = {
    "[rules.a]\nmesure = 'weat'\nlimit = 1": "no column or key is called 'mesure'; did you mean measure",
    "[rules.a]\nmeasure = 'weat'\nlimit = '=< 1'": "its limit is '=< 1'; write one like",
    "[rules.a]\nmeasure = 'weat'": "give one of the two",
    "[rules.a]\nlimit = 1": "it names no score",
    "[rules.a]\nmeasure = 'weat'\nlimit = 1\nby = 'pont'": "its by is 'pont'; input should be",
    "[rules.a]\nmeasure = 'weat'\nlimit = 1\nlayer = 'best'": "must be a whole number",
    "[rules.a]\nmeasure = 'weat'\nlimit = 1\nmargin = 0.1": "margin belongs to no_worse_than",
    "[rules.a]\nmeasure = 'weat'\nno_worse_than = 'x'\nmargin = -1": "its margin is '-1'; input should be greater",
    "[rules.a]\nmeasure = 'weat'\nno_worse_than = 'x'\nby = 'point'": "decided by its interval",
}
OF_THE_FILE = {
    "[rule.a]\nlimit = 1": "has a table 'rule'; did you mean rules",
    "": "has no rules",
    "[rules.a": "is not TOML",
}


@pytest.mark.parametrize(("text", "sentence"), SLIPS.items())
def test_a_slip_is_a_sentence_with_file_and_rule(write_rules: WriteRules, text: str, sentence: str) -> None:
    path = write_rules(text)
    with pytest.raises(WordworthError) as error:
        read_rules(path)
    assert str(error.value).startswith(f"{path}, rule 'a': ")
    assert sentence in str(error.value)


@pytest.mark.parametrize(("text", "sentence"), OF_THE_FILE.items())
def test_a_slip_of_the_file_is_a_sentence(write_rules: WriteRules, text: str, sentence: str) -> None:
    path = write_rules(text)
    with pytest.raises(WordworthError) as error:
        read_rules(path)
    assert str(path) in str(error.value)
    assert sentence in str(error.value)


MISSES = {
    "dataset = 'weat66'\nlimit = 1": "has the dataset 'weat66'; did you mean weat6",
    "measure = 'weat'\ndataset = 'bellezza'\nlimit = 1": "has all of these: dataset bellezza, measure weat",
    "measure = 'top'\nk = 10\nlimit = 1": "has the measure 'top'",
    "model = 'tiney'\nmeasure = 'weat'\nlimit = 1": "has the model 'tiney'; did you mean tiny",
    "context = ''\nlayer = 4\nlimit = 1": "has the layer 4",
}


@pytest.mark.parametrize(("text", "sentence"), MISSES.items())
def test_a_rule_without_a_score(command: Command, run: Path, write_rules: WriteRules, text: str, sentence: str) -> None:
    answer = command("check", run, write_rules(f"[rules.a]\n{text}\n"))
    assert (answer.code, answer.out) == (2, "")
    assert "rules.toml, rule 'a': " in answer.err
    assert sentence in answer.err
    assert len(answer.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "interval", "verdict"),
    [
        (">= 0.8", (0.8, 0.9), "pass"),
        (">= .80", (0.76, 0.83), "undecided"),
        ("value < 0.5", (0.1, 0.49), "pass"),
        ("|value| < 0.5", (-0.4, 0.4), "pass"),
        ("| value | <= 0.5", (-0.9, -0.6), "fail"),
        ("|value| > 0.5", (-0.9, -0.6), "pass"),
        ("> -1e-2", (-0.001, 0.2), "pass"),
    ],
)
def test_verdicts(text: str, interval: tuple[float, float], verdict: str) -> None:
    assert parse_limit(text).judge(interval) == verdict


def test_a_verdict_is_that_of_every_value_in_the_interval() -> None:
    """Against a slow version: all values of a fine grid over the interval keep the limit, or none, or some."""
    rng = random.Random(0)
    for below, strict, magnitude in itertools.product((True, False), repeat=3):
        for _ in range(50):
            low, high = sorted(rng.randrange(-20, 21) for _ in range(2))
            sign = ("<" if below else ">") + ("" if strict else "=")
            limit = Limit(sign, rng.randrange(21), magnitude)
            kept = []
            for value in [at / 2 for at in range(2 * low, 2 * high + 1)]:
                size = abs(value) if magnitude else value
                least = size < limit.number if below else size > limit.number
                kept.append(least or (size == limit.number and not strict))
            expected = "pass" if all(kept) else "undecided" if any(kept) else "fail"
            assert limit.judge((low, high)) == expected


@pytest.mark.parametrize(
    "text", ["0.5", "=< 0.5", "== 0.5", "|value < 0.5", "~ 1", "< nan", "< 1e999", "", "> 1 > 2", "|value| < -1"]
)
def test_bad_limits_are_errors(text: str) -> None:
    with pytest.raises(WordworthError, match=r"write one like|never below 0"):
        parse_limit(text)


def test_only_a_number_takes_the_declared_side() -> None:
    def limit(measure: str) -> str:
        return str(Rule(name="a", limit=0.8).limit_of(find_measure(measure)))

    assert limit("valence") == "value ≥ 0.8"
    assert limit("perplexity") == "value ≤ 0.8"
    assert limit("weat") == "|value| ≤ 0.8"
    with pytest.raises(WordworthError, match="contexts has no better side"):
        limit("contexts")
