"""What the pages say of the command and of Python is so: settings, options, links and snippets."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tools import recipes, settings_tables
from tools.recipes import COMMAND

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def _id(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_settings_are_those_declared(page: Path) -> None:
    text = _text(page)
    assert settings_tables.with_tables(text) == text, "run `python -m tools.settings_tables`"


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", _text(page)):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def _commands(text: str) -> list[list[str]]:
    """The commands that a page gives: indented lines, and whole commands between backticks."""
    lines = re.findall(r"^    (wordworth .+)$", text, re.MULTILINE) + re.findall(r"`(wordworth [^`]+)`", text)
    return [shlex.split(line, comments=True)[1:] for line in lines]


def _every_option(command: Any = COMMAND) -> set[str]:
    inner = (_every_option(one) for one in recipes.subcommands(command).values())
    return {spelling for one in command.params for spelling in (*one.opts, *one.secondary_opts)}.union(*inner)


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_options_between_backticks_are_those_of_now(page: Path) -> None:
    text = _text(page)
    if page.name == "CHANGELOG.md":  # which tells what was
        return
    spans = re.findall(r"`(--[a-z][a-z-]*[^`]*)`", text) + [" ".join(words) for words in _commands(text)]
    named = {option for span in spans for option in re.findall(r"(?:^|\s)(--[a-z][a-z-]+)", span)}
    assert named <= _every_option()
