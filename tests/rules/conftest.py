"""The run that rules are applied to, and a file of rules."""

from pathlib import Path

import pytest

from made_checks import WriteRules, make_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return its folder."""
    make_run().save(tmp_path / "runs" / "mine")
    return tmp_path / "runs" / "mine"


@pytest.fixture
def write_rules(tmp_path: Path) -> WriteRules:
    """Return a function that writes a file of rules."""

    def write(text: str) -> Path:
        path = tmp_path / "rules.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
