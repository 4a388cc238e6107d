"""The rules as tests of pytest: one a rule, an undecided one counted as that, and nothing where none are asked for."""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from made_checks import FAILS, PASSES, UNDECIDED, WriteRules

pytest_plugins = ["pytester"]
PLUGIN = "wordworth.check.plugin"
INSTALLED = any(one.value == PLUGIN for one in entry_points(group="pytest11"))


@pytest.fixture
def tried(pytester: pytest.Pytester, run: Path) -> object:
    """Runs pytest in a folder of its own, with the plugin as the package's entry point loads it."""

    def run_pytest(*words: object) -> pytest.RunResult:
        loaded = () if INSTALLED else ("-p", PLUGIN)
        return pytester.runpytest_inprocess(*loaded, "-p", "no:cacheprovider", *map(str, words))

    return run_pytest


def test_a_test_a_rule(tried, run: Path, write_rules: WriteRules) -> None:  # type: ignore[no-untyped-def]
    result = tried("--wordworth", write_rules(PASSES + UNDECIDED + FAILS), "--wordworth-run", run)
    assert result.ret == 1
    text = result.stdout.str()
    assert "1 failed, 1 passed, 1 undecided" in text
    assert "none of its interval [1.50, 1.80] keeps |value| < 0.5" in text
    assert "undecided rules: neither passed nor failed" in text
    assert "rules.toml::valence: tiny valence bellezza: a part of its interval [.76, .83] keeps value ≥ 0.8" in text
    assert "Traceback" not in text
    assert "checking.py" not in text


def test_undecided_alone_is_no_silent_pass(tried, run: Path, write_rules: WriteRules) -> None:  # type: ignore[no-untyped-def]
    rules = write_rules(UNDECIDED)
    shown = tried(rules, "--wordworth-run", run)
    assert (shown.ret, "1 undecided" in shown.stdout.str()) == (0, True)
    failed = tried(rules, "--wordworth-run", run, "--wordworth-undecided", "fail")
    assert (failed.ret, "1 failed" in failed.stdout.str()) == (1, True)


def test_beside_other_tests_and_once(  # type: ignore[no-untyped-def]
    tried, pytester: pytest.Pytester, run: Path
) -> None:
    pytester.makefile(".toml", rules=PASSES, other=FAILS)
    pytester.makepyfile("def test_one(): pass")
    pytester.makeini(f"[pytest]\nwordworth = rules.toml\nwordworth_run = {run}\n")
    tried("-q").assert_outcomes(passed=2)  # and not other.toml
    tried("-q", "-k", "arts").assert_outcomes(passed=1, deselected=1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[rules.a]\nmesure = 'weat'\nlimit = 1\n", "there is no column or key 'mesure'; did you mean measure"),
        ("[rules.a]\ndataset = 'weat66'\nlimit = 1\n", "did you mean weat6"),
    ],
)
def test_a_slip_is_no_pass(tried, run: Path, write_rules: WriteRules, text: str, sentence: str) -> None:  # type: ignore[no-untyped-def]
    result = tried("--wordworth", write_rules(text), "--wordworth-run", run)
    assert result.ret in (1, 2)
    assert sentence in result.stdout.str()
    assert "passed" not in result.stdout.str()


def test_what_is_missing_is_said(tried, run: Path, write_rules: WriteRules) -> None:  # type: ignore[no-untyped-def]
    assert "name its folder with --wordworth-run" in tried("--wordworth", write_rules(PASSES)).stderr.str()
    assert "there is no file" in tried("--wordworth", "no.toml", "--wordworth-run", run).stderr.str()


def test_nothing_is_imported_where_no_rules_are_asked_for() -> None:
    code = (
        f"import sys, {PLUGIN}; print(*(m for m in ('numpy', 'polars', 'wordworth.check.rules') if m in sys.modules))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
