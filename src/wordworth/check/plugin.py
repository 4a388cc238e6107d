"""The rules as tests of pytest, one a rule: `pytest --wordworth RULES.toml --wordworth-run RUN`.

pytest loads this file in every run of its own, so it declares the options and no more; where none of them is used,
nothing else is imported and no hook is registered.
"""

import pytest

UNDECIDED = ("skip", "fail")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, each with its counterpart in the configuration file."""
    group = parser.getgroup("wordworth", "rules for a model's numbers")
    group.addoption("--wordworth", action="append", metavar="RULES.toml", help="Rules to test, one test a rule.")
    group.addoption(
        "--wordworth-run", action="append", metavar="RUN", help="Folder of the run, or of the audit, that is tested."
    )
    group.addoption(
        "--wordworth-undecided",
        choices=UNDECIDED,
        help="What a rule is that the interval does not decide: skip (shown as undecided), or fail.",
    )
    parser.addini("wordworth", "Rules to test, as --wordworth.", type="paths", default=[])
    parser.addini("wordworth_run", "Folder of the run, as --wordworth-run.", type="paths", default=[])
    parser.addini("wordworth_undecided", "As --wordworth-undecided.", default=UNDECIDED[0])


def pytest_configure(config: pytest.Config) -> None:
    """Collects rules where any were asked for."""
    asked = ("--wordworth", "--wordworth-run")
    if any(config.getoption(name) for name in asked) or config.getini("wordworth"):
        from wordworth.check.collecting import Collecting

        config.pluginmanager.register(Collecting(config), "wordworth-rules")
