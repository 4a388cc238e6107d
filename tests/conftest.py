"""Every test has a cache of its own; only those marked `index` share the user's, so that a model is fetched once."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_cache(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "index" not in request.keywords:
        monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("WORDWORTH_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def data() -> Path:
    """The papers' data sets, where they are at hand."""
    folder = os.environ.get("WORDWORTH_DATA")
    if not folder:
        pytest.skip("WORDWORTH_DATA is not set")
    return Path(folder)
