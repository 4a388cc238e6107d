"""One run of each study that a report has figures for, made of random numbers."""

from pathlib import Path

import pytest

from made_runs import leave, random_infer, random_predict, random_vast


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    """A folder as an audit leaves it."""
    folder = tmp_path / "audit"
    leave(folder / "vast", random_vast(["tiny"]))
    leave(folder / "predict", random_predict("tiny"))
    leave(folder / "infer", random_infer("nli"))
    return folder
