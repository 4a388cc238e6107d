"""docs/run-files.md describes every column and key."""

from pathlib import Path

import pytest

from wordworth.results.columns import ITEM_TABLES, SCORES
from wordworth.results.run import Run

PAGE = (Path(__file__).parents[2] / "docs" / "run-files.md").read_text(encoding="utf-8")
SCORES_PART, _, REST = PAGE.partition("## Item tables")
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
