"""How pytest collects, runs and shows rules, once it is asked for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wordworth.check.checking import Held, Judged, held, judge
from wordworth.check.plugin import UNDECIDED
from wordworth.check.rules import Rule, read_rules
from wordworth.check.wording import sentence
from wordworth.errors import WordworthError
from wordworth.visible import visible

MARK = ("wordworth", "undecided")
"""The property of a test by which its report is known to be of a rule that is undecided."""


class Collecting:
    """The hooks, registered where rules were asked for."""

    def __init__(self, config: pytest.Config) -> None:
        named = config.getoption("--wordworth")
        here = config.invocation_params.dir
        self.rules = [here / one for one in named] if named else list(config.getini("wordworth"))
        runs = config.getoption("--wordworth-run")
        self.runs = [here / one for one in runs] if runs else list(config.getini("wordworth_run"))
        self.undecided = config.getoption("--wordworth-undecided") or config.getini("wordworth_undecided")
        if not self.runs:
            raise pytest.UsageError("rules are tested on a run; name its folder with --wordworth-run RUN")
        if self.undecided not in UNDECIDED:
            raise pytest.UsageError(f"wordworth_undecided is {self.undecided!r}; it can be {' or '.join(UNDECIDED)}")
        for path in self.rules:
            if not path.is_file():
                raise pytest.UsageError(f"there is no file {path}; name the rules with --wordworth RULES.toml")
        self.resolved = {path.resolve() for path in self.rules}
        config.args = [*config.args, *map(str, self.rules)]

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> "RulesFile | None":
        """A file that was named as rules, or given to pytest as an argument like any file of tests."""
        if file_path.suffix != ".toml":
            return None
        if file_path.resolve() not in self.resolved and not parent.session.isinitpath(file_path):
            return None
        made: RulesFile = RulesFile.from_parent(parent, path=file_path)
        made.asked = self
        return made

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """An undecided rule is counted and shown as that, not among tests that were skipped."""
        if report.skipped and MARK in getattr(report, "user_properties", ()):
            return "undecided", "u", "UNDECIDED"
        return None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Why each of them is undecided; no option is needed to see it."""
        reports = terminalreporter.stats.get("undecided", ())
        if reports:
            terminalreporter.section("undecided rules: neither passed nor failed")
        for report in reports:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            terminalreporter.write_line(f"{report.nodeid}: {reason.removeprefix('Skipped: undecided: ')}")


class RulesFile(pytest.File):
    """A file of rules."""

    asked: Collecting
    _held: Held | None = None

    def collect(self) -> Iterator["RuleItem"]:
        """A test a rule; what is wrong with the file is an error of collection, in a sentence."""
        try:
            rules = read_rules(self.path)
        except WordworthError as error:
            raise self.CollectError(visible(str(error))) from error
        for rule in rules.rules:
            item: RuleItem = RuleItem.from_parent(self, name=visible(rule.name))
            item.rule = rule
            yield item

    def judged(self, rule: Rule) -> Judged:
        """A rule held against the runs, which are read when the first one is."""
        if self._held is None:
            self._held = held(self.asked.runs)
        return judge(rule, self._held)


class RuleItem(pytest.Item):
    """A rule as a test."""

    rule: Rule

    def runtest(self) -> None:
        """Passes where the rule does; an undecided one is skipped, or fails where that was asked for."""
        file = self.parent
        if not isinstance(file, RulesFile):  # pragma: no cover - it is made by one alone
            raise TypeError("a rule belongs to a file of rules")
        judged = file.judged(self.rule)
        self.user_properties.append(("wordworth", judged.verdict))
        said = visible(sentence(judged))
        if judged.verdict == "fail":
            raise RuleFailedError(said)
        if judged.verdict == "undecided":
            if file.asked.undecided == "fail":
                raise RuleFailedError(f"undecided: {said}")
            pytest.skip(f"undecided: {said}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The sentence alone: the lines of this package say nothing of a rule."""
        if isinstance(excinfo.value, RuleFailedError | WordworthError):
            return visible(str(excinfo.value))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it stands."""
        return self.path, None, f"rule {self.name}"


class RuleFailedError(Exception):
    """A rule that does not hold."""
