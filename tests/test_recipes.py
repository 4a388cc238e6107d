"""Every command of the pages is one of the command line; `make docs-check` runs them."""

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
