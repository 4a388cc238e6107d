"""What the pages say of the command, of Python and of a run's files is so; make docs-check runs their commands."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tools import recipes, settings_tables
from tools.recipes import COMMAND

from wordworth.results.columns import ITEM_TABLES, SCORES
from wordworth.results.run import Run

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


def _find_commands(text: str) -> list[list[str]]:
    """The commands that a page gives: indented lines, and whole commands between backticks."""
    lines = re.findall(r"^    (wordworth .+)$", text, re.MULTILINE) + re.findall(r"`(wordworth [^`]+)`", text)
    return [shlex.split(line, comments=True)[1:] for line in lines]


def _list_options(command: Any) -> set[str]:
    inner = (_list_options(one) for one in recipes.subcommands(command).values())
    return {spelling for one in command.params for spelling in (*one.opts, *one.secondary_opts)}.union(*inner)


OPTIONS = _list_options(COMMAND)


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_options_between_backticks_exist(page: Path) -> None:
    text = _text(page)
    if page.name == "CHANGELOG.md":  # which tells what was
        return
    spans = re.findall(r"`(--[a-z][a-z-]*[^`]*)`", text) + [" ".join(words) for words in _find_commands(text)]
    named = {option for span in spans for option in re.findall(r"(?:^|\s)(--[a-z][a-z-]+)", span)}
    assert named <= OPTIONS


BLOCKS = recipes.every_block()
RECIPES = [recipe for block in BLOCKS for recipe in block.commands()]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.place)
def test_a_recipe_can_be_run(recipe: recipes.Recipe) -> None:
    """It compiles, or the command takes all that it is given; only what is not the program's may be taken on trust."""
    if recipe.block.python:
        compile(recipe.python(), recipe.place, "exec")
        return
    words = recipe.words()
    if words[0] != "wordworth":
        assert recipe.not_run, "say in a comment above the block why it is not run"
        return
    if "synopsis" in recipe.not_run:
        return
    command, given = recipes.leaf(words[1:])
    # Options that are no setting, such as --install-completion, act as soon as they are read.
    hasty = {spelling for one in command.params if not one.expose_value for spelling in one.opts} | {"-h", "--help"}
    if not hasty & set(given):
        with command.make_context("wordworth", list(given)):
            pass


RUN_FILES_PAGE = (ROOT / "docs" / "run-files.md").read_text(encoding="utf-8")
SCORES_PART, _, REST = RUN_FILES_PAGE.partition("## Item tables")
ITEMS_PART, _, RUN_PART = REST.partition("## run.json")


def test_every_column_of_scores() -> None:
    assert [name for name in SCORES if f"`{name}`" not in SCORES_PART] == []


@pytest.mark.parametrize("table", ITEM_TABLES)
def test_every_item_table(table: str) -> None:
    row = next(line for line in ITEMS_PART.splitlines() if line.startswith(f"| `{table}` |"))
    assert [name for name in ITEM_TABLES[table] if f"`{name}`" not in row] == []


def test_every_key_of_run_json() -> None:
    keys = [name for name, field in Run.model_fields.items() if not field.exclude]
    assert [name for name in keys if f"`{name}`" not in RUN_PART] == []
