"""One run of each study that a report has figures for, made of random numbers."""

from pathlib import Path

import pytest

from made_runs import random_infer, random_predict, random_vast


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    """Return a folder as an audit leaves it."""
    folder = tmp_path / "audit"
    random_vast(["tiny"]).save(folder / "vast")
    random_predict("tiny").save(folder / "predict")
    random_infer("nli").save(folder / "infer")
    return folder
