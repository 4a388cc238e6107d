"""Rules applied to a run: verdicts, exit codes, JSON and JUnit."""

import json
from pathlib import Path

import pytest
from junitparser import JUnitXml

from commands import Command
from made_checks import FAILS, PASSES, UNDECIDED, WriteRules
from wordworth.results.run import read_run
from wordworth.rules import check, read_rules


@pytest.mark.parametrize(
    ("text", "code", "counts"),
    [
        (PASSES, 0, "1 passed."),
        (PASSES + UNDECIDED, 3, "1 passed, 1 undecided."),
        (PASSES + UNDECIDED + FAILS, 1, "1 passed, 1 failed, 1 undecided."),
        (FAILS, 1, "1 failed."),
    ],
)
def test_exit_codes(command: Command, run: Path, write_rules: WriteRules, text: str, code: int, counts: str) -> None:
    answer = command("check", run, write_rules(text))
    assert answer.code == code
    assert answer.out.splitlines()[-1] == counts
    assert answer.err == ""


def test_verdicts_by_hand(run: Path, write_rules: WriteRules) -> None:
    rules = write_rules(
        "[rules.no-interval]\nmeasure = 'coverage'\nlimit = 0.5\n"
        "[rules.by-point]\nmeasure = 'coverage'\nlimit = 0.5\nby = 'point'\n"
        "[rules.all]\nmeasure = 'valence'\ndataset = 'anew'\nlimit = 0.6\n"
        "[rules.all-undecided]\nmeasure = 'valence'\ndataset = 'anew'\nlimit = 0.5\n"
        "[rules.one-layer]\nmeasure = 'valence'\nlayer = 1\nlimit = 0.64\n"
    )
    judged = {one.rule: one for one in check([read_run(run)], read_rules(rules)).judged}
    assert {name: one.verdict for name, one in judged.items()} == {
        "no-interval": "undecided",
        "by-point": "pass",
        "all": "fail",
        "all-undecided": "undecided",
        "one-layer": "pass",
    }
    assert 'by = "point"' in judged["no-interval"].reason
    assert judged["all"].columns["layer"] == 0
    assert judged["all"].matched == 3


def test_json_has_the_numbers_of_the_table(command: Command, run: Path, write_rules: WriteRules) -> None:
    answer = command("check", run, write_rules(PASSES + UNDECIDED + FAILS), "--json")
    table = json.loads(answer.out)
    assert (answer.code, table["code"], table["verdict"]) == (1, 1, "fail")
    found = {one["rule"]: (one["verdict"], one["value"], one["n"], one["cautions"]) for one in table["judged"]}
    assert found["career"] == ("fail", 1.7, 16, [])
    assert found["valence"] == ("undecided", 0.8, 399, [])


def test_junit_is_valid(command: Command, run: Path, write_rules: WriteRules, tmp_path: Path) -> None:
    hostile = f'[rules."<b>&\\u0001]]>"]\n{FAILS.partition(chr(10))[2]}'
    file = tmp_path / "out" / "check.xml"
    answer = command("check", run, write_rules(PASSES + UNDECIDED + hostile), "--junit", file)
    assert answer.code == 1
    (suite,) = JUnitXml.fromfile(str(file))
    assert (suite.tests, suite.failures, suite.skipped, suite.errors) == (3, 1, 1, 0)
    passed, undecided, failed = suite
    assert (passed.name, passed.classname, passed.result) == ("arts", "rules", [])
    assert undecided.result[0].message.startswith("only a part of the interval [.76, .83] meets value ≥ 0.8")
    assert failed.name == "<b>&\\x01]]>"
    assert "no part of the interval" in failed.result[0].message
