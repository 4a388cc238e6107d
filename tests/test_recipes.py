"""Every command of the pages is one of the command line; `make docs-check` runs them."""

import re

import pytest
from tools import recipes

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


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.place)
def test_what_is_said_of_running_holds(block: recipes.Block) -> None:
    for mark in block.marks:
        held = [recipe for recipe in block.commands() if mark in recipe.marks]
        assert held, f"no command of the block holds {mark.text!r}"
        if mark.kind == "not run":
            assert len(mark.what) > 8, "a reason"
            continue
        words, options = recipes.given([mark])
        for old in words:
            assert any(re.search(rf"\b{re.escape(old)}\b", recipe.text) for recipe in held), old
        for option, *_ in options:
            assert any(option in recipe.words() for recipe in held), option


def test_there_are_blocks_of_every_kind() -> None:
    """So that a change of how pages are read does not leave all of them out."""
    assert {block.page.name for block in BLOCKS} >= {"README.md", "infer.md", "debias.md", "vast.md", "CONTRIBUTING.md"}
    assert sum(block.python for block in BLOCKS) >= 6
    assert sum(not recipe.not_run for recipe in RECIPES) >= 40
