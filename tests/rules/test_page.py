"""docs/check.md: its rules are rules, and its example for CI is a workflow whose commands exist."""

import re
from pathlib import Path

import pytest
import yaml

from made_checks import WriteRules
from test_docs import _options
from wordworth.rules import read_rules

PAGE = (Path(__file__).parents[2] / "docs" / "check.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("text", [text for text in _blocks("toml") if "[rules." in text])
def test_rules_of_the_page_are_rules(write_rules: WriteRules, text: str) -> None:
    assert read_rules(write_rules(text)).rules


def test_the_workflow_is_one() -> None:
    (text,) = _blocks("yaml")
    (job,) = yaml.safe_load(text)["jobs"].values()
    commands = [line.split() for step in job["steps"] for line in step.get("run", "").splitlines()]
    (words,) = [words[1 : words.index("||")] for words in commands if words[:2] == ["wordworth", "check"]]
    command, options = _options(words)
    assert {"--junit"} == set(options) <= {spelling for one in command.params for spelling in one.opts}
