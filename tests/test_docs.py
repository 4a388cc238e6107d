"""What the pages say of the command and of Python is so: settings, options, links and snippets."""

import ast
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tools import gallery, recipes, settings_tables
from tools.recipes import COMMAND

from wordworth.catalog.registry import entries
from wordworth.study import STUDIES

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def _id(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_settings_are_those_declared(page: Path) -> None:
    text = _text(page)
    assert settings_tables.with_tables(text) == text, "run `python -m tools.settings_tables`"


def test_every_study_and_command_has_its_table() -> None:
    named = [place[2] for place in settings_tables.PLACE.finditer("".join(map(_text, PAGES)))]
    assert sorted(named) == sorted([*STUDIES, *settings_tables.COMMANDS])


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_python_is_python_and_toml_is_toml(page: Path) -> None:
    for block in _blocks(_text(page), "python"):
        ast.parse(block)
    for block in _blocks(_text(page), "toml"):
        tomllib.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", _text(page)):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def _commands(text: str) -> list[list[str]]:
    """The commands that a page gives: indented lines, and whole commands between backticks."""
    lines = re.findall(r"^    (wordworth .+)$", text, re.MULTILINE) + re.findall(r"`(wordworth [^`]+)`", text)
    return [shlex.split(line, comments=True)[1:] for line in lines]


def _options(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words call, and the options in them."""
    command, words = recipes.leaf(words)
    return command, [word.partition("=")[0] for word in words if re.match(r"-{1,2}[a-z]", word)]


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_commands_have_the_options_that_pages_name(page: Path) -> None:
    for words in _commands(_text(page)):
        if words and not words[0].isupper():
            command, options = _options(words)
            known = {"-h", "--help", *(spelling for one in command.params for spelling in one.opts)}
            assert command is not COMMAND or words[0].startswith("-"), f"there is no command {words[0]}"
            assert set(options) <= known, f"wordworth {' '.join(words)}"


def test_the_gallery_is_of_what_it_names() -> None:
    """The page gives the command that made it, has its place in the site, and its pictures are small."""
    page = _text(ROOT / "docs" / "gallery.md")
    assert f"    wordworth audit {' '.join(gallery.MODELS)} --quick\n" in page
    assert set(gallery.MODELS) <= {entry.name for entry in entries("models")}
    assert "gallery.md" in _text(ROOT / "mkdocs.yml")
    for name in re.findall(r'(?:href|src)="(gallery/[^"]+)"', page):
        assert name in ("gallery/report.html", "gallery/tables.tex")  # what the script leaves
    for picture in (ROOT / "docs" / "figures").glob("*.png"):
        assert picture.stat().st_size < 300_000, picture.name


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
